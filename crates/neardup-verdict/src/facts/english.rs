//! Facts as languages with spaces write them: `3rd quarter`, `1.2 million`, `4,2 Prozent`, names by their capital letter.

use super::fact::ConflictKind;
use super::reader::FactReader;
use super::vocabulary::{Meaning, is_common};
use crate::read::numerals::{Number, percent_sign, quotient};
use crate::read::units::{Break, Kind, Unit};
use neardup_text::hash::mix;

/// What stands between the names of two teams.
const AGAINST: [&str; 4] = ["x", "v", "vs", "versus"];

impl FactReader<'_> {
    /// Reads an ordinal, `3rd` or `third`, with the word it counts: `third quarter`.
    pub(super) fn ordinal_in_words(&mut self) -> Option<usize> {
        let at = self.at;
        let (number, end) = match self.unit(at)?.kind {
            Kind::Number { .. } if self.suffix(at + 1) => (self.text.number(self.unit(at)?)?, at + 2),
            Kind::Word => match self.meaning(at)? {
                (Meaning::Ordinal(place), _) => (Number::new(place.into(), 0), at + 1),
                _ => return None,
            },
            _ => return None,
        };
        Some(self.push(ConflictKind::Ordinal, at..end, number.bits(), 0))
    }

    /// Reads a place in a series after the word that says so: `Part 2`, `Teil II`, `Grade B`.
    pub(super) fn in_series(&mut self) -> Option<usize> {
        let at = self.at;
        let (Meaning::Series, place) = self.meaning(at)? else { return None };
        let unit = *self.unit(place).filter(|unit| unit.before <= Break::Space)?;
        let listed =
            self.is_number(place + 1) && matches!(self.joint(place + 1), Some('-' | '–' | ':' | '.' | '/' | ','));
        let key = match unit.kind {
            Kind::Number { .. } => self.text.number(&unit).filter(|number| number.small().is_some())?.bits(),
            Kind::Word => match self.roman(place) {
                Some(number) => number.bits(),
                None => {
                    let letter = self.written(&unit).as_bytes();
                    matches!(letter, [b'A'..=b'Z']).then(|| mix(unit.key, 5))?
                }
            },
            Kind::Han => return None,
        };
        // A part of something longer: section 3.2, 5%, model T1000.
        let ends = self.unit(place + 1).is_none_or(|next| next.before != Break::None);
        let after = self.text.text.get(unit.end as usize..).unwrap_or_default();
        if listed || !ends || percent_sign(after).is_some() {
            return None;
        }
        let measure = self.unit(at).map_or(0, |unit| unit.key);
        Some(self.push(ConflictKind::Ordinal, place..place + 1, key, measure))
    }

    /// Reads a Roman numeral after a name or a title: `Engineer III`, `Louis XIV`.
    pub(super) fn roman_ordinal(&mut self) -> Option<usize> {
        let at = self.at;
        let number = self.roman(at)?;
        let (unit, last) = (self.unit(at)?, self.unit(at.checked_sub(1)?)?);
        let named = last.kind == Kind::Word && self.written(last).starts_with(char::is_uppercase);
        // A lone letter may be a word or an initial.
        let lone = unit.end - unit.start == 1;
        let ends = self.unit(at + 1).is_none_or(|next| next.before >= Break::Clause || self.joint(at + 1).is_none());
        let fits = named && unit.before <= Break::Space && (!lone || ends);
        fits.then(|| self.push(ConflictKind::Ordinal, at..at + 1, number.bits(), 0))
    }

    /// Returns the value of a Roman numeral in capitals, up to 39.
    fn roman(&self, at: usize) -> Option<Number> {
        let written = self.written(self.unit(at).filter(|unit| unit.kind == Kind::Word)?);
        let ones = written.trim_start_matches('X');
        let tens = written.len() - ones.len();
        let one = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"].iter().position(|one| *one == ones)?;
        // IX is nine without a ten.
        (tens <= 3 && tens + one > 0).then(|| Number::new((tens * 10 + one) as u128, 0))
    }

    /// Returns the value of a fraction, as recipes have it: `1/2 cup`.
    pub(super) fn fraction(&self, at: usize) -> Option<Number> {
        let (above, below) = (self.small(at)?, self.small(at + 1)?);
        let is_one = self.text.latin
            && (1..below).contains(&above)
            && matches!(below, 2..=6 | 8)
            && self.joint(at + 1) == Some('/')
            && self.joint(at + 2) != Some('/')
            && (at == 0 || self.joint(at) != Some('/'));
        is_one.then(|| quotient(above, below))
    }

    /// Returns the number at a position with its decimals after a comma, as most languages of Europe write them, and the position of
    /// its last unit: `4,2` is two numbers in the text.
    pub(super) fn with_decimals(&self, at: usize, number: Number) -> (Number, usize) {
        let decimals = || {
            let last = self.unit(at + 1).filter(|_| self.text.latin && self.joint(at + 1) == Some(','))?;
            let Kind::Number { width: width @ 1..=6, arabic: true } = last.kind else { return None };
            let list = self.unit(at + 2).is_some_and(|next| matches!(next.kind, Kind::Number { .. }))
                && self.joint(at + 2) == Some(',');
            let listed =
                at > 0 && matches!(self.unit(at - 1)?.kind, Kind::Number { .. }) && self.joint(at) == Some(',');
            let decimals = self.text.number(last).filter(|decimals| !list && !listed && decimals.small().is_some())?;
            Some((number.and(decimals.times_ten_to(-i32::from(width))), at + 1))
        };
        decimals().unwrap_or((number, at))
    }

    /// Returns a number with the words after it that scale it, `1.2 million`, `3 mil milhões`, and the position after them.
    pub(super) fn scaled(&self, mut at: usize, mut number: Number) -> (Number, usize) {
        for _ in 0..2 {
            let near = self.unit(at).filter(|unit| unit.before <= Break::Space);
            let Some(unit) = near else { break };
            let power = match unit.kind {
                Kind::Word => match self.meaning(at) {
                    Some((Meaning::Scale(power), end)) => Some((i32::from(power), end)),
                    _ => None,
                },
                Kind::Han => self.thai_scale(at),
                Kind::Number { .. } => None,
            };
            let Some((power, end)) = power else { break };
            (number, at) = (number.times_ten_to(power), end);
        }
        (number, at)
    }

    /// Says whether what follows a number makes it a percentage: `percent`, `per cent`, `pct`, `Prozent`.
    pub(super) fn percent_in_words(&self, at: usize) -> bool {
        let near = self.unit(at).is_some_and(|unit| unit.before <= Break::Space);
        near && matches!(self.meaning(at), Some((Meaning::Percent, _)))
    }

    /// Says whether the word at a position may be a name; in a text of Han characters, every Latin word is one, and a handle or a link that is read
    /// is one in any text.
    ///
    /// The capital letter of a word that begins a sentence says nothing; it is a name if the next word has a capital letter too, or if it plays against
    /// one: Flamengo x Fluminense.
    pub(super) fn names(&self, at: usize) -> bool {
        let has_capital = |unit: &Unit| self.written(unit).chars().any(char::is_uppercase);
        let is_name = |unit: &Unit| unit.kind == Kind::Word && has_capital(unit) && !is_common(unit.key);
        let Some(unit) = self.unit(at) else { return false };
        let next_is_name =
            |at: usize| self.unit(at + 1).is_some_and(|next| next.before <= Break::Space && is_name(next));
        let plays = || {
            let against = self.unit(at + 1).filter(|next| next.before <= Break::Space);
            against.is_some_and(|unit| AGAINST.iter().any(|word| self.written(unit).eq_ignore_ascii_case(word)))
                && next_is_name(at + 1)
        };
        let sentence = self.plain_capitals.partition_point(|units| units.end <= at);
        let says_nothing = self.plain_capitals.get(sentence).is_some_and(|units| units.start <= at);
        !self.text.latin
            || self.written(unit).starts_with('@')
            || self.written(unit).contains('/')
            || !says_nothing && is_name(unit) && (unit.before != Break::Stop || next_is_name(at) || plays())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::facts::read::read;
    use crate::read::units::Text;

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
