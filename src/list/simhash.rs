//! Copies by SimHash: `near_duplicate_of` groups the rows within the distance, and in each group the documents decide, by the same
//! leaders as for sketches.
//!
//! A row is compared with the nearest kept rows, at most [`MOST_COMPARED`]: in a group of templates with other facts it would
//! otherwise be compared with all before it.

use ahash::AHashMap;
use neardup_core::candidates::spill::Sorter;
use neardup_core::candidates::{
    CandidateRule, Earlier, ExactDuplicate, Judged, Lack, Leaders, Member, Options, Probe, Ranked, pack_time,
    unpack_time,
};
use neardup_core::document;
use neardup_text::interrupt;
use neardup_verdict::{Tried, Verdict};

use super::answered::kept_apart;
use super::documents::Texts;
use super::judge::{Judge, verdict_number};
use super::relation::Reader;
use super::settled::Gone;
use super::sketch::Found;
use crate::answers::{Answers, Given};
use crate::error::{Result, report};
use crate::guarded::settings::Excerpts;
use crate::pg::table::query::Session;
use crate::pg::table::temporary::{TemporaryFile, sort_memory};
use crate::text::analyzer;
use crate::verdict::judge::Rule;

/// With how many kept rows a row is compared.
const MOST_COMPARED: usize = 16;

/// The weight of a candidate at no distance; each bit takes one off.
const WEIGHT: u32 = 64;

/// What is listed.
pub struct Groups<'l> {
    /// The greatest distance of two copies.
    pub distance: u32,
    /// How far apart in time copies may be, in microseconds.
    pub window: Option<u64>,
    /// What is done with excerpts.
    pub excerpts: Excerpts,
    /// How two texts are compared; without it, the distance decides.
    pub rule: Option<&'l Rule<'l>>,
    /// Rows that do not take part.
    pub gone: &'l Gone,
    /// What the owner has said of pairs.
    pub answers: &'l Answers,
}

/// A row of a group.
struct Signed {
    probe: Probe,
    signature: u64,
}

/// Lists the copies in the relation of a reader.
///
/// # Errors
/// Those of the statements.
pub fn run(session: &Session, groups: &Groups<'_>, readers: &mut [Reader<'_>]) -> Result<Found> {
    let memory = sort_memory();
    let rule = CandidateRule { texts: MOST_COMPARED, singles_of_long: MOST_COMPARED, ..CandidateRule::default() };
    let options =
        Options { rule, window: groups.window, first_probe: 0, indexes_probes: true, excerpts_give_way: true };
    // Scope and group; position and length; number; signature; hash; time.
    let mut sorter: Sorter<TemporaryFile, 6> = Sorter::new(memory / 2);
    for reader in readers.iter_mut() {
        let source = reader.source;
        let statement = session.prepare(&source.group(groups.distance), &[]);
        let mut position = 0_u64;
        session.each(&statement, &[], |row| {
            let Some(id) = reader.row_id(row, 9).filter(|id| !groups.gone.contains(id)) else { return Ok(()) };
            let number = |column| row.number(column).unwrap_or_default().cast_unsigned();
            let time = pack_time(row.number(6));
            sorter.push([number(5) << 32 | number(4), position << 32 | number(8), id, number(3), number(7), time]);
            position += 1;
            Ok(())
        })?;
    }
    let mut leaders = Leaders::new(options, verdict_number(Verdict::Copy), memory / 4);
    let mut judge = Pairs::new(groups, readers);
    let mut sorted = sorter.finish().peekable();
    while let Some(first) = sorted.next() {
        let mut group = vec![signed(first)];
        group.extend(std::iter::from_fn(|| sorted.next_if(|row| row[0] == first[0])).map(signed));
        if group.len() > 1 {
            split(&mut group, &mut leaders, &options, &mut judge)?;
        }
    }
    leaders.finish(|heir, member| judge.follow(heir, member))
}

fn signed([_, place, id, signature, hash, time]: [u64; 6]) -> Signed {
    let probe = Probe {
        position: (place >> 32) as u32,
        id,
        hash,
        bytes: place as u32,
        time: unpack_time(time),
        exact_duplicate: None,
        has_exact_duplicates: true,
        candidates: Vec::new(),
    };
    Signed { probe, signature }
}

/// Splits a group of near signatures, its rows in order.
fn split(
    group: &mut [Signed],
    leaders: &mut Leaders<TemporaryFile>,
    options: &Options,
    judge: &mut Pairs<'_>,
) -> Result<()> {
    let mut first: AHashMap<u64, ExactDuplicate> = AHashMap::new();
    let mut kept: Vec<(Earlier, u64)> = Vec::new();
    if let Some(judge) = &mut judge.by_text {
        judge.texts.prefetch(group.iter().map(|row| row.probe.id).collect())?;
    }
    for Signed { probe, signature } in group {
        interrupt::check();
        let exact_duplicate = ExactDuplicate { position: probe.position, id: probe.id, time: probe.time };
        let own = Earlier { position: probe.position, id: probe.id, time: probe.time };
        probe.exact_duplicate =
            first.get(&probe.hash).filter(|exact_duplicate| options.near(exact_duplicate.time, probe.time)).copied();
        let near = kept.iter().filter(|(row, _)| options.near(row.time, probe.time));
        let near = near.map(|(row, other)| ((other ^ *signature).count_ones(), *row));
        let mut near: Vec<(u32, Earlier)> = near.filter(|(apart, _)| *apart <= judge.distance).collect();
        if near.len() > MOST_COMPARED {
            near.select_nth_unstable(MOST_COMPARED);
            near.truncate(MOST_COMPARED);
        }
        near.sort_unstable();
        let candidate = |(apart, row)| Ranked { row, weight: WEIGHT - apart, rarest: 0, lack: Lack::default() };
        probe.candidates = near.iter().copied().map(candidate).collect();
        let given = Given::about(judge.answers, probe.hash);
        let kept_apart = kept_apart(&given, probe, judge.readers, leaders)?;
        leaders.place(probe, &kept_apart, |kept| {
            let apart = near.iter().find(|(_, row)| row == kept).map_or(0, |(apart, _)| *apart);
            judge.near(kept, &own, apart, &given)
        })?;
        first.entry(probe.hash).or_insert(exact_duplicate);
        if leaders.is_kept(probe.position) {
            kept.push((own, *signature));
        }
    }
    Ok(())
}

/// The verdict on two rows.
pub struct Pairs<'s> {
    distance: u32,
    by_text: Option<Judge<'s>>,
    texts: Texts<'s>,
    analyzer: &'s str,
    answers: &'s Answers,
    readers: &'s [Reader<'s>],
}

impl<'s> Pairs<'s> {
    /// Compares rows of a list.
    pub fn new(groups: &Groups<'s>, readers: &'s [Reader<'s>]) -> Self {
        let texts = || Texts::new(readers, sort_memory() / 4);
        Self {
            distance: groups.distance,
            by_text: groups.rule.map(|rule| Judge::new(texts(), rule, None, None).with_excerpts(groups.excerpts)),
            texts: texts(),
            analyzer: readers.first().map_or("", |reader| &reader.source.analyzer),
            answers: groups.answers,
            readers,
        }
    }

    /// Returns the verdict on two rows that are `apart` bits apart.
    fn near(&mut self, kept: &Earlier, duplicate: &Earlier, apart: u32, given: &Given) -> Result<Option<Judged>> {
        if let Some(judge) = &mut self.by_text {
            // Whatever is as near as this is compared.
            return judge.judge(kept, duplicate, given, &mut Tried::default());
        }
        if self.texts.difference(kept.id, duplicate.id)?.is_some() {
            return Ok(None);
        }
        let beside = self.texts.beside(kept.id)?;
        let kept_hash = self.texts.get(kept.id)?.map_or(0, |text| beside.hash(text));
        Ok(Some(Judged { verdict: verdict_number(Verdict::Copy), score: apart.into(), loses: false, kept_hash }))
    }

    /// Returns the verdict on the row that a kept row joins and one of its group, which may be too far away from it.
    pub fn follow(&mut self, heir: &Member, member: &Member) -> Result<Option<Judged>> {
        let Some(judge) = &mut self.by_text else { return Ok(None) };
        let signatures = [heir.kept.id, member.duplicate.id].map(|id| {
            let Some(text) = judge.texts.get(id)? else { return Ok(None) };
            let signature =
                analyzer::with(self.analyzer, |analyzer, scratch| document::simhash(text, analyzer, scratch))?;
            signature.map_err(report)
        });
        let [a, b] = signatures;
        match (a?, b?) {
            (Some(a), Some(b)) if (a ^ b).count_ones() <= self.distance => judge.follow(heir, member, self.answers),
            _ => Ok(None),
        }
    }
}
