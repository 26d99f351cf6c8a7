//! How rare a word is: the inverse document frequency that tf-idf multiplies with.
//!
//! * [`Idf`]: anything that answers for a word.
//! * [`JiebaIdf`]: the table that comes with jieba, 270,132 words, read in place: nothing to load, nothing copied.
//! * [`DocumentFrequencies`]: the statistics of a user's own texts (methods.md Z, eq. 2).
//!
//! Words are asked for by their hash; the build refuses a table in which two words share one.

use crate::{Error, ErrorKind, Result};

include!(concat!(env!("OUT_DIR"), "/idf.rs"));

/// Laid out by `build/idf.rs`.
static TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/idf.bin"));

/// Answers how rare words are.
pub trait Idf {
    /// Gives the inverse document frequency of the word with this hash: finite, not negative, below 64.
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

/// In how many documents of a collection each word occurs.
#[derive(Clone, Debug)]
pub struct DocumentFrequencies {
    /// Hashes in ascending order, with their idf.
    words: Vec<(u64, f64)>,
    unknown: f64,
}

impl DocumentFrequencies {
    /// Takes the number of documents and, in any order, each word's hash with the number of documents it occurs in.
    ///
    /// Equation 2, `idf = ln(documents / (frequency + 1))`, is negative for a word that occurs in every document.
    /// Such a word says nothing and gets 0 here: a negative weight would make it vote against its own bits. A word
    /// that is not listed has frequency 0.
    ///
    /// # Errors
    /// `InvalidParameter` for no documents, a frequency above their number, or a word given twice.
    pub fn new(documents: u64, frequencies: impl IntoIterator<Item = (u64, u64)>) -> Result<Self> {
        let invalid = |message| Err(Error::new(ErrorKind::InvalidParameter, message));
        if documents == 0 {
            return invalid("document frequencies need at least one document".to_owned());
        }
        let mut words = Vec::new();
        for (hash, frequency) in frequencies {
            if frequency > documents {
                return invalid(format!("document frequency {frequency} exceeds the number of documents, {documents}"));
            }
            words.push((hash, idf(documents, frequency)));
        }
        words.sort_unstable_by_key(|&(hash, _)| hash);
        if words.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return invalid("document frequencies list a word twice".to_owned());
        }
        Ok(Self { words, unknown: idf(documents, 0) })
    }
}

impl Idf for DocumentFrequencies {
    fn idf(&self, hash: u64) -> f64 {
        match self.words.binary_search_by_key(&hash, |&(hash, _)| hash) {
            Ok(at) => self.words[at].1,
            Err(_) => self.unknown,
        }
    }
}

/// Equation 2, not below 0. The logarithm is software, so that it is the same bits everywhere.
fn idf(documents: u64, frequency: u64) -> f64 {
    libm::log(documents as f64 / (frequency as f64 + 1.0)).max(0.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{DocumentFrequencies, Idf, JiebaIdf, TABLE};
    use crate::ErrorKind;
    use crate::sketch::hash::token_hash;

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
        let idf = DocumentFrequencies::new(1000, [(7, 9), (8, 999), (9, 1000)]).unwrap();
        assert!((idf.idf(7) - 100f64.ln()).abs() < 1e-12);
        assert_eq!(idf.idf(8), 0.0);
        assert_eq!(idf.idf(9), 0.0, "clamped: the equation gives ln(1000/1001)");
        assert!((idf.idf(1) - 1000f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn refuses_what_cannot_be() {
        let kind = |result: Result<DocumentFrequencies, crate::Error>| result.unwrap_err().kind;
        assert_eq!(kind(DocumentFrequencies::new(0, [])), ErrorKind::InvalidParameter);
        assert_eq!(kind(DocumentFrequencies::new(5, [(1, 6)])), ErrorKind::InvalidParameter);
        assert_eq!(kind(DocumentFrequencies::new(5, [(1, 2), (1, 2)])), ErrorKind::InvalidParameter);
    }
}
