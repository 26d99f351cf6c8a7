//! What is already there: signing old rows, listing groups, removing copies and bringing them back. All of it is SQL.

use pgrx::prelude::*;

extension_sql_file!("../sql/cleanup.sql", name = "cleanup", requires = ["guard", "grouping"]);
extension_sql_file!("../sql/comments.sql", name = "comments", finalize);
