//! Candidates: searches the table for a row that the new one duplicates.
//!
//! An index lists the rows that share a key with the new one, in every table or partition that the time window can reach. Rows that
//! share more keys come first, newer ones before older. For each row, cheap tests run before its text is read: it is alive, it is
//! another row, and it has the same scope and a near time. The first row that the [`Verifier`] calls a near-duplicate is the result.
//!
//! Templates and reposts put thousands of rows under one key, so the search has bounds. A key with more than [`HOT`] rows is hot. A
//! row is no candidate if all it shares is one hot key, unless the new text has no other keys. Of a key's rows, the last
//! [`MOST_ROWS`] are listed; with a scope more, since most of them may be in other scopes. At most [`MOST_TEXTS`] texts are
//! compared. For a [`LONG`] text, whose copies nearly always share more than one key, at most [`MOST_SINGLES`] of these may share
//! only one. Beyond these bounds, only texts that share all keys and have the same length are compared, because they may be
//! identical. A row that shares most keys comes first, so a text that occurs ten thousand times is refused after one text is read.
//! The promise of method `simhash` is exact, so its search has no bound.

use ahash::AHashMap;
use neardup_core::document;

use super::settings::Method;
use super::signature::Signature;
use super::subject::{Subject, candidate_document, join_key};
use super::target::{Guard, Part};
use super::verify::{Measure, Verifier};
use crate::error::{Result, report};
use crate::pg::call::column::microseconds;
use crate::pg::lock::keys::Holder;
use crate::pg::table::partition::Leaf;
use crate::pg::table::rows::{Moment, Table, Tid, Version};
use crate::pg::table::unique;
use crate::text::analyzer;

/// A key of more rows is hot: the site's boilerplate and templates, most of whose rows are not copies (docs/candidates.md).
const HOT: usize = 300;

/// The most rows listed for one key; they are the last ones in the table.
const MOST_ROWS: usize = 2048;
const MOST_ROWS_OF_SCOPES: usize = 65_536;

/// The weight of a shared key, of a shared hot key, and the least sum that makes a candidate.
const SHARED: u32 = 2;
const SHARED_HOT: u32 = 1;
const ENOUGH: u32 = 2;

/// The most texts that are compared with a new one, not counting those that may be identical.
const MOST_TEXTS: usize = 64;

/// A text of at least so many bytes is long. Two or more shared keys find 0.989 of the copies among news, but 0.734 among
/// titles (docs/candidates.md).
const LONG: usize = 600;

/// The most texts sharing only one key that are read for a long text.
const MOST_SINGLES: usize = 8;

/// The row that a new one duplicates.
#[derive(Clone, Debug)]
pub struct Match {
    /// Its primary key, as text.
    pub key: String,
    /// The measure that decided.
    pub measure: Measure,
}

/// The result of a search.
pub enum Answer {
    /// No near-duplicate.
    Clear,
    /// A near-duplicate.
    Found(Match),
    /// A near-duplicate, or none, depending on how this transaction ends.
    Wait(Holder),
}

/// The result of testing a candidate.
enum Finding {
    /// It is not a near-duplicate.
    Not,
    /// It is a near-duplicate, or its transaction decides whether it is.
    Is(Answer),
    /// The table has changed during the search, which must start again.
    Changed,
}

/// A row of the index's list.
struct Listed {
    tid: Tid,
    /// Whether it shares all keys.
    is_alike: bool,
    /// Whether it shares only one key.
    is_single: bool,
}

/// One search.
struct Search<'a, 'b, 'v> {
    guard: &'a Guard,
    subject: &'a Subject<'b>,
    signature: &'a Signature,
    verifier: &'a mut Verifier<'v>,
    /// How many texts may yet be read.
    texts: usize,
    /// How many of these may share only one key.
    singles: usize,
    moment: Moment,
}

/// Searches the table, again where it has changed meanwhile.
pub fn search(
    guard: &Guard,
    subject: &Subject<'_>,
    signature: &Signature,
    verifier: &mut Verifier<'_>,
) -> Result<Answer> {
    loop {
        if let Some(answer) = search_once(guard, subject, signature, verifier)? {
            return Ok(answer);
        }
        pgrx::check_for_interrupts!();
    }
}

/// Searches once; `None` if a row has changed on the way.
fn search_once(
    guard: &Guard,
    subject: &Subject<'_>,
    signature: &Signature,
    verifier: &mut Verifier<'_>,
) -> Result<Option<Answer>> {
    let length = subject.document.as_ref().map_or(0, |document| document.len());
    let singles = if length < LONG { MOST_TEXTS } else { MOST_SINGLES };
    let moment = Moment::begin();
    let mut search = Search { guard, subject, signature, verifier, texts: MOST_TEXTS, singles, moment };
    for leaf in &guard.leaves {
        if !search.reaches(leaf) {
            continue;
        }
        // Opened first: what is known of the table and its indexes stays valid while it is open.
        let Some(mut table) = Table::open(leaf.table) else { continue };
        let Some(part) = guard.part(leaf.table) else { continue };
        let index = part.index.ok_or_else(|| guard.without_index(leaf.table))?;
        let mut listed = AHashMap::new();
        let mut scan = table.search(index.index, index.strategy, index.function);
        let most = match guard.settings.method {
            Method::SimHash => usize::MAX,
            Method::Sketch if guard.roles.scope.is_empty() => MOST_ROWS,
            Method::Sketch => MOST_ROWS_OF_SCOPES,
        };
        let (mut all, queries) = (0, signature.queries(&guard.settings)?);
        let enough = ENOUGH.min(queries.len() as u32);
        for query in queries {
            // SAFETY: the query is of the type of the operator's right operand, and the table is open.
            let tids = unsafe { scan.matching(query, most) }?;
            let is_hot = tids.len() > HOT && guard.settings.method == Method::Sketch;
            let weight = if is_hot { SHARED_HOT } else { SHARED };
            all += weight;
            for tid in tids {
                *listed.entry(address(tid)).or_insert(0_u32) += weight;
            }
        }
        drop(scan);
        let mut listed: Vec<(u32, u64)> =
            listed.into_iter().map(|(tid, shared)| (shared, tid)).filter(|(shared, _)| *shared >= enough).collect();
        listed.sort_unstable_by(|a, b| b.cmp(a));
        for (shared, tid) in listed {
            let listed = Listed { tid: tid_of(tid), is_alike: shared == all, is_single: shared <= SHARED };
            match search.consider(&part, &mut table, &listed)? {
                Finding::Not => {}
                Finding::Is(answer) => return Ok(Some(answer)),
                Finding::Changed => return Ok(None),
            }
        }
    }
    Ok(Some(Answer::Clear))
}

/// Gives an address as a number, in the order of the table.
fn address(tid: Tid) -> u64 {
    u64::from(tid.ip_blkid.bi_hi) << 32 | u64::from(tid.ip_blkid.bi_lo) << 16 | u64::from(tid.ip_posid)
}

fn tid_of(address: u64) -> Tid {
    let mut tid = Tid::default();
    pgrx::itemptr::item_pointer_set_all(&mut tid, (address >> 16) as u32, address as u16);
    tid
}

impl Search<'_, '_, '_> {
    /// Whether the time window lets rows of a partition be copies of the new one.
    fn reaches(&self, leaf: &Leaf) -> bool {
        match (self.subject.time, self.guard.settings.window) {
            (Some((_, Some(time))), Some(window)) => {
                leaf.times.0 <= time.saturating_add(window) && leaf.times.1 >= time.saturating_sub(window)
            }
            _ => true,
        }
    }

    /// Tests one candidate, in each version that may become valid when a transaction ends.
    fn consider(&mut self, part: &Part, table: &mut Table, listed: &Listed) -> Result<Finding> {
        pgrx::check_for_interrupts!();
        let none_left = self.texts == 0 || (listed.is_single && self.singles == 0);
        let only_identical = self.guard.settings.method == Method::Sketch && none_left;
        if only_identical && !listed.is_alike {
            return Ok(Finding::Not);
        }
        let mut version = table.visit(listed.tid, &self.moment);
        loop {
            let holder = match version {
                Version::Gone => return Ok(Finding::Not),
                Version::Changed => return Ok(Finding::Changed),
                Version::Row(holder) => holder,
            };
            if !only_identical || self.is_identical(part, table) {
                match self.judge(part, table, listed, holder)? {
                    Finding::Not => {}
                    finding => return Ok(finding),
                }
            }
            if holder.is_none() {
                return Ok(Finding::Not);
            }
            version = table.visit_next(&self.moment);
        }
    }

    /// Says whether a candidate's text is identical. Reads it only if its length is the same; false for documents that must
    /// first be formed.
    fn is_identical(&self, part: &Part, table: &Table) -> bool {
        let [document] = self.guard.roles.documents[..] else { return false };
        let (column, ours) = (part.columns[document], self.subject.document.as_deref());
        self.guard.expression.is_none() && table.text_length(column) == ours.map(str::len) && table.text(column) == ours
    }

    fn judge(&mut self, part: &Part, table: &Table, listed: &Listed, holder: Option<Holder>) -> Result<Finding> {
        let guard = self.guard;
        if self.subject.replaces(part.table, table.tid())
            || !self.is_in_scope(part, table)
            || !self.is_in_time(part, table)
        {
            return Ok(Finding::Not);
        }
        self.texts = self.texts.saturating_sub(1);
        self.singles = self.singles.saturating_sub(listed.is_single.into());
        let Some(text) = candidate_document(guard, part, table) else { return Ok(Finding::Not) };
        let distance = match self.signature {
            Signature::SimHash(bits) => {
                let other = analyzer::with(&guard.settings.analyzer, |analyzer, scratch| {
                    document::simhash(&text, analyzer, scratch)
                })?
                .map_err(report)?;
                let Some(distance) = other.map(|other| (bits ^ other).count_ones()) else { return Ok(Finding::Not) };
                if distance > guard.settings.distance {
                    return Ok(Finding::Not);
                }
                f64::from(distance)
            }
            Signature::Sketch(_) => 0.0,
        };
        let Some(measure) = self.verifier.compare(&text, distance)? else { return Ok(Finding::Not) };
        if unique::collide(self.subject.trigger(), table) {
            return Ok(Finding::Not);
        }
        let key = join_key(part.keys.iter().filter_map(|column| table.output(*column)));
        Ok(Finding::Is(match holder {
            Some(holder) => Answer::Wait(holder),
            None => Answer::Found(Match { key, measure }),
        }))
    }

    fn is_in_scope(&self, part: &Part, table: &Table) -> bool {
        let scopes = self.guard.roles.scope.iter().zip(&self.subject.scope);
        scopes.into_iter().all(|(role, (column, value))| column.equal(table.value(part.columns[*role]), *value))
    }

    fn is_in_time(&self, part: &Part, table: &Table) -> bool {
        let (Some(role), Some((kind, Some(time))), Some(window)) =
            (self.guard.roles.time, self.subject.time, self.guard.settings.window)
        else {
            return true;
        };
        let other = table.value(part.columns[role]).map(|value| microseconds(value, kind));
        other.is_none_or(|other| time.abs_diff(other) <= window.unsigned_abs())
    }
}
