//! The pages of an index of our own: reading them under locks, changing them with generic WAL.
//!
//! Why an error or panic does no harm while a page is locked:
//!
//! - A [`GenericWal`] changes a copy of a shared page, which `GenericXLogFinish` puts in place as one WAL record. Before that, nothing
//!   has happened; after it, everything has. Whatever fails earlier leaves the pages unchanged.
//! - A [`WalRecord`](super::wal::WalRecord) collects the bytes to write, and writes them in a critical section of its own, in which
//!   nothing can fail. The critical sections of Postgres, in `GenericXLogFinish` and `log_newpage_range`, run none of our code.
//! - Normally a lock is released when its [`Buffer`] is dropped. During an unwind nothing is released here: the error goes up to
//!   Postgres, whose abort releases all locks and pins of the (sub)transaction. An earlier release would be wrong, because raising
//!   an error has already reset the count of held-off interrupts, which each release decrements.
//! - Postgres functions are called through pgrx's guards: their errors unwind our frames instead of jumping over them.
#![allow(unsafe_code, reason = "the buffers of Postgres")]

use std::ptr::null_mut;

use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::Result;
use crate::pg::compat;

/// The size of a page.
pub const SIZE: usize = neardup_page::SIZE;
const _: () = assert!(SIZE == pg_sys::BLCKSZ as usize, "a Postgres with another page size");
/// `InvalidSubTransactionId` (c.h).
const NO_SUBTRANSACTION: pg_sys::SubTransactionId = 0;

/// An index that its caller has opened.
#[derive(Clone, Copy)]
pub struct Index {
    relation: pg_sys::Relation,
    strategy: pg_sys::BufferAccessStrategy,
    /// The number of its blocks when this value was made; it may have grown since.
    blocks: u32,
}

/// How a page is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// For reading.
    Share,
    /// For changing it.
    Exclusive,
}

/// A pinned page.
pub struct Pin {
    buffer: pg_sys::Buffer,
    block: u32,
}

/// A locked page.
pub struct Buffer {
    buffer: pg_sys::Buffer,
    pub block: u32,
}

impl Index {
    /// Takes an open index.
    ///
    /// # Safety
    /// It must stay open while the value and everything derived from it is in use.
    pub unsafe fn new(relation: pg_sys::Relation) -> Self {
        let index = Self { relation, strategy: null_mut(), blocks: 0 };
        Self { blocks: index.blocks(), ..index }
    }

    /// Returns the same index for reading much of it: its pages take few buffers.
    pub fn in_bulk(self) -> Self {
        // SAFETY: allocates in the current memory context.
        let strategy = unsafe { pg_sys::GetAccessStrategy(pg_sys::BufferAccessStrategyType::BAS_BULKREAD) };
        Self { strategy, ..self }
    }

    /// Returns the same index with the buffers of a vacuum.
    ///
    /// # Safety
    /// `strategy` must be null or valid while the index is in use.
    pub unsafe fn with_strategy(self, strategy: pg_sys::BufferAccessStrategy) -> Self {
        Self { strategy, ..self }
    }

    pub fn name(self) -> String {
        // SAFETY: the index is open.
        unsafe { pgrx::name_data_to_str(&(*(*self.relation).rd_rel).relname).to_owned() }
    }

    pub fn blocks(self) -> u32 {
        // SAFETY: the index is open.
        unsafe { pg_sys::RelationGetNumberOfBlocksInFork(self.relation, pg_sys::ForkNumber::MAIN_FORKNUM) }
    }

    /// Returns its number in the catalog.
    pub fn oid(self) -> pg_sys::Oid {
        // SAFETY: the index is open.
        unsafe { (*self.relation).rd_id }
    }

    /// Says whether it has a block.
    pub fn has(self, block: u32) -> bool {
        block < self.blocks || block < self.blocks()
    }

    /// Returns the error for a page that is damaged.
    pub fn corrupted(self, block: u32, fault: &str) -> ErrorReport {
        let message = format!("index \"{}\" is corrupted at block {block}", self.name());
        self.fault(message).set_detail(format!("Of the page: {fault}."))
    }

    /// Returns the error for an index that does not fit its table.
    pub fn fault(self, message: String) -> ErrorReport {
        ErrorReport::new(PgSqlErrorCode::ERRCODE_INDEX_CORRUPTED, message, "pg_neardup").set_hint("Please REINDEX it.")
    }

    /// Returns the error for something that the index cannot do.
    pub fn unsupported(self, what: &'static str) -> ErrorReport {
        ErrorReport::new(PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED, what, "pg_neardup")
    }

    fn pinned(self, block: u32) -> pg_sys::Buffer {
        let (main, mode) = (pg_sys::ForkNumber::MAIN_FORKNUM, pg_sys::ReadBufferMode::RBM_NORMAL);
        // SAFETY: the index is open; if a block cannot be read, Postgres raises an error.
        unsafe { pg_sys::ReadBufferExtended(self.relation, main, block, mode, self.strategy) }
    }

    /// Reads and locks a page.
    ///
    /// # Errors
    /// For a block that does not exist.
    pub fn read(self, block: u32, lock: Lock) -> Result<Buffer> {
        Ok(self.pin(block)?.lock(lock))
    }

    /// Reads and pins a page.
    ///
    /// # Errors
    /// For a block that does not exist.
    pub fn pin(self, block: u32) -> Result<Pin> {
        if !self.has(block) {
            return Err(self.corrupted(block, "a link leads there, beyond the end"));
        }
        Ok(Pin { buffer: self.pinned(block), block })
    }

    /// Reads and locks a page for a change, if it exists and no backend holds it.
    pub fn try_read(self, block: u32) -> Option<Buffer> {
        self.pin(block).ok().and_then(Pin::try_lock)
    }

    /// Adds a page at the end, locked for a change, to an index that is being built and that no other backend sees.
    pub fn extend(self) -> Buffer {
        self.add().lock(Lock::Exclusive)
    }

    /// Adds a page at the end, locked for a change; `None` if another backend took it first, as a free one. It waits for no page,
    /// because its holder may be waiting to add another.
    pub fn try_extend(self) -> Option<Buffer> {
        self.add().try_lock()
    }

    fn add(self) -> Pin {
        let is_shared = !self.is_local();
        // SAFETY: the lock on extension is needed where others see the relation; an error releases it with the transaction.
        unsafe {
            if is_shared {
                pg_sys::LockRelationForExtension(self.relation, pg_sys::ExclusiveLock as i32);
            }
            let buffer = self.pinned(pg_sys::InvalidBlockNumber);
            if is_shared {
                pg_sys::UnlockRelationForExtension(self.relation, pg_sys::ExclusiveLock as i32);
            }
            Pin { buffer, block: pg_sys::BufferGetBlockNumber(buffer) }
        }
    }

    /// Says whether no other session sees it: `RELATION_IS_LOCAL`.
    fn is_local(self) -> bool {
        // SAFETY: the index is open.
        unsafe { (*self.relation).rd_islocaltemp || (*self.relation).rd_createSubid != NO_SUBTRANSACTION }
    }

    /// Says whether its changes are logged: `RelationNeedsWAL`.
    pub(super) fn is_logged(self) -> bool {
        // SAFETY: the index is open.
        unsafe {
            let relation = &*self.relation;
            let is_permanent = (*relation.rd_rel).relpersistence as u8 == pg_sys::RELPERSISTENCE_PERMANENT;
            let first = compat::first_file_subtransaction(relation);
            let is_new = relation.rd_createSubid != NO_SUBTRANSACTION || first != NO_SUBTRANSACTION;
            is_permanent && (pg_sys::wal_level >= pg_sys::WalLevel::WAL_LEVEL_REPLICA as i32 || !is_new)
        }
    }

    /// Logs all pages of an index that has just been built.
    pub fn log_all(self) {
        if self.is_logged() {
            // SAFETY: the pages are all initialised, and no other backend sees the index.
            unsafe {
                pg_sys::log_newpage_range(self.relation, pg_sys::ForkNumber::MAIN_FORKNUM, 0, self.blocks(), true);
            }
        }
    }

    /// Writes and logs the pages with which an unlogged index begins again after a crash.
    pub fn write_initial(self, pages: &[Box<[u8; SIZE]>]) {
        let (fork, mode) = (pg_sys::ForkNumber::INIT_FORKNUM, pg_sys::ReadBufferMode::RBM_NORMAL);
        for page in pages {
            // SAFETY: the fork is new and belongs to us alone. The record is of a full page, changed through a copy as
            // everywhere else.
            unsafe {
                pg_sys::LockRelationForExtension(self.relation, pg_sys::ExclusiveLock as i32);
                let buffer =
                    pg_sys::ReadBufferExtended(self.relation, fork, pg_sys::InvalidBlockNumber, mode, null_mut());
                compat::lock_buffer(buffer, pg_sys::BUFFER_LOCK_EXCLUSIVE);
                pg_sys::UnlockRelationForExtension(self.relation, pg_sys::ExclusiveLock as i32);
                std::ptr::copy_nonoverlapping(page.as_ptr(), pg_sys::BufferGetPage(buffer).cast(), SIZE);
                pg_sys::MarkBufferDirty(buffer);
                pg_sys::UnlockReleaseBuffer(buffer);
            }
        }
        // SAFETY: as above; the log contains the whole fork, as Postgres requires of a fork that it copies after a crash.
        unsafe { pg_sys::log_newpage_range(self.relation, fork, 0, pages.len() as u32, true) };
    }

    /// Returns a page that may be reused, if the free space map has one.
    pub fn free_page(self) -> Option<u32> {
        // SAFETY: the index is open.
        let block = unsafe { pg_sys::GetFreeIndexPage(self.relation) };
        (block != pg_sys::InvalidBlockNumber).then_some(block)
    }

    /// Records a page in the free space map.
    pub fn record_free(self, block: u32) {
        // SAFETY: the index is open.
        unsafe { pg_sys::RecordFreeIndexPage(self.relation, block) };
    }

    /// Makes the recorded pages visible to searches of the map.
    pub fn spread_free(self) {
        // SAFETY: the index is open.
        unsafe { pg_sys::IndexFreeSpaceMapVacuum(self.relation) };
    }
}

impl Pin {
    /// Lets the processor fetch the first and the last bytes of the page, which a reader needs first.
    pub fn prefetch(&self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: both addresses are within the pinned page.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let page = pg_sys::BufferGetPage(self.buffer).cast::<i8>();
            _mm_prefetch::<_MM_HINT_T0>(page);
            _mm_prefetch::<_MM_HINT_T0>(page.add(SIZE - 1));
        }
    }

    /// Locks the page.
    pub fn lock(self, lock: Lock) -> Buffer {
        let mode = match lock {
            Lock::Share => pg_sys::BUFFER_LOCK_SHARE,
            Lock::Exclusive => pg_sys::BUFFER_LOCK_EXCLUSIVE,
        };
        // SAFETY: the buffer is pinned.
        unsafe { compat::lock_buffer(self.buffer, mode) };
        self.locked()
    }

    /// Locks the page for a change if no backend holds it, or else releases the pin. A page of a temporary index has no lock, so a caller that
    /// holds it already gets it again: an insert never asks for one that it holds, because its keys ascend and the ranges of its
    /// leaves do not overlap.
    pub fn try_lock(self) -> Option<Buffer> {
        // SAFETY: the buffer is pinned.
        unsafe { pg_sys::ConditionalLockBuffer(self.buffer) }.then(|| self.locked())
    }

    fn locked(self) -> Buffer {
        let Self { buffer, block } = self;
        // The pin goes over to the buffer.
        std::mem::forget(self);
        Buffer { buffer, block }
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: pinned since it was made.
            unsafe { pg_sys::ReleaseBuffer(self.buffer) };
        }
    }
}

impl Buffer {
    /// Returns Postgres's number of the buffer.
    pub(super) fn number(&self) -> pg_sys::Buffer {
        self.buffer
    }

    /// Returns the first byte of the page in memory.
    pub(super) fn start(&mut self) -> *mut u8 {
        // SAFETY: the buffer is pinned.
        unsafe { pg_sys::BufferGetPage(self.buffer).cast() }
    }

    /// Returns the page's bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the page is pinned and locked as long as self lives, and only its exclusive holder changes it, through
        // `GenericWal` or `WalRecord`, which borrows it.
        unsafe { std::slice::from_raw_parts(pg_sys::BufferGetPage(self.buffer).cast::<u8>(), SIZE) }
    }

    /// Writes a page without a log, in an index that is being built and that no other backend sees; [`Index::log_all`] comes after.
    pub fn fill(&mut self, work: impl FnOnce(&mut [u8])) {
        // SAFETY: the page is locked for a change; the slice does not outlive the call.
        unsafe {
            work(std::slice::from_raw_parts_mut(pg_sys::BufferGetPage(self.buffer).cast::<u8>(), SIZE));
            pg_sys::MarkBufferDirty(self.buffer);
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: pinned and locked since it was made.
            unsafe { pg_sys::UnlockReleaseBuffer(self.buffer) };
        }
    }
}

/// How many pages a change may have.
pub const MOST_PAGES: usize = pg_sys::MAX_GENERIC_XLOG_PAGES as usize;

/// Changes to up to four pages that take effect together, as one WAL record, or not at all.
pub struct GenericWal {
    state: *mut pg_sys::GenericXLogState,
    images: [*mut u8; MOST_PAGES],
    count: usize,
}

/// A page of a change.
#[derive(Clone, Copy)]
pub struct Image(usize);

impl GenericWal {
    pub fn begin(index: Index) -> Self {
        // SAFETY: the index is open.
        let state = unsafe { pg_sys::GenericXLogStart(index.relation) };
        Self { state, images: [null_mut(); MOST_PAGES], count: 0 }
    }

    fn register(&mut self, buffer: &Buffer, flags: u32) -> Image {
        // SAFETY: the caller holds the page for a change until the end; a fifth page is an error of Postgres's.
        let image = unsafe { pg_sys::GenericXLogRegisterBuffer(self.state, buffer.buffer, flags as i32) };
        let at = self.count;
        self.images[at] = image.cast();
        self.count += 1;
        Image(at)
    }

    /// Adds a page of which little will change. It must be locked for a change until [`GenericWal::finish`].
    pub fn edit(&mut self, buffer: &Buffer) -> Image {
        self.register(buffer, 0)
    }

    /// Adds a page that will be rewritten. It must be locked for a change until [`GenericWal::finish`].
    pub fn rewrite(&mut self, buffer: &Buffer) -> Image {
        self.register(buffer, pg_sys::GENERIC_XLOG_FULL_IMAGE)
    }

    /// Returns the bytes of a page, to be changed.
    pub fn bytes(&mut self, image: Image) -> &mut [u8] {
        // SAFETY: the image is a copy of a page, which lives as long as the state, and is borrowed from self.
        unsafe { std::slice::from_raw_parts_mut(self.images[image.0], SIZE) }
    }

    /// Applies the change.
    pub fn finish(mut self) {
        let state = std::mem::replace(&mut self.state, null_mut());
        // SAFETY: begun in begin, and not finished before. The pages are still locked, as the callers of edit and rewrite promise.
        unsafe { pg_sys::GenericXLogFinish(state) };
    }
}

impl Drop for GenericWal {
    fn drop(&mut self) {
        if !self.state.is_null() && !std::thread::panicking() {
            // SAFETY: begun and not finished; the pages stay as they were.
            unsafe { pg_sys::GenericXLogAbort(self.state) };
        }
    }
}
