//! Values kept out of line, looked for behind the one fetched last.
//!
//! Postgres descends into the TOAST table's index for each value, and opens both for it: a third of what signing a table of
//! uncompressed articles cost. But chunks lie in the order they were written in, and so do those of neighbouring rows: of
//! 39,943 chunks of news all but one lay right behind the chunk before. So [`fetch`] looks there first, and into the index
//! where another chunk lies there.
//!
//! A chunk is told by the value's number, which no other value of its TOAST table has, and its own; it counts if it does under
//! the snapshot that Postgres reads such tables with. Whatever is not as expected is left to Postgres, so that its answers and
//! its errors stay the only ones.

use std::cell::Cell;
use std::ptr;

use pgrx::{PgList, itemptr, pg_sys};

/// A place in a table.
type Place = pg_sys::ItemPointerData;

const LOCK: i32 = pg_sys::AccessShareLock as i32;
const MAIN: pg_sys::ForkNumber::Type = pg_sys::ForkNumber::MAIN_FORKNUM;
/// The low bits of a pointer's word that say how many bytes are stored; the others are the compression method.
const SIZE_BITS: u32 = (1 << 30) - 1;
/// The chunks of a value that are looked for in the index; one by one that is slower than how Postgres does it.
const SEARCHES: usize = 2;

thread_local! {
    /// The TOAST table read last and where; a hint, which may be wrong.
    static LAST: Cell<Option<(pg_sys::Oid, Place)>> = const { Cell::new(None) };
}

/// Gives a value kept out of line as it is stored, perhaps compressed, in this call's memory; `None` to have Postgres do it.
///
/// # Safety
/// `value` points to a varlena that is a pointer to a value elsewhere.
pub(super) unsafe fn fetch(value: *const pg_sys::varlena) -> Option<*mut pg_sys::varlena> {
    // SAFETY: behind the header of one byte is the kind of pointer, and behind the kind, unaligned, the pointer of that kind.
    let pointer = unsafe {
        let bytes = value.cast::<u8>();
        if pg_sys::vartag_external::Type::from(*bytes.add(1)) != pg_sys::vartag_external::VARTAG_ONDISK {
            return None;
        }
        bytes.add(2).cast::<pg_sys::varatt_external>().read_unaligned()
    };
    let size = (pointer.va_extinfo & SIZE_BITS) as usize;
    let raw_size = usize::try_from(pointer.va_rawsize).ok()?.checked_sub(pg_sys::VARHDRSZ)?;
    // SAFETY: a row's value refers to a TOAST table that is there as long as the row; an error closes it.
    unsafe {
        let relation = pg_sys::table_open(pointer.va_toastrelid, LOCK);
        let room = pg_sys::VARHDRSZ + size;
        let mut fetched = pg_sys::palloc(room).cast::<pg_sys::varlena>();
        if (*relation).rd_tableam == pg_sys::GetHeapamTableAmRoutine()
            && Chunks::new(relation, pointer.va_valueid)
                .read(fetched.cast::<u8>().add(pg_sys::VARHDRSZ), size)
                .is_some()
        {
            if size < raw_size {
                set_varsize_compressed(fetched, room);
            } else {
                pgrx::set_varsize_4b(fetched, room as i32);
            }
        } else {
            pg_sys::pfree(fetched.cast());
            fetched = ptr::null_mut();
        }
        pg_sys::table_close(relation, LOCK);
        (!fetched.is_null()).then_some(fetched)
    }
}

/// Writes the header of a value that is compressed in line.
///
/// # Safety
/// `value` points to at least four bytes, aligned.
unsafe fn set_varsize_compressed(value: *mut pg_sys::varlena, size: usize) {
    let header = (size as u32) << 2 | 2;
    #[cfg(target_endian = "big")]
    let header = size as u32 | 0x4000_0000;
    // SAFETY: the caller vouches for the place.
    unsafe { value.cast::<u32>().write(header) };
}

/// The chunks of one value.
struct Chunks {
    relation: pg_sys::Relation,
    value: pg_sys::Oid,
    snapshot: pg_sys::SnapshotData,
}

impl Chunks {
    /// # Safety
    /// `relation` must be an open TOAST table, in Postgres's own form of tables, as long as this is used.
    unsafe fn new(relation: pg_sys::Relation, value: pg_sys::Oid) -> Self {
        let snapshot =
            pg_sys::SnapshotData { snapshot_type: pg_sys::SnapshotType::SNAPSHOT_TOAST, ..Default::default() };
        Self { relation, value, snapshot }
    }

    /// Copies the value; `None` where it is not found so.
    ///
    /// # Safety
    /// `to` points to `size` bytes.
    unsafe fn read(&mut self, to: *mut u8, size: usize) -> Option<()> {
        // SAFETY: the relation is open.
        let table = unsafe { (*self.relation).rd_id };
        let mut at = LAST.get().and_then(|(last, place)| (last == table).then_some(place));
        let (mut read, mut searches) = (0, 0);
        for number in 0.. {
            if read >= size {
                break;
            }
            // SAFETY: the caller has the room behind `to + read`.
            let (to, room) = unsafe { (to.add(read), size - read) };
            let behind = at.and_then(|place| self.copy_behind(place, number, to, room));
            let (place, copied) = match behind {
                Some(found) => found,
                None if searches < SEARCHES => {
                    searches += 1;
                    let place = self.search(number)?;
                    (place, self.copy(place, number, to, room)?)
                }
                None => return None,
            };
            // A last chunk is often put where an older page had room; what is written next does not follow it.
            if number == 0 || behind.is_some() {
                LAST.set(Some((table, place)));
            }
            at = Some(place);
            read += copied;
        }
        Some(())
    }

    /// Copies a chunk if it lies behind `place`, on the same page or at the beginning of the next; gives where, and its size.
    fn copy_behind(&mut self, place: Place, number: i32, to: *mut u8, room: usize) -> Option<(Place, usize)> {
        let (block, offset) = itemptr::item_pointer_get_both(place);
        let places = [(block, offset.checked_add(1)?), (block.checked_add(1)?, 1)];
        places.into_iter().find_map(|(block, offset)| {
            let mut place = Place::default();
            itemptr::item_pointer_set_all(&mut place, block, offset);
            self.has_page(block).then(|| self.copy(place, number, to, room)).flatten().map(|copied| (place, copied))
        })
    }

    /// Whether the table has a page. What Postgres knows of the table's length holds while it is locked: nobody cuts it.
    fn has_page(&self, block: pg_sys::BlockNumber) -> bool {
        // SAFETY: the relation is open and locked; its file is null or valid.
        unsafe {
            let known = (*self.relation).rd_smgr.as_ref().map(|file| file.smgr_cached_nblocks[MAIN as usize]);
            known.is_some_and(|blocks| block < blocks && blocks != pg_sys::InvalidBlockNumber)
                || block < pg_sys::RelationGetNumberOfBlocksInFork(self.relation, MAIN)
        }
    }

    /// Copies the chunk of this number if it lies at a place, and gives its size.
    fn copy(&mut self, place: Place, number: i32, to: *mut u8, room: usize) -> Option<usize> {
        let mut tuple = pg_sys::HeapTupleData { t_self: place, ..Default::default() };
        let mut buffer = pg_sys::InvalidBuffer as pg_sys::Buffer;
        // SAFETY: the table is open and has the page; a row that is found stays in its pinned buffer until released.
        unsafe {
            #[cfg(feature = "pg14")]
            let found = pg_sys::heap_fetch(self.relation, &raw mut self.snapshot, &raw mut tuple, &raw mut buffer);
            #[cfg(not(feature = "pg14"))]
            let found =
                pg_sys::heap_fetch(self.relation, &raw mut self.snapshot, &raw mut tuple, &raw mut buffer, false);
            if !found {
                return None;
            }
            let copied = self.copy_from(&tuple, number, to, room);
            pg_sys::ReleaseBuffer(buffer);
            copied
        }
    }

    /// # Safety
    /// `tuple` must be a row of the TOAST table, and `to` must have room for `room` bytes.
    unsafe fn copy_from(&self, tuple: &pg_sys::HeapTupleData, number: i32, to: *mut u8, room: usize) -> Option<usize> {
        /// Number of the value and of the chunk.
        const NUMBERS: usize = 8;
        // SAFETY: a row of a TOAST table has three columns, none null: two integers and a bytea, at the beginning of the
        // row's data, which are aligned for integers. The bytea's header gives its size, which is held against the row's.
        unsafe {
            let start = usize::from((*tuple.t_data).t_hoff);
            let left = (tuple.t_len as usize).checked_sub(start + NUMBERS + pg_sys::VARHDRSZ)?;
            let data = tuple.t_data.cast::<u8>().add(start);
            let [value, chunk] = data.cast::<[u32; 2]>().read();
            let bytes = data.add(NUMBERS).cast::<pg_sys::varlena>();
            let size = pgrx::varsize_any_exhdr(bytes);
            if value != u32::from(self.value) || chunk != number as u32 || size == 0 || size > room.min(left) {
                return None;
            }
            let bytes = pgrx::varlena_to_byte_slice(bytes);
            to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            Some(bytes.len())
        }
    }

    /// Looks for a chunk in the index, as Postgres does.
    fn search(&mut self, number: i32) -> Option<Place> {
        const EQUAL: pg_sys::StrategyNumber = pg_sys::BTEqualStrategyNumber as pg_sys::StrategyNumber;
        let mut keys = [pg_sys::ScanKeyData::default(); 2];
        let [value_key, chunk_key] = &mut keys;
        // SAFETY: a TOAST table has an index on the numbers of value and chunk, and another one at most while that is made
        // anew. The snapshot and the keys live as long as the scan, which is ended here, or by an error.
        unsafe {
            pg_sys::ScanKeyInit(value_key, 1, EQUAL, pg_sys::F_OIDEQ.into(), self.value.into());
            pg_sys::ScanKeyInit(chunk_key, 2, EQUAL, pg_sys::F_INT4EQ.into(), number.into());
            let indexes = PgList::<pg_sys::Oid>::from_pg(pg_sys::RelationGetIndexList(self.relation));
            for oid in indexes.iter_oid() {
                let index = pg_sys::index_open(oid, LOCK);
                let valid = (*(*index).rd_index).indisvalid;
                let mut place = None;
                if valid {
                    let scan = pg_sys::systable_beginscan_ordered(
                        self.relation,
                        index,
                        &raw mut self.snapshot,
                        keys.len() as i32,
                        keys.as_mut_ptr(),
                    );
                    let tuple = pg_sys::systable_getnext_ordered(scan, pg_sys::ScanDirection::ForwardScanDirection);
                    place = tuple.as_ref().map(|tuple| tuple.t_self);
                    pg_sys::systable_endscan_ordered(scan);
                }
                pg_sys::index_close(index, LOCK);
                if valid {
                    return place;
                }
            }
        }
        None
    }
}
