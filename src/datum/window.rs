//! A safe view of the window-function API, which pgrx does not wrap.
//!
//! A window function is called once a row. It may read its arguments at any row of the partition and keep memory for
//! the length of the partition, which starts zeroed.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;

use pgrx::pg_sys;

/// Position relative to the first row of the partition (`WINDOW_SEEK_HEAD` in windowapi.h).
const SEEK_HEAD: c_int = 1;

#[repr(C)]
struct WindowObjectData {
    _opaque: [u8; 0],
}

type WindowObject = *mut WindowObjectData;

// SAFETY: the declarations of src/include/windowapi.h, unchanged from PostgreSQL 14 to 18.
unsafe extern "C-unwind" {
    fn WinGetPartitionLocalMemory(winobj: WindowObject, size: pg_sys::Size) -> *mut c_void;
    fn WinGetCurrentPosition(winobj: WindowObject) -> i64;
    fn WinGetPartitionRowCount(winobj: WindowObject) -> i64;
    fn WinGetFuncArgInPartition(
        winobj: WindowObject,
        argno: c_int,
        relpos: c_int,
        seektype: c_int,
        set_mark: bool,
        isnull: *mut bool,
        isout: *mut bool,
    ) -> pg_sys::Datum;
    fn WinGetFuncArgCurrent(winobj: WindowObject, argno: c_int, isnull: *mut bool) -> pg_sys::Datum;
}

/// The window in which one call of a window function runs.
pub struct Window<'a> {
    object: WindowObject,
    call: PhantomData<&'a ()>,
}

/// The partition's memory: whether it has been filled, then one answer a row.
const FILLED: u64 = 1;

impl<'a> Window<'a> {
    /// Takes the window out of a call.
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

    /// The number of rows in the partition.
    pub fn rows(&self) -> i64 {
        // SAFETY: object is the window of the running call.
        unsafe { WinGetPartitionRowCount(self.object) }
    }

    /// The current row, counted from 0.
    pub fn position(&self) -> i64 {
        // SAFETY: object is the window of the running call.
        unsafe { WinGetCurrentPosition(self.object) }
    }

    /// The argument at a row of the partition; `None` for NULL.
    pub fn argument_at(&self, argument: i32, row: i32) -> Option<pg_sys::Datum> {
        let (mut null, mut outside) = (true, true);
        // SAFETY: object is the window of the running call; both flags outlive it.
        let datum = unsafe {
            WinGetFuncArgInPartition(self.object, argument, row, SEEK_HEAD, false, &raw mut null, &raw mut outside)
        };
        (!null && !outside).then_some(datum)
    }

    /// The argument at the current row; `None` for NULL.
    pub fn argument(&self, argument: i32) -> Option<pg_sys::Datum> {
        let mut null = true;
        // SAFETY: object is the window of the running call; the flag outlives it.
        let datum = unsafe { WinGetFuncArgCurrent(self.object, argument, &raw mut null) };
        (!null).then_some(datum)
    }

    /// The partition's answers, one a row, made by `make` at the partition's first call and kept until its end.
    ///
    /// They live in the partition's own memory, 4 bytes a row, which Postgres limits to 1 GB.
    /// `Err` of `make` is passed on and keeps nothing.
    pub fn answers<E>(&self, make: impl FnOnce(&Self) -> Result<Vec<u32>, E>) -> Result<&'a [u32], E> {
        let rows = usize::try_from(self.rows()).unwrap_or(0);
        // SAFETY: object is the window of the running call. The memory is as large as asked for, zeroed at first,
        // aligned for any type, and lives as long as the partition, longer than this call.
        let (filled, answers) = unsafe {
            let memory = WinGetPartitionLocalMemory(self.object, size_of::<u64>() + rows * size_of::<u32>());
            let filled = memory.cast::<u64>();
            (&mut *filled, std::slice::from_raw_parts_mut(filled.add(1).cast::<u32>(), rows))
        };
        if *filled != FILLED {
            answers.copy_from_slice(&make(self)?);
            *filled = FILLED;
        }
        Ok(answers)
    }
}
