//! Copies by sketches: of the rows of a table among themselves, or of new rows among old and new ones.
//!
//! 1. Keys that several rows have, with these rows: from the leaves of the index, or from rows signed one by one ([`entries`]), if there is no
//!    index to read, or a few rows of a large table are wanted.
//! 2. Of the indexed rows, the versions that the caller's snapshot sees ([`Visible`]).
//! 3. Statements as the caller: which of them take part, in which order, with scope, time and the hash of the text ([`Source`]).
//! 4. Candidates, and which row is kept ([`neardup_core::candidates`]); documents are read as they are needed ([`Texts`]).
//!
//! Between these steps, rows are numbers in sorted files, so memory is bounded by `work_mem`.

use std::cell::RefCell;
use std::rc::Rc;

use neardup_core::candidates::spill::{Sorted, Sorter};
use neardup_core::candidates::{
    CandidateRule, Candidates, Earlier, KeyFrequency, Leaders, Members, Options, Probe, Row, Rows, pack_time,
    unpack_time,
};
use neardup_core::signature::minhash::MinHashRef;
use neardup_text::interrupt;
use neardup_verdict::{Tried, Verdict};

use super::answered::kept_apart;
use super::documents::Texts;
use super::indexed_rows::IndexedRows;
use super::judge::{Judge, verdict_number};
use super::plan::Plan;
use super::relation::{Described, Reader, Source};
use super::ruled_out::RuledOut;
use super::settled::Gone;
use super::shared_keys::{self, Indexes};
use super::workers::{Compared, Crew, Pair, Request};
use crate::answers::{Answers, Given};
use crate::error::{Result, report};
use crate::guarded::settings::Excerpts;
use crate::pg::table::query::{NamedRows, Session};
use crate::pg::table::row_id::RowId;
use crate::pg::table::temporary::{TemporaryFile, sort_memory};
use crate::pg::table::visible::Visible;
use crate::sketch;
use crate::verdict::judge::Rule;

/// What is listed.
pub struct List<'l> {
    /// What workers are asked for.
    pub request: Request<'l>,
    /// The relation whose rows are compared with each other; or two, of which the rows of the first are all kept.
    pub plan: &'l Plan,
    /// With two relations, whether rows of the second are compared with each other, too.
    pub is_load: bool,
    /// How far apart in time copies may be, in microseconds.
    pub window: Option<u64>,
    /// What is done with excerpts.
    pub excerpts: Excerpts,
    /// How two texts are compared.
    pub rule: &'l Rule<'l>,
    /// Rows that do not take part, and that no verdict knows.
    pub gone: &'l Gone,
    /// What the owner has said of pairs.
    pub answers: &'l Answers,
    /// Pairs that other rounds of the list have ruled out.
    pub ruled_out: Option<&'l Rc<RefCell<RuledOut>>>,
}

/// Duplicate rows, each with the row that is kept.
pub type Found = Members<TemporaryFile>;

/// Rows whose documents are read together.
const BATCH: usize = 1000;
/// The batch from which on workers take part: with fewer rows, starting them would take longer than what they do.
const FIRST_WITH_WORKERS: usize = 1;

/// If fewer rows than this are wanted for each block of the index, they are signed: a block has some 40 rows, and to walk over one costs about as
/// much as to sign two.
const SIGNED_A_BLOCK: u64 = 2;

/// The work on a list.
struct Work<'s, 'l> {
    session: &'s Session,
    list: &'s List<'l>,
    memory: usize,
    /// Number, position in its relation and length, time, hash, scope of each row that takes part.
    described: Sorter<TemporaryFile, 5>,
    /// How many rows of each relation take part so far.
    counts: Vec<u32>,
    /// Of each relation, whether its rows are signed.
    signs: Vec<bool>,
    /// How many rows have a key, if all are of one index.
    frequency: Option<KeyFrequency>,
}

/// Lists the copies. `readers` read the relations, in their order.
///
/// # Errors
/// Those of the statements; if a page of an index is damaged.
pub fn run(session: &Session, list: &List<'_>, readers: &mut [Reader<'_>]) -> Result<Found> {
    let memory = sort_memory();
    let mut work = Work {
        session,
        list,
        memory,
        described: Sorter::new(memory / 8),
        counts: vec![0; list.plan.sources.len()],
        signs: list.plan.indexes.iter().map(Option::is_none).collect(),
        frequency: None,
    };
    work.sign_a_few()?;
    let entries = work.entries(readers)?;
    let (keyed, named) = work.visible(entries)?;
    let named = named
        .into_iter()
        .map(|mut rows| {
            rows.register(session);
            rows
        })
        .collect::<Vec<_>>();
    work.describe()?;
    let frequency = work.frequency.take();
    let rows = work.joined(keyed)?;
    drop(named);
    let candidates = rows.finish();
    find(list, readers, candidates, frequency, memory)
}

impl Work<'_, '_> {
    /// Decides to sign the rows of a single relation if it has far more others.
    fn sign_a_few(&mut self) -> Result<()> {
        let plan = self.list.plan;
        let ([source], [Some(indexes)]) = (&plan.sources[..], &plan.indexes[..]) else { return Ok(()) };
        if source.takes_all() {
            return Ok(());
        }
        let least = Indexes::open(source.first_part, indexes).blocks() * SIGNED_A_BLOCK;
        let statement = self.session.prepare(&source.count_to(least), &[]);
        let mut count = None;
        self.session.each(&statement, &[], |row| {
            count = row.number(1);
            Ok(())
        })?;
        self.signs = vec![count.is_some_and(|count| count.cast_unsigned() < least)];
        Ok(())
    }

    /// Returns the keys that several rows have, in the order of the rows: row, key.
    fn entries(&mut self, readers: &mut [Reader<'_>]) -> Result<Sorted<TemporaryFile, 2>> {
        let plan = self.list.plan;
        let mut found = Sorter::new(self.memory / 4);
        let mut signed = Sorter::new(self.memory / 4);
        let mut count = 0;
        for (at, reader) in readers.iter_mut().enumerate() {
            if self.signs.get(at).is_some_and(|signs| *signs) {
                count += self.sign(at, reader, &mut signed)?;
            }
        }
        let walked = plan.indexes.iter().zip(&plan.sources).zip(&self.signs).filter(|(_, signs)| !**signs);
        let mut indexed = walked.filter_map(|((indexes, source), _)| Some((indexes.as_ref()?, source)));
        let indexes = indexed.next().map(|(indexes, source)| Indexes::open(source.first_part, indexes));
        if let (Some(indexes), 1) = (&indexes, plan.sources.len()) {
            let mut frequency = KeyFrequency::new(self.memory / 16);
            shared_keys::within(indexes, |row, key| found.push([row, key]), &mut frequency)?;
            self.frequency = Some(frequency);
            return Ok(found.finish());
        }
        let mut push = |row, key| found.push([row, key]);
        match (indexes, plan.sources.len()) {
            (Some(indexes), _) => {
                let most = if self.list.is_load { CandidateRule::default().rows_of_key_in_scopes } else { usize::MAX };
                shared_keys::between(&indexes, signed.finish(), count, most, self.list.is_load, push)?;
            }
            (None, count) => {
                let kept = |row| count > 1 && plan.sources.first().is_some_and(|source| source.has(row));
                shared_keys::grouped(signed.finish(), count == 1 || self.list.is_load, kept, &mut push);
            }
        }
        Ok(found.finish())
    }

    /// Signs the rows of a relation: adds their keys, and describes them. Returns the number of keys.
    fn sign(&mut self, at: usize, reader: &mut Reader<'_>, signed: &mut Sorter<TemporaryFile, 2>) -> Result<u64> {
        let source = reader.source;
        let has_scope = self.list.plan.sources.len() == 1;
        let statement = self.session.prepare(&source.sign(has_scope), &[]);
        let mut count = 0;
        self.session.each(&statement, &[], |row| {
            let Some(id) = reader.row_id(row, 8).filter(|id| !self.list.gone.contains(id)) else { return Ok(()) };
            for key in row.numbers(3) {
                signed.push([key.cast_unsigned(), id]);
                count += 1;
            }
            let described = Described {
                id,
                scope: row.number(4).unwrap_or_default() as u32,
                time: row.number(5),
                hash: row.number(6).unwrap_or_default().cast_unsigned(),
                bytes: row.number(7).unwrap_or_default() as u32,
            };
            self.add(at, &described);
            Ok(())
        })?;
        Ok(count)
    }

    fn add(&mut self, at: usize, row: &Described) {
        let Some(position) = self.counts.get_mut(at) else { return };
        let place = u64::from(*position) << 32 | u64::from(row.bytes);
        *position += 1;
        let time = pack_time(row.time);
        self.described.push([row.id, place, time, row.hash, row.scope.into()]);
    }

    /// Replaces the addresses from the index by those of the versions that the snapshot sees. Also returns these rows by relation,
    /// for statements.
    fn visible(&mut self, entries: Sorted<TemporaryFile, 2>) -> Result<(Sorted<TemporaryFile, 2>, Vec<NamedRows>)> {
        let plan = self.list.plan;
        let mut named: Vec<NamedRows> = (0..plan.sources.len()).map(|at| NamedRows::begin(&rows_of(at))).collect();
        let mut keyed = Sorter::new(self.memory / 4);
        let mut table: Option<(usize, Option<Visible>)> = None;
        let mut last: Option<(u64, Option<u64>)> = None;
        // Versions of a row are on one page, so the rows of a page are sorted again.
        let mut page: Vec<[u64; 2]> = Vec::new();
        let mut flush = |page: &mut Vec<[u64; 2]>| {
            page.sort_unstable();
            let mut before = None;
            for [row, key] in page.drain(..) {
                if before.replace(row) != Some(row) {
                    let RowId { table: part, address } = RowId::unpacked(row);
                    let source = plan.sources.iter().position(|source| source.has(row));
                    if let Some((source, at)) = source.and_then(|at| Some((plan.sources.get(at)?, at)))
                        && let (Some(oid), Some(named)) =
                            (source.parts.get(part - source.first_part), named.get_mut(at))
                    {
                        named.put(row, *oid, address);
                    }
                }
                keyed.push([row, key]);
            }
        };
        for (count, [row, key]) in entries.enumerate() {
            if count % 1024 == 0 {
                interrupt::check();
            }
            if last.is_none_or(|(before, _)| before != row) {
                if last.is_some_and(|(before, _)| before >> 16 != row >> 16) {
                    flush(&mut page);
                }
                last = Some((row, self.version(row, &mut table)));
            }
            if let Some((_, Some(version))) = last {
                page.push([version, key]);
            }
        }
        flush(&mut page);
        Ok((keyed.finish(), named))
    }

    fn version(&self, row: u64, table: &mut Option<(usize, Option<Visible>)>) -> Option<u64> {
        let RowId { table: part, address } = RowId::unpacked(row);
        let at = self.list.plan.sources.iter().position(|source| source.has(row))?;
        if *self.signs.get(at)? {
            return Some(row);
        }
        if table.as_ref().is_none_or(|(open, _)| *open != part) {
            let source = self.list.plan.sources.get(at)?;
            *table = Some((part, source.parts.get(part - source.first_part).and_then(|oid| Visible::open(*oid))));
        }
        let version = table.as_mut()?.1.as_mut()?.version(address)?;
        Some(RowId { table: part, address: version }.packed()).filter(|row| !self.list.gone.contains(row))
    }

    /// Describes the rows that came from an index.
    fn describe(&mut self) -> Result<()> {
        let plan = self.list.plan;
        for (at, source) in plan.sources.iter().enumerate() {
            if self.signs.get(at).is_none_or(|signs| *signs) {
                continue;
            }
            let is_only = plan.sources.len() == 1;
            let Some(sql) = source.describe(&rows_of(at), is_only || at > 0 && !self.list.is_load, is_only) else {
                continue;
            };
            let statement = self.session.prepare(&sql, &[]);
            self.session.each(&statement, &[], |row| {
                let described = Described {
                    id: row.number(1).unwrap_or_default().cast_unsigned(),
                    scope: row.number(2).unwrap_or_default() as u32,
                    time: row.number(3),
                    hash: row.number(4).unwrap_or_default().cast_unsigned(),
                    bytes: row.number(5).unwrap_or_default() as u32,
                };
                self.add(at, &described);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// With two relations, numbers the scopes of both together: number of the row, and of its scope.
    fn scopes(&self) -> Result<Option<Sorted<TemporaryFile, 2>>> {
        let plan = self.list.plan;
        if plan.sources.len() == 1 || plan.sources.iter().any(|source| source.scope.is_empty()) {
            return Ok(None);
        }
        let Some(sql) = Source::number_scopes(&plan.sources, rows_of) else {
            return Err(super::no_addresses());
        };
        let mut scopes = Sorter::new(self.memory / 8);
        let statement = self.session.prepare(&sql, &[]);
        self.session.each(&statement, &[], |row| {
            scopes.push([
                row.number(1).unwrap_or_default().cast_unsigned(),
                row.number(2).unwrap_or_default().cast_unsigned(),
            ]);
            Ok(())
        })?;
        Ok(Some(scopes.finish()))
    }

    /// Joins the keys with the descriptions of their rows. All are in the order of the rows' numbers.
    fn joined(self, keyed: Sorted<TemporaryFile, 2>) -> Result<Rows<TemporaryFile>> {
        let mut scopes = self.scopes()?.map(Iterator::peekable);
        let first_probe = if self.counts.len() > 1 { self.counts.first().copied().unwrap_or_default() } else { 0 };
        let options = Options {
            rule: CandidateRule::default(),
            window: self.list.window,
            first_probe,
            indexes_probes: self.list.plan.sources.len() == 1 || self.list.is_load,
            excerpts_give_way: self.list.plan.sources.len() == 1,
        };
        let mut rows = Rows::new(options, self.memory / 2);
        let mut described = self.described.finish().peekable();
        let mut current: Option<Row> = None;
        for (count, [id, key]) in keyed.enumerate() {
            if count % 1024 == 0 {
                interrupt::check();
            }
            if current.as_ref().is_none_or(|row| row.id != id) {
                while described.next_if(|row| row[0] < id).is_some() {}
                let Some([_, place, time, hash, mut scope]) = described.next_if(|row| row[0] == id) else { continue };
                if let Some(scopes) = &mut scopes {
                    while scopes.next_if(|row| row[0] < id).is_some() {}
                    scope = scopes.next_if(|row| row[0] == id).map_or(0, |row| row[1]);
                }
                let is_second = self.list.plan.sources.len() > 1
                    && self.list.plan.sources.first().is_some_and(|first| !first.has(id));
                let row = Row {
                    position: (place >> 32) as u32 + if is_second { first_probe } else { 0 },
                    id,
                    scope: scope as u32,
                    time: unpack_time(time),
                    hash,
                    bytes: place as u32,
                };
                rows.add(&row);
                current = Some(row);
            }
            if let Some(row) = &current {
                rows.add_key(key, row);
            }
        }
        Ok(rows)
    }
}

/// The name under which statements read the rows of a relation that share keys.
fn rows_of(source: usize) -> String {
    format!("neardup_rows_{source}")
}

/// Compares rows of a list, with room for `memory` bytes of documents.
///
/// # Errors
/// Those of reading the table.
pub fn judge<'s>(
    list: &'s List<'_>,
    readers: &'s [Reader<'s>],
    frequency: Option<KeyFrequency>,
    memory: usize,
) -> Result<Judge<'s>> {
    let neighbours = IndexedRows::open(readers, &list.plan.indexes, Some(list.gone));
    let judge = Judge::new(Texts::new(readers, memory), list.rule, neighbours, frequency).with_excerpts(list.excerpts);
    match list.ruled_out {
        Some(ruled_out) => judge.after(ruled_out),
        None => Ok(judge),
    }
}

/// Compares the rows with their candidates, in order, until each has found the row that it copies, or has none.
fn find(
    list: &List<'_>,
    readers: &[Reader<'_>],
    mut candidates: Candidates<TemporaryFile>,
    frequency: Option<KeyFrequency>,
    memory: usize,
) -> Result<Found> {
    let mut judge = judge(list, readers, frequency, memory / 2)?;
    let mut leaders = Leaders::new(candidates.options(), verdict_number(Verdict::Copy), memory / 4);
    let mut next = 0;
    let mut crew: Option<Crew> = None;
    for number in 0.. {
        let mut batch: Vec<Probe> = Vec::new();
        while batch.len() < BATCH {
            // Rows of this batch may yet join others.
            let is_open = |position| (position < next).then(|| leaders.is_kept(position));
            let one_key = |id| has_one_key(&mut judge.texts, readers, id);
            let Some(probe) = candidates.next(is_open, one_key)? else { break };
            batch.push(probe);
        }
        let Some(last) = batch.last() else { break };
        next = last.position + 1;
        if number == FIRST_WITH_WORKERS && batch.len() == BATCH {
            crew = Crew::start(list, readers, judge.frequency());
        }
        let mut compared = Vec::new();
        if let Some(workers) = crew.take() {
            let (found, is_whole) = workers.compare(&batch, &leaders, list, &mut judge)?;
            compared = found;
            if is_whole {
                crew = Some(workers);
            } else {
                workers.finish();
            }
        }
        place(list, readers, &mut judge, &mut leaders, &batch, &compared)?;
    }
    if let Some(crew) = crew {
        crew.finish();
    }
    if candidates.rows_of_key() < CandidateRule::default().rows_of_key {
        pgrx::notice!("of very frequent keys, only the last {} rows were compared", candidates.rows_of_key());
    }
    leaders.finish(|heir, member| judge.follow(heir, member, list.answers))
}

/// Places rows of a batch, some of which workers have compared.
fn place(
    list: &List<'_>,
    readers: &[Reader<'_>],
    judge: &mut Judge<'_>,
    leaders: &mut Leaders<TemporaryFile>,
    probes: &[Probe],
    compared: &[Compared],
) -> Result<()> {
    let mut compared = compared.iter().peekable();
    let known: Vec<&[Pair]> = probes
        .iter()
        .map(|probe| compared.next_if(|of| of.position == probe.position).map_or(&[][..], |of| &of.pairs))
        .collect();
    let rows = |(probe, known): (&Probe, &&[Pair])| {
        let asks = probe.exact_duplicate.is_none() && known.is_empty();
        let candidates = probe.candidates.iter().map(|candidate| candidate.row.id).filter(|_| asks);
        judge.rows_to_read(probe.id, candidates)
    };
    let first: Vec<u64> = probes.iter().zip(&known).flat_map(rows).collect();
    judge.texts.prefetch(first)?;
    for (probe, known) in probes.iter().zip(known) {
        interrupt::check();
        known.iter().for_each(|pair| judge.learn(probe.id, pair));
        let own = Earlier { position: probe.position, id: probe.id, time: probe.time };
        let given = Given::about(list.answers, probe.hash);
        let apart = kept_apart(&given, probe, readers, leaders)?;
        let mut tried = Tried::default();
        leaders.place(probe, &apart, |kept| match known.iter().find(|pair| pair.kept == kept.id) {
            // What a worker has passed over may be compared after all: one of those with more in common may have joined another row meanwhile.
            Some(pair) if !pair.found.is_passed_over || tried.rules_out(pair.found.likeness) => {
                Ok(pair.found.among(&mut tried).judged)
            }
            _ => judge.judge(kept, &own, &given, &mut tried),
        })?;
    }
    Ok(())
}

/// Says whether the sketch of a row's document has one key only.
fn has_one_key(texts: &mut Texts<'_>, readers: &[Reader<'_>], id: u64) -> Result<bool> {
    let (Some(document), Some(reader)) = (texts.get(id)?, readers.first()) else { return Ok(false) };
    let source = reader.source;
    let sketch = sketch::of_document(document, &source.analyzer, source.keys_of_sketch)?;
    let count = sketch.map(|sketch| MinHashRef::parse_header(&sketch).map(|sketch| sketch.keys().count()));
    Ok(count.transpose().map_err(report)? == Some(1))
}
