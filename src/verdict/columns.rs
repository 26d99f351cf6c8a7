//! What two rows say in columns in which copies agree: evidence, which decides nothing alone.

/// How many characters of a value a reason shows.
const SHOWN: usize = 40;

/// The values of two rows in such columns; blank where a row has none.
#[derive(Clone, Copy, Default)]
pub struct Columns<'a> {
    /// The names of the columns.
    pub names: &'a [String],
    /// The values of each row.
    pub values: [&'a [String]; 2],
}

impl<'a> Columns<'a> {
    /// Returns the columns in which both rows have a value, with the values.
    fn known(self) -> impl Iterator<Item = (&'a String, [&'a String; 2])> {
        let [ours, theirs] = self.values;
        let all = self.names.iter().zip(ours.iter().zip(theirs)).map(|(name, (a, b))| (name, [a, b]));
        all.filter(|(_, values)| values.iter().all(|value| !value.is_empty()))
    }

    /// Returns the share of these columns in which both have the same value, 0 to 1; `None` if there are none.
    pub fn agreement(self) -> Option<f64> {
        let (equal, all) =
            self.known().fold((0_u32, 0_u32), |(equal, all), (_, [a, b])| (equal + u32::from(a == b), all + 1));
        (all > 0).then(|| f64::from(equal) / f64::from(all))
    }

    /// Says of each of these columns whether the two agree, as a reason.
    pub fn reasons(self) -> impl Iterator<Item = String> {
        self.known().map(|(name, [a, b])| {
            if a == b {
                format!("column {name} agrees: {}", shown(a))
            } else {
                format!("column {name} does not agree: {} / {}", shown(a), shown(b))
            }
        })
    }
}

/// Shortens a value for a reason.
pub fn shown(value: &str) -> String {
    value.chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_columns_that_both_rows_have_count() {
        let names = ["employer", "branch", "desk"].map(str::to_owned);
        let rows = [["Acme", "north", ""], ["Acme", "south", "7"], ["", "", "7"]].map(|row| row.map(str::to_owned));
        let of = |a: usize, b: usize| Columns { names: &names, values: [&rows[a], &rows[b]] };
        assert_eq!(of(0, 1).agreement(), Some(0.5));
        assert_eq!(of(1, 1).agreement(), Some(1.0));
        assert_eq!(of(0, 2).agreement(), None);
        assert_eq!(Columns::default().agreement(), None);
        let reasons: Vec<String> = of(0, 1).reasons().collect();
        assert_eq!(reasons, ["column employer agrees: Acme", "column branch does not agree: north / south"]);
    }
}
