//! Loading new rows as a set: which of them copy rows of a guarded table, and how they are inserted. All of it is SQL, `sql/load.sql`.

use pgrx::prelude::*;

extension_sql_file!("../../sql/load.sql", name = "load", requires = ["cleanup_run"]);
