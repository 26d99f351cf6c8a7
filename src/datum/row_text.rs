//! A row as text: the bytes of `row::text`, sooner.
//!
//! Postgres's `record_out` goes twice over each value, byte by byte, with a call of the C library for each: a fifth of what
//! taking a row of 1 kB into the archive cost. Here a text is taken as it lies, and one pass that needs no call tells whether it
//! wants quotes. All other types are written by their own output functions, as there.

use std::ffi::CStr;
use std::marker::PhantomData;

use pgrx::callconv::{Arg, ArgAbi};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::pgrx_sql_entity_graph::impl_sql_translatable;
use pgrx::{PgLogLevel, PgMemoryContexts, PgSqlErrorCode, pg_sys};

use neardup_core::row_text;

/// What most rows have room in.
const ROOM: usize = 2048;

/// The row that a function is called with, its one argument.
pub struct RowText<'fcx> {
    text: Vec<u8>,
    call: PhantomData<&'fcx ()>,
}

impl_sql_translatable!(RowText<'_>, "record");

impl RowText<'_> {
    /// Gives the text.
    pub fn into_bytes(self) -> Vec<u8> {
        self.text
    }
}

// SAFETY: reads the one argument of a strict function, which is declared as a record; what is kept lives in the call's own memory.
unsafe impl<'fcx> ArgAbi<'fcx> for RowText<'fcx> {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: the call's own fcinfo, which is there for every function; its argument is a composite value, not null.
        let text = unsafe {
            let call: pg_sys::FunctionCallInfo = arg.unbox_unchecked();
            let argument = (*call).args.as_slice(1)[0].value;
            written((*call).flinfo, pg_sys::pg_detoast_datum(argument.cast_mut_ptr()).cast())
        };
        Self { text, call: PhantomData }
    }

    fn is_virtual_arg() -> bool {
        true
    }
}

/// How the rows of a type are written, kept from call to call of one place in a statement.
struct Writing {
    /// Postgres's number of the type as it is; a type that was altered has another one.
    identifier: u64,
    descriptor: pg_sys::TupleDesc,
    /// `None` for a column that was dropped.
    columns: Vec<Option<Output>>,
}

/// How a column is written.
enum Output {
    /// The bytes of the value.
    Bytes,
    /// What the type's output function gives.
    Function(pg_sys::FmgrInfo),
}

/// # Safety
/// `function` is that of the running call, and `row` a composite value in memory.
unsafe fn written(function: *mut pg_sys::FmgrInfo, row: pg_sys::HeapTupleHeader) -> Vec<u8> {
    // SAFETY: the row's header names its type, which the caller vouches for, and the descriptor is that type's as it is now. Its values
    // are given to the output functions of their own types, whose answers are C strings. What hangs on the function is ours alone.
    unsafe {
        let (kind, modifier) = ((*row).t_choice.t_datum.datum_typeid, (*row).t_choice.t_datum.datum_typmod);
        let identifier = pg_sys::assign_record_type_identifier(kind, modifier);
        let mut kept: *mut Writing = (*function).fn_extra.cast();
        if kept.is_null() || (*kept).identifier != identifier {
            let mut memory = PgMemoryContexts::For((*function).fn_mcxt);
            let writing = Writing::of(identifier, kind, modifier, (*function).fn_mcxt);
            kept = memory.leak_and_drop_on_delete(writing);
            (*function).fn_extra = kept.cast();
        }
        let writing = &mut *kept;
        let length = pgrx::varsize_any(row.cast());
        let mut tuple = pg_sys::HeapTupleData { t_len: length as u32, t_data: row, ..Default::default() };
        let mut values = vec![pg_sys::Datum::null(); writing.columns.len()];
        let mut nulls = vec![true; writing.columns.len()];
        pg_sys::heap_deform_tuple(&raw mut tuple, writing.descriptor, values.as_mut_ptr(), nulls.as_mut_ptr());

        let mut text = Vec::with_capacity(ROOM);
        text.push(b'(');
        let mut first = true;
        for ((output, value), null) in writing.columns.iter_mut().zip(values).zip(nulls) {
            let Some(output) = output else { continue };
            if !first {
                text.push(b',');
            }
            first = false;
            if null {
                continue;
            }
            let bytes = match output {
                Output::Bytes => {
                    let value = pg_sys::pg_detoast_datum_packed(value.cast_mut_ptr());
                    std::slice::from_raw_parts(pgrx::vardata_any(value).cast(), pgrx::varsize_any_exhdr(value))
                }
                Output::Function(function) => CStr::from_ptr(pg_sys::OutputFunctionCall(function, value)).to_bytes(),
            };
            if row_text::append(bytes, &mut text).is_err() {
                out_of_memory(bytes.len());
            }
        }
        text.push(b')');
        text
    }
}

impl Writing {
    /// # Safety
    /// There is such a row type, and `memory` lives as long as what is made is in use.
    unsafe fn of(identifier: u64, kind: pg_sys::Oid, modifier: i32, memory: pg_sys::MemoryContext) -> Self {
        // SAFETY: the copy of the descriptor and what the output functions keep lie in the memory named by the caller; the columns are
        // counted as the descriptor does. A column that was dropped has no type.
        unsafe {
            let descriptor =
                PgMemoryContexts::For(memory).switch_to(|_| pg_sys::lookup_rowtype_tupdesc_copy(kind, modifier));
            let output = |column| {
                let kind = pg_sys::SPI_gettypeid(descriptor, column);
                (kind != pg_sys::Oid::INVALID).then(|| Output::of(kind, memory))
            };
            let columns = (1..=(*descriptor).natts).map(output).collect();
            Self { identifier, descriptor, columns }
        }
    }
}

impl Output {
    /// # Safety
    /// As for [`Writing::of`].
    unsafe fn of(kind: pg_sys::Oid, memory: pg_sys::MemoryContext) -> Self {
        let (mut function, mut is_varlena) = (pg_sys::Oid::INVALID, false);
        // SAFETY: raises an error where the type has no output function.
        unsafe {
            pg_sys::getTypeOutputInfo(kind, &raw mut function, &raw mut is_varlena);
            // Each of them gives the bytes of a varlena as they are.
            if [pg_sys::F_TEXTOUT, pg_sys::F_VARCHAROUT, pg_sys::F_BPCHAROUT].contains(&function.to_u32()) {
                return Self::Bytes;
            }
            let mut output = pg_sys::FmgrInfo::default();
            pg_sys::fmgr_info_cxt(function, &raw mut output, memory);
            Self::Function(output)
        }
    }
}

fn out_of_memory(bytes: usize) -> ! {
    ErrorReport::new(PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY, "out of memory", "pg_neardup")
        .set_detail(format!("A value of {bytes} bytes does not fit into the text of its row."))
        .report(PgLogLevel::ERROR);
    unreachable!("an error does not come back")
}
