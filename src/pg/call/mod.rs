//! Calls between Postgres and the extension: the error boundary, roles, settings, triggers, window functions, aggregates, memory, transactions, parallel workers.

pub mod aggregate;
pub mod boundary;
pub mod column;
pub mod cursor;
pub mod function;
pub mod memory;
pub mod role;
pub mod set;
pub mod settings;
pub mod statement;
pub mod transaction;
pub mod trigger;
pub mod violation;
pub mod window;
pub mod workers;

/// Tells Postgres the calling convention of C functions: `PG_FUNCTION_INFO_V1`. The names are those of the functions after `pg_finfo_`.
macro_rules! function_info {
    ($($name:ident),+) => {
        $(
            #[doc(hidden)]
            #[unsafe(no_mangle)]
            pub extern "C" fn $name() -> &'static pgrx::pg_sys::Pg_finfo_record {
                &pgrx::pg_sys::Pg_finfo_record { api_version: 1 }
            }
        )+
    };
}
pub(crate) use function_info;
