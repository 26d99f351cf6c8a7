//! A set of normalisation steps: read from names, always applied in one fixed order.

use crate::{Error, ErrorKind, Result};

/// A set of normalisation steps.
///
/// A set has no order: whatever order the names come in, the steps run in the order of [`Steps::ALL`], which is part of the
/// signature format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Steps(u16);

/// Names of all steps, in the order in which they run; a step's place is its bit.
const NAMES: [&str; 16] = [
    "html",
    "links",
    "reposts",
    "handles",
    "emoji",
    "control",
    "nfkc",
    "width",
    "casefold",
    "simplified",
    "joined",
    "skeleton",
    "punctuation",
    "space",
    "nospace",
    "spelling",
];

impl Steps {
    /// No step: the text stays as it is.
    pub const NONE: Self = Self(0);
    /// Tags, comments, scripts and styles go, entities are decoded.
    pub const HTML: Self = Self(1);
    /// Links become a space.
    pub const LINKS: Self = Self(1 << 1);
    /// Repost marks (`//@name:`, `RT @name:`) become a space; what was reposted stays.
    pub const REPOSTS: Self = Self(1 << 2);
    /// Handles (`@name`) become a space.
    pub const HANDLES: Self = Self(1 << 3);
    /// Emoji become a space.
    pub const EMOJI: Self = Self(1 << 4);
    /// Control, format and other invisible characters go.
    pub const CONTROL: Self = Self(1 << 5);
    /// Unicode normalisation form KC.
    pub const NFKC: Self = Self(1 << 6);
    /// Fullwidth ASCII to ASCII, halfwidth katakana to katakana; nothing is left to do after [`Steps::NFKC`].
    pub const WIDTH: Self = Self(1 << 7);
    /// Full Unicode case folding.
    pub const CASEFOLD: Self = Self(1 << 8);
    /// Traditional Han characters to simplified ones.
    pub const SIMPLIFIED: Self = Self(1 << 9);
    /// Words whose letters are taken apart become whole.
    pub const JOINED: Self = Self(1 << 10);
    /// Letters and digits become the Latin letters that they look like.
    pub const SKELETON: Self = Self(1 << 11);
    /// Punctuation and symbols become spaces.
    pub const PUNCTUATION: Self = Self(1 << 12);
    /// Runs of white space become one space, none at the ends.
    pub const SPACE: Self = Self(1 << 13);
    /// White space goes.
    pub const NOSPACE: Self = Self(1 << 14);
    /// Words get one of their spellings: without Arabic vowel signs, with `ue` for `ü`.
    pub const SPELLING: Self = Self(1 << 15);

    /// Every step.
    pub const ALL: Self = Self(u16::MAX >> (16 - NAMES.len()));
    /// The default of tokenizers with a dictionary, which has words as they are written.
    pub const DICTIONARY: Self = Self(Self::FOLDS.0 | Self::SPACE.0);
    /// The default of the tokenizer `words`.
    pub const WORDS: Self = Self(Self::DICTIONARY.0 | Self::ONE_SPELLING.0);
    /// The default of the tokenizer `chars`: a space is no character of the text.
    pub const CHARS: Self = Self(Self::FOLDS.0 | Self::NOSPACE.0 | Self::ONE_SPELLING.0);

    /// What makes one of several spellings, in any language.
    pub(super) const ONE_SPELLING: Self = Self(Self::SIMPLIFIED.0 | Self::SPELLING.0);

    /// What undoes disguises; no default has it.
    pub(super) const DISGUISES: Self = Self(Self::JOINED.0 | Self::SKELETON.0);

    /// What all defaults share.
    pub(super) const FOLDS: Self = Self(Self::CONTROL.0 | Self::NFKC.0 | Self::CASEFOLD.0 | Self::PUNCTUATION.0);

    /// The steps after those that look for marks in the text as it was written.
    pub(super) const AFTER_MARKUP: Self = Self(Self::ALL.0 & !(Self::CONTROL.0 - 1));

    /// Reads step names, in any order; a name given twice counts once.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`] for a name that is no step.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut steps = Self::NONE;
        for name in names {
            let bit = NAMES.iter().position(|&known| known == name).ok_or_else(|| {
                Error::new(ErrorKind::InvalidParameter, format!("unrecognized normalization step: \"{name}\""))
                    .with_hint(format!("Steps are {}.", NAMES.join(", ")))
            })?;
            steps.0 |= 1 << bit;
        }
        Ok(steps)
    }

    /// Returns the names of the steps in the order in which they run.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        NAMES.into_iter().enumerate().filter(move |(bit, _)| self.0 >> bit & 1 == 1).map(|(_, name)| name)
    }

    /// Says whether every step of `other` is in this set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the steps of both sets.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the steps that are in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the steps of this set that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns the set as a number: bit `i` is the `i`-th step of [`Steps::ALL`].
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{NAMES, Steps};
    use crate::ErrorKind;

    #[test]
    fn names_round_trip_in_one_order() {
        let mut backwards = NAMES;
        backwards.reverse();
        let all = Steps::parse(backwards).unwrap();
        assert_eq!(all, Steps::ALL);
        assert_eq!(all.names().collect::<Vec<_>>(), NAMES);
        let chars = ["control", "nfkc", "casefold", "simplified", "punctuation", "nospace", "spelling"];
        assert_eq!(Steps::CHARS.names().collect::<Vec<_>>(), chars);
        assert_eq!(
            Steps::parse(["space", "nfkc", "nfkc", "casefold", "control", "punctuation"]).unwrap(),
            Steps::DICTIONARY
        );
        assert_eq!(Steps::parse([]).unwrap(), Steps::NONE);
    }

    #[test]
    fn each_constant_bears_its_name() {
        let constants = [
            Steps::HTML,
            Steps::LINKS,
            Steps::REPOSTS,
            Steps::HANDLES,
            Steps::EMOJI,
            Steps::CONTROL,
            Steps::NFKC,
            Steps::WIDTH,
            Steps::CASEFOLD,
            Steps::SIMPLIFIED,
            Steps::JOINED,
            Steps::SKELETON,
            Steps::PUNCTUATION,
            Steps::SPACE,
            Steps::NOSPACE,
            Steps::SPELLING,
        ];
        for (constant, name) in constants.into_iter().zip(NAMES) {
            assert_eq!(Steps::parse([name]).unwrap(), constant);
        }
    }

    #[test]
    fn an_unknown_name_is_quoted_and_the_known_ones_are_listed() {
        let error = Steps::parse(["nfkc", "NFC"]).unwrap_err();
        assert_eq!(error.kind, ErrorKind::InvalidParameter);
        assert_eq!(error.message, "unrecognized normalization step: \"NFC\"");
        assert!(error.hint.unwrap().contains("nfkc, width, casefold"));
    }
}
