//! Parallel workers, as a parallel query has them: processes with the snapshot, the locks, the role and the settings of this one, which may only
//! read. They take messages and answer them. They end when this process is done with them, or with its transaction; an error in one of them is
//! an error here.

use std::ffi::{CStr, c_void};

use pgrx::pg_sys;

use super::boundary::{self, raw};

/// Where workers find the scan that they share, what they begin with, the statement that they work for, where they write what they have used of
/// buffers and of WAL, and the first of their queues: two of each, to the worker and from it.
const SCAN: u64 = 0;
const STATE: u64 = 1;
const STATEMENT: u64 = 2;
const BUFFERS: u64 = 3;
const WAL: u64 = 4;
const QUEUES: u64 = 5;
/// The bytes of a queue; longer messages pass in parts.
const QUEUE: usize = 1 << 16;

/// The processes that work for this one. An error, which ends the transaction, ends them, too.
pub struct Workers {
    context: *mut pg_sys::ParallelContext,
    queues: Vec<Queues>,
    scan: pg_sys::ParallelTableScanDesc,
    /// What each of them has used.
    usage: Usage,
}

/// What workers have used, one after the other, for `EXPLAIN (BUFFERS)` and `pg_stat_statements`.
#[derive(Clone, Copy)]
struct Usage {
    buffers: *mut pg_sys::BufferUsage,
    wal: *mut pg_sys::WalUsage,
}

impl Usage {
    const NONE: Self = Self { buffers: std::ptr::null_mut(), wal: std::ptr::null_mut() };
}

/// Two queues, as one of their ends holds them.
struct Queues {
    send: *mut pg_sys::shm_mq_handle,
    receive: *mut pg_sys::shm_mq_handle,
}

/// Says how many workers a statement may have, by Postgres's own settings; 0 inside a parallel query.
pub fn allowed() -> usize {
    // SAFETY: a setting, and the state of this transaction.
    unsafe {
        if pg_sys::IsInParallelMode() {
            return 0;
        }
        let of_server = pg_sys::max_parallel_workers.min(pg_sys::max_worker_processes);
        usize::try_from(pg_sys::max_parallel_workers_per_gather.min(of_server)).unwrap_or(0)
    }
}

/// Returns the file of this library. By its name, a worker would not find it where `dynamic_library_path` is set for this session alone: it learns of
/// that later.
fn library() -> Option<&'static CStr> {
    let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    let here = library as fn() -> Option<&'static CStr>;
    // SAFETY: the linker fills it for an address of a library that is loaded, and stays.
    unsafe {
        let is_found = libc::dladdr(here as *const c_void, found.as_mut_ptr()) != 0;
        let name = found.assume_init().dli_fname;
        (is_found && !name.is_null()).then(|| CStr::from_ptr(name))
    }
}

/// The bytes that a part of shared memory takes.
const fn aligned(bytes: usize) -> usize {
    const ALIGNMENT: usize = 32;
    bytes.next_multiple_of(ALIGNMENT)
}

impl Workers {
    /// Starts up to `count` workers. Each runs `function` of this library, which must be one for [`Work::of_worker`]. `None` if there is none to be had.
    /// With a table and a snapshot, this process and the workers share a scan of it.
    ///
    /// # Safety
    /// As long as the value lives, no row may be written, the table must be open, and the snapshot registered, if it is one of rows that are seen. The
    /// function must have the signature of a parallel worker's.
    pub unsafe fn start(
        function: &CStr,
        count: usize,
        state: &[u8],
        scanned: Option<(pg_sys::Relation, pg_sys::Snapshot)>,
    ) -> Option<Self> {
        let library = library()?;
        // SAFETY: as Postgres's own parallel statements do, in this order. What is allocated in shared memory is as large as it was estimated; the
        // handles live in the current memory context, which the caller's call outlives.
        unsafe {
            pg_sys::EnterParallelMode();
            let context = pg_sys::CreateParallelContext(library.as_ptr(), function.as_ptr(), count as i32);
            let mut workers = Self { context, queues: Vec::new(), scan: std::ptr::null_mut(), usage: Usage::NONE };
            let estimator = &raw mut (*context).estimator;
            let scan_bytes = scanned.map(|(table, snapshot)| pg_sys::table_parallelscan_estimate(table, snapshot));
            let statement = (!pg_sys::debug_query_string.is_null())
                .then(|| CStr::from_ptr(pg_sys::debug_query_string).to_bytes_with_nul());
            (*estimator).space_for_chunks += aligned(size_of::<u64>() + state.len())
                + statement.map_or(0, |statement| aligned(statement.len()))
                + aligned(count * size_of::<pg_sys::BufferUsage>())
                + aligned(count * size_of::<pg_sys::WalUsage>())
                + 2 * count * aligned(QUEUE)
                + scan_bytes.map_or(0, aligned);
            (*estimator).number_of_keys += 5 + 2 * count;
            pg_sys::InitializeParallelDSM(context);
            if (*context).nworkers == 0 || (*context).seg.is_null() {
                workers.end();
                return None;
            }
            let place: *mut u64 = pg_sys::shm_toc_allocate((*context).toc, size_of::<u64>() + state.len()).cast();
            *place = state.len() as u64;
            std::ptr::copy_nonoverlapping(state.as_ptr(), place.add(1).cast(), state.len());
            pg_sys::shm_toc_insert((*context).toc, STATE, place.cast());
            if let Some(statement) = statement {
                let place: *mut u8 = pg_sys::shm_toc_allocate((*context).toc, statement.len()).cast();
                std::ptr::copy_nonoverlapping(statement.as_ptr(), place, statement.len());
                pg_sys::shm_toc_insert((*context).toc, STATEMENT, place.cast());
            }
            let allocate = |bytes| pg_sys::shm_toc_allocate((*context).toc, count * bytes);
            let buffers = allocate(size_of::<pg_sys::BufferUsage>()).cast();
            workers.usage = Usage { buffers, wal: allocate(size_of::<pg_sys::WalUsage>()).cast() };
            pg_sys::shm_toc_insert((*context).toc, BUFFERS, workers.usage.buffers.cast());
            pg_sys::shm_toc_insert((*context).toc, WAL, workers.usage.wal.cast());
            if let (Some((table, snapshot)), Some(bytes)) = (scanned, scan_bytes) {
                workers.scan = pg_sys::shm_toc_allocate((*context).toc, bytes).cast();
                pg_sys::table_parallelscan_initialize(table, workers.scan, snapshot);
                pg_sys::shm_toc_insert((*context).toc, SCAN, workers.scan.cast());
            }
            for worker in 0..(*context).nworkers as u64 {
                let queue = |number: u64| {
                    let place = pg_sys::shm_toc_allocate((*context).toc, QUEUE);
                    let queue = pg_sys::shm_mq_create(place, QUEUE);
                    pg_sys::shm_toc_insert((*context).toc, QUEUES + 2 * worker + number, place);
                    queue
                };
                let (to, from) = (queue(0), queue(1));
                pg_sys::shm_mq_set_sender(to, pg_sys::MyProc);
                pg_sys::shm_mq_set_receiver(from, pg_sys::MyProc);
                let attach = |queue| pg_sys::shm_mq_attach(queue, (*context).seg, std::ptr::null_mut());
                workers.queues.push(Queues { send: attach(to), receive: attach(from) });
            }
            pg_sys::LaunchParallelWorkers(context);
            let launched = usize::try_from((*context).nworkers_launched).unwrap_or(0);
            for queues in workers.queues.drain(launched..) {
                queues.detach();
            }
            if launched == 0 {
                workers.end();
                return None;
            }
            for (at, queues) in workers.queues.iter().enumerate() {
                // One that dies before it has come to its queues is noticed by its handle.
                let handle = (*(*context).worker.add(at)).bgwhandle;
                pg_sys::shm_mq_set_handle(queues.send, handle);
                pg_sys::shm_mq_set_handle(queues.receive, handle);
            }
            Some(workers)
        }
    }

    /// Returns how many there are.
    pub const fn count(&self) -> usize {
        self.queues.len()
    }

    /// Returns the scan that all share, null if there is none. It is there as long as the value lives.
    pub const fn scan(&self) -> pg_sys::ParallelTableScanDesc {
        self.scan
    }

    /// Sends a message to a worker; false if it has ended.
    pub fn send(&self, worker: usize, message: &[u8]) -> bool {
        // SAFETY: an open queue.
        self.queues.get(worker).is_some_and(|queues| unsafe { send(queues.send, message) })
    }

    /// Waits for the next message of a worker, and passes it to `read`; `None` if it has ended.
    pub fn receive<T>(&self, worker: usize, read: impl FnOnce(&[u8]) -> T) -> Option<T> {
        // SAFETY: an open queue; what it lends is read at once.
        self.queues.get(worker).and_then(|queues| unsafe { receive(queues.receive) }).map(read)
    }

    /// Lets the workers end, and waits for them. An error that one of them has raised is raised here.
    pub fn finish(mut self) {
        // SAFETY: they were started.
        unsafe {
            let count = self.queues.len();
            self.queues.drain(..).for_each(|queues| queues.detach());
            let context = self.context;
            boundary::catch(|| raw::WaitForParallelWorkersToFinish(context));
            for worker in 0..count {
                pg_sys::InstrAccumParallelQuery(self.usage.buffers.add(worker), self.usage.wal.add(worker));
            }
            self.end();
        }
    }

    /// # Safety
    /// No worker runs.
    unsafe fn end(&self) {
        // SAFETY: guaranteed by the caller; the context was made when the parallel mode was entered.
        unsafe {
            pg_sys::DestroyParallelContext(self.context);
            pg_sys::ExitParallelMode();
        }
    }
}

impl Queues {
    /// # Safety
    /// They must be open.
    unsafe fn detach(&self) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            pg_sys::shm_mq_detach(self.send);
            pg_sys::shm_mq_detach(self.receive);
        }
    }
}

/// # Safety
/// The queue must be open. [`boundary::entry`] must be above.
unsafe fn send(queue: *mut pg_sys::shm_mq_handle, message: &[u8]) -> bool {
    let (bytes, data) = (message.len(), message.as_ptr().cast::<c_void>());
    // SAFETY: guaranteed by the caller. Waiting can be cancelled, and meets the errors of other workers.
    let sent = unsafe { boundary::catch(|| raw::shm_mq_send(queue, bytes, data, false, true)) };
    sent == pg_sys::shm_mq_result::SHM_MQ_SUCCESS
}

/// Returns the next message, which is there until the next call.
///
/// # Safety
/// As for [`send`].
unsafe fn receive<'m>(queue: *mut pg_sys::shm_mq_handle) -> Option<&'m [u8]> {
    let (mut bytes, mut data) = (0, std::ptr::null_mut());
    let (to_bytes, to_data) = (&raw mut bytes, &raw mut data);
    // SAFETY: guaranteed by the caller; as in `send`. The queue says where the message is, and how long.
    unsafe {
        let received = boundary::catch(|| raw::shm_mq_receive(queue, to_bytes, to_data, false));
        let is_message = received == pg_sys::shm_mq_result::SHM_MQ_SUCCESS;
        is_message.then(|| std::slice::from_raw_parts(data.cast::<u8>().cast_const(), bytes))
    }
}

/// Writes numbers as the bytes of a message.
pub fn bytes_of(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// Reads the numbers of a message.
pub fn words_of(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word)).collect()
}

/// The work of one worker.
pub struct Work {
    queues: Queues,
    state: &'static [u8],
    scan: pg_sys::ParallelTableScanDesc,
    usage: Usage,
}

impl Work {
    /// Finds in a worker what [`Workers::start`] has given it.
    ///
    /// # Safety
    /// The two must be what Postgres passes to the function of a parallel worker, before that returns.
    pub unsafe fn of_worker(segment: *mut pg_sys::dsm_segment, contents: *mut pg_sys::shm_toc) -> Self {
        // SAFETY: the process that started this one has put all of them there.
        unsafe {
            let state: *const u64 = pg_sys::shm_toc_lookup(contents, STATE, false).cast();
            let state = std::slice::from_raw_parts(state.add(1).cast::<u8>(), *state as usize);
            let first = QUEUES + 2 * pg_sys::ParallelWorkerNumber as u64;
            let queue = |number| pg_sys::shm_toc_lookup(contents, first + number, false).cast::<pg_sys::shm_mq>();
            let (to, from) = (queue(0), queue(1));
            pg_sys::shm_mq_set_receiver(to, pg_sys::MyProc);
            pg_sys::shm_mq_set_sender(from, pg_sys::MyProc);
            let attach = |queue| pg_sys::shm_mq_attach(queue, segment, std::ptr::null_mut());
            let scan = pg_sys::shm_toc_lookup(contents, SCAN, true).cast();
            // What `pg_stat_activity` and the server's log show.
            pg_sys::debug_query_string = pg_sys::shm_toc_lookup(contents, STATEMENT, true).cast();
            pg_sys::pgstat_report_activity(pg_sys::BackendState::STATE_RUNNING, pg_sys::debug_query_string);
            let number = pg_sys::ParallelWorkerNumber as usize;
            let buffers = pg_sys::shm_toc_lookup(contents, BUFFERS, false).cast::<pg_sys::BufferUsage>().add(number);
            let wal = pg_sys::shm_toc_lookup(contents, WAL, false).cast::<pg_sys::WalUsage>().add(number);
            pg_sys::InstrStartParallelQuery();
            Self {
                queues: Queues { send: attach(from), receive: attach(to) },
                state,
                scan,
                usage: Usage { buffers, wal },
            }
        }
    }

    /// Returns what the workers begin with.
    pub const fn state(&self) -> &[u8] {
        self.state
    }

    /// Returns the scan that all share, null if there is none.
    pub const fn scan(&self) -> pg_sys::ParallelTableScanDesc {
        self.scan
    }

    /// Sends a message; false if nobody reads it any more.
    pub fn send(&self, message: &[u8]) -> bool {
        // SAFETY: an open queue; this is called in the function of a worker, whose outermost frame is `boundary::entry`.
        unsafe { send(self.queues.send, message) }
    }

    /// Tells the process that started this one what was used since. The last that a worker does.
    pub fn end(self) {
        // SAFETY: this worker's place in shared memory, which is there until its function returns.
        unsafe { pg_sys::InstrEndParallelQuery(self.usage.buffers, self.usage.wal) };
    }

    /// Answers messages by `answer` until there are no more.
    ///
    /// # Errors
    /// The first of `answer`.
    pub fn serve<E>(&self, mut answer: impl FnMut(&[u8]) -> Result<Vec<u8>, E>) -> Result<(), E> {
        // SAFETY: open queues; a message is read before the next one is received.
        while let Some(message) = unsafe { receive(self.queues.receive) } {
            if !self.send(&answer(message)?) {
                break;
            }
        }
        Ok(())
    }
}
