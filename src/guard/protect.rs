//! The arguments of `neardup.protect`, checked once, and the index that a guard needs. `protect.sql` makes what a guard consists of.

use neardup_core::banding::MAX_DISTANCE;
use pgrx::datum::Interval;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use pgrx::spi::{quote_identifier, quote_literal};
use serde_json::{Map, Value, json};

use crate::error::{Result, error, invalid};
use crate::guarded::arguments::{
    check_merges, check_text, check_time, column, no_merge, no_primary_key, no_time_column, shown, shown_function,
    stored_column, window,
};
use crate::guarded::beside;
use crate::guarded::document::Document;
use crate::guarded::index;
use crate::guarded::settings::{Action, Excerpts, MAX_KEYS, Method, OnRelated, Settings};
use crate::guarded::statement;
use crate::pg::call::column::output;
use crate::pg::call::{boundary, role};
use crate::pg::catalog;
use crate::pg::lock::session::ProcedureLock;
use crate::sketch;
use crate::text::analyzer;
use crate::verdict::verify::Verify;

/// What messages show of an argument that is NULL.
const NULL: &str = "<NULL>";

type Names = Vec<Option<String>>;

/// How candidates are found and compared.
struct Search {
    method: Method,
    analyzer: String,
    keys: Option<i32>,
    distance: Option<i32>,
    on_duplicate: Action,
    verify: Verify,
    threshold: Option<f64>,
}

/// Checks the arguments of `neardup.protect`, with defaults filled in. Returns `settings`, the argument of the guard's trigger as far as
/// they make it, and `columns`, those of its `UPDATE OF` list: document, scope, time, title, those that must not differ, those in which
/// copies agree.
#[allow(clippy::too_many_arguments, reason = "the arguments of an SQL function")]
#[pg_extern(sql = false)]
pub fn checked_guard(
    target: Option<pg_sys::Oid>,
    document: Option<&str>,
    columns: Option<Names>,
    expression: Option<pg_sys::Oid>,
    method: Option<&str>,
    analyzer: Option<&str>,
    keys: Option<i32>,
    distance: Option<i32>,
    on_duplicate: Option<&str>,
    verify: Option<&str>,
    threshold: Option<f64>,
    scope: Option<Names>,
    within: Option<Interval>,
    time_column: Option<&str>,
    log: Option<bool>,
    merge: Option<pg_sys::Oid>,
    title: Option<&str>,
    differ: Option<Names>,
    agree: Option<Names>,
    excerpts: Option<&str>,
    on_related: Option<&str>,
    finds_title: Option<bool>,
) -> Result<String> {
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    unsafe {
        boundary::entry(move || {
            let Some(target) = target else { return Err(not_a_table(NULL)) };
            let mut columns = document_columns(target, document, columns, expression)?;
            let documents = columns.len();
            let comparison = Search::checked(
                method.unwrap_or(NULL),
                analyzer,
                (keys, distance),
                on_duplicate.unwrap_or(NULL),
                verify.unwrap_or(NULL),
                threshold,
            )?;
            check_merge(target, comparison.on_duplicate, merge)?;
            if catalog::is_partition(target) && comparison.on_duplicate.leaves_out() {
                let message =
                    format!("a guard on a partition cannot have on_duplicate {}", comparison.on_duplicate.name());
                return Err(error(PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED, message)
                    .set_detail(
                        "An UPDATE may move a row here from a partition that the guard does not see; left out, the row would be lost.",
                    )
                    .set_hint("Guard the partitioned table instead."));
            }
            columns.extend(scope_columns(target, scope)?);
            let scopes = columns.len() - documents;
            if within.is_some() && time_column.is_none() {
                return Err(no_time_column("within wants a column to go by"));
            }
            let window = within.as_ref().map(window).transpose()?;
            if let Some(name) = time_column {
                check_time(target, name)?;
                columns.push(name.to_owned());
            }
            let [differ, agree] = [names(differ), names(agree)];
            let title = title.map(str::to_owned).or_else(|| {
                let reads = comparison.verify.reads_titles() && expression.is_none() && finds_title == Some(true);
                let guarded = [columns.as_slice(), &differ, &agree].concat();
                title_column(target, &guarded).filter(|_| reads)
            });
            if let Some(name) = &title {
                check_title(target, name, &comparison.verify)?;
                columns.push(name.clone());
            }
            check_agree(&agree, &comparison.verify)?;
            let (differs, agrees) = (differ.len(), agree.len());
            for name in differ.into_iter().chain(agree) {
                stored_column(target, &name)?;
                columns.push(name);
            }
            let excerpts = Excerpts::parse(excerpts.unwrap_or(NULL))?;
            let on_related = related(on_related.unwrap_or(NULL), &comparison.verify)?;
            // The trigger lists each column once; the position in that list determines the role.
            let repeated = |(at, name): (usize, &String)| columns[..at].contains(name).then(|| name.clone());
            if let Some(name) = columns.iter().enumerate().find_map(repeated) {
                return Err(invalid(format!("column \"{name}\" is named twice")).set_detail(
                    "A column is part of the document or of the scope, is the time or the title, must not differ, or is one in which copies agree.",
                ));
            }
            let mut settings = comparison.settings();
            set(&mut settings, "columns", Some(documents - 1).filter(|more| *more > 0));
            set(&mut settings, "expression", expression.map(catalog::function_name));
            set(&mut settings, "scope", Some(scopes).filter(|scopes| *scopes > 0));
            set(&mut settings, "time", time_column.map(|_| true));
            set(&mut settings, "title", title.as_ref().map(|_| true));
            set(&mut settings, "differ", Some(differs).filter(|differs| *differs > 0));
            set(&mut settings, "agree", Some(agrees).filter(|agrees| *agrees > 0));
            set(&mut settings, "excerpts", Some(excerpts).filter(|excerpts| *excerpts == Excerpts::Keep));
            set(&mut settings, "on_related", Some(on_related).filter(|on_related| *on_related != OnRelated::Store));
            set(&mut settings, "window", window);
            set(&mut settings, "log", log.filter(|log| *log));
            let judges = comparison.verify.measure() == "facts";
            let proposed = only_time_column(target, &columns).filter(|_| judges && time_column.is_none());
            Ok(json!({ "settings": settings, "columns": columns, "proposed_time": proposed, "title": title })
                .to_string())
        })
    }
}

/// Returns the only column of a table that can be the time of a row and that the guard does not have yet.
fn only_time_column(table: pg_sys::Oid, guarded: &[String]) -> Option<String> {
    let times = || catalog::columns(table).into_iter().filter(catalog::is_time);
    let mut free = times().filter(|column| !column.is_generated && !guarded.contains(&column.name));
    free.next().filter(|_| times().count() == 1).map(|column| column.name)
}

/// Returns the first column that is called a title and has no other role in the guard.
fn title_column(table: pg_sys::Oid, guarded: &[String]) -> Option<String> {
    let is_title = |column: &catalog::Column| beside::is_title(&column.name, column.kind);
    let mut free =
        catalog::columns(table).into_iter().filter(|column| !column.is_generated && !guarded.contains(&column.name));
    free.find(is_title).map(|column| column.name)
}

fn set(settings: &mut Map<String, Value>, name: &str, value: Option<impl serde::Serialize>) {
    if let Some(value) = value {
        settings.insert(name.to_owned(), json!(value));
    }
}

impl Search {
    fn checked(
        method: &str,
        analyzer: Option<&str>,
        (keys, distance): (Option<i32>, Option<i32>),
        on_duplicate: &str,
        verify: &str,
        threshold: Option<f64>,
    ) -> Result<Self> {
        let (method, verify) = (Method::parse(method)?, Verify::parse(verify)?);
        let most_keys = MAX_KEYS as i32;
        match method {
            Method::Sketch => {
                if let Some(distance) = distance {
                    return Err(invalid(format!("distance requires method simhash: {distance}")));
                }
                method.check_verify(&verify)?;
                if let Some(keys) = keys.filter(|keys| !(1..=most_keys).contains(keys)) {
                    return Err(invalid(format!("keys must be between 1 and {most_keys}: {keys}")));
                }
            }
            Method::SimHash => {
                if let Some(keys) = keys {
                    return Err(invalid(format!("keys requires method sketch: {keys}")));
                }
                distance.map(|distance| crate::argument::within("distance", distance, 0..=MAX_DISTANCE)).transpose()?;
            }
        }
        verify.check_threshold(threshold)?;
        let preset = if method == Method::Sketch { sketch::ANALYZER } else { "chars:3" };
        let analyzer = analyzer.unwrap_or(preset).to_owned();
        analyzer::with(&analyzer, |_, _| ())?;
        let (verify, on_duplicate) = (verify.pinned()?, Action::parse(on_duplicate)?);
        Ok(Self { method, analyzer, keys, distance, on_duplicate, verify, threshold })
    }

    fn settings(&self) -> Map<String, Value> {
        let mut settings = Map::new();
        let by_sketch = self.method == Method::Sketch;
        set(&mut settings, "method", (!by_sketch).then(|| self.method.name()));
        set(&mut settings, "analyzer", Some(&self.analyzer));
        set(&mut settings, "keys", by_sketch.then(|| self.keys.unwrap_or(sketch::KEYS as i32)));
        set(&mut settings, "distance", (!by_sketch).then(|| self.distance.unwrap_or(7)));
        set(&mut settings, "on_duplicate", Some(self.on_duplicate.name()));
        set(&mut settings, "verify", Some(&self.verify).filter(|verify| **verify != Verify::Facts));
        set(&mut settings, "threshold", self.threshold);
        settings
    }
}

fn not_a_table(shown: &str) -> ErrorReport {
    error(PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE, format!("{shown} is not a table"))
        .set_detail("A guard is a row trigger, and only ordinary and partitioned tables have them.")
}

/// Checks the function that merges rows.
fn check_merge(target: pg_sys::Oid, on_duplicate: Action, merge: Option<pg_sys::Oid>) -> Result<()> {
    match (on_duplicate, merge) {
        (Action::Merge, None) => Err(no_merge(target, "on_duplicate")),
        (Action::Merge, Some(function)) => check_merges(function, target),
        (_, None) => Ok(()),
        (_, Some(function)) => Err(invalid(format!("merge requires on_duplicate merge: {}", shown_function(function)))),
    }
}

/// Returns the columns of a document: columns of text, or those by which an immutable function of the row forms it.
fn document_columns(
    target: pg_sys::Oid,
    document: Option<&str>,
    columns: Option<Names>,
    expression: Option<pg_sys::Oid>,
) -> Result<Vec<String>> {
    if !matches!(catalog::relation_kind(target), pg_sys::RELKIND_RELATION | pg_sys::RELKIND_PARTITIONED_TABLE) {
        return Err(not_a_table(&shown(target)));
    }
    let Some(document) = document else {
        return Err(error(PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED, "document must not be NULL"));
    };
    let mut all = vec![document.to_owned()];
    if let Some(columns) = columns {
        let columns: Vec<String> = columns.into_iter().map(|name| name.unwrap_or_else(|| NULL.to_owned())).collect();
        if !columns.iter().any(|name| name == document) {
            return Err(invalid(format!("columns must include the document column \"{document}\"")));
        }
        all.extend(columns.into_iter().filter(|name| name != document));
    }
    for name in &all {
        let found = stored_column(target, name)?;
        if expression.is_none() {
            check_text(target, name, catalog::base_type(found.kind))?;
        }
    }
    expression.map_or(Ok(()), |function| check_document(target, function))?;
    if catalog::primary_key(target).is_empty() {
        return Err(no_primary_key(target).set_detail("The guard identifies a row by its primary key."));
    }
    Ok(all)
}

/// Checks the function that makes a document from a row.
fn check_document(target: pg_sys::Oid, function: pg_sys::Oid) -> Result<()> {
    // SAFETY: a function's number is a value of that type.
    let name = || unsafe { output(pg_sys::Datum::from(function), pg_sys::REGPROCOID) };
    if !catalog::is_immutable_text_of_row(function, target) {
        let message = format!("function {} cannot make a document from a row of {}", name(), shown(target));
        return Err(error(PgSqlErrorCode::ERRCODE_INVALID_FUNCTION_DEFINITION, message)
            .set_detail("Such a function takes one row of the table, returns text, and is IMMUTABLE."));
    }
    // To inline the function may evaluate others, so this is done as the owner, as the index is built. A caller who does not own the table fails later.
    let owner = catalog::owner(target).filter(|_| role::owns(target));
    let read = owner.and_then(|owner| role::as_owner(owner, || catalog::generated_column_of(function, target)));
    let Some(column) = read else { return Ok(()) };
    let message =
        format!("function {} reads the generated column \"{}\" of table {}", name(), column.name, shown(target));
    Err(error(PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED, message)
        .set_detail("Generated columns are computed after the guard runs.")
        .set_hint("Let the function read the columns that it is computed from."))
}

fn names(list: Option<Names>) -> Vec<String> {
    list.unwrap_or_default().into_iter().map(|name| name.unwrap_or_else(|| NULL.to_owned())).collect()
}

/// Checks the title column.
fn check_title(target: pg_sys::Oid, name: &str, verify: &Verify) -> Result<()> {
    let found = stored_column(target, name)?;
    check_text(target, name, catalog::base_type(found.kind))?;
    if verify.reads_titles() {
        return Ok(());
    }
    Err(invalid(format!("title requires verify facts or a profile: {name}"))
        .set_detail("Only such verdicts read a title.")
        .set_hint("To keep rows apart whose titles are not the same, name the column in differ. To guard without: reset => '{title}'."))
}

/// Checks that the columns in which copies agree are read.
fn check_agree(agree: &[String], verify: &Verify) -> Result<()> {
    let Some(name) = agree.first().filter(|_| !verify.reads_titles()) else { return Ok(()) };
    Err(invalid(format!("agree requires verify facts or a profile: {name}"))
        .set_detail("Only such verdicts weigh what a column says.")
        .set_hint("To keep rows apart whose values are not the same, name the column in differ. To guard without: reset => '{agree}'."))
}

/// Reads what is done with related rows.
fn related(name: &str, verify: &Verify) -> Result<OnRelated> {
    let on_related = OnRelated::parse(name)?;
    if on_related == OnRelated::Store || verify.measure() == "facts" {
        return Ok(on_related);
    }
    Err(invalid(format!("on_related mark requires verify facts or a profile: {}", verify.name()))
        .set_detail("Only such verdicts say what two rows are if they are no copies.")
        .set_hint("To guard without: on_related => 'store'."))
}

/// Returns the columns that must be equal.
fn scope_columns(target: pg_sys::Oid, scope: Option<Names>) -> Result<Vec<String>> {
    let scope = names(scope);
    for name in &scope {
        let found = stored_column(target, name)?;
        if !catalog::has_equality(found.kind) {
            let message =
                format!("could not identify an equality operator for type {}", catalog::shown_type(found.kind));
            return Err(error(PgSqlErrorCode::ERRCODE_UNDEFINED_FUNCTION, message));
        }
    }
    Ok(scope)
}

/// Reads settings that [`checked_guard`] has made.
fn parsed(settings: &str) -> Result<Settings> {
    Settings::parse(settings).map_err(|wrong| invalid("invalid guard settings").set_detail(wrong))
}

/// Returns the index by which a guard with these settings and columns finds candidates.
#[pg_extern(sql = false)]
pub fn guard_index(target: pg_sys::Oid, settings: &str, columns: Names) -> Result<Option<pg_sys::Oid>> {
    let settings = parsed(settings)?;
    let documents = columns.iter().flatten().take(settings.document_columns());
    let numbers: Result<Vec<i16>> = documents.map(|name| column(target, name).map(|column| column.number)).collect();
    let expression = settings.expression.as_ref().and_then(|name| catalog::function_of_row(name, target));
    Ok(index::index_of(target, &settings, &numbers?, expression).map(|found| found.index))
}

/// Makes the statement that creates this index.
#[pg_extern(sql = false)]
pub fn index_statement(target: pg_sys::Oid, settings: &str, columns: Names, concurrently: bool) -> Result<String> {
    let settings = parsed(settings)?;
    let columns: Vec<String> = columns.into_iter().flatten().take(settings.document_columns()).collect();
    let function = settings
        .expression
        .as_ref()
        .map(|(schema, name)| format!("{}.{}", quote_identifier(schema.as_str()), quote_identifier(name.as_str())));
    let document = Document { columns: &columns, expression: function, table: target }.of_index();
    let analyzer = quote_literal(&settings.analyzer);
    let signature = match settings.method {
        Method::Sketch => format!("sketch({document}, {analyzer}, {})", settings.keys),
        Method::SimHash => format!("simhash({document}, {analyzer})"),
    };
    Ok(format!(
        "CREATE INDEX {concurrently}ON {table} USING neardup ({schema}.{signature})",
        concurrently = if concurrently { "CONCURRENTLY " } else { "" },
        table = statement::relation(target),
        schema = statement::extension(),
    ))
}

/// Keeps clean-ups of other sessions off a table until the end of the transaction; false if one is running. Only the owner, whose guard
/// it is, may do so.
#[pg_extern(sql = false)]
pub fn keep_out(target: pg_sys::Oid) -> Result<bool> {
    if !role::owns(target) {
        let message = format!("must be owner of table {}", catalog::relation_name(target));
        return Err(error(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, message));
    }
    Ok(ProcedureLock(target).keep_out())
}
