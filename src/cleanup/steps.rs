//! The statements of a clean-up that name the user's table and columns, each whole, by the names of its steps. PL/pgSQL runs them
//! (run.sql); the session's temporary table `neardup_chosen` holds the list.
//!
//! Those of a batch have the parameters: after, last (places in the list), number of the run, number of the batch, columns of the run.
#![allow(unsafe_code, reason = "functions behind the error boundary")]

use pgrx::prelude::*;
use pgrx::spi::{quote_identifier, quote_literal};
use pgrx::{JsonB, pg_sys};
use serde_json::{Value, json};

use neardup_verdict::model::LEAST_SCORE_TO_REMOVE;

use super::reference::{Listed, foreign_keys};
use crate::error::Result;
use crate::guarded::statement::{self, EQUALS, as_text};
use crate::list::arguments::{Arguments, Choice, same_type};
use crate::pg::call::boundary;
use crate::pg::catalog::{self as describe, Column};
use crate::pg::table::query::Session;

/// What a statement needs to know of a clean-up.
struct Cleanup {
    arguments: Arguments,
    choice: Choice,
    action: String,
    /// The list, as a statement names it.
    list: String,
    target: String,
    keys: Vec<Column>,
    /// The table of the rows that stay.
    staying: pg_sys::Oid,
    staying_keys: Vec<Column>,
    /// The column in which a marked row names its original, and its type; text if it does not exist yet.
    mark: String,
    mark_kind: Option<pg_sys::Oid>,
}

/// Makes the statements of a clean-up.
#[pg_extern(sql = false)]
pub fn cleanup_steps(arguments: JsonB, action: &str, list: &str) -> Result<String> {
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    unsafe { boundary::entry(move || Cleanup::new(arguments, action, list)?.steps().map(|steps| steps.to_string())) }
}

/// Makes the statement that reads the document of the row whose primary key has the values `$1`, an array of text.
#[pg_extern(sql = false)]
pub fn document_statement(arguments: JsonB) -> Result<String> {
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    unsafe {
        boundary::entry(move || {
            let cleanup = Cleanup::new(arguments, "archive", "")?;
            let value = |number, key: &Column| statement::cast(&format!("($1)[{number}]"), key.kind);
            Ok(format!(
                "SELECT {document} FROM {target} t WHERE {has_key}",
                document = cleanup.choice.guard.document().of_table("t"),
                target = cleanup.target,
                has_key = statement::equal(&cleanup.keys, "t", value),
            ))
        })
    }
}

/// Gives the name of a column of the extension's own: the document's, shortened if need be, and an ending.
fn own_column(document: &str, ending: &str) -> String {
    if document.len() <= 50 {
        return format!("{document}{ending}");
    }
    let digest = neardup_core::signature::digest::text_digest(document);
    let short: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("document_{short}{ending}")
}

impl Cleanup {
    fn new(arguments: JsonB, action: &str, list: &str) -> Result<Self> {
        let mut arguments = Arguments::read(arguments)?;
        let mut choice = Choice::of(&arguments)?;
        if choice.threshold.is_none() && choice.verify.measure() == "facts" {
            arguments.require(LEAST_SCORE_TO_REMOVE);
            choice.threshold = Some(LEAST_SCORE_TO_REMOVE);
        }
        let target = choice.guard.table;
        let staying = choice.against.unwrap_or(target);
        let document = choice.guard.columns.first().map_or("", String::as_str);
        let mark = match (choice.against, choice.guard.marks()) {
            (None, Some(mark)) => mark.clone(),
            (None, None) => own_column(document, "_duplicate_of"),
            _ => own_column(document, "_known_as"),
        };
        let mark_kind =
            describe::columns(target).into_iter().find(|column| column.name == mark).map(|column| column.kind);
        Ok(Self {
            action: action.to_owned(),
            list: list.to_owned(),
            target: statement::relation(target),
            keys: statement::primary_key(target),
            staying,
            staying_keys: statement::primary_key(staying),
            mark,
            mark_kind,
            arguments,
            choice,
        })
    }

    fn steps(&self) -> Result<Value> {
        let session = Session::open();
        let references = foreign_keys(&session, self.choice.guard.table)?;
        let listed =
            Listed { list: &self.list, target: &self.target, is_goer: self.is_goer(), is_stayer: self.is_stayer() };
        Ok(json!({
            "document": self.choice.guard.columns.first(),
            "verify": self.choice.verify.name(),
            "threshold": self.choice.threshold,
            "target": self.target,
            "mark": self.mark,
            "add_mark": self.mark_kind.is_none().then(|| {
                format!("ALTER TABLE {} ADD COLUMN {} pg_catalog.text", self.target, quote_identifier(&self.mark))
            }),
            "list": self.create_list(),
            "forget_marked": self.forget_marked(),
            "show": self.show(),
            "lock": if references.is_empty() { Vec::new() } else { self.lock() },
            "skip": references.iter().map(|reference| reference.skip(&listed)).collect::<Vec<_>>(),
            "repoint": references.iter().map(|reference| reference.repoint(&listed)).collect::<Vec<_>>(),
            "references": references.iter().map(|reference| json!({
                "name": reference.name,
                "source": statement::relation(reference.source),
                "count": reference.count(&listed),
            })).collect::<Vec<_>>(),
            "remove": self.remove(),
            "left": self.left(),
        }))
    }

    /// The table of the rows that stay, by its name.
    fn staying(&self) -> String {
        statement::relation(self.staying)
    }

    /// The document of a row of that table.
    fn staying_document(&self, alias: &str) -> String {
        let document = self.choice.guard.document();
        if self.choice.against.is_none() {
            return document.of_table(alias);
        }
        let theirs = describe::columns(self.staying);
        document.of_other(alias, |own| theirs.iter().any(|column| column.name == own.name && same_type(own, column)))
    }

    fn is_goer(&self) -> String {
        statement::equal(&self.keys, "t", |number, _| format!("c.k{number}"))
    }

    fn is_stayer(&self) -> String {
        statement::equal(&self.staying_keys, "r", |number, _| format!("c.r{number}"))
    }

    /// The key of the row that stays, as one text.
    fn stays(&self) -> String {
        let values: Vec<String> = (1..=self.staying_keys.len()).map(|number| format!("c.r{number}")).collect();
        format!("pg_catalog.concat_ws(', ', {})", values.join(", "))
    }

    /// The key of a row that goes, as one text.
    fn goes(&self) -> String {
        let values: Vec<String> = (1..=self.keys.len()).map(|number| format!("c.k{number}")).collect();
        format!("pg_catalog.concat_ws(', ', {})", values.join(", "))
    }

    fn create_list(&self) -> String {
        let mut arguments = self.arguments.clone();
        if self.action == "mark" && self.mark_kind.is_some() && self.choice.against.is_none() {
            // A row that is already marked should not become the one that stays.
            arguments.prefer_without(&self.mark);
        }
        let typed = |from: &str, to: &str, keys: &[Column]| {
            let one = |(number, key): (usize, &Column)| {
                format!("{} AS {to}{number}", statement::cast(&format!("c.{from}[{number}]"), key.kind))
            };
            (1..).zip(keys).map(one).collect::<Vec<_>>().join(", ")
        };
        format!(
            "CREATE TEMPORARY TABLE {list} AS \
             SELECT pg_catalog.row_number() OVER () AS place, {goes}, {stays}, c.verdict, c.measure, c.value, c.group_size, \
                    c.document_hash, c.stays_hash, NULL::pg_catalog.text AS reason \
             FROM neardup_internal.copies({arguments}) c",
            list = self.list,
            goes = typed("key", "k", &self.keys),
            stays = typed("stays", "r", &self.staying_keys),
            arguments = arguments.written(),
        )
    }

    /// Rows that have a mark keep it.
    fn forget_marked(&self) -> Option<String> {
        let is_known = self.action == "mark" && self.mark_kind.is_some();
        is_known.then(|| {
            format!(
                "DELETE FROM {list} c USING {target} t WHERE {is_goer} AND {mark} IS NOT NULL",
                list = self.list,
                target = self.target,
                is_goer = self.is_goer(),
                mark = statement::column("t", &self.mark),
            )
        })
    }

    /// The pairs to show before anything is done: the least certain ones, each with what differs and the reasons of the verdict.
    fn show(&self) -> String {
        let texts = |prefix: &str, keys: &[Column]| {
            let texts: Vec<String> = (1..=keys.len()).map(|number| as_text(&format!("c.{prefix}{number}"))).collect();
            format!("ARRAY[{}]", texts.join(", "))
        };
        format!(
            "SELECT {goes} AS key, {stays} AS stays, neardup_internal.reason(c.verdict, c.measure, c.value) AS why, \
                    coalesce(x.parts[1], neardup_internal.beginning(d.goes)) AS goes_text, \
                    coalesce(x.parts[2], neardup_internal.beginning(d.stays)) AS stays_text, w.reasons \
             FROM (SELECT *, pg_catalog.row_number() OVER (ORDER BY {uncertain}, place) AS nth FROM {list} ORDER BY nth LIMIT 10) c \
                  JOIN {target} t ON {is_goer} \
                  JOIN {staying} r ON {is_stayer} \
                  CROSS JOIN LATERAL (SELECT {document} AS goes, {staying_document} AS stays OFFSET 0) d \
                  CROSS JOIN LATERAL (SELECT neardup_internal.difference(d.goes, d.stays) AS parts OFFSET 0) x \
                  LEFT JOIN LATERAL neardup_internal.reasons({arguments}, {goes_key}, {stays_key}, false) w ON c.measure {differs} 'identical' \
             ORDER BY c.nth",
            goes = self.goes(),
            stays = self.stays(),
            arguments = self.arguments.written(),
            goes_key = texts("k", &self.keys),
            stays_key = texts("r", &self.staying_keys),
            differs = "OPERATOR(pg_catalog.<>)",
            uncertain = "CASE measure WHEN 'simhash' THEN 0 OPERATOR(pg_catalog.-) value WHEN 'identical' THEN 2 ELSE value END",
            document = self.choice.guard.document().of_table("t"),
            staying_document = self.staying_document("r"),
            list = self.list,
            target = self.target,
            is_goer = self.is_goer(),
            staying = self.staying(),
            is_stayer = self.is_stayer(),
        )
    }

    /// Locks the rows of a batch before references to them are searched: a new reference has to wait for that. Then compares once more.
    fn lock(&self) -> Vec<String> {
        let lock = |table: &str, alias: &str, keys: &[Column], condition: &str, strength: &str| {
            format!(
                "SELECT FROM {table} {alias} \
                 WHERE EXISTS (SELECT FROM {list} c WHERE c.place > $1 AND c.place <= $2 AND {condition}) \
                 ORDER BY {keys} FOR {strength}",
                list = self.list,
                keys = statement::list(keys, |key| statement::column(alias, &key.name)),
            )
        };
        let staying = self.staying();
        let mut statements = Vec::new();
        if self.can_lock() {
            statements.push(lock(&staying, "r", &self.staying_keys, &self.is_stayer(), "KEY SHARE"));
        }
        statements.push(lock(&self.target, "t", &self.keys, &self.is_goer(), "UPDATE"));
        let document = self.staying_document("r");
        statements.push(format!(
            "UPDATE {list} c SET reason = 'changed meanwhile' \
             WHERE c.place > $1 AND c.place <= $2 AND c.reason IS NULL \
                   AND NOT EXISTS (SELECT FROM {target} t, {staying} r WHERE {is_goer} AND {is_stayer} AND {still})",
            list = self.list,
            target = self.target,
            is_goer = self.is_goer(),
            is_stayer = self.is_stayer(),
            still = self.still_copies(&format!("neardup_internal.text_hash({document})"), &document),
        ));
        statements
    }

    /// Rows that stay can be locked in another table only by a role that may update all of its rows.
    fn can_lock(&self) -> bool {
        self.choice.against.is_none() || describe::may_lock(self.staying)
    }

    /// The condition that two rows are still what was judged: their texts, scopes and times. An unchanged hash stands for a text that was
    /// judged; texts that were called identical by their hashes alone are compared in full.
    fn still_copies(&self, stays_hash: &str, stays_document: &str) -> String {
        let document = self.choice.guard.document().of_table("t");
        let columns = describe::columns(self.choice.guard.table);
        let mut conditions = vec![
            format!(
                "neardup_internal.text_hash({document}) {EQUALS} c.document_hash AND {stays_hash} {EQUALS} c.stays_hash"
            ),
            format!(
                "(c.document_hash OPERATOR(pg_catalog.<>) c.stays_hash \
                 OR ({document}) COLLATE pg_catalog.\"C\" {EQUALS} ({stays_document}) COLLATE pg_catalog.\"C\")"
            ),
        ];
        for name in &self.choice.scope {
            let kind =
                columns.iter().find(|column| column.name == *name).map_or(pg_sys::Oid::INVALID, |column| column.kind);
            let (goes, stays) = (statement::column("t", name), statement::column("r", name));
            let equals = statement::operator(kind, describe::Comparison::Equal);
            conditions.push(format!("({goes} {equals} {stays} OR {goes} IS NULL AND {stays} IS NULL)"));
        }
        if let (Some(window), Some(timed)) = (self.choice.window, &self.choice.timed) {
            let moment = |alias| statement::microseconds(&statement::column(alias, timed));
            // A row without a time is near all others.
            conditions.push(format!(
                "coalesce(pg_catalog.abs(({})::numeric OPERATOR(pg_catalog.-) ({})::numeric) \
                 OPERATOR(pg_catalog.<=) {window}::numeric, true)",
                moment("t"),
                moment("r"),
            ));
        }
        conditions.join(" AND ")
    }

    /// Removes or marks the rows of a batch, if they are still copies, and records them. A row that stays is read once, however many copies
    /// it has.
    fn remove(&self) -> String {
        let mut compared: Vec<&String> = self.choice.scope.iter().collect();
        compared.extend(self.choice.timed.iter().filter(|timed| !self.choice.scope.contains(timed)));
        let numbered = || (1..).zip(&compared);
        let read: String = numbered()
            .map(|(number, name)| format!("{} AS neardup_{number}, ", statement::column("r", name)))
            .collect();
        let named: Vec<String> = numbered()
            .map(|(number, name)| format!("c.neardup_{number} AS {}", quote_identifier(name.as_str())))
            .collect();
        let act = if self.action == "mark" {
            let kind = self.mark_kind.unwrap_or(pg_sys::TEXTOID);
            let (mark, stays) = (quote_identifier(&self.mark), statement::cast(&self.stays(), kind));
            format!("UPDATE {} t SET {mark} = {stays} FROM chosen c", self.target)
        } else {
            format!("DELETE FROM {} t USING chosen c", self.target)
        };
        format!(
            "WITH chosen AS MATERIALIZED ( \
                 SELECT c.*, {read}neardup_internal.text_hash({document}) AS neardup_hash, \
                        CASE WHEN c.document_hash {EQUALS} c.stays_hash THEN {document} END AS neardup_document \
                 FROM {list} c JOIN {staying} r ON {is_stayer} \
                 WHERE c.reason IS NULL AND c.place > $1 AND c.place <= $2{for_share}), \
             gone AS ( \
                 {act} CROSS JOIN LATERAL (SELECT {named}) r \
                 WHERE {is_goer} AND {still} \
                 RETURNING pg_catalog.concat_ws(', ', {keys}) AS key, {stays} AS duplicate_of, c.verdict, c.measure, c.value, \
                           {record} AS record) \
             INSERT INTO neardup.removed (run_id, batch, key, duplicate_of, verdict, measure, value, columns, record) \
             SELECT $3, $4, g.key, g.duplicate_of, g.verdict, g.measure, g.value, \
                    (SELECT CASE WHEN n.columns {EQUALS} $5 THEN NULL ELSE n.columns END \
                     FROM neardup_internal.column_names({target}) n(columns)), g.record \
             FROM gone g",
            document = self.staying_document("r"),
            list = self.list,
            staying = self.staying(),
            is_stayer = self.is_stayer(),
            for_share = if self.can_lock() { " FOR KEY SHARE OF r" } else { "" },
            named = named.join(", "),
            is_goer = self.is_goer(),
            still = self.still_copies("c.neardup_hash", "c.neardup_document"),
            keys = statement::list(&self.keys, |key| statement::column("t", &key.name)),
            stays = self.stays(),
            record = if self.action == "archive" { as_text("t.*") } else { "NULL::pg_catalog.text".to_owned() },
            target = quote_literal(&self.target),
        )
    }

    /// Records which rows of the list are still there.
    fn left(&self) -> String {
        format!(
            "INSERT INTO neardup.skipped (run_id, key, duplicate_of, reason) \
             SELECT $1, {goes}, {stays}, coalesce(c.reason, 'changed meanwhile') \
             FROM {list} c \
             WHERE (c.reason IS NOT NULL OR $2) AND EXISTS (SELECT FROM {target} t WHERE {is_goer}) \
             ORDER BY c.place",
            goes = self.goes(),
            stays = self.stays(),
            list = self.list,
            target = self.target,
            is_goer = self.is_goer(),
        )
    }
}
