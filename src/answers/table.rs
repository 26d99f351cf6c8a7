//! The table of answers beside a table: found by its name, trusted by its owner and its columns, read by the hashes of texts.

use std::cell::RefCell;
use std::rc::Rc;

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
const COLUMNS: [(&str, pg_sys::Oid); 7] = [
    ("hash", pg_sys::INT8OID),
    ("other_hash", pg_sys::INT8OID),
    ("is_copy", pg_sys::BOOLOID),
    ("key", pg_sys::TEXTOID),
    ("other", pg_sys::TEXTOID),
    ("act", pg_sys::TEXTOID),
    ("document", pg_sys::NAMEOID),
];

/// The act of an answer about a row that was restored, which has the key of the row first.
const RESTORE: &str = "restore";
/// The other hash of a note that is about a restored row alone. No text has it.
const ALONE: i64 = 0;

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
pub struct Answers {
    layout: Option<Layout>,
    /// The answers about texts of which there are many: each row of a group of equal texts asks for them.
    many: RefCell<Many>,
}

/// Answers by the hashes of texts, and how many there are.
#[derive(Default)]
struct Many {
    by_hash: AHashMap<u64, Rc<[Answer]>>,
    count: usize,
}

/// From how many answers about a text on they are kept for the next row, and how many are kept, of some 100 bytes each.
const MANY: usize = 16;
const MOST: usize = 50_000;

impl Answers {
    /// No answers.
    pub fn none() -> Self {
        Self::of(None)
    }

    fn of(layout: Option<Layout>) -> Self {
        Self { layout, many: RefCell::default() }
    }

    /// Finds the answers beside a guarded table.
    pub fn beside(guard: &Guard) -> Self {
        let found = catalog::relation(&name(guard.table));
        Self::of(found.and_then(|table| known(table, guard.owner)).filter(|layout| catalog::pages(layout.table) > 0))
    }

    /// Says whether there are none.
    pub const fn is_none(&self) -> bool {
        self.layout.is_none()
    }

    /// Returns the table, if there are any.
    pub fn table(&self) -> Option<pg_sys::Oid> {
        self.layout.map(|layout| layout.table)
    }

    /// Returns the answers about rows with this hash, each once: what clean-ups pass on may be there for several rows.
    pub fn on(&self, hash: u64) -> Rc<[Answer]> {
        let Some(layout) = &self.layout else { return Rc::default() };
        if let Some(all) = self.many.borrow().by_hash.get(&hash) {
            return Rc::clone(all);
        }
        let all: Rc<[Answer]> = layout.on(hash, layout.indexes).into();
        if all.len() >= MANY {
            let mut many = self.many.borrow_mut();
            if many.count + all.len() > MOST {
                *many = Many::default();
            }
            many.count += all.len();
            many.by_hash.insert(hash, Rc::clone(&all));
        }
        all
    }

    /// Returns those that say "a copy". Acts answer "no copy" by the thousand, people say "a copy" one by one: so there are few of these to search.
    pub fn copies_on(&self, hash: u64) -> Rc<[Answer]> {
        let Some(layout) = &self.layout else { return Rc::default() };
        let of_copies = [0, 1].map(|at: usize| layout.indexes_of_copies[at].or(layout.indexes[at]));
        let mut copies = layout.on(hash, of_copies);
        copies.retain(|answer| answer.is_copy);
        copies.into()
    }

    /// Returns what restores have noted of rows, for a guard of this document column.
    pub fn restored(&self, document: &str) -> Restored {
        self.layout.map_or_else(Restored::default, |layout| layout.restored(document))
    }
}

/// What restores have noted of rows, for a guard. All of it is in memory, so a note takes some 50 bytes: keys are there as hashes.
#[derive(Default)]
pub struct Restored {
    /// Whether any of the notes of a key is for the guard's document column.
    keys: AHashMap<u64, bool>,
    /// The hashes of the notes.
    hashes: AHashSet<i64>,
}

impl Restored {
    /// Says whether there is nothing.
    pub fn is_none(&self) -> bool {
        self.keys.is_empty()
    }

    /// Says whether anything is noted of a row with this key.
    pub fn names(&self, key: &str) -> bool {
        self.keys.contains_key(&text_hash(key))
    }

    /// Says whether the row with this key, whose text has this hash, was restored after a clean-up had removed it. A guard that is newer than the
    /// restore has no notes of its own: the key alone decides.
    pub fn has(&self, key: &str, hash: u64) -> bool {
        self.keys
            .get(&text_hash(key))
            .is_some_and(|is_own| !is_own || self.hashes.contains(&restored_hash(hash.cast_signed(), key)))
    }
}

impl Layout {
    /// Returns the answers about rows with this hash that the indexes have.
    fn on(&self, hash: u64, indexes: [Option<pg_sys::Oid>; 2]) -> Vec<Answer> {
        let [own, other, is_copy, key, other_key, ..] = self.columns;
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

    /// Returns what restores have noted, for a guard of this document column.
    fn restored(&self, guarded: &str) -> Restored {
        let [own, other, _, key, _, act, document] = self.columns;
        let mut notes = Restored::default();
        numbered::each(self.table, (other, self.indexes[1]), ALONE, |row| {
            let note = row.text(key).zip(row.number(own)).zip(row.name(document));
            if let Some(((key, hash), document)) = note.filter(|_| row.text(act).is_some_and(|act| act == RESTORE)) {
                *notes.keys.entry(text_hash(&key)).or_default() |= document == guarded;
                notes.hashes.insert(hash);
            }
        });
        notes
    }
}

/// Returns the hash under which a restore notes a row whose text has this hash, with this key: one of both, so that rows with one text are found one by
/// one. What else is compared of a row is no part of it: a guard that gets a title or columns that tell rows apart does not end a note.
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
