//! The guard of a table that is listed or cleaned, as `neardup.protected` shows it.

use pgrx::pg_sys;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::{Result, error};
use crate::guarded::arguments::{only_guard, shown};
use crate::guarded::document::Document;
use crate::guarded::settings::Method;
use crate::pg::table::query::{Kind, Session, Value};

/// The guard of a table, as `neardup.protected` shows it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Guarded {
    /// The table.
    pub target: u32,
    /// The first column of the document.
    pub document: String,
    /// How candidates are found.
    pub method: Method,
    /// The analyzer of the signatures.
    pub analyzer: String,
    /// The keys of a sketch.
    pub keys: Option<u32>,
    /// The greatest distance of SimHashes.
    pub distance: Option<u32>,
    /// What happens to a copy.
    pub on_duplicate: String,
    /// How texts are compared.
    pub verify: String,
    /// The least score, overlap or cosine.
    pub threshold: Option<f64>,
    /// The columns of the document.
    pub columns: Vec<String>,
    /// The function that forms it, qualified and quoted.
    pub expression: Option<String>,
    /// Its schema and name.
    pub function: Option<(String, String)>,
    /// The columns that must be equal.
    pub scope: Option<Vec<String>>,
    /// The time of a row.
    pub time_column: Option<String>,
    /// The time window in microseconds.
    pub window: Option<i64>,
    /// The column that names the original of a copy.
    pub duplicate_of: Option<String>,
}

impl Guarded {
    /// Reads the guard of a table, or the one on a column.
    ///
    /// # Errors
    /// If there is none, or several.
    pub fn read(session: &Session, target: pg_sys::Oid, document: Option<&str>) -> Result<Self> {
        let statement = session.prepare(
            "SELECT CAST(pg_catalog.jsonb_set(pg_catalog.to_jsonb(p), '{target}', \
                        pg_catalog.to_jsonb(CAST(CAST(p.target AS pg_catalog.oid) AS bigint))) \
                    OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object( \
                        'window', CAST(EXTRACT(epoch FROM p.within) OPERATOR(pg_catalog.*) 1000000::numeric AS bigint), \
                        'function', pg_catalog.parse_ident(p.expression)) AS pg_catalog.text) \
             FROM neardup.protected p \
             WHERE CAST(p.target AS pg_catalog.oid) OPERATOR(pg_catalog.=) $1 \
                   AND ($2 IS NULL OR p.document OPERATOR(pg_catalog.=) CAST($2 AS pg_catalog.name))",
            &[Kind::Oid, Kind::Text],
        );
        let mut found = Vec::new();
        session.each(&statement, &[Value::Oid(target), Value::Text(document)], |row| {
            found.extend(row.text(1).map(serde_json::from_str));
            Ok(())
        })?;
        let guarded = only_guard(found, target, document)?;
        guarded.map_err(|wrong| error(PgSqlErrorCode::ERRCODE_INTERNAL_ERROR, wrong.to_string()))
    }

    /// Gives the table.
    pub fn table(&self) -> pg_sys::Oid {
        pg_sys::Oid::from(self.target)
    }

    /// Gives what forms the document.
    pub fn document(&self) -> Document<'_> {
        Document { columns: &self.columns, expression: self.expression.as_deref(), table: self.table() }
    }

    /// Checks that candidates are found by sketches.
    ///
    /// # Errors
    /// If they are not.
    pub fn by_sketch(&self) -> Result<()> {
        if self.method == Method::Sketch {
            return Ok(());
        }
        let message = format!(
            "column \"{}\" of table {} is guarded by method {}",
            self.document,
            shown(self.table()),
            self.method.name()
        );
        Err(error(PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED, message)
            .set_detail("Tables are compared by the keys of sketches."))
    }
}
