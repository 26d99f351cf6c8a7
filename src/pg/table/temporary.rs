//! Temporary files of Postgres's own kind: in its temporary tablespaces, under `temp_file_limit`, deleted at the end of the
//! transaction at the latest.

use std::ffi::{c_int, c_void};

use neardup_core::candidates::spill::Storage;
use pgrx::pg_sys;

use crate::pg::call::boundary::{self, raw};

/// The start of a file, for `BufFileSeek`.
const START: (c_int, i64, c_int) = (0, 0, 0);

pub struct TemporaryFile(*mut pg_sys::BufFile);

impl TemporaryFile {
    /// Fills the buffer with the bytes from `offset` on, or with what the file has of them, and returns their number.
    pub fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> usize {
        let (number, _, whence) = START;
        let Ok(offset) = i64::try_from(offset) else { return 0 };
        // SAFETY: the file is open. A place beyond its end is not reached, and nothing is read there.
        if unsafe { boundary::catch(|| raw::BufFileSeek(self.0, number, offset, whence)) } != 0 {
            return 0;
        }
        self.read(buffer)
    }
}

impl Storage for TemporaryFile {
    fn create() -> Self {
        // SAFETY: the file's memory is in that of the transaction, which it does not outlive. The previous context is restored;
        // if an error skips that, Postgres sets its own.
        unsafe {
            let before = pg_sys::MemoryContextSwitchTo(pg_sys::TopTransactionContext);
            let file = boundary::catch(|| raw::BufFileCreateTemp(false));
            pg_sys::MemoryContextSwitchTo(before);
            Self(file)
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        // SAFETY: the file is open, and the bytes are there for the length of the call.
        unsafe { boundary::catch(|| raw::BufFileWrite(self.0, bytes.as_ptr().cast::<c_void>(), bytes.len())) }
    }

    fn rewind(&mut self) {
        // SAFETY: the file is open.
        unsafe { boundary::catch(|| raw::BufFileSeek(self.0, START.0, START.1, START.2)) };
    }

    fn read(&mut self, buffer: &mut [u8]) -> usize {
        // SAFETY: the file is open, and the buffer has room for the bytes that are read.
        unsafe { boundary::catch(|| raw::BufFileRead(self.0, buffer.as_mut_ptr().cast::<c_void>(), buffer.len())) }
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // SAFETY: the file is open as long as its transaction is; one that fails has closed it before memory goes.
        unsafe {
            if !std::thread::panicking() && pg_sys::IsTransactionState() {
                boundary::catch(|| raw::BufFileClose(self.0));
            }
        }
    }
}

/// Returns the bytes that a sort may keep in memory: `work_mem`.
pub fn sort_memory() -> usize {
    // SAFETY: a setting of this backend.
    usize::try_from(unsafe { pg_sys::work_mem }).unwrap_or(0) * 1024
}
