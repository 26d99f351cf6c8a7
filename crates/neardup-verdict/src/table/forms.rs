//! What the rows of a table share, learned from the rows that have the same keys and from rows spread over the table.
//!
//! A *form* is what rows with other messages have in common with a text: the description of a show below each week's programme.
//! *Furniture* are lines that the whole table repeats: footers, menus, disclaimers. [`Forms`] keeps what has been read.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::rc::Rc;

use ahash::{AHashMap, AHashSet};

use super::rarity::Rarity;
use super::rows::Rows;
use crate::compare::passages;
use crate::compare::prepared::{Prepared, beginning};
use crate::read::reading::plain;
use crate::read::units::Text;
use neardup_text::Result;
use neardup_text::hash::{mix, token_hash};

/// How many bytes sampled rows may take by default: 4,000 texts of 350 characters.
const ROOM: usize = 16 << 20;

/// What a row takes in one of the maps, and a text besides its passages.
const BYTES_A_ROW: usize = 50;
const BYTES_A_TEXT: usize = 100;

/// For as many bytes of room it is kept of one key which rows have it, which takes less.
const BYTES_A_KEY: usize = 256;

/// A line that this many rows of the table's background have is furniture.
const FURNITURE: u32 = 3;

/// How many bytes of the rows spread over a table are read to learn which words are rare, 4 kB of each on average: the first verdict of a session
/// waits for it. Where they have more, the longest are read by their beginnings. Their lines are all counted, which takes little.
const READ_OF_BACKGROUND: usize = 1 << 20;

/// Returns the greatest number to which lengths must be cut so that they sum up to `all` at most.
fn level(lengths: impl Iterator<Item = usize>, all: usize) -> usize {
    let mut lengths: Vec<usize> = lengths.collect();
    lengths.sort_unstable();
    let (mut left, count) = (all, lengths.len());
    for (before, length) in lengths.into_iter().enumerate() {
        let each = left / (count - before);
        if length > each {
            return each;
        }
        left -= length;
    }
    usize::MAX
}

/// What is known of the table that two texts are rows of.
pub struct Known<'p> {
    /// What has been learned of the table.
    pub forms: &'p mut Forms,
    /// The table.
    pub rows: &'p mut dyn Rows,
    /// The numbers of the rows that have the two texts, as far as they are in the table.
    pub own: [Option<u64>; 2],
    /// Returns the keys of the sketch of each text; called only if they are needed. Keys that no third row has may be left out.
    pub keys: [&'p dyn Fn() -> Result<Vec<u64>>; 2],
}

/// What has been learned of a table; kept from pair to pair, for as long as the table does not change.
#[derive(Debug)]
pub struct Forms {
    /// The rows of keys that were needed lately, and before.
    by_key: AHashMap<u64, Box<[u64]>>,
    older_by_key: AHashMap<u64, Box<[u64]>>,
    /// Sampled rows that were needed lately, and before.
    recent: Kept,
    older: Kept,
    /// How many bytes both may take together.
    room: usize,
    /// What rows spread over the table say, once they have been read.
    background: Option<Rc<Sample>>,
    /// The rows of the last pair, emptied: so that no pair needs a set of its own.
    seen: AHashSet<u64>,
    /// What was asked since [`Forms::asked`].
    asked: Asked,
    /// The rows around the pair that was asked about last.
    around: RowsAround,
}

/// Sampled rows that are kept.
#[derive(Debug, Default)]
struct Kept {
    by_row: AHashMap<u64, Rc<Sampled>>,
    by_text: AHashMap<u64, Rc<Sampled>>,
    /// By [`Rows::stored`]: a guard meets the rows of one form again for each row that it judges.
    by_stored: AHashMap<u64, Rc<Sampled>>,
    /// How many bytes they take, about.
    bytes: usize,
}

impl Kept {
    fn add(&mut self, row: u64, stored: Option<u64>, sampled: Rc<Sampled>) {
        if let Entry::Vacant(unknown) = self.by_text.entry(sampled.text) {
            self.bytes += BYTES_A_TEXT + size_of_val(&*sampled.passages);
            unknown.insert(Rc::clone(&sampled));
        }
        if let Some(stored) = stored
            && self.by_stored.insert(stored, Rc::clone(&sampled)).is_none()
        {
            self.bytes += BYTES_A_ROW;
        }
        if self.by_row.insert(row, sampled).is_none() {
            self.bytes += BYTES_A_ROW;
        }
    }

    fn forget_rows(&mut self) {
        self.bytes -= self.by_row.len() * BYTES_A_ROW;
        self.by_row.clear();
    }
}

/// Which rows were around a pair: as long as these are the same, the table says the same of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowsAround {
    /// The keys by which they were found, in ascending order.
    keys: Vec<u64>,
    /// Equal for equal rows.
    digest: u64,
}

impl RowsAround {
    /// Returns how much memory it takes, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.keys)
    }
}

/// What verdicts have asked of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// What rows spread over it say.
    pub background: bool,
    /// Which rows share a key with a text.
    pub rows: bool,
}

/// What rows spread over a table say of it.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    /// The lines that are furniture.
    furniture: Rc<AHashSet<u64>>,
    /// How rare words are.
    pub(crate) rarity: Rarity,
    /// Equal for equal rows.
    rows: u64,
}

/// A row that was read because it shares a key with one of the texts.
#[derive(Debug)]
pub(crate) struct Sampled {
    /// Equal for equal texts.
    text: u64,
    /// Its distinct passages.
    pub(crate) passages: Vec<u32>,
}

impl Sampled {
    /// Reads a text.
    pub(crate) fn of(text: &str) -> Result<Self> {
        let mut passages = passages::distinct(&plain(beginning(text))?);
        passages.shrink_to_fit();
        Ok(Self { text: token_hash(text), passages })
    }
}

impl Known<'_> {
    /// Returns the lines of each text that the whole table repeats, in bytes of the plain text.
    pub(crate) fn furniture(&mut self, texts: [&Prepared<'_>; 2]) -> Result<[Rc<[Range<usize>]>; 2]> {
        let furniture = &self.forms.sample(self.rows)?.furniture;
        Ok(texts.map(|text| text.repeated(furniture)))
    }

    /// Returns what rows spread over the table say of it.
    pub(crate) fn sample(&mut self) -> Result<Rc<Sample>> {
        self.forms.sample(self.rows).map(Rc::clone)
    }

    /// Returns the numbers of the rows other than two texts that share a key with either of them.
    pub(crate) fn rows_around(&mut self) -> Result<Vec<u64>> {
        self.forms.asked.rows = true;
        let mut keys = (self.keys[0])()?;
        keys.extend((self.keys[1])()?);
        keys.sort_unstable();
        keys.dedup();
        let rows = self.forms.rows_of_others(self.rows, &keys, self.own)?;
        self.forms.around = RowsAround { digest: digest(&rows), keys };
        Ok(rows)
    }

    /// Returns what was read of these rows, of rows with the same text once, and of rows with one of two texts only how many they are.
    pub(crate) fn around(&mut self, texts: [&Prepared<'_>; 2], rows: &[u64]) -> Result<(Vec<Rc<Sampled>>, usize)> {
        let mut found = self.forms.sampled(self.rows, rows)?;
        let mut same = 0;
        if !found.is_empty() {
            let own = texts.map(|text| token_hash(text.text()));
            let seen = self.forms.none_seen();
            seen.extend(own);
            found.retain(|sampled| {
                same += usize::from(own.contains(&sampled.text));
                seen.insert(sampled.text)
            });
        }
        Ok((found, same))
    }
}

/// Returns a number for some rows in their order.
fn digest(rows: &[u64]) -> u64 {
    rows.iter().fold(rows.len() as u64, |digest, row| mix(digest, *row))
}

impl Default for Forms {
    fn default() -> Self {
        Self::with_room(ROOM)
    }
}

impl Forms {
    /// Begins, with room for this many bytes of sampled rows.
    #[must_use]
    pub fn with_room(room: usize) -> Self {
        Self {
            by_key: AHashMap::new(),
            older_by_key: AHashMap::new(),
            recent: Kept::default(),
            older: Kept::default(),
            room,
            background: None,
            seen: AHashSet::new(),
            asked: Asked::default(),
            around: RowsAround::default(),
        }
    }

    /// Forgets which rows have which key and text, because the table has changed. What was learned of texts, and of the whole table,
    /// stays.
    pub fn forget_rows(&mut self) {
        self.by_key.clear();
        self.older_by_key.clear();
        self.recent.forget_rows();
        self.older.forget_rows();
    }

    /// Returns what was asked since the last call, and begins again.
    pub fn asked(&mut self) -> Asked {
        std::mem::take(&mut self.asked)
    }

    /// Returns which rows were around the pair that was asked about last.
    pub fn take_around(&mut self) -> RowsAround {
        std::mem::take(&mut self.around)
    }

    /// Says whether the same rows are around a pair as when it was asked about; `own` are the numbers of the pair's rows.
    ///
    /// # Errors
    /// Those of reading the table.
    pub fn is_same_around(&mut self, rows: &mut dyn Rows, around: &RowsAround, own: [Option<u64>; 2]) -> Result<bool> {
        Ok(digest(&self.rows_of_others(rows, &around.keys, own)?) == around.digest)
    }

    /// Returns the rows that have one of some keys, in order of the keys, without the rows of the pair.
    fn rows_of_others(&mut self, rows: &mut dyn Rows, keys: &[u64], own: [Option<u64>; 2]) -> Result<Vec<u64>> {
        let mut found = self.with_keys(rows, keys)?;
        found.retain(|row| !own.contains(&Some(*row)));
        Ok(found)
    }

    /// Returns what tells the rows that are spread over the table from others: as long as it is the same, they say the same.
    ///
    /// # Errors
    /// Those of reading the table.
    pub fn background(&mut self, rows: &mut dyn Rows) -> Result<u64> {
        self.sample(rows).map(|sample| sample.rows)
    }

    /// Returns the rows that have one of some keys, in order of the keys.
    fn with_keys(&mut self, rows: &mut dyn Rows, keys: &[u64]) -> Result<Vec<u64>> {
        if self.by_key.len() > self.room / 2 / BYTES_A_KEY {
            self.older_by_key = std::mem::take(&mut self.by_key);
        }
        self.none_seen();
        let mut found = Vec::new();
        for &key in keys {
            let with_key = match self.by_key.entry(key) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => {
                    let before = self.older_by_key.remove(&key);
                    unknown.insert(before.map_or_else(|| rows.with_key(key).map(Vec::into_boxed_slice), Ok)?)
                }
            };
            found.extend(with_key.iter().copied().filter(|row| self.seen.insert(*row)));
        }
        Ok(found)
    }

    fn none_seen(&mut self) -> &mut AHashSet<u64> {
        self.seen.clear();
        &mut self.seen
    }

    /// Returns what was read of rows, in their order; of those that are not known, it reads the texts.
    fn sampled(&mut self, rows: &mut dyn Rows, wanted: &[u64]) -> Result<Vec<Rc<Sampled>>> {
        if self.recent.bytes > self.room / 2 {
            self.older = std::mem::take(&mut self.recent);
        }
        let mut unknown: Vec<u64> =
            wanted.iter().copied().filter(|row| !self.keeps(|kept| &kept.by_row, *row, *row, None)).collect();
        let stored: AHashMap<u64, u64> =
            if unknown.is_empty() { AHashMap::new() } else { rows.stored(&unknown)?.into_iter().collect() };
        unknown.retain(|row| {
            !stored.get(row).is_some_and(|stored| self.keeps(|kept| &kept.by_stored, *stored, *row, Some(*stored)))
        });
        let texts = if unknown.is_empty() { Vec::new() } else { rows.texts(&unknown)? };
        for (row, text) in texts {
            let stored = stored.get(&row).copied();
            if !self.keeps(|kept| &kept.by_text, token_hash(&text), row, stored) {
                self.recent.add(row, stored, Rc::new(Sampled::of(&text)?));
            }
        }
        Ok(wanted.iter().filter_map(|row| self.recent.by_row.get(row)).cloned().collect())
    }

    /// Looks for what was sampled, and keeps it for a row as recently needed.
    fn keeps(&mut self, by: fn(&Kept) -> &AHashMap<u64, Rc<Sampled>>, key: u64, row: u64, stored: Option<u64>) -> bool {
        let Some(sampled) = by(&self.recent).get(&key).or_else(|| by(&self.older).get(&key)).cloned() else {
            return false;
        };
        if !self.recent.by_row.contains_key(&row) {
            self.recent.add(row, stored, sampled);
        }
        true
    }

    /// Returns what rows spread over the table say of it, and reads them if that is unknown.
    fn sample(&mut self, rows: &mut dyn Rows) -> Result<&Rc<Sample>> {
        self.asked.background = true;
        if self.background.is_none() {
            let mut counted: AHashMap<u64, u32> = AHashMap::new();
            let mut texts: AHashSet<u64> = AHashSet::new();
            let mut rarity = Rarity::default();
            let mut all = 0;
            let spread = rows.spread()?;
            let most = level(spread.iter().map(String::len), READ_OF_BACKGROUND);
            for text in spread {
                let hash = token_hash(&text);
                if !texts.insert(hash) {
                    continue;
                }
                all = mix(all, hash);
                let prepared = Prepared::new(&text)?;
                let distinct: AHashSet<u64> = prepared.lines().iter().map(|(key, _)| *key).collect();
                for key in distinct {
                    *counted.entry(key).or_default() += 1;
                }
                let plain = prepared.plain();
                rarity.add(&Text::without(Cow::Borrowed(&plain[..plain.floor_char_boundary(most)]), &[], None));
            }
            counted.retain(|_, rows| *rows >= FURNITURE);
            let furniture = Rc::new(counted.into_keys().collect());
            self.background = Some(Rc::new(Sample { furniture, rarity: rarity.weighed(), rows: all }));
        }
        Ok(self.background.get_or_insert_default())
    }
}

#[cfg(test)]
mod tests {
    use super::level;

    #[test]
    fn only_the_longest_are_cut() {
        let level = |lengths: &[usize], all| level(lengths.iter().copied(), all);
        assert_eq!(level(&[], 10), usize::MAX);
        assert_eq!(level(&[4, 6], 10), usize::MAX);
        assert_eq!(level(&[7, 4], 10), 6);
        assert_eq!(level(&[100, 1, 100, 2], 13), 5);
        assert_eq!(level(&[5; 4], 3), 0);
    }
}
