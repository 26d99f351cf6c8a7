//! A list that is made again without the rows that it has named, until it names no more: what a clean-up removes, so that a second one
//! finds nothing.
//!
//! Verdicts know the table, and keys that very many rows have are not all looked at; so without the copies that were found, a few other
//! rows are copies. A row that is kept in one round may turn out to copy another one in the next. Its duplicates then go with it, if
//! the verdict on each of them and the row that is now kept agrees, or it was answered to be a copy of the row that goes; otherwise they are kept, and take part in the next round. So each
//! row was compared with the row that is kept in its place, as in a list that is made once. What answers keep apart stays apart over all
//! rounds ([`Groups`]). Pairs of which a round has found out that they are no duplicates whatever else is in the table are not compared
//! again ([`RuledOut`](super::ruled_out::RuledOut)).

use std::collections::hash_map::Entry;

use ahash::{AHashMap, AHashSet};
use neardup_core::candidates::spill::Sorter;
use neardup_core::candidates::{Apart, Earlier, Judged, Member, pack_time, unpack_time};

use super::answered::apart;
use super::functions::Lists;
use super::relation::Reader;
use crate::answers::Answers;
use crate::error::Result;
use crate::pg::table::temporary::{TemporaryFile, sort_memory};

/// The numbers of the rows that a list has named so far: they take no part, and no verdict knows them.
pub type Gone = AHashSet<u64>;

/// The most rounds: four tables of 5,987 to 40,515 rows settled long before.
const MOST_ROUNDS: usize = 16;

type Named = Sorter<TemporaryFile, 8>;

/// What the rows of each group are kept apart from, by the number of the kept row.
struct Groups<'l>(&'l Answers, AHashMap<u64, Apart>);

impl Groups<'_> {
    /// Adds a row to a group, unless answers keep it apart from a row of it.
    fn join(&mut self, member: &Member, readers: &[Reader<'_>]) -> Result<bool> {
        let Self(answers, groups) = self;
        if answers.is_none() {
            return Ok(true);
        }
        let own = apart(answers, member.duplicate_hash, member.duplicate.id, readers)?;
        if own.own.is_empty() {
            return Ok(true);
        }
        let group = match groups.entry(member.kept.id) {
            Entry::Occupied(group) => group.into_mut(),
            Entry::Vacant(place) => place.insert(apart(answers, member.kept_hash, member.kept.id, readers)?),
        };
        let is_allowed = !group.meets(&own);
        if is_allowed {
            group.add(&own);
        }
        Ok(is_allowed)
    }
}

/// Lists the copies. Besides `work_mem`, 16 bytes for each row that is named and for each group are needed.
///
/// # Errors
/// Those of the lists.
pub fn run(lists: &Lists<'_>, readers: &mut [Reader<'_>]) -> Result<impl Iterator<Item = Member> + use<>> {
    let memory = sort_memory() / 8;
    let (mut gone, mut named) = (Gone::default(), Named::new(memory));
    let mut groups = Groups(lists.answers, AHashMap::new());
    let mut place = 0;
    for round in 0..MOST_ROUNDS {
        readers.iter_mut().for_each(Reader::restart);
        let mut found = lists.round(&gone, readers)?.peekable();
        if found.peek().is_none() {
            break;
        }
        let (mut next, first) = (Named::new(memory), place);
        // Which row is now kept in the place of one that was kept so far.
        let mut heirs: AHashMap<u64, Member> = AHashMap::new();
        for member in found {
            if !groups.join(&member, readers)? {
                continue;
            }
            gone.insert(member.duplicate.id);
            if round > 0 {
                heirs.insert(member.duplicate.id, member);
            }
            next.push(record(place, &member));
            place += 1;
        }
        // Answers keep all that was found apart from its groups: another round would find the same.
        if place == first {
            break;
        }
        let mut returned = Vec::new();
        lists.compare(&gone, readers, |judge| {
            for named in std::mem::replace(&mut named, Named::new(0)).finish() {
                let member = member(named);
                match heirs.get(&member.kept.id).map(|heir| follow(lists, heir, member, judge)).transpose()? {
                    None => next.push(named),
                    Some(Some(member)) if groups.join(&member, readers)? => next.push(record(named[0], &member)),
                    Some(_) => returned.push(member.duplicate.id),
                }
            }
            Ok(())
        })?;
        for id in &returned {
            gone.remove(id);
        }
        named = next;
    }
    let (mut sizes, mut last) = (AHashMap::<u64, u64>::new(), Named::new(memory));
    for named in named.finish() {
        *sizes.entry(named[1]).or_insert(1) += 1;
        last.push(named);
    }
    let sized = move |named: [u64; 8]| {
        let group_size = sizes.get(&named[1]).copied().unwrap_or_default();
        Member { group_size, ..member(named) }
    };
    Ok(last.finish().map(sized))
}

/// Returns a duplicate as one of another kept row, if it is.
fn follow(
    lists: &Lists<'_>,
    heir: &Member,
    member: Member,
    judge: &mut dyn FnMut(&Member, &Member) -> Result<Option<Judged>>,
) -> Result<Option<Member>> {
    if !lists.near(heir.kept.time, member.duplicate.time) {
        return Ok(None);
    }
    let judged = judge(heir, &member)?.filter(|judged| !judged.loses);
    Ok(judged.map(|Judged { verdict, score, kept_hash, .. }| Member {
        kept: heir.kept,
        verdict,
        score,
        kept_hash,
        ..member
    }))
}

/// Makes the record of a member at a place of the list.
fn record(place: u64, member: &Member) -> [u64; 8] {
    [
        place,
        member.kept.id,
        member.duplicate.id,
        member.kept_hash,
        member.duplicate_hash,
        pack_time(member.duplicate.time),
        member.verdict.into(),
        member.score.to_bits(),
    ]
}

fn member([_, kept, duplicate, kept_hash, duplicate_hash, time, verdict, score]: [u64; 8]) -> Member {
    Member {
        kept: Earlier { position: 0, id: kept, time: None },
        duplicate: Earlier { position: 0, id: duplicate, time: unpack_time(time) },
        kept_hash,
        duplicate_hash,
        verdict: verdict as u8,
        score: f64::from_bits(score),
        group_size: 0,
    }
}
