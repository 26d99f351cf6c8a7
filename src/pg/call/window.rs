//! A safe view of the window-function API, which pgrx does not wrap.
//!
//! A window function is called once for each row. It may read its arguments at any row of the partition. It may also keep memory as
//! long as the partition lasts; this memory starts zeroed.

use std::ffi::c_int;
use std::marker::PhantomData;

use pgrx::{FromDatum, PgMemoryContexts, pg_sys};

use super::boundary::{self, WindowObject, raw};

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
        // SAFETY: the caller vouches for fcinfo; a window call has a WindowObjectData node as its context.
        let context = unsafe { (*fcinfo).context };
        if context.is_null() {
            return None;
        }
        // SAFETY: context is a node, so its tag can be read.
        let tag = unsafe { (*context).type_ };
        (tag == pg_sys::NodeTag::T_WindowObjectData).then_some(Self { object: context.cast(), call: PhantomData })
    }

    /// Gives the number of rows in the partition.
    pub fn rows(&self) -> i64 {
        // SAFETY: object is the window of the running call.
        unsafe { boundary::catch(|| raw::WinGetPartitionRowCount(self.object)) }
    }

    /// Gives the current row, counted from 0.
    pub fn position(&self) -> i64 {
        // SAFETY: object is the window of the running call.
        unsafe { boundary::catch(|| raw::WinGetCurrentPosition(self.object)) }
    }

    /// Promises that no row before the current one is read again, so that Postgres need not keep them.
    pub fn forget(&self) {
        // SAFETY: object is the window of the running call.
        unsafe {
            boundary::catch(|| raw::WinSetMarkPosition(self.object, raw::WinGetCurrentPosition(self.object)));
        }
    }

    /// Passes the argument at each row of the partition to `sink`, in the window's order; `None` for NULL.
    pub fn for_each(&self, argument: i32, mut sink: impl FnMut(u32, Option<pg_sys::Datum>)) {
        self.for_each_row(&[argument], |row, datums| sink(row, datums[0]));
    }

    /// Does the same for several arguments.
    ///
    /// A datum lives until the next row. An argument may be an expression; it is computed here, once per row. Postgres stores
    /// each row when it is requested, so the row is read while it is still in the processor's cache.
    fn for_each_row(&self, arguments: &[i32], mut sink: impl FnMut(u32, &[Option<pg_sys::Datum>])) {
        // What an expression allocates is freed after its row, not at the end of the partition.
        let mut scratch = PgMemoryContexts::new("window arguments");
        let mut datums = vec![None; arguments.len()];
        for row in 0..i32::MAX {
            let (mut null, mut outside) = (true, false);
            for (&argument, value) in arguments.iter().zip(&mut datums) {
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
                *value = (!null).then_some(datum);
            }
            sink(row as u32, &datums);
            if row % 256 == 255 {
                // SAFETY: its contents belong to rows that are done.
                unsafe { scratch.reset() };
                pgrx::check_for_interrupts!();
            }
        }
    }

    /// Does the same for numbers and, in the last argument, an array of numbers. NULL elements are ignored, and a NULL array is
    /// empty.
    pub fn for_each_numbers<const N: usize>(
        &self,
        numbers: [i32; N],
        array: i32,
        mut sink: impl FnMut([Option<i64>; N], &mut dyn Iterator<Item = i64>),
    ) {
        let arguments: Vec<i32> = numbers.into_iter().chain([array]).collect();
        self.for_each_row(&arguments, |_, datums| {
            let numbers = std::array::from_fn(|at| datums[at].map(|datum| datum.value() as i64));
            // SAFETY: the caller names an argument that is declared as an array of bigint, and it lives until the next row.
            let array = datums[N].and_then(|datum| unsafe { pgrx::Array::<i64>::from_datum(datum, false) });
            sink(numbers, &mut array.iter().flat_map(|array| array.iter()).flatten());
        });
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

    /// Gives the argument at the current row; `None` for NULL.
    pub fn argument(&self, argument: i32) -> Option<pg_sys::Datum> {
        let mut null = true;
        let is_null = &raw mut null;
        // SAFETY: object is the window of the running call; the flag outlives it.
        let datum = unsafe { boundary::catch(|| raw::WinGetFuncArgCurrent(self.object, argument, is_null)) };
        (!null).then_some(datum)
    }

    /// Gives the argument at the current row, of type text; `None` for NULL.
    pub fn text_argument(&self, argument: i32) -> Option<String> {
        let datum = self.argument(argument)?;
        // SAFETY: the caller names an argument that is declared as text, so its datum is one.
        unsafe { String::from_datum(datum, false) }
    }

    /// Gives the same without a copy.
    pub fn str_argument(&self, argument: i32) -> Option<&str> {
        let datum = self.argument(argument)?;
        // SAFETY: the caller names an argument that is declared as text. It lies in the row or in the memory of this call, which outlives
        // the window.
        unsafe { <&str>::from_datum(datum, false) }
    }

    /// Gives the state that a window function keeps from row to row, to the partition's end.
    #[allow(clippy::mut_from_ref, reason = "a window function has one call at a time, which takes its state once")]
    pub fn state<T: Default>(&self) -> &mut T {
        // SAFETY: object is the window of the running call. The memory can hold a pointer, is zeroed at first, and lives as long as the
        // partition. So does the value that the pointer then leads to: it is in the same memory context and is dropped with it.
        unsafe {
            let size = size_of::<*mut T>();
            let kept: *mut *mut T = boundary::catch(|| raw::WinGetPartitionLocalMemory(self.object, size)).cast();
            if (*kept).is_null() {
                *kept = PgMemoryContexts::For(pg_sys::GetMemoryChunkContext(kept.cast()))
                    .leak_and_drop_on_delete(T::default());
            }
            &mut **kept
        }
    }

    /// Gives the current row's answer. `make` computes the answers for all rows at the partition's first row; they are kept to
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
            // SAFETY: the memory is large enough for so many answers, and does not overlap that of `made`.
            unsafe { std::ptr::copy_nonoverlapping(made.as_ptr(), answers, made.len()) };
        }
        // SAFETY: so many answers were written.
        Ok((position < *count as usize).then(|| unsafe { *answers.add(position) }))
    }
}
