//! The guard: the row trigger that signs each new document and acts on a near-duplicate of one already there.
//!
//! Order matters. First the locks, so that two sessions with near-duplicates meet; then the look at what is committed,
//! with a snapshot taken after the locks; then the row goes in. See `docs/guard.md`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use ahash::AHashMap;
use neardup_core::banding;
use neardup_core::document;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;

use crate::analyzer;
use crate::datum::invalidation;
use crate::datum::lock::{self, Lock};
use crate::datum::plan::Plan;
use crate::datum::role;
use crate::datum::trigger::{Row, RowTrigger, is_text};
use crate::error::{Result, report};
use crate::pass::{self, Pass};

extension_sql_file!("../sql/guard.sql", name = "guard", requires = ["simhash_operators", "banding"]);

/// How many keys a transaction locks before it takes the whole column if that is free: 4 rows at distance 7.
const FEW_KEYS: usize = 64;
/// How many keys a transaction locks before it waits for the whole column; the server's lock table has room for 6,400 by default.
const MOST_KEYS: usize = 1024;

/// What to do with a near-duplicate.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    Reject,
    Skip,
    Warn,
}

/// The trigger's one argument, as `neardup.protect` writes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    distance: u32,
    on_duplicate: Action,
    analyzer: String,
}

/// A guard made ready in this backend.
struct Guard {
    settings: Settings,
    /// The table whose rows are looked at: the root where the table has partitions.
    table: pg_sys::Oid,
    /// Its owner, as whom the look happens.
    owner: pg_sys::Oid,
    /// The number of the document column there.
    column: i32,
    /// The columns of its primary key.
    keys: Vec<String>,
    name: String,
    document: i16,
    signature: i16,
    signature_type: pg_sys::Oid,
    lookup: Plan,
    generation: u64,
}

/// The row that a new one duplicates.
struct Match {
    key: String,
    distance: i32,
}

thread_local! {
    static GUARDS: RefCell<AHashMap<pg_sys::Oid, Rc<Guard>>> = RefCell::default();
    /// The transaction that locked keys last, and how many: never too few, after a rolled back savepoint perhaps too many.
    static HELD: Cell<(i64, usize)> = const { Cell::new((0, 0)) };
    static LISTENING: Cell<bool> = const { Cell::new(false) };
}

fn error(code: PgSqlErrorCode, message: impl Into<String>) -> ErrorReport {
    ErrorReport::new(code, message.into(), "neardup.guard")
}

impl Guard {
    fn prepare(trigger: &RowTrigger<'_>) -> Result<Self> {
        let misuse = |what: &str| {
            error(PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, format!("the guard trigger {what}"))
                .set_hint("Guards are made by neardup.protect; drop this trigger and call it again.")
        };
        let generation = invalidation::generation();
        let settings = trigger.argument(0).ok_or_else(|| misuse("has no settings"))?;
        let settings: Settings = serde_json::from_str(settings)
            .map_err(|e| misuse("has settings of another form").set_detail(format!("{e}.")))?;
        let &[document, signature] = trigger.columns() else {
            return Err(misuse("does not name its document and signature columns"));
        };
        let target = Target::of(trigger.oid())?.ok_or_else(|| misuse("stands on a table without a primary key"))?;
        if !trigger.column_type(document).is_some_and(is_text) || trigger.column_type(signature) != Some(target.simhash)
        {
            return Err(misuse("stands on columns of other types"));
        }
        invalidation::watch(target.table);
        invalidation::watch(trigger.relation_oid());
        let types = [target.simhash, pg_sys::OIDOID, pg_sys::TIDOID, pg_sys::TEXTOID];
        Ok(Self {
            settings,
            table: target.table,
            owner: target.owner,
            column: target.column,
            keys: target.keys,
            name: target.name,
            document,
            signature,
            signature_type: target.simhash,
            lookup: Plan::prepare(&target.lookup, &types),
            generation,
        })
    }

    /// The guard of this trigger, prepared anew after any change to a table or schema.
    fn of(trigger: &RowTrigger<'_>) -> Result<Rc<Self>> {
        if !LISTENING.replace(true) {
            invalidation::listen();
        }
        let known = GUARDS.with_borrow(|guards| guards.get(&trigger.oid()).cloned());
        match known {
            Some(guard) if guard.generation == invalidation::generation() => Ok(guard),
            stale => {
                let guard = Rc::new(Self::prepare(trigger)?);
                GUARDS.with_borrow_mut(|guards| guards.insert(trigger.oid(), Rc::clone(&guard)));
                if let Some(stale) = stale.and_then(Rc::into_inner) {
                    stale.lookup.free();
                }
                Ok(guard)
            }
        }
    }

    /// The nearest row within the distance, other than the one being updated.
    fn find(&self, trigger: &RowTrigger<'_>, signature: u64) -> Result<Option<Match>> {
        lock(self.table, self.column, signature, self.settings.distance)?;
        if pass::is_open(self.table, Pass::LetThrough) {
            return Ok(None);
        }
        let [table, tid] = trigger.identity();
        let key = trigger.new_key(&self.keys);
        let values = vec![crate::datum::SimHash(signature).into_raw(), table, tid, key];
        Ok(self.lookup.first_row(self.owner, values, |row| Match {
            key: row.text(1).unwrap_or_default(),
            distance: row.text(2).and_then(|text| text.parse().ok()).unwrap_or_default(),
        }))
    }

    /// Says which row the new one duplicates; a user who may not read that row is not told its key.
    fn verdict(&self, found: &Match) -> ErrorReport {
        let distance = self.settings.distance;
        let detail = if role::may_read(self.table) {
            format!(
                "Key ({})=({}) is at Hamming distance {}; the guard allows none within {distance}.",
                self.keys.join(", "),
                found.key,
                found.distance
            )
        } else {
            format!("A row there is at Hamming distance {}; the guard allows none within {distance}.", found.distance)
        };
        error(PgSqlErrorCode::ERRCODE_UNIQUE_VIOLATION, format!("near-duplicate of a row in table \"{}\"", self.name))
            .set_detail(detail)
    }
}

/// Takes, in ascending order, locks of which any two signatures within the distance share one.
///
/// A transaction of many rows would fill the server's lock table with them, and two such would wait for each other in a
/// circle. So after a few rows it takes the whole column as soon as nobody else is in it, and after many it waits for that,
/// unless another does, perhaps for this one to end.
fn lock(table: pg_sys::Oid, column: i32, signature: u64, distance: u32) -> Result<()> {
    let (transaction, held) = HELD.get();
    let held = if transaction == lock::transaction() { held } else { 0 };
    if held >= FEW_KEYS && Lock::Turn.try_acquire(table, column) {
        if Lock::Alone.try_acquire(table, column) {
            return Ok(());
        }
        if held >= MOST_KEYS {
            Lock::Alone.acquire(table, column);
            return Ok(());
        }
    }
    let mut keys = Vec::new();
    banding::lock_keys(signature, distance, |key| keys.push(fold(key))).map_err(report)?;
    keys.sort_unstable();
    Lock::Shared.acquire(table, column);
    for &key in &keys {
        Lock::Key(key).acquire(table, column);
    }
    HELD.set((lock::transaction(), held + keys.len()));
    Ok(())
}

/// Folds a lock key into the 32 bits that a lock tag has room for.
fn fold(key: i64) -> u32 {
    let key = key.cast_unsigned();
    (key ^ (key >> 32)) as u32
}

fn run(trigger: &RowTrigger<'_>) -> Result<pg_sys::Datum> {
    let guard = Guard::of(trigger)?;
    let document = trigger.text(Row::New, guard.document);
    let known = trigger.simhash(Row::Old, guard.signature, guard.signature_type);
    // The same text keeps its signature and is not judged again: so a backfill can sign what is there already.
    let unchanged = trigger.is_update() && trigger.text(Row::Old, guard.document) == document;
    if let (true, Some(known)) = (unchanged, known) {
        return Ok(trigger.keep_with(guard.signature, Some(known)));
    }
    let signature = match document {
        Some(document) => analyzer::with(&guard.settings.analyzer, |analyzer, scratch| {
            document::simhash(document, analyzer, scratch)
        })?
        .map_err(report)?,
        None => None,
    };
    if unchanged && signature.is_none() && pass::is_open(guard.table, Pass::Sign) {
        return Ok(trigger.skip());
    }
    if let (false, Some(signature)) = (unchanged, signature)
        && let Some(found) = guard.find(trigger, signature)?
    {
        match guard.settings.on_duplicate {
            Action::Reject => {
                return Err(guard
                    .verdict(&found)
                    .set_hint("To keep such rows, call neardup.protect again with another distance or on_duplicate."));
            }
            Action::Skip => return Ok(trigger.skip()),
            Action::Warn => guard.verdict(&found).report(PgLogLevel::WARNING),
        }
    }
    Ok(trigger.keep_with(guard.signature, signature.map(crate::datum::SimHash)))
}

/// The entry point behind the trigger function `neardup.guard()`.
///
/// # Safety
/// Postgres calls it as the trigger function that sql/guard.sql declares.
#[pg_guard]
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn neardup_guard(fcinfo: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: Postgres passes the fcinfo of this call.
    let Some(trigger) = (unsafe { RowTrigger::from_fcinfo(fcinfo) }) else {
        ereport!(
            ERROR,
            PgSqlErrorCode::ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED,
            "neardup.guard() must be called as a BEFORE INSERT OR UPDATE ... FOR EACH ROW trigger"
        );
    };
    run(&trigger).unwrap_or_else(|error| {
        error.report(PgLogLevel::ERROR);
        pg_sys::Datum::null()
    })
}

/// Tells Postgres that the entry point uses calling convention 1.
#[unsafe(no_mangle)]
pub extern "C" fn pg_finfo_neardup_guard() -> &'static pg_sys::Pg_finfo_record {
    const V1: pg_sys::Pg_finfo_record = pg_sys::Pg_finfo_record { api_version: 1 };
    &V1
}

/// What `neardup.guard_target` says of a guard's table.
struct Target {
    table: pg_sys::Oid,
    owner: pg_sys::Oid,
    simhash: pg_sys::Oid,
    column: i32,
    name: String,
    keys: Vec<String>,
    lookup: String,
}

impl Target {
    fn of(trigger: pg_sys::Oid) -> Result<Option<Self>> {
        Spi::connect(|client| {
            let sql =
                "SELECT target, owner, signature_type, document, name, keys, lookup FROM neardup.guard_target($1)";
            let rows = client.select(sql, Some(1), &[trigger.into()])?;
            let Some(row) = rows.into_iter().next() else { return Ok(None) };
            Ok(match (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?) {
                (Some(table), Some(owner), Some(simhash), Some(column), Some(name), Some(keys), Some(lookup)) => {
                    Some(Self { table, owner, simhash, column, name, keys, lookup })
                }
                _ => None,
            })
        })
        .map_err(|e: pgrx::spi::Error| error(PgSqlErrorCode::ERRCODE_INTERNAL_ERROR, e.to_string()))
    }
}
