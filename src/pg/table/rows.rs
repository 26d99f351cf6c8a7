//! The rows of a table as they are now, committed or not, as an exclusion constraint sees them.
//!
//! An index finds the candidates ([`crate::index::lookup`]); a dirty snapshot judges each row. If another transaction has written
//! or is removing the row, the snapshot names that transaction.
//!
//! If a row is updated during a search, the search may miss both versions: it has already passed the new one, and the old one is
//! dead when the search reaches it. [`Snapshot`] is the state at the beginning of the search. A version that was removed since then
//! is [`Version::Changed`], and the search starts again.

use pgrx::{PgMemoryContexts, pg_sys};

use crate::pg::call::column::{self, Column};
use crate::pg::call::function::Argument;
use crate::pg::compat;
use crate::pg::lock::keys::Holder;
use crate::pg::table::open::OpenTable;
use crate::pg::table::row_id::Tid;
use crate::pg::value::text::text_of;

/// The content of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Nothing that counts.
    Gone,
    /// A row that was removed since the search began; its new version may have been missed.
    Changed,
    /// A row; if another transaction holds it, that transaction's end decides.
    Row(Option<Holder>),
}

/// The snapshot when a search begins. While it lives, no version that was alive then is vacuumed away.
pub struct Snapshot(());

impl Snapshot {
    /// Takes the snapshot.
    pub fn begin() -> Self {
        // SAFETY: the snapshot is copied when it is pushed; an error pops it with the transaction.
        unsafe { pg_sys::PushActiveSnapshot(pg_sys::GetLatestSnapshot()) };
        Self(())
    }

    fn saw_running(&self, transaction: pg_sys::TransactionId) -> bool {
        // SAFETY: the active snapshot is the one pushed above: code that pushes one in between pops it again.
        unsafe { pg_sys::XidInMVCCSnapshot(transaction, pg_sys::GetActiveSnapshot()) }
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: pushed in begin.
            unsafe { pg_sys::PopActiveSnapshot() };
        }
    }
}

/// An ordinary table or one partition, opened for a search.
pub struct Table {
    open: OpenTable,
    dirty: Box<pg_sys::SnapshotData>,
    /// Where the versions of the current row continue.
    next: Option<Tid>,
    /// Memory for what is read of a row, reset at the next row, so that many long candidates take the memory of one.
    row_memory: PgMemoryContexts,
}

impl Table {
    /// Opens a table; `None` if it does not exist.
    pub fn open(table: pg_sys::Oid) -> Option<Self> {
        let open = OpenTable::open(table)?;
        let snapshot_type = pg_sys::SnapshotType::SNAPSHOT_DIRTY;
        let dirty = Box::new(pg_sys::SnapshotData { snapshot_type, ..Default::default() });
        Some(Self { open, dirty, next: None, row_memory: PgMemoryContexts::new("candidate row") })
    }

    /// Moves to the first version that counts at an address from the index.
    pub fn visit(&mut self, tid: Tid, snapshot: &Snapshot) -> Version {
        self.go(tid, false, snapshot)
    }

    /// Moves to the version at an address, which may be one without an index entry.
    pub fn read(&mut self, mut tid: Tid, snapshot: &Snapshot) -> Version {
        let any = &raw mut pg_sys::SnapshotAnyData;
        // SAFETY: slot and table belong together; SnapshotAny sees whatever is there.
        let found =
            unsafe { pg_sys::table_tuple_fetch_row_version(self.open.relation, &raw mut tid, any, self.open.slot) };
        if found { self.version(snapshot) } else { Version::Gone }
    }

    /// Moves to the next version at the same address: one that another transaction has written without a new index entry,
    /// because the columns that it changed are not indexed.
    pub fn visit_next(&mut self, snapshot: &Snapshot) -> Version {
        self.next.take().map_or(Version::Gone, |tid| self.go(tid, true, snapshot))
    }

    fn go(&mut self, mut tid: Tid, mut again: bool, snapshot: &Snapshot) -> Version {
        let mut changed = false;
        self.next = None;
        // SAFETY: what was read of the previous row is borrowed from self, hence no longer in use.
        unsafe { self.row_memory.reset() };
        let any = &raw mut pg_sys::SnapshotAnyData;
        // SAFETY: SnapshotAny is valid; it sees each version of the address in turn.
        while unsafe { self.open.fetch(&mut tid, any, &mut again) } {
            match self.version(snapshot) {
                Version::Gone => {}
                Version::Changed => changed = true,
                row => {
                    self.next = again.then_some(tid);
                    return row;
                }
            }
            if !again {
                break;
            }
        }
        if changed { Version::Changed } else { Version::Gone }
    }

    /// Judges the version in the slot.
    fn version(&mut self, snapshot: &Snapshot) -> Version {
        // SAFETY: the slot holds a version of this table with its buffer pinned; its header may be read so.
        unsafe {
            let dirty: *mut pg_sys::SnapshotData = &raw mut *self.dirty;
            if pg_sys::table_tuple_satisfies_snapshot(self.open.relation, self.open.slot, dirty) {
                return Version::Row(Holder::of(dirty));
            }
            let mut free = false;
            let header = (*pg_sys::ExecFetchSlotHeapTuple(self.open.slot, false, &raw mut free)).t_data;
            let mask = u32::from((*header).t_infomask);
            if mask & (pg_sys::HEAP_XMAX_INVALID | pg_sys::HEAP_XMAX_LOCK_ONLY) != 0 {
                return Version::Gone;
            }
            let remover = if mask & pg_sys::HEAP_XMAX_IS_MULTI != 0 {
                pg_sys::HeapTupleGetUpdateXid(header)
            } else {
                (*header).t_choice.t_heap.t_xmax
            };
            // What this transaction has removed is gone for the transaction itself.
            if remover == pg_sys::InvalidTransactionId || pg_sys::TransactionIdIsCurrentTransactionId(remover) {
                return Version::Gone;
            }
            if snapshot.saw_running(remover) && pg_sys::TransactionIdDidCommit(remover) {
                return Version::Changed;
            }
            Version::Gone
        }
    }

    /// Says whether no session can see what is at an address, not one of a replica either: Postgres has pruned the row and left a dead
    /// line pointer, or the row's insertion was rolled back. False if that is not known.
    pub fn is_removed(&self, tid: Tid) -> bool {
        let (block, number) = pgrx::itemptr::item_pointer_get_both(tid);
        // SAFETY: the table is open, and the page is pinned and locked while it is read. A row of an ordinary table has a header.
        unsafe {
            if (*(*self.open.relation).rd_rel).relam != pg_sys::HEAP_TABLE_AM_OID {
                return false;
            }
            let buffer = pg_sys::ReadBuffer(self.open.relation, block);
            compat::lock_buffer(buffer, pg_sys::BUFFER_LOCK_SHARE);
            let page = pg_sys::BufferGetPage(buffer);
            let is_there = number >= 1 && number <= pg_sys::PageGetMaxOffsetNumber(page);
            let is_removed = is_there && {
                let item = pg_sys::PageGetItemId(page, number);
                match (*item).lp_flags() {
                    pg_sys::LP_DEAD => true,
                    pg_sys::LP_NORMAL => is_rolled_back(pg_sys::PageGetItem(page, item).cast()),
                    _ => false,
                }
            };
            pg_sys::UnlockReleaseBuffer(buffer);
            is_removed
        }
    }

    /// Returns the table's number.
    pub fn oid(&self) -> pg_sys::Oid {
        // SAFETY: the table is open.
        unsafe { (*self.open.relation).rd_id }
    }

    /// Returns the address of the current row.
    pub fn tid(&self) -> Tid {
        // SAFETY: the slot lives as long as self.
        unsafe { (*self.open.slot).tts_tid }
    }

    /// Returns the slot of the current row.
    pub(in crate::pg) fn slot(&self) -> *mut pg_sys::TupleTableSlot {
        self.open.slot
    }

    /// Returns a column of the current row; what it points to lives until the next move.
    pub fn value(&self, column: i16) -> Option<pg_sys::Datum> {
        let mut null = true;
        // SAFETY: the slot holds a row of this table; a column beyond its end would be an error of the caller's.
        let datum = unsafe { pg_sys::slot_getattr(self.open.slot, i32::from(column), &raw mut null) };
        (!null).then_some(datum)
    }

    /// Runs `work` in the memory of the current row.
    fn in_row_memory<T>(&self, work: impl FnOnce() -> T) -> T {
        // SAFETY: the context lives as long as self; it is current for the length of the call only.
        unsafe {
            let before = pg_sys::MemoryContextSwitchTo(self.row_memory.value());
            let result = work();
            pg_sys::MemoryContextSwitchTo(before);
            result
        }
    }

    /// Returns a column's text; the column must have a text type.
    pub fn text(&self, column: i16) -> Option<&str> {
        // SAFETY: the caller has checked the type; the text lives in the slot or in the memory of the row.
        self.value(column).and_then(|datum| self.in_row_memory(|| unsafe { text_of(datum) }))
    }

    /// Returns the whole characters among the first bytes of a column's text, of which no more is fetched and decompressed; the column must
    /// have a text type.
    pub fn beginning(&self, column: i16, bytes: usize) -> Option<&str> {
        if self.text_length(column)? <= bytes {
            return self.text(column);
        }
        let datum = self.value(column)?;
        let count = i32::try_from(bytes).unwrap_or(i32::MAX);
        self.in_row_memory(|| {
            // SAFETY: the caller has checked the type; the slice lives in the memory of the row.
            let slice =
                unsafe { pgrx::varlena_to_byte_slice(pg_sys::pg_detoast_datum_slice(datum.cast_mut_ptr(), 0, count)) };
            slice.utf8_chunks().next().map(|whole| whole.valid())
        })
    }

    /// Returns a column's value as the row has it, possibly compressed, or only the address of a value that is stored elsewhere; the column
    /// must have a text type.
    pub fn stored(&self, column: i16) -> Option<&[u8]> {
        // SAFETY: the caller has checked the type: a varlena, whose header says how many bytes are in the row, which lives in the slot.
        self.value(column).map(|datum| unsafe {
            let value: *const pg_sys::varlena = datum.cast_mut_ptr();
            std::slice::from_raw_parts(value.cast(), pgrx::varsize_any(value))
        })
    }

    /// Returns the length of a column's text in bytes, without reading it; `None` for NULL.
    pub fn text_length(&self, column: i16) -> Option<usize> {
        // SAFETY: the caller has checked the type: a varlena, whose header says how long it is.
        let length = |datum| unsafe { pg_sys::toast_raw_datum_size(datum) } as usize;
        self.value(column).map(|datum| length(datum).saturating_sub(size_of::<i32>()))
    }

    /// Returns a column's type and collation.
    pub fn column(&self, column: i16) -> Column {
        Column::of(self.oid(), column)
    }

    /// Returns a column's type and a copy of its value that outlives the table, in the memory of the current call.
    pub fn copied(&self, column: i16) -> Argument {
        // SAFETY: the descriptor is the table's, and the value is of that column's type.
        unsafe {
            let kind = pg_sys::SPI_gettypeid((*self.open.relation).rd_att, i32::from(column));
            (kind, self.value(column).map(|value| column::copied(value, kind)))
        }
    }

    /// Returns a column's value in text form.
    pub fn output(&self, column: i16) -> Option<String> {
        let value = self.value(column)?;
        // SAFETY: the descriptor is the table's, and the value is of that column's type.
        self.in_row_memory(|| unsafe {
            Some(column::output(value, pg_sys::SPI_gettypeid((*self.open.relation).rd_att, i32::from(column))))
        })
    }

    /// Returns the whole current row, as a composite value of the table's type.
    pub fn row(&self) -> pg_sys::Datum {
        // SAFETY: the slot holds a row.
        self.in_row_memory(|| unsafe { pg_sys::ExecFetchSlotHeapTupleDatum(self.open.slot) })
    }
}

/// `HeapTupleHeaderXminInvalid`: whether it is known that the insertion was rolled back.
///
/// # Safety
/// The header must be valid.
unsafe fn is_rolled_back(header: pg_sys::HeapTupleHeader) -> bool {
    // SAFETY: guaranteed by the caller.
    let mask = u32::from(unsafe { (*header).t_infomask });
    mask & pg_sys::HEAP_XMIN_FROZEN == pg_sys::HEAP_XMIN_INVALID
}
