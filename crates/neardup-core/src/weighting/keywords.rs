//! The heaviest tokens of a text.

use super::idf::Idf;
use super::{Weigher, Weighting};
use neardup_text::Result;
use neardup_text::Token;
use neardup_text::hash::token_hash;

/// A token worth showing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyword<'t> {
    /// The token, as a slice of the normalised text.
    pub text: &'t str,
    /// The weight under the requested weighting.
    pub weight: f64,
}

/// Returns the `n` heaviest tokens of a text, heaviest first; of two equally heavy, the one that occurs first.
///
/// Tokens are given in text order; `idf` is asked only under [`Weighting::TfIdf`].
///
/// # Errors
/// Those of [`Weigher::weigh`].
pub fn keywords<'t>(tokens: &[Token<'t>], n: usize, weighting: Weighting, idf: &dyn Idf) -> Result<Vec<Keyword<'t>>> {
    let hashes: Vec<u64> = tokens.iter().map(|token| token_hash(token.text)).collect();
    let mut weigher = Weigher::new();
    let mut ranked = weigher.weigh(&hashes, weighting, idf)?.to_vec();
    let heavier = |a: &super::Weighted, b: &super::Weighted| b.weight.total_cmp(&a.weight).then(a.first.cmp(&b.first));
    if n < ranked.len() {
        ranked.select_nth_unstable_by(n, heavier);
        ranked.truncate(n);
    }
    ranked.sort_unstable_by(heavier);
    Ok(ranked.iter().map(|token| Keyword { text: tokens[token.first as usize].text, weight: token.weight }).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{Weighting, keywords};
    use crate::weighting::idf::JiebaIdf;
    use neardup_text::Token;

    fn tokens(words: &'static str) -> Vec<Token<'static>> {
        words.split(' ').map(|text| Token { text, start: text.as_ptr() as usize - words.as_ptr() as usize }).collect()
    }

    fn words(n: usize, weighting: Weighting) -> Vec<&'static str> {
        let tokens = tokens("甲 乙 丙 乙 丁 丙 乙");
        keywords(&tokens, n, weighting, &JiebaIdf).unwrap().iter().map(|keyword| keyword.text).collect()
    }

    #[test]
    fn the_heaviest_come_first_and_ties_in_text_order() {
        assert_eq!(words(9, Weighting::Count), ["乙", "丙", "甲", "丁"]);
        assert_eq!(words(3, Weighting::Tf), ["乙", "丙", "甲"]);
        assert_eq!(words(2, Weighting::None), ["甲", "乙"]);
        assert_eq!(words(0, Weighting::Count), [""; 0]);
    }

    #[test]
    fn rare_words_win_under_tfidf() {
        let tokens = tokens("北京 的 烤鸭 的 师傅 的 手艺");
        let ranked = keywords(&tokens, 1, Weighting::TfIdf, &JiebaIdf).unwrap();
        assert_ne!(ranked[0].text, "的");
    }
}
