//! A guard as loaded in this backend: its settings, and the table, columns and indexes it works on.
//!
//! Everything comes from the catalogs through Postgres's own caches, so no query runs and no role matters. Partitions are described
//! when a search first reaches them, and again after they change.

use std::cell::RefCell;
use std::ffi::CStr;
use std::rc::Rc;

use ahash::AHashMap;
use neardup_verdict::Forms;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use pgrx::spi::quote_literal;

use super::arguments::{NOT_DEFERRABLE, check_function, shown};
use super::document::Document;
use super::index::{GuardIndex, index_of};
use super::settings::{Action, OnRelated, Roles, Settings};
use super::statement;
use crate::error::{Result, error};
use crate::pg::call::trigger::{RowTrigger, is_text};
use crate::pg::catalog;
use crate::pg::table::invalidation::{self, Stamp};
use crate::pg::table::partition::{self, Leaf, RootTrigger};
use crate::pg::table::temporary::sort_memory;
use crate::verdict::sides::Sides;

/// The guard of a table, shared by the triggers of its partitions.
pub struct Guard {
    pub settings: Settings,
    /// The roles of its columns.
    pub roles: Roles,
    /// The table it was created on; the root if the table has partitions.
    pub table: pg_sys::Oid,
    /// The attribute number of the document's first column in that table.
    pub column: i16,
    /// The table's owner.
    pub owner: pg_sys::Oid,
    /// The table's name, for messages.
    pub name: String,
    /// The name of the trigger; a table's triggers fire in the order of their names.
    pub trigger: String,
    /// The names of the trigger's columns, in the order of its list.
    pub columns: Vec<String>,
    /// The columns of the table's primary key.
    pub keys: Vec<String>,
    /// The tables that hold its rows.
    pub leaves: Vec<Leaf>,
    /// The table that rows are diverted to, if it exists.
    pub diverted: Option<pg_sys::Oid>,
    /// The sequence that counts its actions, if it exists.
    pub counter: Option<pg_sys::Oid>,
    /// The function that forms the document of a row.
    pub expression: Option<pg_sys::Oid>,
    /// The function that merges a near-duplicate into its original.
    pub merge: Option<pg_sys::Oid>,
    /// Whether the table itself is a partition of another: then a row may come from a partition that the guard does not see.
    pub is_partition: bool,
    parts: RefCell<AHashMap<pg_sys::Oid, Rc<Part>>>,
    /// What verdicts have learned of the table, and how large it was then.
    forms: RefCell<Option<(u32, Forms)>>,
    /// Texts of rows that were compared, by their hashes.
    pub compared: RefCell<Sides>,
    stamps: Vec<(pg_sys::Oid, Stamp)>,
}

/// A table whose rows are searched, with its attribute numbers of the guard's columns.
pub struct Part {
    pub table: pg_sys::Oid,
    /// The columns of the trigger's list.
    pub columns: Vec<i16>,
    /// The columns of the primary key.
    pub keys: Vec<i16>,
    /// The index that finds candidates.
    pub index: Option<GuardIndex>,
    stamp: Stamp,
}

/// The function in whose call the condition of a guard's trigger names the one that merges rows.
const MERGES_BY: &CStr = c"merges_by";

/// How many bytes of texts that were compared a session keeps for a guard, at least and at most; between these, `work_mem`.
const COMPARED: (usize, usize) = (8 << 20, 64 << 20);

/// The same of rows that share keys with those: a verdict may ask for a hundred of them.
const SAMPLED: (usize, usize) = (16 << 20, 64 << 20);

thread_local! {
    /// By trigger; triggers of partitions share the guard of their root.
    static GUARDS: RefCell<AHashMap<pg_sys::Oid, Rc<Guard>>> = RefCell::default();
}

fn misuse(what: &str) -> ErrorReport {
    error(PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, format!("the guard trigger {what}"))
        .set_hint("Drop this trigger and call neardup.protect.")
}

impl Guard {
    /// Returns the guard of this trigger, prepared again after any change to its table; `None` on a partition that is being
    /// detached, which still has its copy of the trigger.
    pub fn of(trigger: &RowTrigger<'_>) -> Result<Option<Rc<Self>>> {
        invalidation::accept();
        let own = trigger.definition().oid();
        if let Some(guard) = Self::current(own) {
            return Ok(Some(guard));
        }
        let Some(root) = RootTrigger::of(trigger.relation_oid(), trigger.definition(), MERGES_BY) else {
            return Ok(None);
        };
        let guard = Self::loaded(&root)?;
        Self::remember(own, &guard);
        Ok(Some(guard))
    }

    /// Returns the guards of a table; of a partition, also those of its root.
    pub fn all_of(table: pg_sys::Oid) -> Result<Vec<Rc<Self>>> {
        invalidation::accept();
        let Some(function) = guard_function() else { return Ok(Vec::new()) };
        RootTrigger::all_of(table, function, MERGES_BY).iter().map(Self::loaded).collect()
    }

    fn current(trigger: pg_sys::Oid) -> Option<Rc<Self>> {
        GUARDS.with_borrow(|guards| guards.get(&trigger).filter(|guard| guard.is_current()).cloned())
    }

    fn loaded(root: &RootTrigger) -> Result<Rc<Self>> {
        if let Some(guard) = Self::current(root.oid) {
            return Ok(guard);
        }
        let guard = Rc::new(Self::prepare(root)?);
        guard.check_types(root)?;
        Self::remember(root.oid, &guard);
        Ok(guard)
    }

    /// Keeps the guard of a trigger, and forgets those of tables that have changed or are gone.
    fn remember(trigger: pg_sys::Oid, guard: &Rc<Self>) {
        GUARDS.with_borrow_mut(|guards| {
            guards.retain(|_, known| known.is_current());
            guards.insert(trigger, Rc::clone(guard));
        });
    }

    fn is_current(&self) -> bool {
        self.stamps.iter().all(|(relation, stamp)| invalidation::stamp(*relation) == *stamp)
    }

    fn prepare(root: &RootTrigger) -> Result<Self> {
        let mut stamps = vec![(root.table, invalidation::stamp(root.table))];
        let settings = root.argument.as_deref().ok_or_else(|| misuse("has no settings"))?;
        let settings = Settings::parse(settings).map_err(|wrong| misuse("has invalid settings").set_detail(wrong))?;
        let roles = settings.roles(root.columns.len()).ok_or_else(|| misuse("does not name its columns"))?;
        let owner = catalog::owner(root.table).ok_or_else(|| misuse("is on a table that no longer exists"))?;
        let expression = settings.expression.as_ref().map(|name| {
            catalog::function_of_row(name, root.table)
                .ok_or_else(|| misuse("names a document function that does not exist"))
        });
        let merge = (settings.on_duplicate == Action::Merge).then(|| {
            root.named
                .filter(|function| catalog::joins_rows(*function, root.table))
                .ok_or_else(|| misuse("does not name a function that merges rows"))
        });
        let keys = catalog::primary_key(root.table);
        if keys.is_empty() {
            let table = shown(root.table);
            let (message, hint) = if catalog::has_deferrable_key(root.table) {
                (format!("table {table} has a guard, and its primary key is deferrable"), NOT_DEFERRABLE)
            } else {
                (
                    format!("table {table} has a guard, and no primary key any more"),
                    "Add a primary key; the guard needs nothing else.",
                )
            };
            return Err(error(PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message)
                .set_detail("The guard tells rows apart by their primary key.")
                .set_hint(hint));
        }
        let named = |numbers: &[i16]| numbers.iter().map(|number| catalog::column_name(root.table, *number)).collect();
        let (leaves, partitioned) = partition::leaves(root.table, roles.time.map(|role| root.columns[role]));
        stamps.extend(partitioned.into_iter().map(|table| (table, invalidation::stamp(table))));
        let aside = |name: &Option<(String, String)>| {
            let found = name.as_ref().and_then(catalog::relation)?;
            stamps.push((found, invalidation::stamp(found)));
            Some(found)
        };
        let [diverted, counter] = [&settings.divert, &settings.counter].map(aside);
        // A role that may create triggers on the table could name any sequence that its owner may use.
        let counter = counter.filter(|counter| catalog::belongs(*counter, root.table));
        Ok(Self {
            table: root.table,
            column: root.columns.first().copied().unwrap_or_default(),
            owner,
            name: catalog::relation_name(root.table),
            trigger: root.name.clone(),
            columns: named(&root.columns),
            keys: named(&keys),
            leaves,
            diverted,
            counter,
            expression: expression.transpose()?,
            merge: merge.transpose()?,
            // SAFETY: reads a catalog.
            is_partition: unsafe { pg_sys::get_rel_relispartition(root.table) },
            settings,
            roles,
            parts: RefCell::default(),
            forms: RefCell::default(),
            compared: RefCell::new(Sides::new(sort_memory().clamp(COMPARED.0, COMPARED.1))),
            stamps,
        })
    }

    fn check_types(&self, root: &RootTrigger) -> Result<()> {
        let kind = |role: usize| root.columns.get(role).map(|column| catalog::column_type(root.table, *column));
        let documents = if self.expression.is_some() { &[] } else { &self.roles.documents[..] };
        let mut texts = documents.iter().chain(&self.roles.title);
        let is_written = |[_, relation]: [usize; 2]| kind(relation) == Some(pg_sys::TEXTOID);
        let times = [pg_sys::TIMESTAMPTZOID, pg_sys::TIMESTAMPOID, pg_sys::DATEOID];
        if texts.all(|role| kind(*role).is_some_and(is_text))
            && self.roles.time.is_none_or(|time| kind(time).is_some_and(|kind| times.contains(&kind)))
            && self.roles.related.is_none_or(is_written)
        {
            return Ok(());
        }
        Err(self.has_other_types())
    }

    /// Makes the error for columns that have not the types of their roles.
    pub fn has_other_types(&self) -> ErrorReport {
        misuse("is on columns of other types")
    }

    /// Returns what is known of one of the tables that hold its rows; `None` if the table lacks a column, because it is being
    /// detached or dropped.
    pub fn part(&self, table: pg_sys::Oid) -> Option<Rc<Part>> {
        let stamp = invalidation::stamp(table);
        if let Some(part) = self.parts.borrow().get(&table).filter(|part| part.stamp == stamp) {
            return Some(Rc::clone(part));
        }
        let numbers = |names: &[String]| -> Option<Vec<i16>> {
            names.iter().map(|name| catalog::column_number(table, name)).collect()
        };
        let (columns, keys) = (numbers(&self.columns)?, numbers(&self.keys)?);
        let documents: Vec<i16> = self.roles.documents.iter().map(|role| columns[*role]).collect();
        let index = index_of(table, &self.settings, &documents, self.expression);
        let part = Rc::new(Part { table, columns, keys, index, stamp });
        self.parts.borrow_mut().insert(table, Rc::clone(&part));
        Some(part)
    }

    /// Returns the columns that make up the document.
    pub fn document_columns(&self) -> &[String] {
        self.columns.get(..self.roles.documents.len()).unwrap_or_default()
    }

    /// Returns the columns that must be equal.
    pub fn scope_columns(&self) -> &[String] {
        let first = self.roles.documents.len();
        self.columns.get(first..first + self.roles.scope.len()).unwrap_or_default()
    }

    pub fn time_column(&self) -> Option<&String> {
        self.roles.time.and_then(|role| self.columns.get(role))
    }

    pub fn title_column(&self) -> Option<&String> {
        self.roles.title.and_then(|role| self.columns.get(role))
    }

    /// Returns the columns that must not differ.
    pub fn differ_columns(&self) -> &[String] {
        let count = self.roles.differ.len();
        self.roles.differ.first().and_then(|first| self.columns.get(*first..first + count)).unwrap_or_default()
    }

    /// Returns the columns in which copies agree.
    pub fn agree_columns(&self) -> &[String] {
        let count = self.roles.agree.len();
        self.roles.agree.first().and_then(|first| self.columns.get(*first..first + count)).unwrap_or_default()
    }

    /// Says whether more is compared of a row than its document.
    pub fn compares_more(&self) -> bool {
        self.roles.title.is_some() || self.roles.compared().next().is_some()
    }

    /// Returns the column for the original's key.
    pub fn marks(&self) -> Option<&String> {
        self.roles.marks.and_then(|role| self.columns.get(role))
    }

    /// Returns what forms the document of a row, for statements.
    pub fn document(&self) -> Document<'_> {
        let function = self.settings.expression.as_ref();
        Document { columns: self.document_columns(), expression: function.map(statement::qualified), table: self.table }
    }

    /// Checks that the function that forms documents, if there is one, is no other role's, and that no other role can put its own in its place:
    /// statements call it by its name, as their caller.
    ///
    /// # Errors
    /// If it is another role's or in the schema of one, or has got another name since the guard was read.
    pub fn check_expression(&self) -> Result<()> {
        let Some(name) = &self.settings.expression else { return Ok(()) };
        let shown = statement::qualified(name);
        let function = catalog::function_of_row(name, self.table)
            .ok_or_else(|| misuse(&format!("forms documents by function {shown}, which does not exist")))?;
        check_function(function, "forms documents")?;
        if catalog::is_of_trusted_schema(function, self.table) {
            return Ok(());
        }
        let message = format!("the guard forms documents by function {shown}, whose schema belongs to another role");
        Err(error(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, message)
            .set_detail("That role could put another function in its place, which would run with the privileges of the current role.")
            .set_hint("Move the function to the schema of the table, and name it again by neardup.protect."))
    }

    /// Returns the column for the original's key, if the guard has one.
    pub fn mark_column(&self, part: &Part) -> Option<i16> {
        (self.settings.on_duplicate == Action::Mark).then(|| self.roles.marks.map(|role| part.columns[role])).flatten()
    }

    /// Returns the columns for the key of a related row and for what a row is to it, if the guard marks such rows.
    pub fn related_columns(&self, part: &Part) -> Option<[i16; 2]> {
        let columns = self.roles.related.filter(|_| self.settings.on_related == OnRelated::Mark)?;
        Some(columns.map(|role| part.columns[role]))
    }

    /// Returns the part whose rows a trigger sees.
    pub fn part_of(&self, trigger: &RowTrigger<'_>) -> Result<Rc<Part>> {
        self.part(trigger.relation_oid()).ok_or_else(|| misuse("is on a table that does not belong to it"))
    }

    /// Takes what verdicts have learned of the table, or nothing if a table has doubled since; `size` is that of [`size_class`].
    pub fn take_forms(&self, size: u32) -> Forms {
        let kept = self.forms.take().filter(|(then, _)| *then == size);
        let begin = || Forms::with_room(sort_memory().clamp(SAMPLED.0, SAMPLED.1));
        kept.map_or_else(begin, |(_, mut forms)| {
            forms.forget_rows();
            forms
        })
    }

    /// Keeps what verdicts have learned.
    pub fn keep_forms(&self, size: u32, forms: Forms) {
        self.forms.replace(Some((size, forms)));
    }

    /// Makes the error for a table whose rows cannot be searched.
    pub fn without_index(&self, table: pg_sys::Oid) -> ErrorReport {
        let message = format!(
            "the guard of table \"{}\" has no usable index on \"{}\"",
            self.name,
            catalog::relation_name(table)
        );
        error(PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message)
            .set_detail("Without it, the guard would accept every row, or read the whole table for each.")
            .set_hint(format!("To create the index, call it again: {}", self.protect_again()))
    }

    /// The statement that makes the guard anew with the settings that it has.
    pub fn protect_again(&self) -> String {
        let (table, document) = (quote_literal(shown(self.table)), quote_literal(&self.columns[0]));
        format!("SELECT neardup.protect({table}, {document});")
    }
}

/// Returns a number that rises by one when a table doubles.
pub fn size_class(table: pg_sys::Oid) -> u32 {
    catalog::pages(table).checked_ilog2().map_or(0, |class| class + 1)
}

/// Returns the function that guards' triggers run.
fn guard_function() -> Option<pg_sys::Oid> {
    // SAFETY: called within a transaction.
    unsafe { catalog::function(c"neardup", c"guard", None) }
}
