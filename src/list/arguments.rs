//! What a list compares, and which row stays: the arguments of lists and clean-ups, with the guard's settings where they say nothing.
//! They are checked here, once; SQL passes them on as JSON.

use pgrx::datum::Interval;
use pgrx::pg_sys;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};

use super::guarded::Guarded;
use super::rank::{NULL, Rank};
use crate::error::{Result, error};
use crate::guarded::arguments::{
    check_text, check_threshold, check_time, column, invalid, needs_verdict, no_time_column, shown, window,
};
use crate::guarded::settings::Method;
use crate::guarded::statement::{self, OrderKey};
use crate::pg::table::describe::{self, Column, Comparison};
use crate::pg::table::query::Session;

/// Which row of a group stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// The oldest.
    Oldest,
    /// The newest.
    Newest,
    /// The longest document.
    Longest,
    /// The fewest columns without a value.
    MostComplete,
}

/// What a list compares.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Choice {
    /// The guard of the table.
    pub guarded: Guarded,
    /// Which row stays.
    pub keep: Keep,
    /// The columns that come before that.
    pub rank: Vec<Rank>,
    /// The time of a row.
    pub time_column: Option<String>,
    /// The columns that must be equal.
    pub scope: Vec<String>,
    /// The first time, and the first that is too late.
    pub since: Option<String>,
    /// The first time that is too late.
    pub until: Option<String>,
    /// How texts are compared.
    pub verify: String,
    /// The least score, overlap or cosine.
    pub threshold: Option<f64>,
    /// Whether neither the caller nor the guard says so.
    pub is_threshold_open: bool,
    /// How far apart in time copies may be, in microseconds.
    pub window: Option<i64>,
    /// The column that the window goes by.
    pub timed: Option<String>,
    /// The greatest distance of SimHashes.
    pub distance: Option<u32>,
    /// The table whose rows all stay.
    pub against: Option<u32>,
    /// The table of new rows.
    pub source: Option<u32>,
}

/// The arguments of a list.
pub struct Arguments<'a> {
    pub keep: &'a str,
    pub time_column: Option<&'a str>,
    pub rank: Vec<Option<String>>,
    pub scope: Option<Vec<String>>,
    pub since: Option<&'a str>,
    pub until: Option<&'a str>,
    pub verify: Option<&'a str>,
    pub threshold: Option<f64>,
    pub within: Option<Interval>,
    pub max_distance: Option<i32>,
    pub against: Option<pg_sys::Oid>,
    pub source: Option<pg_sys::Oid>,
}

/// Gives the name of the measure that decides between two texts.
pub fn measure(verify: &str) -> &'static str {
    match verify {
        "overlap" => "overlap",
        "cosine" => "cosine",
        "none" => "simhash",
        _ => "facts",
    }
}

impl Choice {
    /// Reads what [`super::sketch::chosen`] has written.
    ///
    /// # Errors
    /// For anything else.
    pub fn read(choice: &str) -> Result<Self> {
        serde_json::from_str(choice)
            .map_err(|wrong| invalid("invalid form of choice".to_owned()).set_detail(format!("{wrong}.")))
    }

    /// Resolves the arguments of a list.
    ///
    /// # Errors
    /// For arguments that do not fit the table, the guard or each other.
    pub fn new(target: pg_sys::Oid, document: Option<&str>, arguments: Arguments<'_>) -> Result<Self> {
        let session = Session::open();
        let guarded = Guarded::read(&session, target, document)?;
        let own_window = arguments.within.as_ref().map(window).transpose()?;
        for name in arguments.scope.iter().flatten() {
            column(target, name)?;
        }
        if arguments.max_distance.is_some() && guarded.method != Method::SimHash {
            return Err(invalid("max_distance requires method simhash").set_detail(format!(
                "Column \"{}\" of table {} is guarded by method {}.",
                guarded.document,
                shown(target),
                guarded.method.name()
            )));
        }
        let verify = verify(&guarded, arguments.verify)?;
        // The guard's threshold is one of its own measure.
        let own = guarded.threshold.filter(|_| verify != "none" && measure(&verify) == measure(&guarded.verify));
        let threshold = arguments.threshold.or(own);
        check_threshold(&verify, threshold)?;
        let time_column = arguments.time_column.map(str::to_owned).or_else(|| guarded.time_column.clone());
        // The guard's time window goes by the guard's column, whatever column gives the order.
        let timed = if arguments.within.is_none() { guarded.time_column.clone() } else { time_column.clone() };
        let window = own_window.or(guarded.window);
        if arguments.within.is_some() && timed.is_none() {
            return Err(no_time_column("within wants a column to go by"));
        }
        if let (Some(_), Some(timed)) = (window, &timed) {
            check_time(target, timed)?;
        }
        let keep = match arguments.keep {
            "oldest" => Keep::Oldest,
            "newest" => Keep::Newest,
            "longest" => Keep::Longest,
            "most_complete" => Keep::MostComplete,
            other => return Err(invalid(format!("keep must be oldest, newest, longest or most_complete: {other}"))),
        };
        let rank: Result<Vec<Rank>> =
            arguments.rank.iter().map(|entry| Rank::parse(target, entry.as_deref().unwrap_or(NULL))).collect();
        let distance = match arguments.max_distance {
            Some(distance) => {
                Some(crate::argument::within("distance", distance, 0..=neardup_core::banding::MAX_DISTANCE)?)
            }
            None => guarded.distance,
        };
        let choice = Self {
            keep,
            rank: rank?,
            time_column,
            scope: arguments.scope.or_else(|| guarded.scope.clone()).unwrap_or_default(),
            since: arguments.since.map(str::to_owned),
            until: arguments.until.map(str::to_owned),
            is_threshold_open: threshold.is_none(),
            verify,
            threshold,
            window,
            timed,
            distance,
            against: arguments.against.map(u32::from),
            source: arguments.source.map(u32::from),
            guarded,
        };
        if let Some(name) = &choice.time_column {
            let kind = describe::base_type(column(target, name)?.kind);
            // Read here, so that an invalid value raises a plain error.
            for bound in choice.since.iter().chain(&choice.until) {
                crate::pg::call::column::input(bound, kind);
            }
        } else if choice.since.is_some() || choice.until.is_some() {
            return Err(no_time_column("since and until want a column to go by"));
        }
        if let Some(other) = arguments.against {
            choice.check_against(other)?;
        }
        if let Some(source) = arguments.source {
            choice.check_source(source)?;
        }
        Ok(choice)
    }

    /// Checks the table whose rows all stay. Only the compared columns of it are read, and nothing is converted except strings to text,
    /// so no type's cast runs.
    fn check_against(&self, other: pg_sys::Oid) -> Result<()> {
        let target = self.guarded.table();
        self.guarded.by_sketch()?;
        if self.keep != Keep::Oldest || !self.rank.is_empty() {
            return Err(invalid("keep and rank cannot be combined with against")
                .set_detail(format!("All rows of {} stay.", shown(other))));
        }
        if !matches!(describe::relation_kind(other), pg_sys::RELKIND_RELATION | pg_sys::RELKIND_PARTITIONED_TABLE) {
            let message = format!("{} is not a table", shown(other));
            return Err(error(PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE, message));
        }
        self.check_apart(other)?;
        if statement::primary_key(other).is_empty() {
            let message = format!("table {} has no primary key", shown(other));
            return Err(error(PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message)
                .set_detail("A clean-up identifies the row that stays by its primary key."));
        }
        for name in self.guarded.columns.iter().filter(|_| self.guarded.expression.is_none()) {
            check_text(other, name, column(other, name)?.kind)?;
        }
        let formed = self.guarded.columns.iter().filter(|_| self.guarded.expression.is_some());
        for name in self.scope.iter().chain(&self.timed).chain(formed) {
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
        let target = self.guarded.table();
        self.guarded.by_sketch()?;
        if source == target {
            return Err(invalid(format!("table {} is compared with itself", shown(source)))
                .set_hint(format!("SELECT * FROM neardup.duplicates('{}');", shown(source))));
        }
        if describe::relation_kind(source) != pg_sys::RELKIND_RELATION || describe::has_children(source) {
            let message = format!("{} is not an ordinary table", shown(source));
            return Err(error(PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE, message)
                .set_detail("New rows come from a table without partitions."));
        }
        self.check_apart(source)?;
        let known = describe::columns(source);
        let wanted =
            self.guarded.columns.iter().chain(self.guarded.scope.iter().flatten()).chain(&self.guarded.time_column);
        for name in wanted {
            if !known.iter().any(|column| column.name == *name) {
                let message = format!("column \"{name}\" of table {} does not exist", shown(source));
                return Err(error(PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN, message)
                    .set_detail(format!("The guard of table {} uses it.", shown(target))));
            }
        }
        Ok(())
    }

    /// Checks that no row is in both tables: neither is a partition or child of the other, and they have none in common.
    fn check_apart(&self, other: pg_sys::Oid) -> Result<()> {
        let target = self.guarded.table();
        let (own, others) = (describe::inheritors(target), describe::inheritors(other));
        if own.iter().any(|relation| others.contains(relation)) {
            let message = format!("tables {} and {} have rows in common", shown(target), shown(other));
            return Err(invalid(message).set_detail("Each of these would be a copy of itself."));
        }
        Ok(())
    }

    /// Gives the column with the time of a row: that of the window or, without one, any that is known.
    pub fn moment(&self) -> Option<&str> {
        let known = if self.window.is_some() { &self.timed } else { &self.time_column };
        known.as_deref()
    }

    /// Gives the condition on rows of the guarded table.
    pub fn filter(&self) -> Result<String> {
        let Some(name) = &self.time_column else { return Ok("true".to_owned()) };
        let kind = column(self.guarded.table(), name)?.kind;
        let bound = |value: &Option<String>, comparison| {
            value.as_ref().map(|value| {
                let literal = statement::cast(&pgrx::spi::quote_literal(value), kind);
                format!("{} {} {literal}", statement::column("t", name), statement::operator(kind, comparison))
            })
        };
        let bounds = [bound(&self.since, Comparison::NotLess), bound(&self.until, Comparison::Less)];
        let bounds: Vec<String> = bounds.into_iter().flatten().collect();
        Ok(if bounds.is_empty() { "true".to_owned() } else { bounds.join(" AND ") })
    }

    /// Gives by what the rows of the guarded table are ordered; the first row of a group in that order stays.
    pub fn order(&self, document: &str) -> Vec<OrderKey> {
        let mut list = Vec::new();
        for rank in &self.rank {
            let direction = if rank.descending { "DESC" } else { "ASC" };
            let nulls = if rank.nulls_first { "FIRST" } else { "LAST" };
            list.push(OrderKey::new(statement::column("t", &rank.column), format!("{direction} NULLS {nulls}")));
        }
        match self.keep {
            Keep::Longest => list.push(OrderKey::new(format!("pg_catalog.length({document})"), "DESC")),
            Keep::MostComplete => {
                let columns = describe::columns(self.guarded.table());
                let missing = |column: &Column| format!("({} IS NULL)::integer", statement::column("t", &column.name));
                let missing: Vec<String> = columns.iter().map(missing).collect();
                list.push(OrderKey::new(missing.join(" OPERATOR(pg_catalog.+) "), "ASC"));
            }
            Keep::Oldest | Keep::Newest => {}
        }
        let direction = if self.keep == Keep::Newest { "DESC" } else { "ASC" };
        let time = |name: &String| OrderKey::new(statement::column("t", name), format!("{direction} NULLS LAST"));
        list.extend(self.time_column.iter().map(time));
        let keys = statement::primary_key(self.guarded.table());
        list.extend(keys.iter().map(|key| OrderKey::new(statement::column("t", &key.name), direction)));
        list
    }
}

/// Says whether two columns have the same type and collation.
pub fn same_type(a: &Column, b: &Column) -> bool {
    (a.kind, a.collation) == (b.kind, b.collation)
}

/// Gives how texts are compared. Rows are removed without comparing their texts only if the caller asks for that; a guard that does not
/// verify is not enough.
fn verify(guarded: &Guarded, verify: Option<&str>) -> Result<String> {
    let own = Some(guarded.verify.as_str()).filter(|own| *own != "none");
    let verify = verify.or(own).unwrap_or("facts");
    let is_profile = verify.strip_prefix("profile:").is_some_and(|name| !name.is_empty());
    if !matches!(verify, "none" | "facts" | "overlap" | "cosine") && !is_profile {
        return Err(invalid(format!("verify must be none, facts, overlap, cosine or profile:NAME: {verify}")));
    }
    needs_verdict(verify, guarded.method == Method::Sketch)?;
    Ok(verify.to_owned())
}
