//! The table of answers beside a table: found by its name, trusted by its owner and its columns, read by the hashes of texts.

use std::cell::RefCell;

use ahash::{AHashMap, AHashSet};
use neardup_core::signature::digest::text_hash;
use pgrx::prelude::*;

use super::given::Answer;
use crate::guarded::guard::Guard;
use crate::guarded::{names, statement};
use crate::pg::catalog;
use crate::pg::table::invalidation::{self, Stamp};
use crate::pg::table::numbered;

/// What the name of the table ends in, and how long a name may be before that.
const ENDING: &str = "_answers";
const LONGEST: usize = 63 - ENDING.len();

/// The columns that are read, in the order of [`Layout::columns`].
const COLUMNS: [(&str, pg_sys::Oid); 6] = [
    ("hash", pg_sys::INT8OID),
    ("other_hash", pg_sys::INT8OID),
    ("is_copy", pg_sys::BOOLOID),
    ("key", pg_sys::TEXTOID),
    ("other", pg_sys::TEXTOID),
    ("act", pg_sys::TEXTOID),
];

/// The act of an answer about a row that was restored, which has the key of the row first.
const RESTORE: &str = "restore";

/// A table of answers.
#[derive(Clone, Copy)]
struct Layout {
    table: pg_sys::Oid,
    columns: [i16; COLUMNS.len()],
    /// The indexes on both hashes, if there are any, and those of the answers that say "a copy".
    indexes: [Option<pg_sys::Oid>; 2],
    indexes_of_copies: [Option<pg_sys::Oid>; 2],
}

/// What is known of a table of answers for an owner; no layout if it is not trusted.
type Trusted = (Stamp, pg_sys::Oid, Option<Layout>);

thread_local! {
    /// By table of answers.
    static LAYOUTS: RefCell<AHashMap<pg_sys::Oid, Trusted>> = RefCell::default();
}

/// The answers about the rows of a table.
pub struct Answers(Option<Layout>);

impl Answers {
    /// No answers.
    pub const fn none() -> Self {
        Self(None)
    }

    /// Finds the answers beside a guarded table.
    pub fn beside(guard: &Guard) -> Self {
        let found = catalog::relation(&name(guard.table));
        Self(found.and_then(|table| known(table, guard.owner)).filter(|layout| catalog::pages(layout.table) > 0))
    }

    /// Says whether there are none.
    pub const fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the table, if there are any.
    pub fn table(&self) -> Option<pg_sys::Oid> {
        self.0.map(|layout| layout.table)
    }

    /// Returns the answers about rows with this hash, each once: what clean-ups pass on may be there for several rows.
    pub fn on(&self, hash: u64) -> Vec<Answer> {
        self.0.map_or_else(Vec::new, |layout| layout.on(hash, layout.indexes))
    }

    /// Returns those that say "a copy". Acts answer "no copy" by the thousand, people say "a copy" one by one: so there are few of these to search.
    pub fn copies_on(&self, hash: u64) -> Vec<Answer> {
        let Some(layout) = &self.0 else { return Vec::new() };
        let of_copies = [0, 1].map(|at: usize| layout.indexes_of_copies[at].or(layout.indexes[at]));
        let mut copies = layout.on(hash, of_copies);
        copies.retain(|answer| answer.is_copy);
        copies
    }

    /// Says whether the row with this hash and key was restored after a clean-up had removed it.
    pub fn restored(&self, hash: u64, key: &str) -> bool {
        self.0.is_some_and(|layout| layout.restored(hash, key))
    }
}

impl Layout {
    /// Returns the answers about rows with this hash that the indexes have.
    fn on(&self, hash: u64, indexes: [Option<pg_sys::Oid>; 2]) -> Vec<Answer> {
        let [own, other, is_copy, key, other_key, _] = self.columns;
        let (mut all, mut seen) = (Vec::new(), AHashSet::new());
        for (at, sides) in [(0, [(own, key), (other, other_key)]), (1, [(other, other_key), (own, key)])] {
            let column = (self.columns[at], indexes[at]);
            numbered::each(self.table, column, hash.cast_signed(), |row| {
                let [(_, own_key), (hash, other_key)] = sides;
                let text = |column| row.text(column).unwrap_or_default();
                let answer = row.number(hash).zip(row.flag(is_copy)).map(|(hash, is_copy)| Answer {
                    other: hash.cast_unsigned(),
                    key: text(own_key),
                    other_key: text(other_key),
                    is_copy,
                });
                all.extend(answer.filter(|answer| seen.insert(answer.clone())));
            });
        }
        all
    }

    /// Says whether a restore has noted the row with this hash and key.
    fn restored(&self, hash: u64, key: &str) -> bool {
        let [own, _, _, own_key, _, act] = self.columns;
        let mut found = false;
        numbered::each(self.table, (own, self.indexes[0]), restored_hash(hash.cast_signed(), key), |row| {
            let has = |column, text: &str| row.text(column).is_some_and(|has| has == text);
            found |= has(own_key, key) && has(act, RESTORE);
        });
        found
    }
}

/// Returns the hash under which a restore notes a row with this hash and key: one of both, so that rows with one text are found one by one.
#[pg_extern(sql = false)]
fn restored_hash(hash: i64, key: &str) -> i64 {
    text_hash(&format!("{hash} {key}")).cast_signed()
}

/// Returns the name of the table of answers beside a table, for SQL.
#[pg_extern(sql = false)]
fn answers_name(target: pg_sys::Oid) -> Option<String> {
    (catalog::relation_kind(target) != 0).then(|| statement::qualified(&name(target)))
}

/// Returns schema and name of the table of answers beside a table. The name is made of the table's and stored nowhere.
fn name(target: pg_sys::Oid) -> (String, String) {
    let (schema, name) = catalog::qualified_name(target);
    (schema, names::shortened(&name, LONGEST) + ENDING)
}

/// Returns what is known of a table of answers, if it is of the owner of the table beside it and has the columns. Anybody who may create
/// tables in the schema can make one of that name.
fn known(table: pg_sys::Oid, owner: pg_sys::Oid) -> Option<Layout> {
    let stamp = invalidation::stamp(table);
    let cached = LAYOUTS.with_borrow(|all| all.get(&table).copied());
    if let Some((_, _, layout)) = cached.filter(|(then, of, _)| *then == stamp && *of == owner) {
        return layout;
    }
    let layout = read(table, owner);
    LAYOUTS.with_borrow_mut(|all| all.insert(table, (stamp, owner, layout)));
    layout
}

fn read(table: pg_sys::Oid, owner: pg_sys::Oid) -> Option<Layout> {
    if catalog::owner(table) != Some(owner) || catalog::relation_kind(table) != pg_sys::RELKIND_RELATION {
        return None;
    }
    let found = catalog::columns(table);
    let number = |(name, kind): (&str, pg_sys::Oid)| {
        found.iter().find(|column| column.name == name && column.kind == kind).map(|column| column.number)
    };
    let mut columns = [0; COLUMNS.len()];
    for (to, column) in columns.iter_mut().zip(COLUMNS) {
        *to = number(column)?;
    }
    let [hash, other_hash, is_copy, ..] = columns;
    let indexes = [hash, other_hash].map(|column| numbered::index_on(table, column, None));
    let indexes_of_copies = [hash, other_hash].map(|column| numbered::index_on(table, column, Some(is_copy)));
    Some(Layout { table, columns, indexes, indexes_of_copies })
}
