//! New rows, set-wise: which of them copy rows of a guarded table, and how they get into it. All of it is SQL, `sql/load.sql`.

use pgrx::prelude::*;

extension_sql_file!("../../sql/load.sql", name = "load", requires = ["cleanup_run"]);
