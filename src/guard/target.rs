//! A guard made ready in this backend: its settings and all that it has to know of its table.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use ahash::AHashMap;
use neardup_core::banding::MAX_DISTANCE;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use pgrx::spi::SpiClient;

use super::locks::{self, Place};
use super::settings::{Method, Roles, Settings};
use super::{bulk, error};
use crate::datum::table::Table;
use crate::datum::trigger::{RowTrigger, is_text};
use crate::datum::{invalidation, role, statement};
use crate::error::Result;

/// The guard of a table, shared by the triggers of its partitions.
pub struct Guard {
    /// What it was told.
    pub settings: Settings,
    /// The roles of its columns.
    pub roles: Roles,
    /// The document column of the root table: what is locked.
    pub place: Place,
    /// The table's owner.
    pub owner: pg_sys::Oid,
    /// The table's name, for messages.
    pub name: String,
    /// The name of the document column.
    pub document: String,
    /// The name of the trigger; a table's triggers fire in the order of their names.
    pub trigger: String,
    /// The columns of its primary key.
    pub keys: Vec<String>,
    /// The table itself, or its partitions.
    pub parts: Vec<Part>,
    /// How far apart times may be, in microseconds.
    pub within: Option<i64>,
    /// The statement that diverts a row.
    pub diverted: Option<String>,
    /// As whom verdicts are logged.
    pub logger: Option<pg_sys::Oid>,
    /// The sequence that counts what it does.
    pub counter: Option<pg_sys::Oid>,
    /// The function that makes the document of a row.
    pub expression: Option<pg_sys::Oid>,
    /// The type of its column of signatures.
    pub signature: pg_sys::Oid,
    generation: u64,
}

/// A table whose rows are looked at, with the numbers that the guard's columns have there.
pub struct Part {
    /// The table.
    pub table: pg_sys::Oid,
    /// The columns of the trigger's list.
    pub columns: Vec<i16>,
    /// The columns of the primary key.
    pub keys: Vec<i16>,
    indexes: Vec<pg_sys::Oid>,
}

thread_local! {
    /// By trigger; partitions' triggers share their root's guard.
    static GUARDS: RefCell<AHashMap<pg_sys::Oid, Rc<Guard>>> = RefCell::default();
    static LISTENING: Cell<bool> = const { Cell::new(false) };
}

fn misuse(what: &str) -> ErrorReport {
    error(PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, format!("the guard trigger {what}"))
        .set_hint("Guards are made by neardup.protect; drop this trigger and call it again.")
}

fn statement_stored() {
    locks::statement_stored();
    bulk::statement_stored();
}

fn transaction_ended() {
    locks::transaction_ended();
    bulk::transaction_ended();
}

impl Guard {
    /// The guard of this trigger, prepared anew after any change to its tables or to a schema.
    pub fn of(trigger: &RowTrigger<'_>) -> Result<Rc<Self>> {
        if !LISTENING.replace(true) {
            invalidation::listen();
            statement::listen(statement_stored, transaction_ended);
        }
        let current = |oid: pg_sys::Oid| {
            GUARDS
                .with_borrow(|guards| guards.get(&oid).cloned())
                .filter(|guard| guard.generation == invalidation::generation())
        };
        if let Some(guard) = current(trigger.oid()) {
            return Ok(guard);
        }
        let generation = invalidation::generation();
        let settings = trigger.argument(0).ok_or_else(|| misuse("has no settings"))?;
        let settings: Settings = serde_json::from_str(settings)
            .map_err(|e| misuse("has settings of another form").set_detail(format!("{e}.")))?;
        if settings.distance > MAX_DISTANCE {
            return Err(misuse("has a distance out of range"));
        }
        let roles = settings
            .roles(trigger.columns().len())
            .ok_or_else(|| misuse("does not name its document and signature columns"))?;
        let target = Target::of(trigger.oid())?.ok_or_else(|| misuse("stands on a table without a primary key"))?;
        let guard = match current(target.trigger) {
            Some(guard) => guard,
            None => Rc::new(Self::prepare(settings, roles, trigger.name(), &target, generation)?),
        };
        invalidation::watch(trigger.relation_oid());
        guard.check_types(trigger)?;
        GUARDS.with_borrow_mut(|guards| {
            guards.insert(trigger.oid(), Rc::clone(&guard));
            guards.insert(target.trigger, Rc::clone(&guard));
        });
        Ok(guard)
    }

    fn prepare(settings: Settings, roles: Roles, trigger: String, target: &Target, generation: u64) -> Result<Self> {
        if settings.makes_document() && target.expression.is_none() {
            return Err(misuse("names a function that does not exist"));
        }
        invalidation::watch(target.table);
        let parts = Part::of(target, settings.method)?;
        parts.iter().for_each(|part| invalidation::watch(part.table));
        Ok(Self {
            place: Place { table: target.table, column: i32::from(target.document) },
            owner: target.owner,
            name: target.name.clone(),
            document: target.columns.first().cloned().unwrap_or_default(),
            trigger,
            keys: target.keys.clone(),
            parts,
            within: target.within,
            diverted: target.diverted.clone(),
            logger: target.logger,
            counter: target.counter,
            expression: target.expression,
            signature: target.signature,
            settings,
            roles,
            generation,
        })
    }

    fn check_types(&self, trigger: &RowTrigger<'_>) -> Result<()> {
        let columns = trigger.columns();
        let kind = |role: usize| columns.get(role).and_then(|column| trigger.column_type(*column));
        let texts = match self.expression {
            Some(_) => &self.roles.documents[..1],
            None => &self.roles.documents[..],
        };
        let times = [pg_sys::TIMESTAMPTZOID, pg_sys::TIMESTAMPOID, pg_sys::DATEOID];
        if kind(self.roles.signature) == Some(self.signature)
            && texts.iter().all(|role| kind(*role).is_some_and(is_text))
            && self.roles.age.is_none_or(|age| kind(age).is_some_and(|kind| times.contains(&kind)))
        {
            return Ok(());
        }
        Err(misuse("stands on columns of other types"))
    }

    /// The part whose rows this trigger sees.
    pub fn part(&self, table: pg_sys::Oid) -> Result<&Part> {
        self.parts
            .iter()
            .find(|part| part.table == table)
            .ok_or_else(|| misuse("stands on a table that is not its own"))
    }
}

impl Part {
    /// Opens the table for a look.
    pub fn open(&self, roles: &Roles) -> Table {
        Table::open(self.table, self.columns[roles.signature], &self.indexes)
    }

    fn of(target: &Target, method: Method) -> Result<Vec<Self>> {
        let (sql, count) = match method {
            Method::SimHash => ("SELECT part, columns, keys, indexes FROM neardup_internal.guard_parts($1, $2, $3)", 3),
            _ => ("SELECT part, columns, keys, indexes FROM neardup_internal.keyed_parts($1, $2, $3, $4)", 4),
        };
        asking(|client| {
            let Target { table, columns, keys, trigger, .. } = target;
            let arguments = [(*table).into(), columns.clone().into(), keys.clone().into(), (*trigger).into()];
            let mut parts = Vec::new();
            for row in client.select(sql, None, &arguments[..count])? {
                let indexes = row.get::<Vec<pg_sys::Oid>>(4)?.unwrap_or_default();
                if let (Some(table), Some(columns), Some(keys)) = (row.get(1)?, row.get(2)?, row.get(3)?) {
                    parts.push(Self { table, columns, keys, indexes });
                }
            }
            Ok(parts)
        })
    }
}

/// Reads the catalogs for a guard. A writer needs no right on schema `neardup`: the functions asked are the extension's own, and all
/// that they call is bound.
fn asking<T>(ask: impl FnOnce(&SpiClient<'_>) -> std::result::Result<T, pgrx::spi::Error>) -> Result<T> {
    role::act_as(pg_sys::Oid::from(pg_sys::BOOTSTRAP_SUPERUSERID), || Spi::connect(ask))
        .map_err(|e| error(PgSqlErrorCode::ERRCODE_INTERNAL_ERROR, e.to_string()))
}

/// What `neardup_internal.guard_target` says of a guard's table.
struct Target {
    trigger: pg_sys::Oid,
    table: pg_sys::Oid,
    owner: pg_sys::Oid,
    signature: pg_sys::Oid,
    document: i16,
    name: String,
    keys: Vec<String>,
    columns: Vec<String>,
    within: Option<i64>,
    diverted: Option<String>,
    logger: Option<pg_sys::Oid>,
    counter: Option<pg_sys::Oid>,
    expression: Option<pg_sys::Oid>,
}

impl Target {
    fn of(trigger: pg_sys::Oid) -> Result<Option<Self>> {
        let sql = "SELECT root, target, owner, signature_type, document, name, keys, columns, within, diverted, logger, \
                   counter, expression FROM neardup_internal.guard_target($1)";
        asking(|client| {
            let rows = client.select(sql, Some(1), &[trigger.into()])?;
            let Some(row) = rows.into_iter().next() else { return Ok(None) };
            let (Some(trigger), Some(table), Some(owner), Some(signature)) =
                (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)
            else {
                return Ok(None);
            };
            let (Some(document), Some(name), Some(keys), Some(columns)) =
                (row.get(5)?, row.get(6)?, row.get(7)?, row.get(8)?)
            else {
                return Ok(None);
            };
            Ok(Some(Self {
                trigger,
                table,
                owner,
                signature,
                document,
                name,
                keys,
                columns,
                within: row.get(9)?,
                diverted: row.get(10)?,
                logger: row.get(11)?,
                counter: row.get(12)?,
                expression: row.get(13)?,
            }))
        })
    }
}
