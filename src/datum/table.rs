//! The rows of a guarded table as they are now, committed or not: what an exclusion constraint looks at, too.
//!
//! Candidates come from the B-tree indexes on rotated SimHashes, whose entries hold the signature, so that only rows that
//! are near are visited; for other signatures from a GIN index on keys (`keys.rs`). A table without these indexes is read from end to end. What is found is judged by a dirty snapshot:
//! a row that another transaction has written or is removing says whose end decides.
//!
//! A row that is updated while we look may show its new version before we get there and its old one after. The state
//! of a moment before ([`Moment`]) tells: a version that was removed since says [`Version::Changed`], and the look begins again.

use std::ptr;

use pgrx::pg_sys;

use super::SimHash;
use super::lock::Holder;
use super::trigger::text_of;
use neardup_core::banding;

const LOCK: i32 = pg_sys::AccessShareLock as i32;
const KEEP: i32 = pg_sys::NoLock as i32;

/// A place in a table.
pub type Place = pg_sys::ItemPointerData;

/// What there is at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Nothing that counts.
    Gone,
    /// Something that has been removed since the look began; its new version may have been missed.
    Changed,
    /// A row; if another transaction holds it, that one's end decides.
    Row(Option<Holder>),
}

/// The moment at which a look begins; while it lives, no version that was alive then is vacuumed away.
pub struct Moment(());

impl Moment {
    /// Takes the moment.
    pub fn begin() -> Self {
        // SAFETY: the snapshot is copied when it is pushed; an error pops it with the transaction.
        unsafe { pg_sys::PushActiveSnapshot(pg_sys::GetLatestSnapshot()) };
        Self(())
    }

    fn saw_running(&self, transaction: pg_sys::TransactionId) -> bool {
        // SAFETY: the active snapshot is the one pushed above: whoever pushes one in between pops it again.
        unsafe { pg_sys::XidInMVCCSnapshot(transaction, pg_sys::GetActiveSnapshot()) }
    }
}

impl Drop for Moment {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: pushed in begin.
            unsafe { pg_sys::PopActiveSnapshot() };
        }
    }
}

/// A table opened for a look: an ordinary table or one partition.
///
/// On an error Postgres closes what it has open; so it closes only where nothing unwinds.
pub struct Table {
    pub(super) table: pg_sys::Relation,
    /// All that the look needs, or none.
    pub(super) indexes: Vec<pg_sys::Relation>,
    signature: i16,
    slot: *mut pg_sys::TupleTableSlot,
    fetch: *mut pg_sys::IndexFetchTableData,
    dirty: Box<pg_sys::SnapshotData>,
}

impl Table {
    /// Opens a table, with its column of signatures and its indexes on rotated ones, band by band, or the one on keys; an
    /// invalid oid where there is none.
    pub fn open(oid: pg_sys::Oid, signature: i16, indexes: &[pg_sys::Oid]) -> Self {
        // SAFETY: opening raises an error where the relation has gone; the slot and the fetch are the table's own.
        unsafe {
            let table = pg_sys::table_open(oid, LOCK);
            let indexes = if indexes.contains(&pg_sys::Oid::INVALID) { &[] } else { indexes };
            let indexes = indexes.iter().map(|index| pg_sys::index_open(*index, LOCK)).collect();
            let dirty = Box::new(pg_sys::SnapshotData {
                snapshot_type: pg_sys::SnapshotType::SNAPSHOT_DIRTY,
                ..Default::default()
            });
            let slot = pg_sys::table_slot_create(table, ptr::null_mut());
            let fetch = pg_sys::table_index_fetch_begin(table);
            Self { table, indexes, signature, slot, fetch, dirty }
        }
    }

    /// Whether the table has all its indexes.
    pub fn is_indexed(&self) -> bool {
        !self.indexes.is_empty()
    }

    /// About how many entries the table's indexes have; more than there are rows, since pages are not full.
    pub fn entries(&self) -> usize {
        const ENTRIES_A_PAGE: usize = 400;
        // SAFETY: both relations are open.
        let pages = unsafe {
            let relation = self.indexes.first().copied().unwrap_or(self.table);
            pg_sys::RelationGetNumberOfBlocksInFork(relation, pg_sys::ForkNumber::MAIN_FORKNUM)
        };
        pages as usize * ENTRIES_A_PAGE
    }

    /// Hands over every signature that has an entry or a version, living or dead.
    pub fn signatures(&mut self, mut sink: impl FnMut(u64)) {
        if self.is_indexed() {
            let mut scan = Scan::any(self.table, self.indexes[0]);
            scan.range(i64::MIN, i64::MAX);
            while let Some((word, _)) = scan.next() {
                sink(banding::unrotated(word, 0));
            }
        } else {
            self.read_all(|signature, _| sink(SimHash::from_raw(signature).0));
        }
    }

    /// The places with exactly this signature, found by an index; they must be used up before the table is closed.
    pub fn equal(&self, signature: u64) -> Places {
        Places(self.is_indexed().then(|| {
            let word = banding::rotated(signature, 0).cast_signed();
            let mut scan = Scan::any(self.table, self.indexes[0]);
            scan.range(word, word);
            scan
        }))
    }

    /// Hands over distance and place of all entries within `distance` bits, some of them twice.
    pub fn near(&mut self, signature: u64, distance: u32, mut sink: impl FnMut(u32, Place)) {
        if !self.is_indexed() {
            self.read_all(|other, place| {
                let apart = (signature ^ SimHash::from_raw(other).0).count_ones();
                if apart <= distance {
                    sink(apart, place);
                }
            });
            return;
        }
        let mut ranges = Vec::new();
        // The distance was checked when the guard was made ready.
        let _ = banding::ranges(signature, distance, |band, first, last| ranges.push((band, first, last)));
        let mut ranges = ranges.into_iter().peekable();
        while let Some(&(band, _, _)) = ranges.peek() {
            let word = banding::rotated(signature, band);
            let mut scan = Scan::any(self.table, self.indexes[band as usize]);
            while let Some((_, first, last)) = ranges.next_if(|range| range.0 == band) {
                scan.range(first.cast_signed(), last.cast_signed());
                while let Some((other, place)) = scan.next() {
                    let apart = (word ^ other).count_ones();
                    if apart <= distance {
                        sink(apart, place);
                    }
                }
            }
        }
    }

    /// Hands over the signature and the place of every version, from end to end; what a signature points to lives until the next.
    pub fn read_all(&mut self, mut sink: impl FnMut(pg_sys::Datum, Place)) {
        // SAFETY: the scan is of this table, the slot fits it, and both stay open in between.
        unsafe {
            let scan = pg_sys::table_beginscan(self.table, &raw mut pg_sys::SnapshotAnyData, 0, ptr::null_mut());
            while pg_sys::table_scan_getnextslot(scan, pg_sys::ScanDirection::ForwardScanDirection, self.slot) {
                pgrx::check_for_interrupts!();
                if let Some(signature) = self.value(self.signature) {
                    sink(signature, (*self.slot).tts_tid);
                }
            }
            pg_sys::ExecClearTuple(self.slot);
            pg_sys::table_endscan(scan);
        }
    }

    /// Finds what there is at a place that a scan has handed over, and goes there.
    pub fn visit(&mut self, mut place: Place, moment: &Moment) -> Version {
        let mut changed = false;
        // SAFETY: fetch, slot and table belong together; SnapshotAny gives each version of the place in turn.
        unsafe {
            let any = &raw mut pg_sys::SnapshotAnyData;
            if !self.is_indexed() {
                if !pg_sys::table_tuple_fetch_row_version(self.table, &raw mut place, any, self.slot) {
                    return Version::Gone;
                }
                return self.version(moment);
            }
            let (mut again, mut all_dead) = (false, false);
            while pg_sys::table_index_fetch_tuple(
                self.fetch,
                &raw mut place,
                any,
                self.slot,
                &raw mut again,
                &raw mut all_dead,
            ) {
                match self.version(moment) {
                    Version::Gone => {}
                    Version::Changed => changed = true,
                    row => return row,
                }
                if !again {
                    break;
                }
            }
        }
        if changed { Version::Changed } else { Version::Gone }
    }

    /// Judges the version in the slot.
    fn version(&mut self, moment: &Moment) -> Version {
        // SAFETY: the slot holds a version of this table with its buffer pinned; its header may be read so.
        unsafe {
            let dirty: *mut pg_sys::SnapshotData = &raw mut *self.dirty;
            if pg_sys::table_tuple_satisfies_snapshot(self.table, self.slot, dirty) {
                let valid = |transaction: pg_sys::TransactionId| transaction != pg_sys::InvalidTransactionId;
                return Version::Row(if valid((*dirty).xmin) {
                    Some(Holder { transaction: (*dirty).xmin, speculation: (*dirty).speculativeToken })
                } else if valid((*dirty).xmax) {
                    Some(Holder { transaction: (*dirty).xmax, speculation: 0 })
                } else {
                    None
                });
            }
            let mut free = false;
            let header = (*pg_sys::ExecFetchSlotHeapTuple(self.slot, false, &raw mut free)).t_data;
            let mask = u32::from((*header).t_infomask);
            if mask & (pg_sys::HEAP_XMAX_INVALID | pg_sys::HEAP_XMAX_LOCK_ONLY) != 0 {
                return Version::Gone;
            }
            let remover = if mask & pg_sys::HEAP_XMAX_IS_MULTI != 0 {
                pg_sys::HeapTupleGetUpdateXid(header)
            } else {
                (*header).t_choice.t_heap.t_xmax
            };
            // What this transaction has removed is gone for it.
            if remover == pg_sys::InvalidTransactionId || pg_sys::TransactionIdIsCurrentTransactionId(remover) {
                return Version::Gone;
            }
            if moment.saw_running(remover) && pg_sys::TransactionIdDidCommit(remover) {
                return Version::Changed;
            }
            Version::Gone
        }
    }

    /// The place of the row it has gone to.
    pub fn place(&self) -> Place {
        // SAFETY: the slot lives as long as self.
        unsafe { (*self.slot).tts_tid }
    }

    /// A column of the row it has gone to; what it points to lives until it goes elsewhere.
    pub fn value(&self, column: i16) -> Option<pg_sys::Datum> {
        let mut null = true;
        // SAFETY: the slot holds a row of this table; a column beyond its end would be an error of the caller's.
        let datum = unsafe { pg_sys::slot_getattr(self.slot, i32::from(column), &raw mut null) };
        (!null).then_some(datum)
    }

    /// The signature of the row it has gone to.
    pub fn signature(&self) -> Option<pg_sys::Datum> {
        self.value(self.signature)
    }

    /// A column's text, of a column of a text type.
    pub fn text(&self, column: i16) -> Option<&str> {
        // SAFETY: the caller has checked the type; the text lives in the slot or in the memory of this call.
        self.value(column).and_then(|datum| unsafe { text_of(datum) })
    }

    /// A column as its type writes it.
    pub fn output(&self, column: i16) -> Option<String> {
        let value = self.value(column)?;
        // SAFETY: the descriptor is the table's, and the value is of that column's type.
        unsafe { Some(super::column::output(value, pg_sys::SPI_gettypeid((*self.table).rd_att, i32::from(column)))) }
    }

    /// The whole row it has gone to, in the form of a composite value of the table's type.
    pub fn row(&self) -> pg_sys::Datum {
        // SAFETY: the slot holds a row.
        unsafe { pg_sys::ExecFetchSlotHeapTupleDatum(self.slot) }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        // SAFETY: all were opened in open; the locks stay to the end of the transaction, as for any query.
        unsafe {
            pg_sys::table_index_fetch_end(self.fetch);
            pg_sys::ExecDropSingleTupleTableSlot(self.slot);
            for index in &self.indexes {
                pg_sys::index_close(*index, KEEP);
            }
            pg_sys::table_close(self.table, KEEP);
        }
    }
}

/// Places that a scan finds, one after the other.
pub struct Places(Option<Scan>);

impl Iterator for Places {
    type Item = Place;

    fn next(&mut self) -> Option<Place> {
        self.0.as_mut()?.next().map(|(_, place)| place)
    }
}

/// A scan of one index on rotated signatures, range by range.
pub(super) struct Scan {
    scan: pg_sys::IndexScanDesc,
    keys: [pg_sys::ScanKeyData; 2],
}

impl Scan {
    /// Sees all entries: nothing is decided by what the index says alone.
    fn any(table: pg_sys::Relation, index: pg_sys::Relation) -> Self {
        // SAFETY: relations are those of an open table; this snapshot lives for ever.
        unsafe { Self::begin(table, index, &raw mut pg_sys::SnapshotAnyData) }
    }

    /// # Safety
    /// Both relations must stay open and the snapshot live as long as the scan; the index is on one bigint column.
    pub(super) unsafe fn begin(
        table: pg_sys::Relation,
        index: pg_sys::Relation,
        snapshot: *mut pg_sys::SnapshotData,
    ) -> Self {
        let mut keys: [pg_sys::ScanKeyData; 2] = Default::default();
        // SAFETY: the caller vouches for relations and snapshot.
        let scan = unsafe {
            for (key, (strategy, procedure)) in keys.iter_mut().zip([
                (pg_sys::BTGreaterEqualStrategyNumber, pg_sys::F_INT8GE),
                (pg_sys::BTLessEqualStrategyNumber, pg_sys::F_INT8LE),
            ]) {
                pg_sys::ScanKeyInit(key, 1, strategy as u16, procedure.into(), pg_sys::Datum::from(0));
            }
            #[cfg(not(feature = "pg18"))]
            let scan = pg_sys::index_beginscan(table, index, snapshot, 2, 0);
            #[cfg(feature = "pg18")]
            let scan = pg_sys::index_beginscan(table, index, snapshot, std::ptr::null_mut(), 2, 0);
            (*scan).xs_want_itup = true;
            scan
        };
        Self { scan, keys }
    }

    pub(super) fn range(&mut self, first: i64, last: i64) {
        self.keys[0].sk_argument = pg_sys::Datum::from(first);
        self.keys[1].sk_argument = pg_sys::Datum::from(last);
        // SAFETY: the scan has two keys, which Postgres copies.
        unsafe { pg_sys::index_rescan(self.scan, self.keys.as_mut_ptr(), 2, ptr::null_mut(), 0) };
    }

    /// The next entry: its word and place.
    pub(super) fn next(&mut self) -> Option<(u64, Place)> {
        // SAFETY: the scan is open. An entry of one bigint column that is not null, which the keys see to, has its value
        // behind its header of 8 bytes, aligned.
        unsafe {
            let place = pg_sys::index_getnext_tid(self.scan, pg_sys::ScanDirection::ForwardScanDirection);
            if place.is_null() {
                return None;
            }
            let value = (*self.scan).xs_itup.add(1).cast::<u64>().read();
            Some((value, *place))
        }
    }
}

impl Drop for Scan {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: begun in begin.
            unsafe { pg_sys::index_endscan(self.scan) };
        }
    }
}
