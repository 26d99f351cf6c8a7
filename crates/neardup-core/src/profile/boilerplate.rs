//! Boilerplate: sentences that occur in many documents of a collection, such as a site's copyright notes.
//!
//! A sentence is boilerplate if each of its tokens is in many documents, and neighbouring tokens occur together. Words that are
//! merely common do not occur together. Shingles (`chars:8`) recognise passages better than words, which also occur elsewhere and
//! in any order.

use std::ops::Range;

use super::{Profile, Statistics, token_hashes};
use crate::signature::corpus::CorpusStatistics as _;
use neardup_text::Scratch;
use neardup_text::hash::mix;
use neardup_text::sentences::sentences;
use neardup_text::{Error, ErrorKind, Result, interrupt};

/// A sentence is boilerplate if at least one in this number of documents has it.
const ONE_IN: u64 = 1000;

/// A sentence of fewer documents is never boilerplate: a report that a dozen papers print is a report.
const LEAST: u64 = 20;

/// How much neighbouring tokens come together on average, as the Jaccard similarity of their occurrences. Sketches of 64 cells
/// err by up to 1/16.
const TOGETHER: f64 = 0.5;

/// What separates the parts of a footer or a menu within a sentence.
const SEPARATORS: [char; 3] = [';', '|', '｜'];

/// Fewer tokens are no passage.
const TOKENS: usize = 3;

/// A sentence that many documents have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// Equal for equal passages.
    pub key: u64,
}

impl Profile {
    /// Finds the sentences of `text` that are boilerplate in the profile's collection, in their order.
    ///
    /// # Errors
    /// `InvalidParameter` where the profile is not trained; `LimitExceeded` for a text of 4 GB or more.
    pub fn boilerplate(&self, text: &str, scratch: &mut Scratch) -> Result<Vec<Passage>> {
        let Some(statistics) = &self.statistics else {
            return Err(Error::new(ErrorKind::InvalidParameter, "boilerplate needs a trained profile")
                .with_detail("Passages weigh little by how many documents of a collection have them, and this profile knows of none.")
                .with_hint("Train it: CALL neardup.train_profile(name, query)."));
        };
        let mut parts = Vec::new();
        sentences(text, &mut |sentence| {
            let mut from = sentence.start;
            for part in sentence.text.split_inclusive(SEPARATORS) {
                parts.push(from..from + part.len());
                from += part.len();
            }
        });
        let mut found = Vec::new();
        for range in parts {
            interrupt::check();
            let part = text.get(range.clone()).unwrap_or_default();
            let tokens = token_hashes(part, &self.analyzer, scratch)?;
            if is_common(&tokens, statistics) {
                found.push(Passage { range, key: tokens.iter().fold(0, |key: u64, &token| mix(key ^ token, 10)) });
            }
        }
        Ok(found)
    }
}

fn is_common(tokens: &[u64], statistics: &Statistics) -> bool {
    let least = LEAST.max(statistics.documents().div_ceil(ONE_IN));
    if tokens.len() < TOKENS || tokens.iter().any(|&token| statistics.frequency(token) < least) {
        return false;
    }
    let together: f64 = tokens.windows(2).map(|pair| statistics.co_occurrence(pair[0], pair[1])).sum();
    together >= TOGETHER * (tokens.len() - 1) as f64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::profile::Training;

    const NOTE: &str = "本网所有文章未经书面授权不得转载。";

    /// A site of 400 articles, of which every second one ends with the note.
    fn site(analyzer: &str) -> Profile {
        let untrained = Profile::new(analyzer, [], None).unwrap();
        let mut training = Training::new(100_000).unwrap();
        for i in 0..400_u32 {
            let word = char::from_u32(0x4e00 + i * 7).unwrap();
            let article =
                format!("{word}镇昨天开通了第{i}座桥，镇长{word}某出席。{}", if i % 2 == 0 { NOTE } else { "" });
            training.add(&token_hashes(&article, untrained.analyzer(), &mut Scratch::default()).unwrap());
        }
        Profile::new(analyzer, [], Some(&training.finish())).unwrap()
    }

    fn found(profile: &Profile, text: &str) -> Vec<String> {
        let passages = profile.boilerplate(text, &mut Scratch::default()).unwrap();
        passages.into_iter().map(|passage| text[passage.range].to_owned()).collect()
    }

    #[test]
    fn what_many_documents_have_is_found() {
        for analyzer in ["chars:4", r#"{"tokenizer": "jieba"}"#] {
            let profile = site(analyzer);
            assert_eq!(found(&profile, &format!("滨河大桥免费通行！{NOTE}\n编者按。")), [NOTE], "{analyzer}");
            assert_eq!(found(&profile, ""), Vec::<String>::new());
        }
        let profile = site("chars:4");
        assert_eq!(found(&profile, "转载不得授权，书面所有。本网文章未经。"), Vec::<String>::new());
        let both = format!("{NOTE}{NOTE}");
        let passages = profile.boilerplate(&both, &mut Scratch::default()).unwrap();
        assert_eq!(passages[0].key, passages[1].key);
    }

    #[test]
    fn so_it_is_in_english() {
        let note = "No article may be reprinted without permission of the publisher.";
        let untrained = Profile::new("chars:8", [], None).unwrap();
        let mut training = Training::new(100_000).unwrap();
        for i in 0..100 {
            let article = format!("Bridge number {i} opens today. {}", if i % 2 == 0 { note } else { "" });
            training.add(&token_hashes(&article, untrained.analyzer(), &mut Scratch::default()).unwrap());
        }
        let profile = Profile::new("chars:8", [], Some(&training.finish())).unwrap();
        assert_eq!(found(&profile, &format!("The toll of 3.50 ends. {note} Home | Contact")), [note]);
    }

    #[test]
    fn an_untrained_profile_knows_none() {
        let error = Profile::new("jieba", [], None).unwrap().boilerplate("字", &mut Scratch::default()).unwrap_err();
        assert_eq!(error.message, "boilerplate needs a trained profile");
    }
}
