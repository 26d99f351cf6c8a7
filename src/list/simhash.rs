//! Copies by SimHash: `near_duplicate_of` groups the rows within the distance, and in each group the documents decide, by the same
//! stars as for sketches.
//!
//! A row is compared with the nearest rows that stay, at most [`MOST_COMPARED`]: in a group of templates with other facts it would
//! otherwise be compared with all before it.

use ahash::AHashMap;
use neardup_core::candidates::spill::Sorter;
use neardup_core::candidates::{Asking, Bits, CandidateRule, Earlier, Judged, Lack, Options, Ranked, Stars, Twin};
use neardup_core::document;
use neardup_core::sketch::digest;
use neardup_text::interrupt;
use neardup_verdict::Verdict;

use super::documents::{Judge, Texts, verdict_number};
use super::relation::Reader;
use super::sketch::Found;
use crate::error::{Result, report};
use crate::pg::table::query::Session;
use crate::pg::table::temporary::{TemporaryFile, sort_memory};
use crate::text::analyzer;
use crate::verdict::judge::Rule;

/// With how many rows that stay a row is compared.
const MOST_COMPARED: usize = 16;

/// The weight of a candidate at no distance; each bit takes one off.
const WEIGHT: u32 = 64;

/// What is listed.
pub struct Groups<'l> {
    /// The greatest distance of two copies.
    pub distance: u32,
    /// How far apart in time copies may be, in microseconds.
    pub window: Option<u64>,
    /// How two texts are compared; without it, the distance decides.
    pub rule: Option<Rule<'l>>,
}

/// A row of a group.
struct Signed {
    asking: Asking,
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
        Options { rule, window: groups.window, first_asking: 0, askers_answer: true, excerpts_give_way: true };
    // Scope and group; position and length; number; signature; hash; time.
    let mut sorter: Sorter<TemporaryFile, 6> = Sorter::new(memory / 2);
    for reader in readers.iter_mut() {
        let source = reader.source;
        let statement = session.prepare(&source.group(groups.distance), &[]);
        let mut position = 0_u64;
        session.each(&statement, &[], |row| {
            let Some(id) = reader.row_id(row, 9) else { return Ok(()) };
            let number = |column| row.number(column).unwrap_or_default().cast_unsigned();
            let time = row.number(6).unwrap_or(i64::MIN).cast_unsigned();
            sorter.push([number(5) << 32 | number(4), position << 32 | number(8), id, number(3), number(7), time]);
            position += 1;
            Ok(())
        })?;
    }
    let mut stars = Stars::new(options, verdict_number(Verdict::Copy), memory / 4);
    let mut judge = Pairs {
        distance: groups.distance,
        by_text: groups
            .rule
            .as_ref()
            .map(|rule| Judge::new(Texts::new(readers, memory / 4), rule, None, Bits::default(), None)),
        texts: Texts::new(readers, memory / 4),
        analyzer: readers.first().map_or("", |reader| &reader.source.analyzer),
    };
    let mut sorted = sorter.finish().peekable();
    while let Some(first) = sorted.next() {
        let mut group = vec![signed(first)];
        group.extend(std::iter::from_fn(|| sorted.next_if(|row| row[0] == first[0])).map(signed));
        if group.len() > 1 {
            split(&mut group, &mut stars, &options, &mut judge)?;
        }
    }
    stars.finish(|long, goes| judge.by_their_texts(long, goes))
}

fn signed([_, place, id, signature, hash, time]: [u64; 6]) -> Signed {
    let asking = Asking {
        position: (place >> 32) as u32,
        id,
        hash,
        bytes: place as u32,
        time: Some(time.cast_signed()).filter(|time| *time != i64::MIN),
        twin: None,
        has_twins: true,
        candidates: Vec::new(),
    };
    Signed { asking, signature }
}

/// Splits a group of near signatures, its rows in order.
fn split(
    group: &mut [Signed],
    stars: &mut Stars<TemporaryFile>,
    options: &Options,
    judge: &mut Pairs<'_>,
) -> Result<()> {
    let mut first: AHashMap<u64, Twin> = AHashMap::new();
    let mut stays: Vec<(Earlier, u64)> = Vec::new();
    if let Some(judge) = &mut judge.by_text {
        judge.texts.prefetch(group.iter().map(|row| row.asking.id).collect())?;
    }
    for Signed { asking, signature } in group {
        interrupt::check();
        let twin = Twin { position: asking.position, id: asking.id, time: asking.time };
        let own = Earlier { position: asking.position, id: asking.id, time: asking.time };
        asking.twin = first.get(&asking.hash).filter(|twin| options.near(twin.time, asking.time)).copied();
        let near = stays.iter().filter(|(row, _)| options.near(row.time, asking.time));
        let near = near.map(|(row, other)| ((other ^ *signature).count_ones(), *row));
        let mut near: Vec<(u32, Earlier)> = near.filter(|(apart, _)| *apart <= judge.distance).collect();
        if near.len() > MOST_COMPARED {
            near.select_nth_unstable(MOST_COMPARED);
            near.truncate(MOST_COMPARED);
        }
        near.sort_unstable();
        let candidate = |(apart, row)| Ranked { row, weight: WEIGHT - apart, rarest: 0, lack: Lack::default() };
        asking.candidates = near.iter().copied().map(candidate).collect();
        stars.place(asking, |stays| {
            let apart = near.iter().find(|(_, row)| row == stays).map_or(0, |(apart, _)| *apart);
            judge.near(stays, &own, apart)
        })?;
        first.entry(asking.hash).or_insert(twin);
        if stars.stays(asking.position) {
            stays.push((own, *signature));
        }
    }
    Ok(())
}

/// The verdict on two rows.
struct Pairs<'s> {
    distance: u32,
    by_text: Option<Judge<'s>>,
    texts: Texts<'s>,
    analyzer: &'s str,
}

impl Pairs<'_> {
    /// Gives the verdict on two rows so many bits apart.
    fn near(&mut self, stays: &Earlier, goes: &Earlier, apart: u32) -> Result<Option<Judged>> {
        if let Some(judge) = &mut self.by_text {
            return judge.judge(stays, goes);
        }
        let text = self.texts.get(stays.id)?;
        let stays_hash = text.map_or(0, digest::text_hash);
        Ok(Some(Judged { verdict: verdict_number(Verdict::Copy), score: apart.into(), loses: false, stays_hash }))
    }

    /// Gives the verdict on a longer row, which would stay, and another one, which may be too far away from it.
    fn by_their_texts(&mut self, long: &Earlier, goes: &Earlier) -> Result<Option<Judged>> {
        let Some(judge) = &mut self.by_text else { return Ok(None) };
        let signatures = [long.id, goes.id].map(|id| {
            let Some(text) = judge.texts.get(id)? else { return Ok(None) };
            let signature =
                analyzer::with(self.analyzer, |analyzer, scratch| document::simhash(text, analyzer, scratch))?;
            signature.map_err(report)
        });
        let [a, b] = signatures;
        match (a?, b?) {
            (Some(a), Some(b)) if (a ^ b).count_ones() <= self.distance => judge.judge(long, goes),
            _ => Ok(None),
        }
    }
}
