//! House words: names of companies, products and people that a dictionary should know in addition to its own words.
//!
//! [`HouseWord`] is one of them, read from a line of a jieba user dictionary: `word`, `word frequency`, `word tag` or `word
//! frequency tag`. The meaning of a line never changes.

use std::fmt;

use super::listed::ListedWord;
use super::normalize::{self, Buffer, Steps, is_white_space};
use crate::{Error, ErrorKind, Result};

/// A word with, perhaps, its frequency and part of speech.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HouseWord {
    word: String,
    frequency: Option<u64>,
    tag: Option<String>,
}

impl HouseWord {
    /// Reads a line of a user dictionary: the word, its frequency (a number from 0), its part of speech, the last two
    /// optional, with white space between them.
    ///
    /// # Errors
    /// `InvalidParameter` for a line without a word, or with more or other fields.
    pub fn parse(line: &str) -> Result<Self> {
        let fields: Vec<&str> = line.split_whitespace().take(4).collect();
        let number = |field: &str| field.parse::<u64>().ok();
        let (word, frequency, tag) = match fields[..] {
            [word] => (word, None, None),
            [word, field] => match number(field) {
                Some(frequency) => (word, Some(frequency), None),
                None => (word, None, Some(field.to_owned())),
            },
            [word, frequency, tag] if number(frequency).is_some() => (word, number(frequency), Some(tag.to_owned())),
            _ => {
                let message = format!("invalid house word: \"{line}\"");
                let hint = "A house word is a word, perhaps its frequency and its part of speech: \"元宇宙 500 n\".";
                return Err(Error::new(ErrorKind::InvalidParameter, message).with_hint(hint));
            }
        };
        Ok(Self { word: word.to_owned(), frequency, tag })
    }

    /// Returns the word as lexicons take it.
    #[must_use]
    pub fn listed(&self) -> ListedWord<'_> {
        (&self.word, self.frequency, self.tag.as_deref())
    }

    /// Normalises words as documents are, so that they meet them.
    pub(super) fn normalized(words: &[Self], steps: Steps) -> Result<Vec<Self>> {
        let mut buffer = Buffer::default();
        let mut normalized = Vec::with_capacity(words.len());
        for word in words {
            let form = normalize::normalize(&word.word, steps, &mut buffer);
            if form.is_empty() || form.contains(is_white_space) {
                let message = format!("normalization leaves \"{form}\" of house word \"{}\"", word.word);
                return Err(Error::new(ErrorKind::InvalidParameter, message)
                    .with_detail("No token will ever be that.")
                    .with_hint("Use an analyzer without the step \"punctuation\", or leave out the word."));
            }
            normalized.push(Self { word: form.to_owned(), ..word.clone() });
        }
        Ok(normalized)
    }
}

impl fmt::Display for HouseWord {
    /// Writes the line that reads back as this word.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.word)?;
        if let Some(frequency) = self.frequency {
            write!(f, " {frequency}")?;
        }
        self.tag.as_ref().map_or(Ok(()), |tag| write!(f, " {tag}"))
    }
}

impl From<ListedWord<'_>> for HouseWord {
    fn from((word, frequency, tag): ListedWord<'_>) -> Self {
        Self { word: word.to_owned(), frequency, tag: tag.map(str::to_owned) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::HouseWord;
    use crate::ErrorKind;
    use crate::{Analyzer, Scratch, Spec};

    fn words(lines: &[&str]) -> Vec<HouseWord> {
        lines.iter().map(|line| HouseWord::parse(line).unwrap()).collect()
    }

    fn tokens(analyzer: &str, lines: &[&str], document: &str) -> Vec<String> {
        let analyzer = Analyzer::with_words(analyzer.parse::<Spec>().unwrap(), &words(lines)).unwrap();
        let mut tokens = Vec::new();
        analyzer.tokens(document, &mut Scratch::default(), &mut |token| tokens.push(token.to_owned())).unwrap();
        tokens
    }

    #[test]
    fn lines_are_those_of_a_user_dictionary() {
        for (line, listed) in [
            ("元宇宙", ("元宇宙", None, None)),
            (" 元宇宙  500 ", ("元宇宙", Some(500), None)),
            ("元宇宙 nz", ("元宇宙", None, Some("nz"))),
            ("元宇宙\t500\tnz", ("元宇宙", Some(500), Some("nz"))),
        ] {
            let word = HouseWord::parse(line).unwrap();
            assert_eq!(word.listed(), listed);
            assert_eq!(HouseWord::parse(&word.to_string()).unwrap(), word);
        }
        for line in ["", " ", "a b c", "a 1 n x", "a -1 n"] {
            let error = HouseWord::parse(line).unwrap_err();
            assert_eq!(
                (error.kind, error.message),
                (ErrorKind::InvalidParameter, format!("invalid house word: \"{line}\""))
            );
        }
    }

    #[test]
    fn every_tokenizer_with_a_dictionary_takes_them() {
        for analyzer in [
            "jieba",
            "jieba_full",
            "jieba_search",
            "ik_smart",
            "ik_max_word",
            "longest_match",
            "shortest_path",
            "n_shortest_path",
            "index",
        ] {
            let with = tokens(analyzer, &["蓝鲸湾ＡＩ芯片", "元宇宙办公室 1000000 nt"], "在蓝鲸湾Ai芯片的元宇宙办公室");
            assert!(with.contains(&"蓝鲸湾ai芯片".to_owned()), "{analyzer}: {with:?}");
            assert!(with.contains(&"元宇宙办公室".to_owned()), "{analyzer}: {with:?}");
        }
    }

    #[test]
    fn their_tags_are_filtered_by() {
        let analyzer = r#"{"tokenizer": "jieba", "exclude_tags": ["nz"]}"#;
        assert_eq!(tokens(analyzer, &["元宇宙 nz"], "元宇宙大会"), ["大会"]);
    }

    #[test]
    fn words_that_can_never_be_met_are_refused() {
        let refused = |analyzer: &str, line: &str| {
            Analyzer::with_words(analyzer.parse::<Spec>().unwrap(), &words(&[line])).unwrap_err().message
        };
        assert_eq!(refused("jieba", "k8s-v2"), "normalization leaves \"k8s v2\" of house word \"k8s-v2\"");
        assert_eq!(refused("index", "…"), "normalization leaves \"\" of house word \"…\"");
        assert_eq!(refused("chars:3", "元宇宙"), "house words need a tokenizer with a dictionary");
    }
}
