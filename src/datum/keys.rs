//! Candidates from a GIN index on keys, an array of integers for each row: the places of all rows that share a key.
//!
//! GIN answers with a bitmap only. It is filled under no snapshot, so the places of rows that nobody sees are among them;
//! [`Table::visit`] tells.

use pgrx::pg_sys;
use pgrx::{IntoDatum, itemptr};

use super::table::{Place, Table};

/// No page of a table has more rows, also where Postgres was built with pages of 32 kB: 1,169.
const MOST_ON_A_PAGE: usize = 2048;

impl Table {
    /// The places of the rows that share one of `keys`; of a page that the bitmap had no room for, all its places.
    pub fn sharing(&self, keys: &[i32]) -> Vec<Place> {
        let mut places = Vec::new();
        let Some(index) = self.indexes.first().filter(|_| !keys.is_empty()) else { return places };
        let mut key = pg_sys::ScanKeyData::default();
        // SAFETY: the index is open, a GIN index on one column of integer arrays, for which strategy 1 is "shares an element".
        // SnapshotAny: nothing is decided by what the index says alone. Bitmap and scan are freed here; an error frees both.
        unsafe {
            let array = keys.to_vec().into_datum().unwrap_or(pg_sys::Datum::null());
            pg_sys::ScanKeyInit(&raw mut key, 1, 1, pg_sys::F_ARRAYOVERLAP.into(), array);
            let any = &raw mut pg_sys::SnapshotAnyData;
            #[cfg(not(feature = "pg18"))]
            let scan = pg_sys::index_beginscan_bitmap(*index, any, 1);
            #[cfg(feature = "pg18")]
            let scan = pg_sys::index_beginscan_bitmap(*index, any, std::ptr::null_mut(), 1);
            pg_sys::index_rescan(scan, &raw mut key, 1, std::ptr::null_mut(), 0);
            let room = i64::from(pg_sys::work_mem) * 1024;
            let bitmap = pg_sys::tbm_create(room as _, std::ptr::null_mut());
            pg_sys::index_getbitmap(scan, bitmap);
            each_page(bitmap, |block, offsets| places.extend(offsets.iter().map(|offset| place(block, *offset))));
            pg_sys::tbm_free(bitmap);
            pg_sys::index_endscan(scan);
        }
        places
    }
}

fn place(block: pg_sys::BlockNumber, offset: pg_sys::OffsetNumber) -> Place {
    let mut place = Place::default();
    itemptr::item_pointer_set_all(&mut place, block, offset);
    place
}

fn all_offsets() -> Vec<pg_sys::OffsetNumber> {
    (1..=MOST_ON_A_PAGE as pg_sys::OffsetNumber).collect()
}

/// Hands over each page of a bitmap with its places.
///
/// # Safety
/// `bitmap` must be valid, and no longer be filled.
#[cfg(not(feature = "pg18"))]
unsafe fn each_page(
    bitmap: *mut pg_sys::TIDBitmap,
    mut sink: impl FnMut(pg_sys::BlockNumber, &[pg_sys::OffsetNumber]),
) {
    // SAFETY: the caller vouches for the bitmap; a result lives until the next, and has as many offsets as it says.
    unsafe {
        let iterator = pg_sys::tbm_begin_iterate(bitmap);
        while let Some(page) = pg_sys::tbm_iterate(iterator).as_ref() {
            match usize::try_from(page.ntuples) {
                Ok(count) => sink(page.blockno, page.offsets.as_slice(count)),
                Err(_) => sink(page.blockno, &all_offsets()),
            }
        }
        pg_sys::tbm_end_iterate(iterator);
    }
}

/// Hands over each page of a bitmap with its places.
///
/// # Safety
/// `bitmap` must be valid, and no longer be filled.
#[cfg(feature = "pg18")]
unsafe fn each_page(
    bitmap: *mut pg_sys::TIDBitmap,
    mut sink: impl FnMut(pg_sys::BlockNumber, &[pg_sys::OffsetNumber]),
) {
    let mut page = pg_sys::TBMIterateResult::default();
    let mut offsets = all_offsets();
    // SAFETY: the caller vouches for the bitmap; offsets has room for those of any page.
    unsafe {
        let iterator = pg_sys::tbm_begin_private_iterate(bitmap);
        while pg_sys::tbm_private_iterate(iterator, &raw mut page) {
            if page.lossy {
                sink(page.blockno, &all_offsets());
                continue;
            }
            let count = pg_sys::tbm_extract_page_tuple(&raw mut page, offsets.as_mut_ptr(), MOST_ON_A_PAGE as u32);
            sink(page.blockno, offsets.get(..count as usize).unwrap_or_default());
        }
        pg_sys::tbm_end_private_iterate(iterator);
    }
}
