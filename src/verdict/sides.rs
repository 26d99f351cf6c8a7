//! Texts prepared for comparisons, kept as long as they are asked for: by a list by the numbers of their rows, by a guard from row to row by their
//! hashes, because where many rows follow one form, each is compared with the same ones as the row before.

use std::rc::Rc;

use ahash::AHashMap;

use super::judge::Side;
use crate::error::Result;

/// For how much a text counts when it is added, in bytes for each of its bytes: about the most that it takes once it is read.
const BYTES_OF_A_BYTE: usize = 40;

/// The most texts of a generation: of short ones, more would not stay in the processor's cache, and they are soon prepared again.
const MOST: usize = 512;

/// Prepared texts by a number of each. Those of the last generation stay for as long as they are asked for again.
pub struct Sides {
    sides: AHashMap<u64, Rc<Side>>,
    /// Those that were prepared before these and have not been asked for since.
    older: AHashMap<u64, Rc<Side>>,
    /// How many bytes a generation has, and may have.
    bytes: usize,
    room: usize,
}

impl Sides {
    /// Begins with room for `room` bytes.
    pub fn new(room: usize) -> Self {
        Self { sides: AHashMap::new(), older: AHashMap::new(), bytes: 0, room: room / 2 }
    }

    /// Returns the text of a number; `prepare` makes it if it is not kept, unless there is none.
    ///
    /// # Errors
    /// Those of `prepare`.
    pub fn get(&mut self, number: u64, prepare: impl FnOnce() -> Result<Option<Side>>) -> Result<Option<Rc<Side>>> {
        if let Some(side) = self.find(number) {
            return Ok(Some(side));
        }
        let side = prepare()?.map(Rc::new);
        if let Some(side) = &side {
            self.keep(number, Rc::clone(side));
        }
        Ok(side)
    }

    /// Returns the text of a number if it is kept.
    pub fn find(&mut self, number: u64) -> Option<Rc<Side>> {
        if let Some(side) = self.sides.get(&number) {
            return Some(Rc::clone(side));
        }
        let side = self.older.remove(&number)?;
        self.keep(number, Rc::clone(&side));
        Some(side)
    }

    /// Says whether a generation has no room for so many bytes more. Most texts are never read, and then take less than they were counted for.
    fn is_full(&mut self, more: usize) -> bool {
        !self.sides.is_empty() && self.bytes + more > self.room && {
            self.bytes = self.sides.values().map(|side| side.bytes()).sum();
            self.bytes + more > self.room / 4 * 3
        }
    }

    /// Keeps a text.
    pub fn keep(&mut self, number: u64, side: Rc<Side>) {
        let bytes = side.text().len() * BYTES_OF_A_BYTE;
        if self.is_full(bytes) || self.sides.len() >= MOST {
            // Both maps keep their room: large allocations, again and again among small ones, make an allocator tidy up each time.
            std::mem::swap(&mut self.older, &mut self.sides);
            self.sides.clear();
            self.bytes = 0;
        }
        self.bytes += bytes;
        self.sides.insert(number, side);
    }
}
