//! Changes in place: a WAL record of the bytes that are written, for changes that know them.
//!
//! `GenericXLogFinish` finds out what has changed by comparing a copy of each page with the page, byte by byte. That took half of
//! an insert. A [`WalRecord`] collects the bytes instead, and writes the record of Postgres's generic WAL itself: for each page a list
//! of fragments, each an offset, a length and the bytes. `generic_redo` (access/transam/generic_xlog.c) replays it: it copies the
//! fragments into the page, fills the hole between `pd_lower` and `pd_upper` with zeros, and sets the LSN. The format is the same in
//! all versions from 9.6 to 18. A full-page image, which `XLogInsert` adds where one is due, takes the place of the fragments.
//!
//! The page in place and the replayed one are equal, byte for byte:
//!
//! - The page is changed by the fragments of the record, with the same copies.
//! - No fragment touches the hole or Postgres's header, except that [`WalRecord::set_pd_lower`] moves `pd_lower` up. What it then covers was
//!   zero on a replica, which fills the hole with zeros at each replay; the page in place gets the same zeros.
//!
//! Nothing in the critical section can fail; an error there would be a PANIC, which stops the server:
//!
//! - The pages stay pinned and locked, because a [`WalRecord`] borrows their buffers. The fragments were checked when they were added.
//!   Whether the relation is logged, and where each page is in memory, is known before.
//! - It runs straight through arrays on the stack and one buffer that is complete. It allocates, frees and drops nothing and has no
//!   operation that can panic. Postgres keeps pointers to our fragments; they live until it ends.
//! - It calls what `GenericXLogFinish` calls in its own critical section, in the same order: `MarkBufferDirty`, `XLogRegisterBuffer`,
//!   `XLogRegisterBufData`, `XLogInsert`. They allocate nothing either. Four pages with a piece of data each are within what
//!   Postgres has always ready (`XLR_NORMAL_MAX_BLOCK_ID`, `XLR_NORMAL_RDATAS`).
//! - These calls go without pgrx's guard, which has nothing to catch: in a critical section Postgres makes a PANIC of an ERROR before
//!   it would jump. It serves no interrupts there, either.
//!
//! `XLogBeginInsert` comes before the critical section, as in `GenericXLogFinish`. It may raise an error; nothing has happened then.
#![allow(unsafe_code, reason = "changes shared pages, and calls Postgres in a critical section")]

use std::ptr::{null, null_mut};

use neardup_page::{add_fragment, apply};
use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;

use super::buffer::{Buffer, Index, MOST_PAGES, SIZE};
use crate::error::Result;

/// The functions of the critical section, without pgrx's guard.
mod critical {
    use std::ffi::c_void;

    use pgrx::pg_sys;

    // SAFETY: the declarations of storage/bufmgr.h and access/xloginsert.h from PostgreSQL 15 to 18. The last argument of
    // XLogRegisterBufData was an int before 16; no length here comes near the difference.
    unsafe extern "C-unwind" {
        pub fn MarkBufferDirty(buffer: pg_sys::Buffer);
        pub fn XLogRegisterBuffer(block_id: u8, buffer: pg_sys::Buffer, flags: u8);
        pub fn XLogRegisterBufData(block_id: u8, data: *const c_void, length: u32);
        pub fn XLogInsert(manager: pg_sys::RmgrId, info: u8) -> pg_sys::XLogRecPtr;
    }
}

/// Bytes of Postgres's page header.
const HEADER: usize = 24;
/// The offsets of `pd_lower` and `pd_upper`.
const LOWER: usize = 12;
const UPPER: usize = 14;
/// The most bytes of a record's fragments; the length of a page's data in it is a `uint16`.
const MOST_BYTES: usize = 60_000;

/// Bytes to write to up to four pages. They take effect together, as one WAL record, or not at all.
pub struct WalRecord<'b> {
    index: Index,
    pages: [Option<Part<'b>>; MOST_PAGES],
    count: usize,
    /// The fragments of all pages, one page after the other.
    fragments: Vec<u8>,
}

/// One page of a record.
struct Part<'b> {
    buffer: &'b mut Buffer,
    /// `pd_lower` as it is.
    before: usize,
    /// `pd_lower` as it will be.
    lower: usize,
    upper: usize,
    /// The end of its fragments.
    end: usize,
}

/// A page of the critical section, by values that cannot fail.
#[derive(Clone, Copy)]
struct Write {
    buffer: pg_sys::Buffer,
    page: *mut u8,
    fragments: *const u8,
    length: usize,
    /// The part of the hole that becomes contents.
    exposed: (usize, usize),
}

impl<'b> WalRecord<'b> {
    pub fn begin(index: Index) -> Self {
        Self { index, pages: [const { None }; MOST_PAGES], count: 0, fragments: Vec::with_capacity(256) }
    }

    /// Adds a page, which must be locked for a change. What follows is written to it.
    ///
    /// # Errors
    /// If the page's header is damaged, or for a fifth page.
    pub fn page(&mut self, buffer: &'b mut Buffer) -> Result<()> {
        let half = |at| buffer.bytes().get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u16::from_ne_bytes(*b));
        let (lower, upper) = (usize::from(half(LOWER)), usize::from(half(UPPER)));
        let end = self.fragments.len();
        match self.pages.get_mut(self.count) {
            Some(part) if HEADER <= lower && lower <= upper && upper <= SIZE => {
                *part = Some(Part { buffer, before: lower, lower, upper, end });
                self.count += 1;
                Ok(())
            }
            Some(_) => Err(self.index.corrupted(buffer.block, "its header contradicts itself")),
            None => Err(self.misfit()),
        }
    }

    /// Moves `pd_lower` of the last page up to an offset, unless it is there: zeros of the hole become contents.
    ///
    /// # Errors
    /// If the page is not so large.
    pub fn set_pd_lower(&mut self, lower: usize) -> Result<()> {
        match (self.last(), u16::try_from(lower)) {
            (Some(part), _) if lower <= part.lower => Ok(()),
            (Some(part), Ok(value)) if lower <= part.upper => {
                part.lower = lower;
                self.push(LOWER, &value.to_ne_bytes());
                Ok(())
            }
            _ => Err(self.misfit()),
        }
    }

    /// Writes bytes to the last page, outside of its header and its hole.
    ///
    /// # Errors
    /// If they are not.
    pub fn put(&mut self, at: usize, bytes: &[u8]) -> Result<()> {
        let end = at.saturating_add(bytes.len());
        let is_inside = |part: &mut Part<'_>| at >= HEADER && end <= part.lower || at >= part.upper && end <= SIZE;
        if self.last().is_some_and(is_inside) && self.fragments.len() + bytes.len() <= MOST_BYTES {
            self.push(at, bytes);
            return Ok(());
        }
        Err(self.misfit())
    }

    fn last(&mut self) -> Option<&mut Part<'b>> {
        self.pages.get_mut(self.count.checked_sub(1)?)?.as_mut()
    }

    fn push(&mut self, at: usize, bytes: &[u8]) {
        add_fragment(&mut self.fragments, at, bytes);
        let end = self.fragments.len();
        if let Some(part) = self.last() {
            part.end = end;
        }
    }

    fn misfit(&mut self) -> ErrorReport {
        let block = self.last().map_or(0, |part| part.buffer.block);
        self.index.corrupted(block, "what is to be written does not fit")
    }

    /// Applies the change.
    pub fn finish(mut self) {
        let is_logged = self.index.is_logged();
        let none = Write { buffer: 0, page: null_mut(), fragments: null(), length: 0, exposed: (HEADER, HEADER) };
        let mut writes = [none; MOST_PAGES];
        let mut from = 0;
        for (write, part) in writes.iter_mut().zip(self.pages.iter_mut().flatten()) {
            let fragments = self.fragments.get(from..part.end).unwrap_or_default();
            from = part.end;
            *write = Write {
                buffer: part.buffer.number(),
                page: part.buffer.start(),
                fragments: fragments.as_ptr(),
                length: fragments.len(),
                exposed: (part.before, part.lower),
            };
        }
        let Some(writes) = writes.get(..self.count).filter(|writes| !writes.is_empty()) else { return };
        // SAFETY: the pages are locked for a change and stay so, because self borrows their buffers. `page`, `set_pd_lower` and `put` have
        // checked every fragment and the new `pd_lower`. The fragments live until self is dropped, at the end.
        unsafe {
            if is_logged {
                pg_sys::XLogBeginInsert();
            }
            write_all(writes, is_logged);
        }
    }
}

/// The critical section: changes the pages, and logs that. The module's text says why nothing here can fail.
///
/// # Safety
/// Every pointer must be valid, every fragment within its page, and every page locked for a change. If the change is logged,
/// `XLogBeginInsert` must have been called.
unsafe fn write_all(writes: &[Write], is_logged: bool) {
    let sections = &raw mut pg_sys::CritSectionCount;
    // SAFETY: guaranteed by the caller. The counter is this process's own; this is START_CRIT_SECTION and END_CRIT_SECTION.
    unsafe {
        sections.write_volatile(sections.read_volatile().wrapping_add(1));
        let mut id = 0_u8;
        for write in writes {
            apply(write.page, write.exposed, write.fragments, write.length);
            critical::MarkBufferDirty(write.buffer);
            if is_logged {
                critical::XLogRegisterBuffer(id, write.buffer, pg_sys::REGBUF_STANDARD as u8);
                critical::XLogRegisterBufData(id, write.fragments.cast(), write.length as u32);
                id = id.wrapping_add(1);
            }
        }
        if is_logged {
            let lsn = critical::XLogInsert(pg_sys::RmgrIds::RM_GENERIC_ID as pg_sys::RmgrId, 0);
            for write in writes {
                // `pd_lsn`, whose type differs between versions, is the upper and then the lower half in all.
                write.page.cast::<[u32; 2]>().write([(lsn >> 32) as u32, lsn as u32]);
            }
        }
        sections.write_volatile(sections.read_volatile().wrapping_sub(1));
    }
}
