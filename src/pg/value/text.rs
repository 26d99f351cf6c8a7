//! A document as an argument: text of any length, decompressed faster than Postgres does it.
//!
//! Postgres compresses texts of more than 2 kB, and decompression is more than half the cost of reading a table of articles.
//! [`Text`] has Postgres fetch the compressed bytes and passes them to [`neardup_text::pglz`], which takes a third of the time.
//! Anything that is not pglz, or is not valid, falls back to Postgres, so all results and errors are Postgres's own.

use std::ops::Deref;

use neardup_text::pglz;
use pgrx::callconv::{Arg, ArgAbi};
use pgrx::pgrx_sql_entity_graph::impl_sql_translatable;
use pgrx::{FromDatum, PgLogLevel, PgSqlErrorCode, pg_sys};

use crate::error::error;

/// A text that is not null.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a>(&'a str);

impl_sql_translatable!(Text<'_>, "text");

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.0
    }
}

// SAFETY: reads a varlena that the caller guarantees; what it gives lives as long as the call's memory.
unsafe impl<'fcx> ArgAbi<'fcx> for Text<'fcx> {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: a text is guaranteed by the caller.
        let text = unsafe { arg.unbox_arg_using_from_datum().and_then(|datum| text_of(datum)) };
        // Functions with such arguments are strict.
        Self(text.unwrap_or_default())
    }
}

/// Returns the text of a value of a text type, detoasted.
///
/// Postgres checks what clients send, not what a damaged page or a function in C gives: dblink passes on whatever the other server says. A Rust string must
/// be UTF-8, so other bytes raise Postgres's error.
///
/// # Safety
/// `datum` must be such a value; the text lives as long as the value, or in the current memory context.
pub unsafe fn text_of<'a>(datum: pg_sys::Datum) -> Option<&'a str> {
    // SAFETY: a varlena is guaranteed by the caller; `plain` gives one of the same content.
    let bytes = unsafe { <&[u8]>::from_datum(pg_sys::Datum::from(plain(datum.cast_mut_ptr())), false) }?;
    Some(simdutf8::basic::from_utf8(bytes).unwrap_or_else(|_| refuse(bytes)))
}

/// Raises Postgres's error for bytes that are no UTF-8.
fn refuse(bytes: &[u8]) -> &'static str {
    // SAFETY: reads these bytes; it raises an error if they are not valid in the encoding of the database, which is UTF-8.
    unsafe { pg_sys::pg_verifymbstr(bytes.as_ptr().cast(), bytes.len() as i32, false) };
    // Postgres allows nothing that Rust does not.
    error(PgSqlErrorCode::ERRCODE_CHARACTER_NOT_IN_REPERTOIRE, "invalid byte sequence for encoding \"UTF8\"")
        .report(PgLogLevel::ERROR);
    ""
}

/// Returns the value decompressed, if it is compressed with pglz, in line or out of line.
///
/// # Safety
/// `value` points to a varlena.
unsafe fn plain(value: *mut pg_sys::varlena) -> *mut pg_sys::varlena {
    // SAFETY: a varlena, by the caller's word; a fetched one is a varlena in memory, in this call's context, ours to free.
    unsafe {
        if pgrx::varatt_is_1b_e(value) {
            let fetched = pg_sys::detoast_external_attr(value);
            if !pgrx::varatt_is_4b_c(fetched) {
                return fetched;
            }
            let Some(text) = decompressed(fetched) else { return fetched };
            pg_sys::pfree(fetched.cast());
            text
        } else if pgrx::varatt_is_4b_c(value) {
            decompressed(value).unwrap_or(value)
        } else {
            value
        }
    }
}

/// The position of the compression method in the word after the header; the bits below are the length.
const METHOD_SHIFT: u32 = 30;
const PGLZ: u32 = 0;
/// The greatest size of a value in Postgres.
const MOST: usize = 0x3fff_ffff;

/// Decompresses a varlena into a new one; `None` if it is not pglz or cannot be read.
///
/// # Safety
/// `value` points to a varlena with a header of four bytes that is compressed in line.
unsafe fn decompressed(value: *mut pg_sys::varlena) -> Option<*mut pg_sys::varlena> {
    let header = pg_sys::VARHDRSZ;
    // SAFETY: such a varlena is a header, a word with method and length, and the compressed bytes; all of it is within the size
    // that the header gives. It is aligned, as headers of four bytes are.
    let (word, compressed) = unsafe {
        let size = pgrx::varsize_4b(value);
        let word = value.cast::<u32>().add(1).read();
        let start = value.cast::<u8>().add(2 * header);
        (word, std::slice::from_raw_parts(start, size.checked_sub(2 * header)?))
    };
    let length = (word & ((1 << METHOD_SHIFT) - 1)) as usize;
    let room = length + pglz::SLACK;
    if word >> METHOD_SHIFT != PGLZ || header + room > MOST {
        return None;
    }
    // SAFETY: the new value is `header + room` bytes, all of them set and aligned, and is not shared.
    unsafe {
        let text: *mut pg_sys::varlena = pg_sys::palloc0(header + room).cast();
        let bytes = std::slice::from_raw_parts_mut(text.cast::<u8>().add(header), room);
        if pglz::decompress(compressed, bytes, length).is_none() {
            pg_sys::pfree(text.cast());
            return None;
        }
        pgrx::set_varsize_4b(text, (header + length) as i32);
        Some(text)
    }
}
