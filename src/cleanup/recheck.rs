//! Answers that are given while a clean-up runs: those on the rows of a batch are asked for again before it removes them.
//!
//! A row is left in place if it is now kept apart from the row that stays, or from another one that the clean-up removes in favour of the same
//! row: no third row joins what answers keep apart, as in a list. The answers are read as a constraint is read, and written as their owner. So
//! nothing is asked about a text, and nothing noted of it, that the caller may have put into the list by hand: keys and hashes are those of the rows
//! of the batch, which the caller sees. The list tells only which rows these are. The list of a caller to whom row security applies is asked
//! about no other rows.
//!
//! What was answered about a row that goes passes to the row that stays: "B is no copy of C" would be worth nothing if B went for A today, and
//! C for A tomorrow. It holds for A by its text already where A and B have one, and where C goes, too, it passes to the row that stays for C.

use ahash::AHashMap;
use neardup_core::candidates::Apart;
use pgrx::pg_sys;

use super::plan::{Cleanup, LIST};
use crate::answers::{Answers, Given};
use crate::error::Result;
use crate::guarded::plain;
use crate::guarded::statement::{self, EQUALS};
use crate::pg::call::role;
use crate::pg::catalog;
use crate::pg::table::change::{self, Parameter};
use crate::pg::table::query::{Row, Session};
use crate::pg::table::rows::Snapshot;

/// For how many rows that have gone it is noted that the same has passed on: each can be restored, and takes its own back. A text that is posted and
/// removed every night must not add to that for ever.
const MOST_OF_ONE: usize = 16;

/// A row of the batch that answers keep apart from others.
struct Asked {
    place: i64,
    key: String,
    given: Given,
    /// The key and the hash of the row that stays.
    kept: String,
    kept_hash: u64,
}

/// What is answered about the rows of a batch.
#[derive(Default)]
pub struct Meanwhile {
    /// The places of the rows that are kept apart from the row that stays or from those that go before them.
    pub left: Vec<i64>,
    /// What passes to the rows that stay.
    inherited: Vec<Inherited>,
    /// The table of answers.
    table: Option<pg_sys::Oid>,
}

/// A row that stays is no copy of another one, because a row that goes for it is none.
struct Inherited {
    /// The places of the rows whose going it rests on.
    places: Vec<i64>,
    gone: String,
    kept: String,
    kept_hash: u64,
    other: String,
    other_hash: u64,
}

impl Inherited {
    /// The other row goes, too: what passes on is about the row that stays for it.
    fn about_its_heir(&self, other: &Asked) -> Self {
        Self {
            places: [&self.places[..], &[other.place]].concat(),
            gone: self.gone.clone(),
            kept: self.kept.clone(),
            kept_hash: self.kept_hash,
            other: other.kept.clone(),
            other_hash: other.kept_hash,
        }
    }
}

/// Returns what is answered about the rows of the places `after + 1 .. last`.
///
/// # Errors
/// Those of the statements.
pub fn answered_meanwhile(cleanup: &Cleanup, after: i64, last: i64) -> Result<Meanwhile> {
    let answers = Answers::beside(&cleanup.choice.guard);
    // Another table's rows are not what answers are about.
    if answers.is_none() || cleanup.choice.against.is_some() {
        return Ok(Meanwhile::default());
    }
    // What the batch has found out is in the list by now, and what others have answered since it began counts.
    let snapshot = Snapshot::begin();
    let session = Session::open();
    let hash = |row: &Row<'_>, column| row.number(column).unwrap_or_default().cast_unsigned();
    let text = |row: &Row<'_>, column| row.text(column).unwrap_or_default().to_owned();
    let apart = |row: &Row<'_>, of, key| Given::about(&answers, hash(row, of)).apart(&text(row, key));
    let mut asked = Vec::new();
    let mut groups: AHashMap<String, Apart> = AHashMap::new();
    let batch = format!("c.place > {after} AND c.place <= {last} AND c.reason IS NULL");
    session.each(&session.prepare(&cleanup.stored(&batch), &[]), &[], |row| {
        let (given, key) = (Given::about(&answers, hash(row, 2)), text(row, 3));
        if given.keeps_apart(&key) {
            let (kept, kept_hash) = (text(row, 5), hash(row, 4));
            groups.entry(kept.clone()).or_insert_with(|| apart(row, 4, 5));
            asked.push(Asked { place: row.number(1).unwrap_or_default(), key, given, kept, kept_hash });
        }
        Ok(())
    })?;
    if !asked.is_empty() && !catalog::has_row_security(cleanup.choice.guard.table) {
        let gone = cleanup.gone_before(after, asked.iter().map(|row| row.place));
        session.each(&session.prepare(&cleanup.listed(&gone), &[]), &[], |row| {
            if let Some(group) = groups.get_mut(row.text(5).unwrap_or_default()) {
                group.add(&apart(row, 2, 3));
            }
            Ok(())
        })?;
    }
    drop(session);
    drop(snapshot);
    let mut meanwhile = Meanwhile { table: answers.table(), ..Meanwhile::default() };
    let mut goes = AHashMap::new();
    for row in &asked {
        let group = groups.entry(row.kept.clone()).or_default();
        let apart = row.given.apart(&row.key);
        if group.meets(&apart) {
            meanwhile.left.push(row.place);
        } else {
            group.add(&apart);
            goes.insert(&*row.key, row);
        }
    }
    for row in asked.iter().filter(|row| goes.contains_key(&*row.key)) {
        for passed in row.inherited(&answers) {
            let other = goes.get(&*passed.other).filter(|other| other.given.has_text(passed.other_hash));
            meanwhile.inherited.extend(other.map(|other| passed.about_its_heir(other)));
            meanwhile.inherited.push(passed);
        }
    }
    Ok(meanwhile)
}

impl Meanwhile {
    /// Keeps what passes to the rows that stay, where the other row has gone, as the owner of the table. What was said of the row that stays itself
    /// goes before; what has passed to it from one row passes from another one, too, and is taken back for each of them, up to [`MOST_OF_ONE`].
    ///
    /// # Errors
    /// If the table of answers is no plain table.
    pub fn keep(&self, cleanup: &Cleanup, owner: pg_sys::Oid) -> Result<()> {
        let Some(table) = self.table.filter(|_| !self.inherited.is_empty()) else { return Ok(()) };
        plain::check(table, owner, None)?;
        let has_gone = format!("SELECT FROM {LIST} c WHERE c.place {EQUALS} $1 AND c.reason IS NULL");
        // Of two rows with one text, an answer is about their keys.
        let (table, only) = (statement::relation(table), statement::only(table));
        let about = |hash, other_hash, key, other| {
            format!(
                "a.hash {EQUALS} {hash} AND a.other_hash {EQUALS} {other_hash} \
                 AND (a.hash OPERATOR(pg_catalog.<>) a.other_hash OR a.key {EQUALS} {key} AND a.other {EQUALS} {other})"
            )
        };
        let statement = format!(
            "INSERT INTO {table} (key, other, is_copy, note, act, role, at, document, hash, other_hash) \
             SELECT $1, $2, false, $3, 'cleanup', $4, pg_catalog.clock_timestamp(), $5, $6, $7 \
             WHERE (SELECT pg_catalog.count(*) {EQUALS} 0 OR pg_catalog.bool_and(a.act {EQUALS} 'cleanup' AND a.note OPERATOR(pg_catalog.<>) $3) \
                        AND pg_catalog.count(*) OPERATOR(pg_catalog.<) {MOST_OF_ONE} \
                    FROM {only} a WHERE a.is_copy IS NOT NULL AND ({} OR {}))",
            about("$6", "$7", "$1", "$2"),
            about("$7", "$6", "$2", "$1"),
        );
        let role = role::current();
        let document = cleanup.choice.guard.columns.first().map_or("", String::as_str);
        for answer in &self.inherited {
            let has_gone = |place: &i64| change::run(&has_gone, &[Parameter::Number(*place)]) > 0;
            if answer.places.iter().all(has_gone) {
                let values = [
                    Parameter::Text(&answer.kept),
                    Parameter::Text(&answer.other),
                    Parameter::Text(&answer.gone),
                    Parameter::Text(&role),
                    Parameter::Text(document),
                    Parameter::Number(answer.kept_hash.cast_signed()),
                    Parameter::Number(answer.other_hash.cast_signed()),
                ];
                change::run_as(owner, &statement, &values);
            }
        }
        Ok(())
    }
}

impl Asked {
    /// Returns what passes from the row to the one that stays; that this one is a copy goes before.
    fn inherited(&self, answers: &Answers) -> Vec<Inherited> {
        let heir = Given::about(answers, self.kept_hash);
        let passes = self.given.no_copies(&self.key).filter(|&(other, key)| {
            let is_itself = other == self.kept_hash && key == self.kept;
            let holds_anyway = self.given.has_text(self.kept_hash) && other != self.kept_hash;
            !is_itself && !holds_anyway && heir.on(&self.kept, other, key) != Some(true)
        });
        let inherited = |(other, key): (u64, &str)| Inherited {
            places: vec![self.place],
            gone: self.key.clone(),
            kept: self.kept.clone(),
            kept_hash: self.kept_hash,
            other: key.to_owned(),
            other_hash: other,
        };
        passes.map(inherited).collect()
    }
}

impl Cleanup {
    /// Places of the list, in order, with what is stored: place, hash and key of the duplicate row, hash and key of the kept row.
    fn stored(&self, condition: &str) -> String {
        format!(
            "SELECT c.place, s.own_hash, s.key, s.kept_hash, s.kept FROM {LIST} c CROSS JOIN LATERAL ( \
                 SELECT d.own_hash, {key} AS key, d.kept_hash, {kept} AS kept {unchanged} OFFSET 0) s WHERE {condition} ORDER BY c.place",
            key = statement::key_of("t", &self.keys),
            kept = statement::key_of("r", &self.kept_keys),
            unchanged = self.unchanged(),
        )
    }

    /// The same, as the list has it.
    fn listed(&self, condition: &str) -> String {
        format!(
            "SELECT c.place, c.document_hash, {key}, c.stays_hash, {kept} FROM {LIST} c WHERE {condition} ORDER BY c.place",
            key = self.duplicate_key(),
            kept = self.kept_key(),
        )
    }

    /// The condition that place c has gone before a batch in favour of the same row as one of these places.
    fn gone_before(&self, after: i64, places: impl Iterator<Item = i64>) -> String {
        let places: Vec<String> = places.map(|place| place.to_string()).collect();
        let same = |(number, key): (usize, &catalog::Column)| {
            statement::equals(&format!("b.r{number}"), &format!("c.r{number}"), key.kind)
        };
        format!(
            "c.place <= {after} AND c.reason IS NULL AND EXISTS ( \
                 SELECT FROM {LIST} b WHERE b.place = ANY ('{{{places}}}'::bigint[]) AND {same})",
            places = places.join(","),
            same = (1..).zip(&self.kept_keys).map(same).collect::<Vec<_>>().join(" AND "),
        )
    }
}
