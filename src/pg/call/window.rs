//! A safe view of the window-function API, which pgrx does not wrap.
//!
//! A window function is called once for each row. It may read its arguments at any row of the partition. It may also keep memory as
//! long as the partition lasts; this memory starts zeroed.

use std::ffi::c_int;
use std::marker::PhantomData;

use pgrx::{PgMemoryContexts, pg_sys};

use super::boundary::{self, WindowObject, raw};
use crate::pg::value::text::text_of;

/// Position relative to the first row of the partition (`WINDOW_SEEK_HEAD` in windowapi.h).
const SEEK_HEAD: c_int = 1;

/// The window in which one call of a window function runs.
pub struct Window<'a> {
    object: WindowObject,
    call: PhantomData<&'a ()>,
}

impl<'a> Window<'a> {
    /// Takes the window from a call.
    ///
    /// # Safety
    /// `fcinfo` must be the argument of a function declared `WINDOW`, during its call.
    pub unsafe fn from_fcinfo(fcinfo: pg_sys::FunctionCallInfo) -> Option<Self> {
        // SAFETY: fcinfo is guaranteed by the caller; a window call has a WindowObjectData node as its context.
        let context = unsafe { (*fcinfo).context };
        if context.is_null() {
            return None;
        }
        // SAFETY: context is a node, so its tag can be read.
        let tag = unsafe { (*context).type_ };
        (tag == pg_sys::NodeTag::T_WindowObjectData).then_some(Self { object: context.cast(), call: PhantomData })
    }

    /// Returns the number of rows in the partition.
    pub fn rows(&self) -> i64 {
        // SAFETY: object is the window of the running call.
        unsafe { boundary::catch(|| raw::WinGetPartitionRowCount(self.object)) }
    }

    /// Returns the current row, counted from 0.
    pub fn position(&self) -> i64 {
        // SAFETY: object is the window of the running call.
        unsafe { boundary::catch(|| raw::WinGetCurrentPosition(self.object)) }
    }

    /// Passes the argument at each row of the partition to `sink`, in the window's order; `None` for NULL.
    ///
    /// A datum lives until the next row. The argument may be an expression; it is computed here, once per row.
    pub fn for_each(&self, argument: i32, mut sink: impl FnMut(u32, Option<pg_sys::Datum>)) {
        // What an expression allocates is freed after some rows, not at the end of the partition.
        let mut scratch = PgMemoryContexts::new("window arguments");
        for row in 0..i32::MAX {
            let (mut null, mut outside) = (true, false);
            // SAFETY: object is the window of the running call; both flags outlive it; the memory context is alive.
            let datum = unsafe {
                let (is_null, is_outside) = (&raw mut null, &raw mut outside);
                scratch.switch_to(|_| {
                    boundary::catch(|| {
                        let window = self.object;
                        raw::WinGetFuncArgInPartition(window, argument, row, SEEK_HEAD, false, is_null, is_outside)
                    })
                })
            };
            if outside {
                return;
            }
            sink(row as u32, (!null).then_some(datum));
            if row % 256 == 255 {
                // SAFETY: its contents belong to rows that are done.
                unsafe { scratch.reset() };
                pgrx::check_for_interrupts!();
            }
        }
    }

    /// Does the same for an argument of variable length: its bytes, detoasted.
    pub fn for_each_bytes(&self, argument: i32, mut sink: impl FnMut(u32, Option<&[u8]>)) {
        self.for_each(argument, |row, datum| {
            let Some(datum) = datum else { return sink(row, None) };
            // SAFETY: the argument is of a variable-length type, so the datum points to such a value; a detoasted copy is
            // freed after use.
            unsafe {
                let stored = datum.cast_mut_ptr::<pg_sys::varlena>();
                let plain = pg_sys::pg_detoast_datum_packed(stored);
                sink(row, Some(pgrx::varlena_to_byte_slice(plain)));
                if plain != stored {
                    pg_sys::pfree(plain.cast());
                }
            }
        });
    }

    /// Returns the argument at the current row; `None` for NULL.
    pub fn argument(&self, argument: i32) -> Option<pg_sys::Datum> {
        let mut null = true;
        let is_null = &raw mut null;
        // SAFETY: object is the window of the running call; the flag outlives it.
        let datum = unsafe { boundary::catch(|| raw::WinGetFuncArgCurrent(self.object, argument, is_null)) };
        (!null).then_some(datum)
    }

    /// Returns the argument at the current row, of type text; `None` for NULL.
    pub fn text_argument(&self, argument: i32) -> Option<String> {
        let datum = self.argument(argument)?;
        // SAFETY: the caller names an argument that is declared as text, so its datum is one.
        unsafe { text_of(datum) }.map(str::to_owned)
    }

    /// Returns the current row's answer. `make` computes the answers for all rows at the partition's first row; they are kept to
    /// its end.
    ///
    /// They are in the partition's own memory, 4 bytes per row, which Postgres limits to 1 GB. If `make` fails, its error is
    /// returned and nothing is kept.
    pub fn answer<E>(&self, make: impl FnOnce(&Self) -> Result<Vec<u32>, E>) -> Result<Option<u32>, E> {
        let position = usize::try_from(self.position()).unwrap_or(usize::MAX);
        let made = if position == 0 { make(self)? } else { Vec::new() };
        // SAFETY: object is the window of the running call. The memory is as large as the partition's first row asked for, zeroed
        // at first, aligned for any type, lives as long as the partition, and begins with the number of answers that follow.
        let (count, answers) = unsafe {
            let size = size_of::<u64>() + size_of_val(made.as_slice());
            let memory = boundary::catch(|| raw::WinGetPartitionLocalMemory(self.object, size));
            let count = memory.cast::<u64>();
            (&mut *count, count.add(1).cast::<u32>())
        };
        if position == 0 {
            *count = made.len() as u64;
            // SAFETY: the memory is large enough for `count` answers, and does not overlap that of `made`.
            unsafe { std::ptr::copy_nonoverlapping(made.as_ptr(), answers, made.len()) };
        }
        // SAFETY: `count` answers were written.
        Ok((position < *count as usize).then(|| unsafe { *answers.add(position) }))
    }
}
