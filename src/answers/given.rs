//! The answers about one row, and what they say of it and another row.

use std::rc::Rc;

use ahash::AHashSet;
use neardup_core::candidates::{Apart, Member};
use neardup_core::signature::digest::text_hash;

use super::Answers;

/// An answer about a row and another one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Answer {
    /// The hash of the other row.
    pub other: u64,
    /// The key of the row when it was answered.
    pub key: String,
    /// The key of the other one.
    pub other_key: String,
    /// Whether they are copies.
    pub is_copy: bool,
}

/// The answers about a row.
#[derive(Clone, Debug, Default)]
pub struct Given {
    hash: u64,
    answers: Rc<[Answer]>,
    /// The hash of a row of which the row is a copy because another one is, and the score of that.
    through: Option<(u64, f64)>,
}

impl Given {
    /// Looks up the answers about a row with this hash.
    pub fn about(answers: &Answers, hash: u64) -> Self {
        if answers.is_none() { Self::default() } else { Self { hash, answers: answers.on(hash), through: None } }
    }

    /// Looks up those that say "a copy".
    pub fn copies(answers: &Answers, hash: u64) -> Self {
        if answers.is_none() { Self::default() } else { Self { hash, answers: answers.copies_on(hash), through: None } }
    }

    /// Says whether there are none.
    pub fn is_none(&self) -> bool {
        self.answers.is_empty()
    }

    /// Returns how many there are.
    pub fn count(&self) -> usize {
        self.answers.len()
    }

    /// Says whether some are about other rows with the same text, so that the row's key matters.
    pub fn asks_keys(&self) -> bool {
        self.answers.iter().any(|answer| answer.other == self.hash)
    }

    /// Returns the answer about the row, which has this key, and a row with this hash and key; `None` if there is none. What was said last
    /// replaces what was said before, so there is one; of two that were given at the same moment, "not a copy" holds.
    pub fn on(&self, key: &str, other: u64, other_key: &str) -> Option<bool> {
        let is_about = |answer: &&Answer| {
            answer.other == other && (other != self.hash || answer.key == key && answer.other_key == other_key)
        };
        self.answers.iter().filter(is_about).map(|answer| answer.is_copy).reduce(|a, b| a && b)
    }

    /// Returns hashes and keys of what is no copy of the row, which has this key.
    pub fn no_copies(&self, key: &str) -> impl Iterator<Item = (u64, &str)> {
        let is_about = move |answer: &&Answer| !answer.is_copy && (answer.other != self.hash || answer.key == key);
        self.answers.iter().filter(is_about).map(|answer| (answer.other, &*answer.other_key))
    }

    /// Returns the keys of the rows that are no copies of the row.
    pub fn kept_from(&self) -> impl Iterator<Item = &str> {
        self.answers.iter().filter(|answer| !answer.is_copy).map(|answer| &*answer.other_key)
    }

    /// Says whether the row is not a copy of the row with this key, whatever text that has.
    pub fn keeps_from(&self, other_key: &str) -> bool {
        self.answers.iter().any(|answer| !answer.is_copy && answer.other_key == other_key)
    }

    /// Says whether a row was answered to be a copy of another one, or of one that was answered to be a copy of that, and so on; each by its hash and
    /// key. What was answered of another row with the same text does not count.
    pub fn is_copy_of(answers: &Answers, row: (u64, &str), kept: (u64, &str)) -> bool {
        let mut next = vec![(row.0, row.1.to_owned())];
        let mut seen = AHashSet::new();
        while let Some((hash, key)) = next.pop() {
            for answer in answers.copies_on(hash).iter().filter(|answer| answer.key == key) {
                if answer.other == kept.0 && (answer.other != hash || answer.other_key == kept.1) {
                    return true;
                }
                let other = (answer.other, answer.other_key.clone());
                if seen.insert(other.clone()) {
                    next.push(other);
                }
            }
        }
        false
    }

    /// Returns the score of the row as a copy of all rows with this hash, if it is one.
    pub fn says_copy(&self, other: u64) -> Option<f64> {
        match self.on("", other, "") {
            Some(is_copy) => (is_copy && other != self.hash).then_some(1.0),
            None => self.through.filter(|(heir, _)| *heir == other).map(|(_, score)| score),
        }
    }

    /// Adds that the row, if it is a copy of the rows with this hash, goes with one of them that joins another one.
    pub fn following(self, kept: u64, heir: &Member) -> Self {
        let through = self.says_copy(kept).map(|score| (heir.kept_hash, score.min(heir.score)));
        Self { through, ..self }
    }

    /// Returns the numbers by which groups keep the row, which has this key, apart from others.
    pub fn apart(&self, key: &str) -> Apart {
        let (own, from) = self.pairs(key).unzip();
        Apart { own, from }
    }

    /// Returns these numbers, each of the row with one that it must not be with.
    pub fn pairs(&self, key: &str) -> impl Iterator<Item = (u64, u64)> {
        self.no_copies(key).map(move |(other, other_key)| {
            if other != self.hash {
                (self.hash, other)
            } else {
                (with_key(self.hash, key), with_key(self.hash, other_key))
            }
        })
    }

    /// Says whether anything keeps the row, which has this key, apart from others.
    pub fn keeps_apart(&self, key: &str) -> bool {
        self.no_copies(key).next().is_some()
    }

    /// Says whether the row has the text with this hash.
    pub const fn has_text(&self, hash: u64) -> bool {
        self.hash == hash
    }
}

/// Returns a number of a row with this text and key.
fn with_key(hash: u64, key: &str) -> u64 {
    hash.rotate_left(32) ^ text_hash(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(hash: u64, answers: &[(u64, &str, &str, bool)]) -> Given {
        let answer = |&(other, key, other_key, is_copy): &(u64, &str, &str, bool)| Answer {
            other,
            key: key.to_owned(),
            other_key: other_key.to_owned(),
            is_copy,
        };
        Given { hash, answers: answers.iter().map(answer).collect(), through: None }
    }

    #[test]
    fn an_answer_is_about_texts() {
        let given = given(7, &[(8, "1", "2", false), (9, "1", "3", true)]);
        assert_eq!(given.on("1", 8, "2"), Some(false));
        assert_eq!(given.on("5", 8, "6"), Some(false), "other rows with the two texts");
        assert_eq!(given.on("1", 9, "3"), Some(true));
        assert_eq!(given.on("1", 10, "2"), None, "its text is another one by now");
        assert_eq!(given.pairs("1").collect::<Vec<_>>(), [(7, 8)]);
    }

    #[test]
    fn of_two_rows_with_one_text_it_is_about_keys() {
        let given = given(7, &[(7, "1, t", "2, f", false)]);
        assert!(given.asks_keys());
        assert_eq!(given.on("1, t", 7, "2, f"), Some(false));
        assert_eq!(given.on("1, t", 7, "3, f"), None);
        assert_eq!(given.apart("5, t"), Apart::default());
        assert_eq!(given.apart("1, t").from.len(), 1);
    }
}
