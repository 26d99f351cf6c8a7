//! The documents of rows that are compared, read in batches and kept as long as there is room.

use std::ops::Range;
use std::rc::Rc;

use ahash::AHashMap;

use super::relation::Reader;
use crate::error::Result;
use crate::guarded::beside::Beside;

/// How many documents are read at once: at first, and at most.
const FIRST: usize = 1;
const MOST: usize = 1000;

/// Where a document is kept: the number of its block, and its bytes there.
type Place = (u32, Range<u32>);

/// Documents by the numbers of their rows.
pub struct Texts<'s> {
    readers: &'s [Reader<'s>],
    /// Those that were read lately, and before: most rows are compared with others that were compared not long ago.
    recent: Read,
    older: Read,
    /// How many bytes may be kept.
    room: usize,
}

/// Documents that were read. Those that are read together are kept in one block, because a block for each would leave memory in pieces, and later
/// allocations would be slow.
#[derive(Default)]
struct Read {
    kept: AHashMap<u64, Place>,
    /// What else is compared of these rows, if anything is.
    beside: AHashMap<u64, Rc<Beside>>,
    blocks: Vec<String>,
    bytes: usize,
}

impl Read {
    fn get(&self, id: u64) -> Option<&str> {
        let (block, range) = self.kept.get(&id)?;
        self.blocks.get(*block as usize)?.get(range.start as usize..range.end as usize)
    }
}

impl<'s> Texts<'s> {
    /// Begins with room for `room` bytes.
    pub fn new(readers: &'s [Reader<'s>], room: usize) -> Self {
        Self { readers, recent: Read::default(), older: Read::default(), room }
    }

    /// Reads these documents, as far as there is room.
    ///
    /// # Errors
    /// Those of the statements.
    pub fn prefetch(&mut self, mut rows: Vec<u64>) -> Result<()> {
        if self.recent.bytes > self.room / 4 {
            let recent = std::mem::take(&mut self.recent);
            // Of long documents too little room would be left for others.
            self.older = if recent.bytes > self.room / 2 { Read::default() } else { recent };
        }
        rows.sort_unstable();
        rows.dedup();
        rows.retain(|id| self.known(*id).is_none());
        let (mut rows, mut count) = (&rows[..], FIRST);
        while !rows.is_empty() && self.bytes() < self.room {
            let (now, later) = rows.split_at(count.min(rows.len()));
            self.read(now)?;
            // The next batch fills the room if its documents are as long as those before.
            let each = self.recent.bytes / self.recent.kept.len().max(1) + 1;
            count = (self.room.saturating_sub(self.bytes()) / each).clamp(FIRST, MOST.min(count * 4));
            rows = later;
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.recent.bytes + self.older.bytes
    }

    fn read(&mut self, rows: &[u64]) -> Result<()> {
        for reader in self.readers {
            let own: Vec<u64> = rows.iter().copied().filter(|id| reader.source.has(*id)).collect();
            if own.is_empty() {
                continue;
            }
            let (mut block, number) = (String::new(), self.recent.blocks.len() as u32);
            reader.documents(&own, |id, document, beside| {
                if let Some(beside) = beside {
                    self.recent.bytes += beside.bytes();
                    self.recent.beside.insert(id, Rc::new(beside));
                }
                // More than 4 GB of a batch have no place, and are read again one by one.
                let (start, end) = (block.len(), block.len() + document.len());
                if let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) {
                    block.push_str(document);
                    self.recent.kept.insert(id, (number, start..end));
                }
            })?;
            self.recent.bytes += block.len();
            block.shrink_to_fit();
            self.recent.blocks.push(block);
        }
        Ok(())
    }

    /// Returns how many bytes may be kept.
    pub const fn room(&self) -> usize {
        self.room
    }

    /// Returns the names of the columns in which copies agree.
    pub fn agree(&self) -> &'s [String] {
        self.readers.first().map_or(&[], |reader| &reader.source.agree)
    }

    /// Says in which column two rows have values that differ.
    ///
    /// # Errors
    /// Those of the statements.
    pub fn difference(&mut self, kept: u64, duplicate: u64) -> Result<Option<String>> {
        let readers = self.readers;
        let Some(names) = readers.first().map(|reader| &reader.source.differ).filter(|names| !names.is_empty()) else {
            return Ok(None);
        };
        let (kept, duplicate) = (self.beside(kept)?, self.beside(duplicate)?);
        Ok(kept.difference(&duplicate, names))
    }

    /// Returns what else is compared of a row; blanks if nothing is.
    ///
    /// # Errors
    /// Those of the statements.
    pub fn beside(&mut self, id: u64) -> Result<Rc<Beside>> {
        if self.readers.iter().all(|reader| reader.source.beside.is_none()) {
            return Ok(Rc::default());
        }
        self.get(id)?;
        Ok(self.recent.beside.get(&id).or_else(|| self.older.beside.get(&id)).cloned().unwrap_or_default())
    }

    /// Returns a document that has been read and is kept.
    pub fn known(&self, id: u64) -> Option<&str> {
        self.recent.get(id).or_else(|| self.older.get(id))
    }

    /// Returns a document; `None` if the caller does not see the row.
    ///
    /// # Errors
    /// Those of the statements.
    pub fn get(&mut self, id: u64) -> Result<Option<&str>> {
        if self.known(id).is_none() {
            // Twice the room: what has just been read for a batch is kept.
            if self.bytes() > self.room * 2 {
                (self.recent, self.older) = Default::default();
            }
            self.read(&[id])?;
        }
        Ok(self.known(id))
    }
}
