//! The analyzer as a user writes it: a preset name or a JSON object.
//!
//! A [`Spec`] always has every key that matters for its tokenizer filled in, so that its JSON says all there is to say.
//! Promised not to change: what a preset's name stands for.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::chars::MAX_UNITS;
use super::normalize::Steps;
use crate::{Error, ErrorKind, Result};

/// The ways to cut a text into tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tokenizer {
    /// jieba: dictionary, word frequencies and a hidden Markov model.
    Jieba,
    /// Runs of N characters, for any language.
    Chars,
}

/// What jieba does with words inside words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The most probable words, once each.
    #[default]
    Exact,
    /// Every word the dictionary finds, overlapping.
    Full,
    /// The exact words, and the dictionary words inside long ones.
    Search,
}

/// A complete analyzer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// How tokens are cut.
    pub tokenizer: Tokenizer,
    /// jieba's mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Whether jieba guesses words that are not in its dictionary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hmm: Option<bool>,
    /// Characters in a token of `chars`, 1 to 64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<usize>,
    /// Normalisation steps; they run in their own order, whatever order they are listed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalize: Option<Vec<String>>,
}

/// A preset: name, one-line use, and the object it stands for.
const PRESETS: [(&str, &str); 3] = [
    ("jieba", r#"{"tokenizer":"jieba","mode":"exact"}"#),
    ("jieba_full", r#"{"tokenizer":"jieba","mode":"full"}"#),
    ("jieba_search", r#"{"tokenizer":"jieba","mode":"search"}"#),
];

fn invalid(text: &str) -> Error {
    Error::new(ErrorKind::InvalidParameter, format!("invalid analyzer: \"{text}\""))
}

/// Takes a number out of `chars:N`.
fn chars_size(text: &str) -> Option<&str> {
    text.strip_prefix("chars:")
}

impl Spec {
    /// The normalisation steps, checked.
    ///
    /// # Errors
    /// `InvalidParameter` for a step that does not exist.
    pub fn steps(&self) -> Result<Steps> {
        match (&self.normalize, self.tokenizer) {
            (Some(names), _) => Steps::parse(names.iter().map(String::as_str)),
            (None, Tokenizer::Chars) => Ok(Steps::CHARS),
            (None, Tokenizer::Jieba) => Ok(Steps::WORDS),
        }
    }

    /// Refuses keys that the tokenizer does not have, and fills in those it has.
    fn completed(mut self) -> Result<Self> {
        let names = self.steps()?.names().map(str::to_owned).collect();
        self.normalize = Some(names);
        let fault = |message: String| Err(Error::new(ErrorKind::InvalidParameter, message));
        match self.tokenizer {
            Tokenizer::Jieba => {
                if self.size.is_some() {
                    return fault("key \"size\" belongs to tokenizer \"chars\", not to \"jieba\"".to_owned());
                }
                self.mode.get_or_insert_default();
                self.hmm.get_or_insert(true);
            }
            Tokenizer::Chars => {
                if self.mode.is_some() || self.hmm.is_some() {
                    return fault(
                        "keys \"mode\" and \"hmm\" belong to tokenizer \"jieba\", not to \"chars\"".to_owned(),
                    );
                }
                match self.size {
                    Some(size) if (1..=MAX_UNITS).contains(&size) => {}
                    Some(size) => return fault(format!("size must be between 1 and {MAX_UNITS}: {size}")),
                    None => return fault("tokenizer \"chars\" needs a \"size\"".to_owned()),
                }
            }
        }
        Ok(self)
    }

    fn from_json(json: &str, text: &str) -> Result<Self> {
        let spec: Self = serde_json::from_str(json).map_err(|error| {
            invalid(text).with_detail(format!("{error}.")).with_hint(
                "An analyzer is a JSON object such as {\"tokenizer\": \"chars\", \"size\": 5}, or a preset's name.",
            )
        })?;
        spec.completed()
    }
}

impl FromStr for Spec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let trimmed = text.trim();
        if trimmed.starts_with('{') {
            return Self::from_json(trimmed, text);
        }
        if let Some((_, json)) = PRESETS.iter().find(|(name, _)| *name == trimmed) {
            return Self::from_json(json, text);
        }
        let unknown = || {
            let names = PRESETS.map(|(name, _)| name).join(", ");
            invalid(text).with_hint(format!(
                "Use {names}, chars:N with N from 1 to {MAX_UNITS}, or a JSON object such as {{\"tokenizer\": \"chars\", \"size\": 5}}."
            ))
        };
        let size = chars_size(trimmed).ok_or_else(unknown)?.parse().map_err(|_| unknown())?;
        Self { tokenizer: Tokenizer::Chars, mode: None, hmm: None, size: Some(size), normalize: None }.completed()
    }
}
