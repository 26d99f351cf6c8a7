//! What the rows of a table share, learned from the rows that have the same keys and from rows spread over the table.
//!
//! A *form* is what rows with other messages have in common with a text: the description of a show below each week's programme.
//! *Furniture* are lines that the whole table repeats: footers, menus, disclaimers. [`Forms`] keeps what has been read.

use std::ops::Range;
use std::rc::Rc;

use ahash::{AHashMap, AHashSet};

use super::passages::Passages;
use super::prepared::Prepared;
use super::table::{BACKGROUND, Rows};
use neardup_text::Result;
use neardup_text::hash::token_hash;

/// The most sampled texts that are kept.
const KEPT: usize = 1024;

/// A line that this many rows of the table's background have is furniture.
const FURNITURE: u32 = 3;

/// What is known of the table that two texts are rows of.
pub struct Known<'p> {
    /// What has been learned of the table.
    pub forms: &'p mut Forms,
    /// The table.
    pub rows: &'p mut dyn Rows,
    /// Gives the keys of the sketch of each text; called only if they are needed.
    pub keys: [&'p dyn Fn() -> Result<Vec<u64>>; 2],
}

/// What has been learned of a table; kept from pair to pair, for as long as the table does not change.
#[derive(Debug, Default)]
pub struct Forms {
    by_key: AHashMap<u64, Vec<Rc<Sampled>>>,
    by_text: AHashMap<u64, Rc<Sampled>>,
    /// In how many rows of the background a line occurs, once the background has been read.
    lines: Option<AHashMap<u64, u32>>,
    /// How many distinct texts the background has.
    background: usize,
}

/// A row that was read because it shares a key with one of the texts.
#[derive(Debug)]
pub(super) struct Sampled {
    /// Equal for equal texts.
    text: u64,
    pub(super) passages: AHashSet<u64>,
}

impl Known<'_> {
    /// Gives the lines of each text that the whole table repeats, in bytes of the plain text.
    pub(super) fn furniture(&mut self, texts: [&Prepared<'_>; 2]) -> Result<[Vec<Range<usize>>; 2]> {
        let counted = self.forms.lines(self.rows)?;
        let repeated = |key: &u64| counted.get(key).is_some_and(|&rows| rows >= FURNITURE);
        Ok(texts
            .map(|text| text.lines().iter().filter(|(key, _)| repeated(key)).map(|(_, range)| range.clone()).collect()))
    }

    /// Says whether the table has so many rows that a text without similar ones is an exception.
    pub(super) fn is_large(&self) -> bool {
        self.forms.background >= BACKGROUND / 2
    }

    /// Gives the distinct rows other than two texts that share a key with either of them.
    pub(super) fn around(&mut self, texts: [&Prepared<'_>; 2]) -> Result<Vec<Rc<Sampled>>> {
        if self.forms.by_text.len() > KEPT {
            self.forms.by_key.clear();
            self.forms.by_text.clear();
        }
        let mut keys = (self.keys[0])()?;
        keys.extend((self.keys[1])()?);
        keys.sort_unstable();
        keys.dedup();
        let mut seen: AHashSet<u64> = texts.map(|text| token_hash(text.text())).into_iter().collect();
        let mut found = Vec::new();
        for key in keys {
            let rows = self.forms.with_key(self.rows, key)?;
            found.extend(rows.iter().filter(|sampled| seen.insert(sampled.text)).cloned());
        }
        Ok(found)
    }
}

impl Forms {
    /// Forgets which rows have which key, because the table has changed. What was learned of single texts, and of the whole table,
    /// stays.
    pub fn forget_keys(&mut self) {
        self.by_key.clear();
    }

    fn with_key(&mut self, rows: &mut dyn Rows, key: u64) -> Result<&[Rc<Sampled>]> {
        if !self.by_key.contains_key(&key) {
            let texts = rows.with_key(key)?;
            let found = texts.iter().map(|text| self.sampled(text)).collect::<Result<_>>()?;
            self.by_key.insert(key, found);
        }
        Ok(self.by_key.get(&key).map_or(&[], Vec::as_slice))
    }

    fn sampled(&mut self, text: &str) -> Result<Rc<Sampled>> {
        let hash = token_hash(text);
        if let Some(sampled) = self.by_text.get(&hash) {
            return Ok(Rc::clone(sampled));
        }
        let passages = Passages::of(Prepared::new(text)?.plain()).keys.into_iter().collect();
        let sampled = Rc::new(Sampled { text: hash, passages });
        self.by_text.insert(hash, Rc::clone(&sampled));
        Ok(sampled)
    }

    fn lines(&mut self, rows: &mut dyn Rows) -> Result<&AHashMap<u64, u32>> {
        if self.lines.is_none() {
            let mut counted: AHashMap<u64, u32> = AHashMap::new();
            let mut texts: AHashSet<u64> = AHashSet::new();
            for text in rows.spread()? {
                if !texts.insert(token_hash(&text)) {
                    continue;
                }
                let prepared = Prepared::new(&text)?;
                let distinct: AHashSet<u64> = prepared.lines().iter().map(|(key, _)| *key).collect();
                for key in distinct {
                    *counted.entry(key).or_default() += 1;
                }
            }
            self.background = texts.len();
            self.lines = Some(counted);
        }
        Ok(self.lines.get_or_insert_default())
    }
}
