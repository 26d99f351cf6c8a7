//! Texts prepared for comparisons, kept as long as they are asked for.

use std::rc::Rc;

use ahash::AHashMap;

use super::judge::Side;
use crate::error::Result;

/// How many bytes the prepared texts of a generation may have, and what each is counted for besides its text. Those of the last one stay for as long as they are
/// asked for again.
const KEPT_BYTES: usize = 1 << 21;
const BYTES_OF_EACH: usize = 1 << 12;

/// Prepared texts by the numbers of their rows.
#[derive(Default)]
pub struct Sides {
    sides: AHashMap<u64, Rc<Side>>,
    /// Those that were prepared before these and have not been asked for since.
    older: AHashMap<u64, Rc<Side>>,
    bytes: usize,
}

impl Sides {
    /// Returns a row's prepared text; `prepare` makes it if it is not kept, unless the row has none.
    ///
    /// # Errors
    /// Those of `prepare`.
    pub fn get(&mut self, row: u64, prepare: impl FnOnce() -> Result<Option<Side>>) -> Result<Option<Rc<Side>>> {
        if let Some(side) = self.sides.get(&row) {
            return Ok(Some(Rc::clone(side)));
        }
        let known = self.older.remove(&row);
        if self.bytes > KEPT_BYTES {
            self.older = std::mem::take(&mut self.sides);
            self.bytes = 0;
        }
        let side = match known {
            Some(side) => side,
            None => match prepare()? {
                Some(side) => Rc::new(side),
                None => return Ok(None),
            },
        };
        self.bytes += side.text().len() + BYTES_OF_EACH;
        self.sides.insert(row, Rc::clone(&side));
        Ok(Some(side))
    }
}
