//! `neardup.nearest`: the rows of a table nearest to a signature, in SQL alone.
//!
//! The radius of `simhash_within` grows until enough rows lie within it, so an index that serves that function serves this one.

use pgrx::prelude::*;

extension_sql_file!("../../sql/nearest.sql", name = "nearest", requires = ["banding", "guard"]);
