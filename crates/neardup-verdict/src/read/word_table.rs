//! Words that are looked up by the key of their unit, the hash of the word in small letters and one spelling: nothing is copied or folded
//! to look one up, and a bit for the last digits of each key says at once that most words of a text are none of these.
//!
//! Tables are made on first use, in the initialiser of a static: nothing here may check for cancellation, which would leave it unusable.

use ahash::AHashMap;

/// Values by the keys of words.
pub(crate) struct WordTable<T> {
    entries: AHashMap<u64, T>,
    bits: [u64; 256],
}

impl<T> FromIterator<(u64, T)> for WordTable<T> {
    /// The first value of a key counts.
    fn from_iter<I: IntoIterator<Item = (u64, T)>>(entries: I) -> Self {
        let mut table = Self { entries: AHashMap::new(), bits: [0; 256] };
        for (key, value) in entries {
            table.entries.entry(key).or_insert(value);
            table.bits[place(key)] |= 1 << (key % 64);
        }
        table
    }
}

impl<T> WordTable<T> {
    pub(crate) fn get(&self, key: u64) -> Option<&T> {
        if self.bits[place(key)] >> (key % 64) & 1 == 0 {
            return None;
        }
        self.entries.get(&key)
    }
}

const fn place(key: u64) -> usize {
    (key / 64 % 256) as usize
}
