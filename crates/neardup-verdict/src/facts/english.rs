//! Facts as English writes them: months in words, `3rd quarter`, `1.2 million`, names by their capital letter.

use super::super::numerals::{self, Number};
use super::super::units::{Break, Kind};
use super::ConflictKind;
use super::read::Reader;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Words that begin sentences or occur in headlines without naming anything.
const COMMON: [&str; 88] = [
    "a", "after", "all", "also", "an", "and", "another", "any", "are", "as", "at", "be", "because", "before", "both",
    "but", "by", "can", "do", "during", "each", "every", "few", "for", "from", "had", "has", "have", "he", "her",
    "his", "how", "however", "if", "in", "is", "it", "its", "later", "many", "more", "most", "much", "new", "no",
    "not", "now", "of", "on", "or", "other", "our", "out", "over", "s", "said", "says", "several", "she", "since",
    "so", "some", "such", "that", "the", "their", "then", "there", "these", "they", "this", "those", "to", "under",
    "until", "up", "was", "we", "were", "what", "when", "which", "while", "who", "will", "with", "yet", "you",
];

/// Gives the number of a month, 1 to 12, by its name or the name's first three letters; a word in small letters is not a month.
fn month(word: &str) -> Option<u32> {
    if !(3..=9).contains(&word.len()) || !word.starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    let word = word.to_ascii_lowercase();
    let named =
        |month: &&str| *month == word || month.get(..3) == Some(&word) || (*month, &*word) == ("september", "sept");
    MONTHS.iter().position(named).and_then(|place| u32::try_from(place + 1).ok())
}

/// Says whether a word of an English text may be a name: it has a capital letter and is not one of [`COMMON`].
fn is_name(word: &str) -> bool {
    word.chars().any(char::is_uppercase) && !COMMON.contains(&word.to_lowercase().as_str())
}

impl Reader<'_> {
    /// Gives the month that is named at a position.
    fn month(&self, at: usize) -> Option<u32> {
        let unit = self.unit(at).filter(|unit| unit.kind == Kind::Word)?;
        month(self.written(unit))
    }

    /// Says whether the unit follows in the same sentence; a comma may come between.
    fn follows(&self, at: usize) -> bool {
        self.unit(at).is_some_and(|unit| unit.before <= Break::Clause)
    }

    fn year(&self, at: usize) -> Option<u32> {
        self.small(at).filter(|year| (1900..=2100).contains(year) && self.follows(at))
    }

    /// Reads a date with a month in words: `5 March 1987`, `March 5, 1987`, `5 March`, `March 1987`, `March`.
    pub(super) fn date_in_words(&mut self) -> Option<usize> {
        let at = self.at;
        let day = |at: usize| self.small(at).filter(|day| (1..=31).contains(day));
        // 5th: the letters are a word of their own.
        let after_day = |at: usize| at + 1 + usize::from(self.suffix(at + 1));
        let (date, end) = if let Some(of_day) = day(at) {
            let at = after_day(at);
            let month = self.month(at).filter(|_| self.follows(at))?;
            let year = self.year(at + 1);
            ([year, Some(month), Some(of_day)], at + 1 + usize::from(year.is_some()))
        } else {
            let month = self.month(at)?;
            let of_day = day(at + 1).filter(|_| self.follows(at + 1));
            let end = if of_day.is_some() { after_day(at + 1) } else { at + 1 };
            let year = self.year(end);
            ([year, Some(month), of_day], end + usize::from(year.is_some()))
        };
        // Without a day or a year it may be the verb, or a name.
        let month_alone = date[0].is_none() && date[2].is_none();
        if month_alone && (!self.text.latin || self.unit(at)?.before == Break::Stop) {
            return None;
        }
        Some(self.push_date(at..end, date))
    }

    /// Says whether a unit is the `rd` of `3rd`.
    fn suffix(&self, at: usize) -> bool {
        let unit = self.unit(at).filter(|unit| unit.kind == Kind::Word && unit.before == Break::None);
        unit.is_some_and(|unit| ["st", "nd", "rd", "th"].iter().any(|end| self.written(unit).eq_ignore_ascii_case(end)))
    }

    /// Reads an ordinal, `3rd` or `third`, with the word it counts: `third quarter`.
    pub(super) fn ordinal_in_words(&mut self) -> Option<usize> {
        let at = self.at;
        let (number, end) = match self.unit(at)?.kind {
            Kind::Number { .. } if self.suffix(at + 1) => (self.text.number(self.unit(at)?)?, at + 2),
            Kind::Word => (numerals::ordinal(&self.written(self.unit(at)?).to_lowercase())?, at + 1),
            _ => return None,
        };
        Some(self.push(ConflictKind::Ordinal, at..end, number.bits(), 0))
    }

    /// Gives the number at a position with the word that scales it, `1.2 million`, and the position after it.
    pub(super) fn scaled(&self, at: usize, number: Number) -> (Number, usize) {
        let scale = |at: usize| {
            let unit = self.unit(at).filter(|unit| unit.kind == Kind::Word && unit.before <= Break::Space)?;
            numerals::scale(&self.written(unit).to_lowercase())
        };
        match scale(at + 1) {
            Some(power) => (number.times_ten_to(power), at + 2),
            None => (number, at + 1),
        }
    }

    /// Says whether what follows a number makes it a percentage: `percent`, `per cent`, `pct`.
    pub(super) fn percent_in_words(&self, at: usize) -> bool {
        let is = |at: usize, words: &[&str]| {
            let unit = self.unit(at).filter(|unit| unit.kind == Kind::Word && unit.before <= Break::Space);
            unit.is_some_and(|unit| words.iter().any(|word| self.written(unit).eq_ignore_ascii_case(word)))
        };
        is(at, &["percent", "pct", "percentage"]) || is(at, &["per"]) && is(at + 1, &["cent"])
    }

    /// Says whether the word at a position may be a name; in a text of Han characters, every Latin word is one.
    pub(super) fn names(&self, at: usize) -> bool {
        !self.text.latin || self.unit(at).is_some_and(|unit| is_name(self.written(unit)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::super::super::units::Text;
    use super::*;
    use crate::facts::read::read;

    fn facts(text: &str) -> Vec<(ConflictKind, String)> {
        let text = Text::read(text).unwrap();
        read(&text).into_iter().map(|fact| (fact.kind, text.written(fact.units).to_owned())).collect()
    }

    fn same(a: &str, b: &str) {
        let keys = |text: &str| -> Vec<u64> { read(&Text::read(text).unwrap()).iter().map(|fact| fact.key).collect() };
        assert_eq!(keys(a), keys(b), "{a} / {b}");
        assert!(!keys(a).is_empty(), "{a}");
    }

    #[test]
    fn facts_are_read() {
        use ConflictKind::{Date, Latin, Number, Ordinal, Percent};
        let owned = |facts: &[(ConflictKind, &str)]| -> Vec<(ConflictKind, String)> {
            facts.iter().map(|&(kind, text)| (kind, text.to_owned())).collect()
        };
        for (text, expected) in [
            ("the port moved 1.2 million tons", vec![(Number, "1.2 million")]),
            ("it opens on March 5, 1987", vec![(Date, "March 5, 1987")]),
            ("it opens on 5th Mar", vec![(Date, "5th Mar")]),
            ("it opened in June", vec![(Date, "June")]),
            ("the third bridge and the 4th tunnel", vec![(Ordinal, "third"), (Ordinal, "4th")]),
            ("prices rose 3 pct, then 4 per cent", vec![(Percent, "3"), (Percent, "4")]),
            ("the harbour of Riverside may close", vec![(Latin, "Riverside")]),
        ] {
            assert_eq!(facts(text), owned(&expected), "{text}");
        }
    }

    #[test]
    fn one_value_in_any_writing() {
        same("it lost 1.2 million a year", "it lost 1,200,000 a year");
        same("it lost 3 bln a year", "it lost three billion a year");
        same("the 3rd bridge", "the third bridge");
        same("opens on 5 March 1987", "opens on March 5th, 1987");
    }
}
