//! A profile: an analyzer, house words, and optionally statistics of a collection.
//!
//! [`Profile`] combines them, for methods that need to know the collection a text comes from; [`Training`] makes the statistics. A
//! stored profile never changes, because signatures made with it would no longer match. Words or statistics of a later day are
//! another profile.

mod boilerplate;
mod statistics;
mod training;

pub use boilerplate::Passage;
pub use statistics::Statistics;
pub use training::{Training, WORDS};

use crate::signature::corpus::JiebaCorpus;
use crate::signature::e_simhash::e_simhash;
use crate::signature::p_simhash::PSimhash;
use crate::weighting::idf::{Idf, JiebaIdf};
use neardup_text::hash::token_hash;
use neardup_text::{Analyzer, HouseWord, Scratch};
use neardup_text::{Error, ErrorKind, Result};

/// The most tokens of a text that P-Simhash and E-Simhash take: some 50 MB of Chinese, for which they need 600 MB.
pub const MAX_TOKENS: usize = 1 << 24;

/// An analyzer with what is known about the collection its texts come from.
#[derive(Clone, Debug)]
pub struct Profile {
    analyzer: Analyzer,
    statistics: Option<Statistics>,
}

impl Profile {
    /// Makes a profile of an analyzer (a preset's name or JSON), house words, each a line of a user dictionary, and the bytes
    /// of trained statistics.
    ///
    /// # Errors
    /// `InvalidParameter` for an analyzer or words that cannot be; `InvalidBinary` for other bytes.
    pub fn new<'w>(
        analyzer: &str,
        words: impl IntoIterator<Item = &'w str>,
        statistics: Option<&[u8]>,
    ) -> Result<Self> {
        let words: Vec<HouseWord> = words.into_iter().map(HouseWord::parse).collect::<Result<_>>()?;
        let analyzer = Analyzer::with_words(analyzer.parse()?, &words)?;
        Ok(Self { analyzer, statistics: statistics.map(Statistics::from_bytes).transpose()? })
    }

    /// Returns the analyzer, which knows the house words.
    #[must_use]
    pub fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }

    /// Returns the statistics, where the profile is trained.
    #[must_use]
    pub fn statistics(&self) -> Option<&Statistics> {
        self.statistics.as_ref()
    }

    /// Returns the inverse document frequencies: the collection's, or jieba's own where the profile is not trained.
    #[must_use]
    pub fn idf(&self) -> &dyn Idf {
        match &self.statistics {
            Some(statistics) => statistics,
            None => &JiebaIdf,
        }
    }

    /// Returns the P-Simhash of token hashes in text order, by the collection's statistics, or by jieba's own table where the
    /// profile is not trained. `None` where no word weighs anything.
    #[must_use]
    pub fn p_simhash(&self, tokens: &[u64], parameters: PSimhash) -> Option<u64> {
        match &self.statistics {
            Some(statistics) => parameters.signature(tokens, statistics),
            None => parameters.signature(tokens, &JiebaCorpus),
        }
    }

    /// Returns the low `bits` bits of the E-Simhash of token hashes in text order; `None` for no token.
    ///
    /// # Errors
    /// `InvalidParameter` where the profile is not trained, or for bits that are not 1 to 64.
    pub fn e_simhash(&self, tokens: &[u64], bits: u32) -> Result<Option<u64>> {
        match &self.statistics {
            Some(statistics) => e_simhash(tokens, statistics, bits),
            None => Err(Error::new(ErrorKind::InvalidParameter, "E-Simhash needs a trained profile")
                .with_detail("Words weigh by their neighbours in a collection, and this profile knows of none.")
                .with_hint("Train it: CALL neardup.train_profile(name, query).")),
        }
    }
}

/// Returns the hashes of a document's tokens in text order, for the methods that look at a text as a whole.
///
/// # Errors
/// `LimitExceeded` beyond [`MAX_TOKENS`] tokens, and for a text of 4 GB or more.
pub fn token_hashes(document: &str, analyzer: &Analyzer, scratch: &mut Scratch) -> Result<Vec<u64>> {
    let mut hashes = Vec::new();
    let mut tokens = 0;
    analyzer.tokens(document, scratch, &mut |token| {
        tokens += 1;
        if tokens <= MAX_TOKENS {
            hashes.push(token_hash(token));
        }
    })?;
    within_limit(tokens).map(|()| hashes)
}

/// Returns the hashes of tokens that another segmenter has cut, `most` of them at most, for the same methods.
///
/// # Errors
/// `LimitExceeded` where `most` is beyond [`MAX_TOKENS`].
pub fn ready_hashes<'t>(tokens: impl Iterator<Item = &'t str>, most: usize) -> Result<Vec<u64>> {
    within_limit(most)?;
    Ok(tokens.map(token_hash).collect())
}

fn within_limit(tokens: usize) -> Result<()> {
    if tokens <= MAX_TOKENS {
        return Ok(());
    }
    Err(Error::new(ErrorKind::LimitExceeded, format!("text of {tokens} tokens is too long for this method"))
        .with_detail(format!("The limit is {MAX_TOKENS} tokens.")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::signature::simhash::hamming_distance;
    use crate::weighting::{Weighting, keywords};

    const NEWS: [&str; 6] = [
        "太阳队总决赛赢了雄鹿队，太阳队球迷欢庆。",
        "雄鹿队在总决赛第三场赢了球，太阳队教练不服。",
        "李白是唐代诗人，杜甫也是唐代诗人。",
        "这位诗人不是唐代人。",
        "总决赛门票今日开售，球迷排队。",
        "蓝鲸湾公司今日宣布，新厂不是建在江口。",
    ];

    fn trained() -> Profile {
        let analyzer = r#"{"tokenizer": "jieba"}"#;
        let untrained = Profile::new(analyzer, ["蓝鲸湾公司"], None).unwrap();
        let mut training = Training::new(1000).unwrap();
        for news in NEWS {
            training.add(&token_hashes(news, untrained.analyzer(), &mut Scratch::default()).unwrap());
        }
        Profile::new(analyzer, ["蓝鲸湾公司"], Some(&training.finish())).unwrap()
    }

    fn hashes(profile: &Profile, document: &str) -> Vec<u64> {
        token_hashes(document, profile.analyzer(), &mut Scratch::default()).unwrap()
    }

    /// The source's examples, trained and not.
    #[test]
    fn p_simhash_separates_what_simhash_does_not() {
        let untrained = Profile::new(r#"{"tokenizer": "jieba"}"#, [], None).unwrap();
        for profile in [trained(), untrained] {
            let signature = |text| profile.p_simhash(&hashes(&profile, text), PSimhash::default()).unwrap();
            for (a, b) in [("太阳队总决赛赢了雄鹿队", "雄鹿队总决赛赢了太阳队"), ("李白是唐代诗人", "李白不是唐代诗人")]
            {
                assert!(hamming_distance(signature(a), signature(b)) > 0, "{a}");
            }
        }
    }

    #[test]
    fn e_simhash_wants_a_trained_profile() {
        let profile = trained();
        let tokens = hashes(&profile, NEWS[0]);
        assert_eq!(profile.e_simhash(&tokens, 64), e_simhash(&tokens, profile.statistics().unwrap(), 64));
        let untrained = Profile::new("jieba", [], None).unwrap();
        assert_eq!(untrained.e_simhash(&[1], 64).unwrap_err().message, "E-Simhash needs a trained profile");
    }

    #[test]
    fn texts_have_a_limit() {
        let error = ready_hashes([].into_iter(), MAX_TOKENS + 1).unwrap_err();
        assert_eq!(
            (error.kind, error.message.as_str()),
            (ErrorKind::LimitExceeded, "text of 16777217 tokens is too long for this method")
        );
        assert_eq!(ready_hashes(["字"].into_iter(), 1).unwrap(), [token_hash("字")]);
    }

    #[test]
    fn idf_is_the_collections() {
        let profile = trained();
        assert!(profile.idf().idf(token_hash("蓝鲸湾公司")) > profile.idf().idf(token_hash("总决赛")));
        let mut scratch = Scratch::default();
        let text = profile.analyzer().normalize("蓝鲸湾公司赢了总决赛", &mut scratch);
        let mut tokens = Vec::new();
        profile.analyzer().words(text, &mut |token| tokens.push(token)).unwrap();
        let ranked = keywords(&tokens, 1, Weighting::TfIdf, profile.idf()).unwrap();
        assert_eq!(ranked[0].text, "蓝鲸湾公司");
    }
}
