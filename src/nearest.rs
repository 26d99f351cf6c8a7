//! `neardup.nearest` and `neardup.hot_bands`: what can be asked of any table with signatures, in SQL.

use pgrx::prelude::*;

extension_sql_file!("../sql/nearest.sql", name = "nearest", requires = ["banding"]);
