//! Reads arguments of the built-in type `tsvector`.
//!
//! After the varlena header comes an int4, the number of lexemes. Then, for each lexeme, a uint32 of bit fields: whether it has
//! positions (1 bit), its length (11 bits), and where its bytes start (20 bits), in the order in which the compiler lays out bit
//! fields. Then come the bytes. The positions of a lexeme follow its bytes at the next even offset: a uint16 count, and for each
//! position a uint16 with 2 bits of weight above 14 bits of position. The format has not changed from PostgreSQL 8.3 to 18.
//! Everything is read byte by byte, so nothing needs to be aligned, and nothing outside the value is read.

use neardup_text::hash::token_hash;
use pgrx::callconv::{Arg, ArgAbi};
use pgrx::pgrx_sql_entity_graph::impl_sql_translatable;

/// A text search vector: lexemes with their positions.
#[derive(Clone, Copy, Debug)]
pub struct TsVector<'a> {
    bytes: &'a [u8],
}

impl_sql_translatable!(TsVector<'_>, "tsvector");

// SAFETY: only ever reads inside the detoasted varlena, whose size its header gives.
unsafe impl<'fcx> ArgAbi<'fcx> for TsVector<'fcx> {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: a tsvector that is not null is guaranteed by the caller; it is a varlena, so reading it as bytes is reading the same.
        Self { bytes: unsafe { arg.unbox_unchecked() } }
    }
}

/// One lexeme's bit fields.
#[derive(Clone, Copy)]
struct Entry {
    has_positions: bool,
    length: usize,
    start: usize,
}

impl Entry {
    fn read(bytes: [u8; 4]) -> Self {
        let word = u32::from_ne_bytes(bytes);
        let (has_positions, length, start) = if cfg!(target_endian = "little") {
            (word & 1, (word >> 1) & 0x7ff, word >> 12)
        } else {
            (word >> 31, (word >> 20) & 0x7ff, word & 0xf_ffff)
        };
        Self { has_positions: has_positions == 1, length: length as usize, start: start as usize }
    }
}

impl<'a> TsVector<'a> {
    /// Returns the entries, and the bytes to which they point.
    fn parts(&self) -> (&'a [[u8; 4]], &'a [u8]) {
        let Some((&count, rest)) = self.bytes.split_first_chunk::<4>() else { return (&[], &[]) };
        let count = u32::from_ne_bytes(count) as usize;
        let (entries, lexemes) = rest.split_at_checked(count.saturating_mul(4)).unwrap_or((&[], &[]));
        (entries.as_chunks::<4>().0, lexemes)
    }

    /// Returns the token hash of every lexeme at every position, sorted by position, then in the vector's own order. A lexeme
    /// without positions comes once, after all that have some.
    pub fn hashes(&self) -> impl Iterator<Item = u64> + use<'a> {
        const LAST: u16 = u16::MAX;
        let (entries, lexemes) = self.parts();
        let mut places: Vec<(u16, u64)> = Vec::with_capacity(entries.len());
        for entry in entries.iter().map(|&bytes| Entry::read(bytes)) {
            let text = lexemes.get(entry.start..entry.start + entry.length).unwrap_or_default();
            let hash = token_hash(std::str::from_utf8(text).unwrap_or_default());
            let positions = if entry.has_positions { positions(lexemes, entry.start + entry.length) } else { &[] };
            if positions.is_empty() {
                places.push((LAST, hash));
            }
            places.extend(positions.iter().map(|&position| (u16::from_ne_bytes(position) & 0x3fff, hash)));
        }
        places.sort_by_key(|&(position, _)| position);
        places.into_iter().map(|(_, hash)| hash)
    }
}

/// Returns the positions after a lexeme that ends at `end`.
fn positions(lexemes: &[u8], end: usize) -> &[[u8; 2]] {
    let after = lexemes.get(end.next_multiple_of(2)..).unwrap_or_default();
    let Some((&count, rest)) = after.split_first_chunk::<2>() else { return &[] };
    rest.get(..2 * usize::from(u16::from_ne_bytes(count))).unwrap_or_default().as_chunks::<2>().0
}
