//! Inverse document frequency: how rare a word is, the factor in tf-idf.
//!
//! * [`Idf`]: the trait of a source that returns it for a word.
//! * [`JiebaIdf`]: the table that comes with jieba, 270,132 words, read in place, without loading or copying.
//!
//! The frequencies of a user's own texts (Zhang 2016, eq. 2) are in the [`Statistics`](crate::profile::Statistics) of a profile.
//!
//! Words are looked up by their hash; the build refuses a table in which two words share one.

include!(concat!(env!("OUT_DIR"), "/idf.rs"));

/// Laid out by `build/idf.rs`.
static TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/idf.bin"));

/// Answers how rare words are.
pub trait Idf {
    /// Returns the inverse document frequency of the word with this hash: finite, not negative, below 64.
    fn idf(&self, hash: u64) -> f64;
}

/// The inverse document frequencies that jieba 0.11.0 ships; a word they do not know gets their median,
/// 11.9547675029, as in jieba.
#[derive(Clone, Copy, Debug, Default)]
pub struct JiebaIdf;

impl Idf for JiebaIdf {
    fn idf(&self, hash: u64) -> f64 {
        let (values, rest) = TABLE.split_at(VALUES * 8);
        let (starts, rest) = rest.split_at(((1 << BUCKET_BITS) + 1) * 4);
        let (hashes, numbers) = rest.split_at(WORDS * 8);
        let bucket = (hash >> (64 - BUCKET_BITS)) as usize;
        let (starts, _) = starts.as_chunks::<4>();
        let (hashes, _) = hashes.as_chunks::<8>();
        let first = u32::from_le_bytes(starts[bucket]) as usize;
        let end = u32::from_le_bytes(starts[bucket + 1]) as usize;
        match hashes[first..end].iter().position(|&other| u64::from_le_bytes(other) == hash) {
            Some(offset) => {
                let number = u16::from_le_bytes(numbers.as_chunks::<2>().0[first + offset]);
                f64::from_le_bytes(values.as_chunks::<8>().0[usize::from(number)])
            }
            None => MEDIAN,
        }
    }
}

/// Returns the inverse document frequency of a word that `frequency` of a collection's documents have, at least 1 of them:
/// equation 2, `ln(documents / (frequency + 1))`.
///
/// That is negative for a word that occurs in every document. Such a word says nothing and gets 0 here: a negative
/// weight would make it vote against its own bits. The logarithm is software, so that it is the same bits everywhere.
pub(crate) fn idf(documents: u64, frequency: u64) -> f64 {
    libm::log(documents as f64 / (frequency as f64 + 1.0)).max(0.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{Idf, JiebaIdf, TABLE, idf};
    use neardup_text::hash::token_hash;

    /// As `idf.txt` states them: the commonest word, a rarer one, one of the rarest, and one it does not know.
    #[test]
    fn gives_jiebas_values() {
        let idf = |word| JiebaIdf.idf(token_hash(word));
        assert_eq!(idf("的"), 0.884_742_026_19);
        assert_eq!(idf("烤鸭"), 10.722_623_821_6);
        assert_eq!(idf("生化学"), 13.900_677_652);
        assert_eq!(idf("撤稿声明"), 11.954_767_502_9);
        assert_eq!(JiebaIdf.idf(0), JiebaIdf.idf(u64::MAX), "both unknown, at the ends of the table");
    }

    #[test]
    fn the_table_is_frozen() {
        assert_eq!(xxhash_rust::xxh3::xxh3_64(TABLE), 0x7c0f_28e8_b930_aa16);
    }

    #[test]
    fn follows_equation_2() {
        assert!((idf(1000, 9) - 100f64.ln()).abs() < 1e-12);
        assert_eq!(idf(1000, 999), 0.0);
        assert_eq!(idf(1000, 1000), 0.0, "clamped: the equation gives ln(1000/1001)");
        assert!((idf(1000, 0) - 1000f64.ln()).abs() < 1e-12);
    }
}
