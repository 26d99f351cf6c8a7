//! The analyzer as a user writes it: a preset's name or a JSON object.
//!
//! A parsed [`Spec`] has every key of its tokenizer filled in, so its JSON is complete. Promised not to change: the meaning of a
//! preset's name.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::chars::MAX_UNITS;
use super::normalize::Steps;
use super::path::MAX_PATHS;
use super::presets::{self, Preset};
use crate::{Error, ErrorKind, Result};

/// The values that each key accepts, for error messages.
const VALUES: [(&str, &str); 10] = [
    (
        "tokenizer",
        "\"jieba\", \"ik\", \"longest_match\", \"shortest_path\", \"n_shortest_path\", \"index\", \"words\" or \"chars\"",
    ),
    ("mode", "\"exact\", \"full\" or \"search\" (jieba), \"smart\" or \"max_word\" (ik)"),
    ("hmm", "true or false"),
    ("paths", "an integer between 1 and 8"),
    ("size", "an integer between 1 and 64"),
    ("normalize", "an array of the names of steps"),
    ("stop_words", "the name of a list, \"none\", or an array of words"),
    ("exclude_tags", "an array of tags"),
    ("min_length", "an integer, 0 or more"),
    ("shingle", "an integer between 1 and 16"),
];

/// The most tokens in a shingle of words.
pub const MAX_SHINGLE: u32 = 16;

/// The ways to cut a text into tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tokenizer {
    /// jieba: dictionary, word frequencies and a hidden Markov model.
    Jieba,
    /// The IK analyzer's algorithm over jieba's dictionary.
    Ik,
    /// From left to right the longest dictionary word.
    LongestMatch,
    /// The most probable way through the dictionary words.
    ShortestPath,
    /// The most probable among the ways with few words.
    NShortestPath,
    /// The most probable way, and the dictionary words inside long ones.
    Index,
    /// Unicode word boundaries, Han characters one by one.
    Words,
    /// Runs of N characters, for any language.
    Chars,
}

/// What a tokenizer with several modes does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// jieba: the most probable words, once each.
    Exact,
    /// jieba: every word the dictionary finds, overlapping.
    Full,
    /// jieba: the exact words, and the dictionary words inside long ones.
    Search,
    /// IK: one way through, ambiguity resolved.
    Smart,
    /// IK: every word the dictionary finds, overlapping.
    MaxWord,
}

/// Tokens that do not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StopWords {
    /// A list of [`stop_words`](super::stop_words), or `none`.
    Named(String),
    /// The words themselves.
    Own(Vec<String>),
}

/// A complete analyzer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// How tokens are cut.
    pub tokenizer: Tokenizer,
    /// The mode of `jieba` and `ik`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Whether `jieba` guesses words that are not in its dictionary; not in full mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hmm: Option<bool>,
    /// How many paths `n_shortest_path` follows, 1 to 8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<u8>,
    /// Characters in a token of `chars`, 1 to 64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<usize>,
    /// Normalisation steps; they run in their own order, whatever order they are listed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalize: Option<Vec<String>>,
    /// Tokens that do not count; none by default. They are normalised as the document is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_words: Option<StopWords>,
    /// Parts of speech that do not count, for `jieba` in exact mode: `u` stands for `uj`, `ul` and so on too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude_tags: Option<Vec<String>>,
    /// Characters that a token has at least; 1 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u32>,
    /// How many consecutive tokens make one, joined by a space, 1 to 16; 1 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shingle: Option<u32>,
}

/// What a user can write in place of a JSON object, for an error's hint.
fn names() -> String {
    let names: Vec<_> = presets::ALL.iter().map(|preset| preset.name).collect();
    format!("{}, chars:N with N from 1 to {MAX_UNITS}, shingles:N with N from 1 to {MAX_SHINGLE}", names.join(", "))
}

fn invalid(text: &str) -> Error {
    Error::new(ErrorKind::InvalidParameter, format!("invalid analyzer: \"{text}\""))
}

fn fault<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::new(ErrorKind::InvalidParameter, message))
}

impl Spec {
    /// An analyzer of this tokenizer with nothing else said.
    #[must_use]
    pub fn of(tokenizer: Tokenizer) -> Self {
        Self {
            tokenizer,
            mode: None,
            hmm: None,
            paths: None,
            size: None,
            normalize: None,
            stop_words: None,
            exclude_tags: None,
            min_length: None,
            shingle: None,
        }
    }

    /// The normalisation steps.
    ///
    /// # Errors
    /// `InvalidParameter` for a step that does not exist.
    pub fn steps(&self) -> Result<Steps> {
        match (&self.normalize, self.tokenizer) {
            (Some(names), _) => Steps::parse(names.iter().map(String::as_str)),
            (None, Tokenizer::Chars) => Ok(Steps::CHARS),
            (None, Tokenizer::Words) => Ok(Steps::WORDS),
            (None, _) => Ok(Steps::DICTIONARY),
        }
    }

    /// The keys that not every tokenizer has, with those that have them, where one is set.
    fn special_keys(&self) -> [(&'static str, bool, &'static [Tokenizer]); 7] {
        use Tokenizer::{Chars, Ik, Index, Jieba, LongestMatch, NShortestPath, ShortestPath, Words};
        const OF_WORDS: &[Tokenizer] = &[Jieba, Ik, LongestMatch, ShortestPath, NShortestPath, Index, Words];
        [
            ("mode", self.mode.is_some(), &[Jieba, Ik]),
            ("hmm", self.hmm.is_some(), &[Jieba]),
            ("paths", self.paths.is_some(), &[NShortestPath]),
            ("size", self.size.is_some(), &[Chars]),
            ("exclude_tags", self.exclude_tags.is_some(), &[Jieba]),
            ("min_length", self.min_length.is_some(), OF_WORDS),
            ("shingle", self.shingle.is_some(), OF_WORDS),
        ]
    }

    /// Refuses keys that the tokenizer does not have and values out of range, and fills in what is left open.
    fn completed(mut self) -> Result<Self> {
        for (key, set, tokenizers) in self.special_keys() {
            if set && !tokenizers.contains(&self.tokenizer) {
                let names: Vec<_> = tokenizers.iter().map(|&tokenizer| name(tokenizer)).collect();
                let message = format!("key \"{key}\" is not valid for tokenizer {}", name(self.tokenizer));
                let error = Error::new(ErrorKind::InvalidParameter, message);
                return Err(error.with_hint(format!("It is valid for {}.", names.join(", "))));
            }
        }
        self.normalize = Some(self.steps()?.names().map(str::to_owned).collect());
        match self.tokenizer {
            Tokenizer::Jieba => self.complete_jieba()?,
            Tokenizer::Ik => match self.mode.get_or_insert(Mode::Smart) {
                Mode::Smart | Mode::MaxWord => {}
                _ => return fault("mode of tokenizer \"ik\" must be \"smart\" or \"max_word\""),
            },
            Tokenizer::NShortestPath => {
                let paths = *self.paths.get_or_insert(2);
                if !(1..=MAX_PATHS).contains(&paths) {
                    return fault(format!("paths must be between 1 and {MAX_PATHS}: {paths}"));
                }
            }
            Tokenizer::Chars => match self.size {
                Some(size) if (1..=MAX_UNITS).contains(&size) => {}
                Some(size) => return fault(format!("size must be between 1 and {MAX_UNITS}: {size}")),
                None => return fault("tokenizer \"chars\" needs a \"size\""),
            },
            Tokenizer::LongestMatch | Tokenizer::ShortestPath | Tokenizer::Index | Tokenizer::Words => {}
        }
        if let Some(shingle) = self.shingle
            && !(1..=MAX_SHINGLE).contains(&shingle)
        {
            return fault(format!("shingle must be between 1 and {MAX_SHINGLE}: {shingle}"));
        }
        Ok(self)
    }

    fn complete_jieba(&mut self) -> Result<()> {
        let mode = *self.mode.get_or_insert(Mode::Exact);
        if matches!(mode, Mode::Smart | Mode::MaxWord) {
            return fault("mode of tokenizer \"jieba\" must be \"exact\", \"full\" or \"search\"");
        }
        if mode == Mode::Full {
            if self.hmm == Some(true) {
                return fault("full mode of tokenizer \"jieba\" has no \"hmm\"");
            }
            self.hmm = None;
        } else {
            self.hmm.get_or_insert(true);
        }
        if self.exclude_tags.as_ref().is_some_and(|tags| !tags.is_empty()) && mode != Mode::Exact {
            return fault("key \"exclude_tags\" needs mode \"exact\" of tokenizer \"jieba\"");
        }
        Ok(())
    }

    fn from_json(json: &str, text: &str) -> Result<Self> {
        let refused = |detail: String| {
            let example =
                "An analyzer is a JSON object such as {\"tokenizer\": \"chars\", \"size\": 5}, or a preset's name.";
            invalid(text).with_detail(detail).with_hint(example)
        };
        let values: Map<String, Value> = serde_json::from_str(json).map_err(|error| refused(format!("{error}.")))?;
        let mut reader = serde_json::Deserializer::from_str(json);
        let spec: Self = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let key = error.path().iter().next().map(ToString::to_string).unwrap_or_default();
            match (VALUES.iter().find(|(name, _)| *name == key), values.get(&key)) {
                (Some((_, allowed)), Some(value)) => refused(format!("Key \"{key}\" must be {allowed}: {value}.")),
                _ => refused(format!("{}.", error.inner())),
            }
        })?;
        spec.completed()
    }

    /// The analyzer as JSON, every key of its tokenizer filled in.
    ///
    /// # Errors
    /// None in practice: every value has a JSON form.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|error| Error::new(ErrorKind::InvalidParameter, error.to_string()))
    }
}

/// A tokenizer's name in quotation marks, as in JSON.
fn name(tokenizer: Tokenizer) -> String {
    serde_json::to_string(&tokenizer).unwrap_or_default()
}

impl FromStr for Spec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let trimmed = text.trim();
        if trimmed.starts_with('{') {
            return Self::from_json(trimmed, text);
        }
        if let Some(Preset { definition, .. }) = presets::ALL.iter().find(|preset| preset.name == trimmed) {
            return Self::from_json(definition, text);
        }
        let unknown = || invalid(text).with_hint(format!("Use {}, or a JSON object.", names()));
        let (name, number) = trimmed.split_once(':').ok_or_else(unknown)?;
        match name {
            "chars" => {
                Self { size: Some(number.parse().map_err(|_| unknown())?), ..Self::of(Tokenizer::Chars) }.completed()
            }
            "shingles" => {
                Self { shingle: Some(number.parse().map_err(|_| unknown())?), ..Self::of(Tokenizer::Words) }.completed()
            }
            _ => Err(unknown()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn every_preset_is_complete_and_reads_back() {
        for preset in presets::ALL {
            let spec: Spec = preset.name.parse().unwrap();
            assert_eq!(spec.to_json().unwrap().parse::<Spec>().unwrap(), spec, "{}", preset.name);
        }
        let chars: Spec = "chars:5".parse().unwrap();
        assert_eq!(
            chars.to_json().unwrap(),
            r#"{"tokenizer":"chars","size":5,"normalize":["control","nfkc","casefold","simplified","punctuation","nospace","spelling"]}"#
        );
    }

    #[test]
    fn shingles_stand_for_runs_of_words() {
        let spec: Spec = "shingles:5".parse().unwrap();
        assert_eq!(spec, r#"{"tokenizer":"words","shingle":5}"#.parse().unwrap());
        assert_eq!(
            spec.to_json().unwrap(),
            r#"{"tokenizer":"words","normalize":["control","nfkc","casefold","simplified","punctuation","space","spelling"],"shingle":5}"#
        );
    }

    #[test]
    fn wrong_keys_and_values_are_named() {
        for (text, message) in [
            (r#"{"tokenizer":"words","size":2}"#, "key \"size\" is not valid for tokenizer \"words\""),
            (r#"{"tokenizer":"ik","mode":"exact"}"#, "mode of tokenizer \"ik\" must be \"smart\" or \"max_word\""),
            (r#"{"tokenizer":"jieba","mode":"full","hmm":true}"#, "full mode of tokenizer \"jieba\" has no \"hmm\""),
            (r#"{"tokenizer":"n_shortest_path","paths":9}"#, "paths must be between 1 and 8: 9"),
            (r#"{"tokenizer":"words","shingle":0}"#, "shingle must be between 1 and 16: 0"),
            ("chars:0", "size must be between 1 and 64: 0"),
            ("shingles:17", "shingle must be between 1 and 16: 17"),
            ("shingles:0", "shingle must be between 1 and 16: 0"),
            ("shingles:", "invalid analyzer: \"shingles:\""),
            ("klingon", "invalid analyzer: \"klingon\""),
        ] {
            assert_eq!(text.parse::<Spec>().unwrap_err().message, message);
        }
        let error = r#"{"tokenizer":"jieba","colour":1}"#.parse::<Spec>().unwrap_err();
        assert!(error.detail.unwrap().starts_with("unknown field `colour`, expected one of `tokenizer`, `mode`"));
        for (text, detail) in [
            (r#"{"tokenizer":"jieba","hmm":"yes"}"#, r#"Key "hmm" must be true or false: "yes"."#),
            (
                r#"{"tokenizer":"jieba","mode":3}"#,
                r#"Key "mode" must be "exact", "full" or "search" (jieba), "smart" or "max_word" (ik): 3."#,
            ),
            (
                r#"{"tokenizer":"words","stop_words":[1]}"#,
                r#"Key "stop_words" must be the name of a list, "none", or an array of words: [1]."#,
            ),
            (r#"{"tokenizer":"chars","size":-1}"#, r#"Key "size" must be an integer between 1 and 64: -1."#),
            (r#"{"tokenizer":"words","shingle":1e99}"#, r#"Key "shingle" must be an integer between 1 and 16: 1e+99."#),
            (
                r#"{"tokenizer":"words","normalize":"html"}"#,
                r#"Key "normalize" must be an array of the names of steps: "html"."#,
            ),
        ] {
            assert_eq!(text.parse::<Spec>().unwrap_err().detail.unwrap(), detail);
        }
        let error = r#"{"tokenizer":"jieba","hmm":true,"hmm":false}"#.parse::<Spec>().unwrap_err();
        assert!(error.detail.unwrap().starts_with("duplicate field `hmm`"));
    }
}
