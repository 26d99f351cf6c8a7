//! The look: which row there is a near-duplicate of the new one.
//!
//! Cheapest first. Rows with the very same SimHash cost one descent into an index; only where none of them is a match, all
//! rows within the distance are listed, from index entries alone, and visited nearest first until one passes every test: it
//! lives, is another row, of the same scope, of the right time, and its text is verified. Other signatures are compared where
//! rows share a key, and those that are near likewise.

use std::borrow::Cow;

use super::bulk;
use super::signature::Signature;
use super::subject::{Subject, document_of};
use super::target::{Guard, Part};
use super::verify::{Measure, Verifier};
use crate::datum::column::microseconds;
use crate::datum::lock::Holder;
use crate::datum::table::{Moment, Place, Table, Version};
use crate::error::Result;

/// How many texts are compared with a new one at most: of many rows of one form and other facts, the nearest.
const MOST_TEXTS: usize = 256;

/// The row that a new one duplicates.
#[derive(Clone, Debug)]
pub struct Match {
    /// Its primary key, as text.
    pub key: String,
    /// The Hamming distance of the signatures, or their similarity.
    pub near: f64,
    /// By what it was found to be one.
    pub measure: Measure,
}

/// What a look has found.
pub enum Answer {
    /// No near-duplicate.
    Clear,
    /// One.
    Found(Match),
    /// One, if this transaction ends one way or the other.
    Wait(Holder),
    /// The table has changed under the look, which has to begin again.
    Again,
}

/// One look.
struct Look<'a, 'b> {
    guard: &'a Guard,
    subject: &'a Subject<'b>,
    signature: &'a Signature,
    verifier: Verifier<'a>,
    texts: usize,
    moment: Moment,
}

/// Looks once.
pub fn look(guard: &Guard, subject: &Subject<'_>, signature: &Signature) -> Result<Answer> {
    let near = bulk::near(guard.place, signature, guard.settings.distance);
    if near.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Answer::Clear);
    }
    let verifier = Verifier::new(&guard.settings, guard.owner, &subject.document);
    let mut look = Look { guard, subject, signature, verifier, texts: 0, moment: Moment::begin() };
    let mut tables: Vec<Table> = guard.parts.iter().map(|part| part.open(&guard.roles)).collect();
    match near {
        Some(near) if tables.iter().all(Table::is_indexed) => {
            for (_, other) in near {
                if let Some(answer) = look.equal(&mut tables, other)? {
                    return Ok(answer);
                }
            }
            Ok(Answer::Clear)
        }
        _ => match signature.simhash() {
            None => look.sharing(&mut tables),
            Some(bits) => match look.equal(&mut tables, bits)? {
                Some(answer) => Ok(answer),
                None => look.near(&mut tables, bits),
            },
        },
    }
}

impl Look<'_, '_> {
    fn equal(&mut self, tables: &mut [Table], signature: u64) -> Result<Option<Answer>> {
        for (part, table) in self.guard.parts.iter().zip(tables) {
            let places = table.equal(signature);
            for place in places {
                if let Some(answer) = self.consider(part, table, place)? {
                    return Ok(Some(answer));
                }
            }
        }
        Ok(None)
    }

    fn near(&mut self, tables: &mut [Table], signature: u64) -> Result<Answer> {
        let mut found = Vec::new();
        for (i, table) in tables.iter_mut().enumerate() {
            let indexed = table.is_indexed();
            table.near(signature, self.guard.settings.distance, |distance, place| {
                // Those of distance 0 have been considered, where there is an index to find them.
                if distance > 0 || !indexed {
                    let block = u32::from(place.ip_blkid.bi_hi) << 16 | u32::from(place.ip_blkid.bi_lo);
                    found.push((distance, i, block, place.ip_posid, place));
                }
            });
        }
        found.sort_unstable_by_key(|&(distance, table, block, offset, _)| (distance, table, block, offset));
        found.dedup_by_key(|&mut (distance, table, block, offset, _)| (distance, table, block, offset));
        for (_, i, _, _, place) in found {
            if let Some(answer) = self.consider(&self.guard.parts[i], &mut tables[i], place)? {
                return Ok(answer);
            }
        }
        Ok(Answer::Clear)
    }

    fn sharing(&mut self, tables: &mut [Table]) -> Result<Answer> {
        let settings = &self.guard.settings;
        let keys = self.signature.index_keys(settings)?;
        let mut found = Vec::new();
        for (i, table) in tables.iter_mut().enumerate() {
            let mut places = table.sharing(&keys);
            if !table.is_indexed() {
                table.read_all(|_, place| places.push(place));
            }
            for place in places {
                pgrx::check_for_interrupts!();
                match table.visit(place, &self.moment) {
                    Version::Gone => continue,
                    Version::Changed => return Ok(Answer::Again),
                    Version::Row(_) => {}
                }
                let other = table.signature().and_then(|datum| Signature::from_datum(datum, settings.method));
                if let Some(near) = other.map(|other| self.signature.near(&other, settings)).transpose()?.flatten() {
                    found.push((near, i, place));
                }
            }
        }
        found.sort_by(|(a, ..), (b, ..)| b.total_cmp(a));
        for (_, i, place) in found {
            if let Some(answer) = self.consider(&self.guard.parts[i], &mut tables[i], place)? {
                return Ok(answer);
            }
        }
        Ok(Answer::Clear)
    }

    /// Puts one candidate to every test; `None` if it is no match.
    fn consider(&mut self, part: &Part, table: &mut Table, place: Place) -> Result<Option<Answer>> {
        pgrx::check_for_interrupts!();
        let holder = match table.visit(place, &self.moment) {
            Version::Gone => return Ok(None),
            Version::Changed => return Ok(Some(Answer::Again)),
            Version::Row(holder) => holder,
        };
        let guard = self.guard;
        // The place may belong to another row by now.
        let other = table.signature().and_then(|datum| Signature::from_datum(datum, guard.settings.method));
        let near = other.map(|other| self.signature.near(&other, &guard.settings)).transpose()?.flatten();
        let Some(near) = near.filter(|_| !self.subject.replaces(part.table, table.place())) else { return Ok(None) };
        let scopes = guard.roles.scope.iter().zip(&self.subject.scope);
        for (role, (column, value)) in scopes {
            if !column.equal(table.value(part.columns[*role]), *value) {
                return Ok(None);
            }
        }
        if let (Some(role), Some((kind, Some(age))), Some(within)) = (guard.roles.age, self.subject.age, guard.within)
            && let Some(other) = table.value(part.columns[role]).map(|value| microseconds(value, kind))
            && age.abs_diff(other) > within.unsigned_abs()
        {
            return Ok(None);
        }
        // A row is not its own copy: ON CONFLICT will meet it by its key.
        let key = join_key(part.keys.iter().filter_map(|column| table.output(*column)));
        if key == self.subject.key {
            return Ok(None);
        }
        let measure = if self.verifier.is_needed() {
            if self.texts >= MOST_TEXTS {
                return Ok(None);
            }
            self.texts += 1;
            let Some(text) = text_of(guard, part, table) else { return Ok(None) };
            match self.verifier.compare(&text, near)? {
                Some(measure) => measure,
                None => return Ok(None),
            }
        } else {
            Measure { name: guard.settings.method.name(), value: near }
        };
        Ok(Some(match holder {
            Some(holder) => Answer::Wait(holder),
            None => Answer::Found(Match { key, near, measure }),
        }))
    }
}

fn text_of<'t>(guard: &Guard, part: &Part, table: &'t Table) -> Option<Cow<'t, str>> {
    document_of(guard, |role| table.text(part.columns[role]), || Some((table.row(), part.table)))
}

/// The text of a primary key.
pub fn join_key(values: impl Iterator<Item = String>) -> String {
    values.collect::<Vec<_>>().join(", ")
}
