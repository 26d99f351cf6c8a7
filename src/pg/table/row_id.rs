//! Which row: its address in a table, and its identity among the rows of several tables. Both are packed into numbers here and nowhere else.
//!
//! An address is the block number and, in the lowest 16 bits, the line pointer: 48 bits, as in the entries of an index. Above these, a
//! [`RowId`] has the place of the table in a list of tables: the partitions of a guard, or the tables of a list. Packed rows sort by table
//! and address, so that rows of a page are read together.

use pgrx::pg_sys;

/// How many bits of a packed row are its address.
const ADDRESS_BITS: u32 = 48;

/// A row's address in its table, as Postgres has it.
pub type Tid = pg_sys::ItemPointerData;

/// Says whether two addresses are the same.
pub fn is_same(a: Tid, b: Tid) -> bool {
    address_of(a) == address_of(b)
}

/// Returns an address as a number.
pub fn address_of(tid: Tid) -> u64 {
    let block = u64::from(tid.ip_blkid.bi_hi) << 16 | u64::from(tid.ip_blkid.bi_lo);
    block << 16 | u64::from(tid.ip_posid)
}

/// Returns a number as an address.
pub fn tid_of(address: u64) -> Tid {
    let mut tid = Tid::default();
    pgrx::itemptr::item_pointer_set_all(&mut tid, (address >> 16) as u32, address as u16);
    tid
}

/// A row of one of several tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowId {
    /// The place of the table in their list.
    pub table: usize,
    /// The address there; of a row that is known by its key only, its number.
    pub address: u64,
}

impl RowId {
    /// A row at an address.
    pub fn at(table: usize, tid: Tid) -> Self {
        Self { table, address: address_of(tid) }
    }

    /// Returns the row as a number.
    pub fn packed(self) -> u64 {
        (self.table as u64) << ADDRESS_BITS | self.address
    }

    /// Returns the row of a number.
    pub fn unpacked(packed: u64) -> Self {
        Self { table: (packed >> ADDRESS_BITS) as usize, address: packed & ((1 << ADDRESS_BITS) - 1) }
    }

    /// Returns its address.
    pub fn tid(self) -> Tid {
        tid_of(self.address)
    }
}
