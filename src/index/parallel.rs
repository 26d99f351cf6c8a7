//! Parallel workers of a build: each reads a part of the table and sorts the keys of its rows; the process that builds reads and sorts with them,
//! merges what all have sorted, and writes the pages.
//!
//! As Postgres's own builds of B-trees do it: the same rule for the number of workers, the same shared scan and locks, `maintenance_work_mem` for
//! all processes together. Workers write nothing, and the index is the same with any number of them.
#![allow(unsafe_code, reason = "opens relations as Postgres does, and the function that parallel workers run")]

use neardup_core::candidates::spill::{Storage, blocks};
use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::build::{Builder, read_rows};
use super::values::{declared_kind, or_report};
use crate::error::Result;
use crate::pg::call::boundary;
use crate::pg::call::workers::{Work, Workers, bytes_of, words_of};
use crate::pg::table::temporary::TemporaryFile;

/// What processes send each other, by a number: a session may be older than the library that its workers load.
const FORMAT: u64 = 1;

/// The workers of a build.
pub(super) struct Crew {
    workers: Workers,
    /// Registered as long as the workers read, if they read what a snapshot sees.
    snapshot: Option<pg_sys::Snapshot>,
    /// How much memory this process may use to sort, in kilobytes.
    pub(super) kilobytes: i32,
}

/// What a process has read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Read {
    /// Rows of the table, and those with a signature.
    pub(super) rows: f64,
    pub(super) signed: u64,
    pub(super) entries: u64,
    /// Whether a chain of updates has versions with other keys, which older snapshots must not look for in this index.
    pub(super) has_broken_chain: bool,
}

impl Read {
    fn words(self) -> [u64; 4] {
        [self.rows.to_bits(), self.signed, self.entries, self.has_broken_chain.into()]
    }

    fn of_words(words: &[u64]) -> Self {
        let &[rows, signed, entries, broken] = words else { return Self::default() };
        Self { rows: f64::from_bits(rows), signed, entries, has_broken_chain: broken != 0 }
    }

    /// Adds what another process has read.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            rows: self.rows + other.rows,
            signed: self.signed + other.signed,
            entries: self.entries + other.entries,
            has_broken_chain: self.has_broken_chain || other.has_broken_chain,
        }
    }
}

/// What a build merges: what it has sorted itself, and what its workers have.
pub(super) enum Source<'c> {
    File(TemporaryFile),
    Worker(&'c Workers, usize),
}

impl Storage for Source<'_> {
    fn create() -> Self {
        Self::File(TemporaryFile::create())
    }

    fn write(&mut self, bytes: &[u8]) {
        if let Self::File(file) = self {
            file.write(bytes);
        }
    }

    fn rewind(&mut self) {
        if let Self::File(file) = self {
            file.rewind();
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> usize {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Worker(workers, worker) => {
                let copied = workers.receive(*worker, |block| {
                    let length = block.len().min(buffer.len());
                    buffer[..length].copy_from_slice(&block[..length]);
                    length
                });
                copied.unwrap_or(0)
            }
        }
    }
}

impl Crew {
    /// Starts workers, as many as Postgres would give to an index of its own on that table; `None` if there are none to be had.
    ///
    /// # Safety
    /// As Postgres calls a build. Until [`Crew::finish`], no row may be written.
    pub(super) unsafe fn start(
        table: pg_sys::Relation,
        index: pg_sys::Relation,
        info: *mut pg_sys::IndexInfo,
    ) -> Option<Self> {
        // SAFETY: guaranteed by the caller. The snapshot stays registered until the workers have ended; an error releases it.
        unsafe {
            let blocks = pg_sys::RelationGetNumberOfBlocksInFork(table, pg_sys::ForkNumber::MAIN_FORKNUM);
            if blocks < 2 {
                // Also where Postgres wants no workers: in a TRUNCATE.
                return None;
            }
            let count = pg_sys::plan_create_index_workers((*table).rd_id, (*index).rd_id);
            let count = usize::try_from(count).ok().filter(|count| *count > 0)?;
            let is_concurrent = (*info).ii_Concurrent;
            let snapshot = is_concurrent.then(|| pg_sys::RegisterSnapshot(pg_sys::GetTransactionSnapshot()));
            let kilobytes = |workers: usize| pg_sys::maintenance_work_mem / (1 + workers as i32);
            let [of_table, of_index] = [(*table).rd_id, (*index).rd_id].map(|oid| oid.to_u32().into());
            let state = [FORMAT, of_table, of_index, is_concurrent.into(), kilobytes(count) as u64];
            let read = snapshot.unwrap_or(&raw mut pg_sys::SnapshotAnyData);
            let started = Workers::start(c"neardup_build_worker", count, &bytes_of(&state), Some((table, read)));
            let Some(workers) = started else {
                snapshot.into_iter().for_each(|snapshot| pg_sys::UnregisterSnapshot(snapshot));
                return None;
            };
            pgrx::debug1!("parallel workers of a build: {}", workers.count());
            // Workers share as if all had started, which they cannot know.
            let kilobytes = kilobytes(workers.count());
            Some(Self { workers, snapshot, kilobytes })
        }
    }

    /// Begins this process's part of the scan.
    ///
    /// # Safety
    /// The table must be the one that was passed to [`Crew::start`].
    pub(super) unsafe fn scan(&self, table: pg_sys::Relation) -> pg_sys::TableScanDesc {
        // SAFETY: guaranteed by the caller; the scan was set up for it.
        unsafe { pg_sys::table_beginscan_parallel(table, self.workers.scan()) }
    }

    /// Waits until all workers have sorted, and returns what they have read. `None` if one has ended before.
    pub(super) fn have_read(&self) -> Option<Read> {
        let mut all = (0..self.workers.count())
            .map(|worker| self.workers.receive(worker, |head| Read::of_words(&words_of(head))));
        all.try_fold(Read::default(), |all, read| read.map(|read| all.and(read)))
    }

    /// Returns what each has sorted, to be read once.
    pub(super) fn sources(&self) -> impl Iterator<Item = Source<'_>> {
        (0..self.workers.count()).map(|worker| Source::Worker(&self.workers, worker))
    }

    /// Returns the error for a worker that has ended early, once all have ended. If it has met one itself, that one is raised here.
    pub(super) fn ended_early(self) -> ErrorReport {
        boundary::check_for_interrupts();
        self.finish();
        ended_early()
    }

    /// Lets the workers end. An error that one of them has met is raised here.
    pub(super) fn finish(self) {
        self.workers.finish();
        // SAFETY: it was registered when they were started.
        self.snapshot.into_iter().for_each(|snapshot| unsafe { pg_sys::UnregisterSnapshot(snapshot) });
    }
}

/// The error for a worker that has ended early without one of its own.
pub(super) fn ended_early() -> ErrorReport {
    let state = PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
    ErrorReport::new(state, "a parallel worker of the build ended early", "pg_neardup")
        .set_detail("More details may be available in the server log.")
        .set_hint("To build without workers: SET max_parallel_maintenance_workers = 0.")
}

/// What a worker runs.
///
/// # Safety
/// Postgres calls it in a parallel worker that [`Crew::start`] has started.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn neardup_build_worker(
    segment: *mut pg_sys::dsm_segment,
    contents: *mut pg_sys::shm_toc,
) {
    // SAFETY: Postgres passes what the starting process has prepared; this is the outermost frame.
    unsafe {
        boundary::entry(|| {
            let own = Work::of_worker(segment, contents);
            or_report(work(&own));
            own.end();
        });
    }
}

/// # Safety
/// As Postgres calls a parallel worker.
unsafe fn work(work: &Work) -> Result<()> {
    let [FORMAT, table, index, concurrent, kilobytes] = words_of(work.state())[..] else { return Ok(()) };
    let is_concurrent = concurrent != 0;
    let oid = |number: u64| pg_sys::Oid::from(number as u32);
    // The locks that the building process has, which do not conflict with these in the same group.
    let locks = if is_concurrent {
        [pg_sys::ShareUpdateExclusiveLock, pg_sys::RowExclusiveLock]
    } else {
        [pg_sys::ShareLock, pg_sys::AccessExclusiveLock]
    };
    let [table_lock, index_lock] = locks.map(|lock| lock as pg_sys::LOCKMODE);
    // SAFETY: both belong together; what is opened is closed, by an error at the latest.
    unsafe {
        let table = pg_sys::table_open(oid(table), table_lock);
        let index = pg_sys::index_open(oid(index), index_lock);
        let info = pg_sys::BuildIndexInfo(index);
        (*info).ii_Concurrent = is_concurrent;
        let kind = declared_kind(index)?;
        let mut builder = Builder::begin(kilobytes as i32);
        let scan = pg_sys::table_beginscan_parallel(table, work.scan());
        let (rows, signed) = read_rows(table, index, info, kind, scan, false, &mut |keys, row| builder.add(keys, row));
        let entries = builder.entries;
        let has_broken_chain = (*info).ii_BrokenHotChain;
        let sorted = builder.sort();
        if work.send(&bytes_of(&Read { rows, signed, entries, has_broken_chain }.words())) {
            blocks(sorted.records(), |block| work.send(block));
        }
        pg_sys::index_close(index, index_lock);
        pg_sys::table_close(table, table_lock);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_worker_has_read_comes_back_as_it_was() {
        let one = Read { rows: 7.0, signed: 6, entries: 50, has_broken_chain: false };
        let other = Read { rows: 1.0, signed: 1, entries: 9, has_broken_chain: true };
        for read in [one, other, Read::default()] {
            assert_eq!(Read::of_words(&words_of(&bytes_of(&read.words()))), read);
        }
        assert_eq!(one.and(other), Read { rows: 8.0, signed: 7, entries: 59, has_broken_chain: true });
    }
}
