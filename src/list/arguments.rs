//! The arguments of lists and clean-ups, and what a list goes by: the arguments, with the guard's settings where they say nothing.
//!
//! The SQL functions pass their arguments as one JSON object, which [`Arguments`] reads; so an argument stands once in SQL and once here.
#![allow(unsafe_code, reason = "a value of type interval")]

use std::rc::Rc;

use pgrx::datum::Interval;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use pgrx::{FromDatum, JsonB, pg_sys};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::{Result, error, invalid};
use crate::guarded::arguments::{
    check_keys, check_text, check_text_form, check_time, column, no_primary_key, no_time_column, not_plain, only_guard,
    shown, window,
};
use crate::guarded::beside;
use crate::guarded::guard::Guard;
use crate::guarded::rank::Rank;
use crate::guarded::settings::{Excerpts, Method};
use crate::guarded::statement::{self, OrderKey};
use crate::pg::call::column::{input, output};
use crate::pg::call::settings;
use crate::pg::catalog::{self, Column, Comparison};
use crate::verdict::judge::Rule;
use crate::verdict::verify::Verify;

/// Which row of a group is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    Oldest,
    Newest,
    /// The longest document.
    Longest,
    /// The fewest columns without a value.
    MostComplete,
}

impl Keep {
    fn parse(name: &str) -> Result<Self> {
        match name {
            "oldest" => Ok(Self::Oldest),
            "newest" => Ok(Self::Newest),
            "longest" => Ok(Self::Longest),
            "most_complete" => Ok(Self::MostComplete),
            other => Err(invalid(format!("keep must be oldest, newest, longest or most_complete: {other}"))),
        }
    }
}

/// The arguments of a list, as SQL passes them. What is missing or NULL comes from the guard, or has a default.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    target: Option<u32>,
    document: Option<String>,
    #[serde(default = "Arguments::keep")]
    keep: Option<String>,
    time_column: Option<String>,
    /// The columns by which rows are preferred before anything else.
    rank: Option<Vec<Option<String>>>,
    scope: Option<Vec<Option<String>>>,
    /// The first time.
    since: Option<String>,
    /// The first time that is too late.
    until: Option<String>,
    verify: Option<String>,
    #[serde(default, deserialize_with = "real")]
    threshold: Option<f64>,
    excerpts: Option<String>,
    /// How far apart in time copies may be: an interval.
    within: Option<String>,
    max_distance: Option<i32>,
    /// A table whose rows are all kept.
    against: Option<u32>,
    /// A table of new rows.
    source: Option<u32>,
    /// Whether the list is made again without the rows that it has named, until it names none.
    settled: Option<bool>,
}

/// Reads a number: NaN and infinite ones are strings in JSON.
fn real<'d, D: Deserializer<'d>>(from: D) -> std::result::Result<Option<f64>, D::Error> {
    match serde_json::Value::deserialize(from)? {
        serde_json::Value::String(text) => text.parse().map(Some).map_err(D::Error::custom),
        number => Option::deserialize(number).map_err(D::Error::custom),
    }
}

fn invalid_arguments(wrong: serde_json::Error) -> ErrorReport {
    invalid("invalid arguments of a list").set_detail(format!("{wrong}."))
}

impl Arguments {
    fn keep() -> Option<String> {
        Some("oldest".to_owned())
    }

    /// Reads the object that an SQL function has built.
    ///
    /// # Errors
    /// For an unknown key, or a value of another type.
    pub fn read(object: JsonB) -> Result<Self> {
        serde_json::from_value(object.0).map_err(invalid_arguments)
    }

    /// Returns the tables that are named.
    pub fn tables(&self) -> impl Iterator<Item = pg_sys::Oid> {
        [self.target, self.against].into_iter().flatten().map(pg_sys::Oid::from)
    }

    /// Writes it for a statement.
    pub fn written(&self) -> String {
        format!("{}::jsonb", pgrx::spi::quote_literal(self.text()))
    }

    /// Writes it for another process, which reads it by [`Arguments::of_text`].
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads what [`Arguments::text`] has written.
    ///
    /// # Errors
    /// For another text.
    pub fn of_text(text: &[u8]) -> Result<Self> {
        serde_json::from_slice(text).map_err(invalid_arguments)
    }

    /// Prefers rows without a value in this column to all others.
    pub fn prefer_without(&mut self, column: &str) {
        let entry = format!("\"{}\" nulls first", column.replace('"', "\"\""));
        self.rank.get_or_insert_default().insert(0, Some(entry));
    }

    /// Requires at least this score of each duplicate, unless the caller has given another; the guard's counts if it is higher.
    pub fn require_at_least(&mut self, least: f64, of_guard: Option<f64>) {
        self.threshold.get_or_insert(of_guard.unwrap_or(least).max(least));
    }
}

/// What a list goes by.
#[derive(Clone)]
pub struct Choice {
    pub guard: Rc<Guard>,
    /// Which row of a group is kept.
    pub keep: Keep,
    /// The columns that come before that.
    pub rank: Vec<Rank>,
    pub time_column: Option<String>,
    /// The columns that must be equal.
    pub scope: Vec<String>,
    /// The title, if the verdict reads one.
    title: Option<String>,
    /// The columns that must not differ.
    pub differ: Vec<String>,
    /// The columns in which copies agree.
    pub agree: Vec<String>,
    /// What is done with excerpts.
    pub excerpts: Excerpts,
    pub since: Option<String>,
    pub until: Option<String>,
    /// How texts are compared.
    pub verify: Verify,
    /// The least score, overlap or cosine.
    pub threshold: Option<f64>,
    /// How far apart in time copies may be, in microseconds.
    pub window: Option<i64>,
    /// The column that the window goes by.
    pub timed: Option<String>,
    /// The greatest distance of SimHashes.
    pub distance: u32,
    /// The table whose rows are all kept.
    pub against: Option<pg_sys::Oid>,
    /// The table of new rows.
    pub source: Option<pg_sys::Oid>,
    /// Whether the list is made again until it finds nothing more.
    pub settled: bool,
}

/// Reads an interval.
fn interval(text: &str) -> Option<Interval> {
    // SAFETY: a value of that type, which its input function has made.
    unsafe { Interval::from_datum(input(text, pg_sys::INTERVALOID), false) }
}

/// Finds the guard of a table, or the one on a column of it.
fn guard_of(target: pg_sys::Oid, document: Option<&str>) -> Result<Rc<Guard>> {
    let is_meant = |guard: &Rc<Guard>| {
        guard.table == target && document.is_none_or(|name| guard.columns.first().is_some_and(|first| first == name))
    };
    only_guard(Guard::all_of(target)?.into_iter().filter(is_meant).collect(), target, document)
}

impl Choice {
    /// Resolves the arguments of a list.
    ///
    /// # Errors
    /// For arguments that do not fit the table, the guard or each other.
    pub fn of(arguments: &Arguments) -> Result<Self> {
        let Some(target) = arguments.target.map(pg_sys::Oid::from) else {
            return Err(error(PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED, "target must not be NULL"));
        };
        let guard = guard_of(target, arguments.document.as_deref())?;
        guard.check_expression()?;
        let settings = &guard.settings;
        let own_window = arguments.within.as_deref().and_then(interval).as_ref().map(window).transpose()?;
        let scope = match &arguments.scope {
            Some(scope) => scope.iter().flatten().cloned().collect(),
            None => guard.scope_columns().to_vec(),
        };
        for name in &scope {
            column(target, name)?;
        }
        if arguments.max_distance.is_some() && settings.method != Method::SimHash {
            return Err(
                invalid("max_distance requires method simhash").set_detail(format!("Column {}.", by_method(&guard)))
            );
        }
        let verify = verify(&guard, arguments.verify.as_deref())?;
        // The guard's threshold is one of its own measure.
        let is_own = verify != Verify::None && verify.measure() == settings.verify.measure();
        let threshold = arguments.threshold.or(settings.threshold.filter(|_| is_own));
        verify.check_threshold(threshold)?;
        let excerpts = arguments.excerpts.as_deref().map_or(Ok(settings.excerpts), Excerpts::parse)?;
        let of_guard = || guard.time_column().cloned();
        let time_column = arguments.time_column.clone().or_else(of_guard);
        // The guard's time window goes by the guard's column, whatever column gives the order.
        let timed = if arguments.within.is_none() { of_guard() } else { time_column.clone() };
        let window = own_window.or(settings.window);
        if arguments.within.is_some() && timed.is_none() {
            return Err(no_time_column("within wants a column to go by"));
        }
        if let (Some(_), Some(timed)) = (window, &timed) {
            check_time(target, timed)?;
        }
        let keep = Keep::parse(arguments.keep.as_deref().unwrap_or("<NULL>"))?;
        let rank = arguments.rank.iter().flatten();
        let rank: Result<Vec<Rank>> = rank.map(|entry| Rank::parse(target, entry.as_deref())).collect();
        let distance = match arguments.max_distance {
            Some(distance) => crate::argument::within("distance", distance, 0..=neardup_core::banding::MAX_DISTANCE)?,
            None => settings.distance,
        };
        let others = || [arguments.against, arguments.source].into_iter().flatten().map(pg_sys::Oid::from);
        let choice = Self {
            keep,
            rank: rank?,
            time_column,
            scope,
            // Also if the verdict reads neither: answers know rows by all that the guard compares. Rows of a table without titles are judged by their
            // texts, as a row without one.
            title: guard.title_column().filter(|name| others().all(|other| has_text(other, name))).cloned(),
            differ: guard.differ_columns().to_vec(),
            agree: guard.agree_columns().to_vec(),
            excerpts,
            since: arguments.since.clone(),
            until: arguments.until.clone(),
            verify,
            threshold,
            window,
            timed,
            distance,
            against: arguments.against.map(pg_sys::Oid::from),
            source: arguments.source.map(pg_sys::Oid::from),
            settled: arguments.settled.unwrap_or_default(),
            guard,
        };
        if let Some(name) = &choice.time_column {
            let found = column(target, name)?;
            let kind = catalog::base_type(found.kind);
            check_text_form(target, &found)?;
            // Read here, so that an invalid value raises a plain error.
            for bound in choice.since.iter().chain(&choice.until) {
                input(bound, kind);
            }
        } else if choice.since.is_some() || choice.until.is_some() {
            return Err(no_time_column("since and until want a column to go by"));
        }
        if let Some(other) = choice.against {
            choice.check_against(other)?;
        }
        if let Some(source) = choice.source {
            choice.check_source(source)?;
        }
        Ok(choice)
    }

    /// Checks that candidates are found by sketches.
    fn check_by_sketch(&self) -> Result<()> {
        if self.guard.settings.method == Method::Sketch {
            return Ok(());
        }
        let message = format!("column {}", by_method(&self.guard));
        Err(error(PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED, message)
            .set_detail("Tables are compared by the keys of sketches."))
    }

    /// Checks the table whose rows are all kept. Only the compared columns of it are read, and nothing is converted except strings to text,
    /// so no type's cast runs.
    fn check_against(&self, other: pg_sys::Oid) -> Result<()> {
        let target = self.guard.table;
        self.check_by_sketch()?;
        if self.keep != Keep::Oldest || !self.rank.is_empty() {
            return Err(invalid("keep and rank cannot be combined with against")
                .set_detail(format!("All rows of {} stay.", shown(other))));
        }
        if !matches!(catalog::relation_kind(other), pg_sys::RELKIND_RELATION | pg_sys::RELKIND_PARTITIONED_TABLE) {
            let message = format!("{} is not a table", shown(other));
            return Err(error(PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE, message));
        }
        self.check_apart(other)?;
        self.check_row()?;
        check_keys(other)?;
        if statement::primary_key(other).is_empty() {
            return Err(no_primary_key(other).set_detail("A clean-up identifies the kept row by its primary key."));
        }
        for name in self.guard.document_columns().iter().filter(|_| self.guard.expression.is_none()) {
            check_text(other, name, column(other, name)?.kind)?;
        }
        let formed = self.guard.document_columns().iter().filter(|_| self.guard.expression.is_some());
        for name in self.scope.iter().chain(&self.timed).chain(&self.differ).chain(&self.agree).chain(formed) {
            let found = column(other, name)?;
            if !same_type(&column(target, name)?, &found) {
                let message =
                    format!("column \"{name}\" has different types in {} and {}", shown(target), shown(other));
                return Err(error(PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH, message));
            }
        }
        Ok(())
    }

    /// Checks the table of new rows.
    fn check_source(&self, source: pg_sys::Oid) -> Result<()> {
        let target = self.guard.table;
        self.check_by_sketch()?;
        if source == target {
            return Err(invalid(format!("table {} is compared with itself", shown(source)))
                .set_hint(format!("SELECT * FROM neardup.duplicates('{}');", shown(source))));
        }
        if catalog::relation_kind(source) != pg_sys::RELKIND_RELATION || catalog::has_children(source) {
            let message = format!("{} is not an ordinary table", shown(source));
            return Err(error(PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE, message)
                .set_detail("New rows come from a table without partitions."));
        }
        self.check_apart(source)?;
        self.check_row()?;
        let known = catalog::columns(source);
        let compared = self.guard.document_columns().iter().chain(self.guard.scope_columns());
        for name in compared.chain(self.guard.time_column()).chain(&self.title).chain(&self.differ).chain(&self.agree) {
            let found = known.iter().find(|column| column.name == *name);
            if let Some(found) = found.filter(|found| column(target, name).is_ok_and(|own| !converts(found, &own))) {
                return Err(not_plain(source, found));
            }
            if found.is_none() {
                let message = format!("column \"{name}\" of table {} does not exist", shown(source));
                return Err(error(PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN, message)
                    .set_detail(format!("The guard of table {} uses it.", shown(target))));
            }
        }
        Ok(())
    }

    /// Checks, if a function forms documents, that a row of another table becomes one of the guarded table without code of another role.
    fn check_row(&self) -> Result<()> {
        let target = self.guard.table;
        let columns = self.guard.expression.map_or_else(Vec::new, |_| catalog::columns(target));
        let foreign = columns.iter().find(|column| !catalog::becomes_plainly(column.kind));
        foreign.map_or(Ok(()), |column| Err(not_plain(target, column)))
    }

    /// Checks that no row is in both tables: neither is a partition or child of the other, and they have none in common.
    fn check_apart(&self, other: pg_sys::Oid) -> Result<()> {
        let target = self.guard.table;
        let (own, others) = (catalog::inheritors(target), catalog::inheritors(other));
        if own.iter().any(|relation| others.contains(relation)) {
            let message = format!("tables {} and {} have rows in common", shown(target), shown(other));
            return Err(invalid(message).set_detail("Each of these would be a copy of itself."));
        }
        Ok(())
    }

    /// Returns the rule that judges two texts; `None` if only signatures are compared.
    pub fn rule(&self) -> Option<Rule<'_>> {
        let settings = &self.guard.settings;
        let correction = settings.correction.clone().filter(|_| self.verify == settings.verify);
        self.verify.rule(&settings.analyzer, self.threshold, None, correction)
    }

    /// Makes the expression that reads what is compared of a row besides its document: an array of text; `None` if there is no more.
    pub fn beside(&self, alias: &str) -> Option<String> {
        beside::expression(alias, self.title.as_ref(), [&self.differ, &self.agree])
    }

    /// Returns the column with the time of a row: that of the window or, without one, any that is known.
    pub fn time_of_row(&self) -> Option<&str> {
        let known = if self.window.is_some() { &self.timed } else { &self.time_column };
        known.as_deref()
    }

    /// Reads a time of the time column under the settings of the session, and writes it under those of a list.
    ///
    /// # Errors
    /// If there is no such column.
    pub fn plain_time(&self, time: Option<&str>) -> Result<Option<String>> {
        let (Some(time), Some(name)) = (time, &self.time_column) else { return Ok(None) };
        let kind = catalog::base_type(column(self.guard.table, name)?.kind);
        let value = input(time, kind);
        // SAFETY: the value is of that type.
        Ok(Some(settings::plain(|| unsafe { output(value, kind) })))
    }

    /// Returns the condition on rows of the guarded table.
    pub fn filter(&self) -> Result<String> {
        let Some(name) = &self.time_column else { return Ok("true".to_owned()) };
        let kind = column(self.guard.table, name)?.kind;
        let bound = |value: &Option<String>, comparison| {
            value.as_ref().map(|value| {
                let literal = statement::cast(&pgrx::spi::quote_literal(value), kind);
                statement::compared(&statement::column("t", name), comparison, &literal, kind)
            })
        };
        let bounds = [bound(&self.since, Comparison::NotLess), bound(&self.until, Comparison::Less)];
        let bounds: Vec<String> = bounds.into_iter().flatten().collect();
        Ok(if bounds.is_empty() { "true".to_owned() } else { bounds.join(" AND ") })
    }

    /// Returns by what the rows of the guarded table are ordered; the first row of a group in that order is kept.
    pub fn order(&self, document: &str) -> Vec<OrderKey> {
        let mut list: Vec<OrderKey> = self.rank.iter().map(Rank::order).collect();
        match self.keep {
            Keep::Longest => list.push(OrderKey::new(format!("pg_catalog.length({document})"), "DESC")),
            Keep::MostComplete => {
                let columns = catalog::columns(self.guard.table);
                let missing = |column: &Column| format!("({} IS NULL)::integer", statement::column("t", &column.name));
                let missing: Vec<String> = columns.iter().map(missing).collect();
                list.push(OrderKey::new(missing.join(" OPERATOR(pg_catalog.+) "), "ASC"));
            }
            Keep::Oldest | Keep::Newest => {}
        }
        let direction = if self.keep == Keep::Newest { "DESC" } else { "ASC" };
        let time = |name: &String| OrderKey::new(statement::column("t", name), format!("{direction} NULLS LAST"));
        list.extend(self.time_column.iter().map(time));
        let keys = statement::primary_key(self.guard.table);
        list.extend(keys.iter().map(|key| OrderKey::new(statement::column("t", &key.name), direction)));
        list
    }
}

/// Says whether a column of a table of new rows can be read as one of the guarded table without code of other roles.
pub fn converts(new: &Column, own: &Column) -> bool {
    catalog::is_plain_cast(new.kind, own.kind)
}

/// Says whether two columns have the same type and collation.
pub fn same_type(a: &Column, b: &Column) -> bool {
    (a.kind, a.collation) == (b.kind, b.collation)
}

/// Says by which method a guard works.
fn by_method(guard: &Guard) -> String {
    let (column, method) = (guard.columns.first().map_or("", String::as_str), guard.settings.method.name());
    format!("\"{column}\" of table {} is guarded by method {method}", shown(guard.table))
}

/// Returns how texts are compared. Rows are removed without comparing their texts only if the caller asks for that; a guard that does not
/// verify is not enough.
fn verify(guard: &Guard, asked: Option<&str>) -> Result<Verify> {
    let verify = match (asked, &guard.settings.verify) {
        (Some(name), _) => Verify::parse(name)?,
        (None, Verify::None) => Verify::default(),
        (None, own) => own.clone(),
    };
    guard.settings.method.check_verify(&verify)?;
    Ok(verify)
}

/// Says whether a relation has a column of this name that holds text.
fn has_text(relation: pg_sys::Oid, name: &str) -> bool {
    column(relation, name).is_ok_and(|found| check_text(relation, name, found.kind).is_ok())
}
