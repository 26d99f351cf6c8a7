//! Who stays: groups are stars.
//!
//! A row joins the first of its candidates that stays and that it duplicates, so it is always judged against the row that stays in its
//! place, never through a chain. A row with an earlier twin goes where that one went. At the end, a row that stays but is an excerpt of a
//! later one gives way to it, if all rows that joined it can follow. An excerpt of an excerpt is judged against the longest of the three.
//!
//! Promised: the result depends on the rows, their candidates and the judge alone.

use std::cmp::Reverse;

use ahash::{AHashMap, AHashSet};

use super::all::{Asking, Earlier};
use super::row::{Bits, Options, pack, pack_time, unpack, unpack_time};
use super::spill::{Sorted, Sorter, Storage};

/// The verdict on a row that stays and another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The caller's number of the verdict.
    pub verdict: u8,
    /// Its score, or a similarity.
    pub score: f64,
    /// Whether the other row holds more than the one that stays, so that it must not go.
    pub loses: bool,
    /// The hash of the text of the row that stays.
    pub stays_hash: u64,
}

/// A row that joined another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// The row that stays: position and the caller's identifier.
    pub stays: Earlier,
    /// The row that goes.
    pub goes: Earlier,
    /// The hashes of their texts.
    pub stays_hash: u64,
    /// The hash of the text of the row that goes.
    pub goes_hash: u64,
    /// The verdict on the two.
    pub verdict: u8,
    /// Its score.
    pub score: f64,
    /// How many rows the group has, with the one that stays.
    pub group_size: u64,
}

/// A row that stays in the place of an excerpt.
#[derive(Clone, Copy, Debug)]
struct Longer {
    long: Earlier,
    long_hash: u64,
    score: f64,
    short: Member,
}

/// Who stays, so far.
#[derive(Debug)]
pub struct Stars<S> {
    options: Options,
    /// The caller's number of the verdict on identical texts.
    identical: u8,
    joined: Bits,
    /// Rows that others have joined.
    heads: Bits,
    /// Where rows went that have later twins.
    went: AHashMap<u32, Member>,
    members: Sorter<S, 8>,
    longer: Vec<Longer>,
    memory: usize,
}

fn record(member: &Member) -> [u64; 8] {
    [
        // A place before it is free for the size of the group.
        pack(member.stays.position, member.goes.position + 1),
        member.stays.id,
        member.goes.id,
        member.stays_hash,
        member.goes_hash,
        pack_time(member.goes.time),
        member.verdict.into(),
        member.score.to_bits(),
    ]
}

fn member([both, stays_id, goes_id, stays_hash, goes_hash, time, verdict, score]: [u64; 8]) -> Member {
    let (stays, goes) = unpack(both);
    Member {
        stays: Earlier { position: stays, id: stays_id, time: None },
        goes: Earlier { position: goes.saturating_sub(1), id: goes_id, time: unpack_time(time) },
        stays_hash,
        goes_hash,
        verdict: verdict as u8,
        score: f64::from_bits(score),
        group_size: 0,
    }
}

impl<S: Storage> Stars<S> {
    /// Begins, with about so many bytes of memory. Besides it, two bits for each row and 80 bytes for each row that joins another one
    /// and has twins are kept.
    #[must_use]
    pub fn new(options: Options, identical: u8, memory: usize) -> Self {
        Self {
            options,
            identical,
            joined: Bits::default(),
            heads: Bits::default(),
            went: AHashMap::new(),
            members: Sorter::new(memory / 2),
            longer: Vec::new(),
            memory,
        }
    }

    /// Says whether a row has not joined another one.
    #[must_use]
    pub fn stays(&self, position: u32) -> bool {
        !self.joined.contains(position)
    }

    /// Takes the next row that asks. `judge` gives the verdict on a row that stays and this one, if either may be removed.
    ///
    /// # Errors
    /// Those of `judge`.
    pub fn place<E>(
        &mut self,
        asking: &Asking,
        mut judge: impl FnMut(&Earlier) -> Result<Option<Judged>, E>,
    ) -> Result<(), E> {
        if let Some(member) = self.with_twin(asking) {
            self.join(asking, member);
            return Ok(());
        }
        let mut budget = self.options.rule.budget(asking.bytes as usize);
        let first = self.longer.len();
        for candidate in &asking.candidates {
            if !self.stays(candidate.row.position) || !budget.allows(candidate.lack) {
                continue;
            }
            budget.spend(candidate.lack);
            let Some(judged) = judge(&candidate.row)? else { continue };
            let member = Member {
                stays: candidate.row,
                stays_hash: judged.stays_hash,
                verdict: judged.verdict,
                score: judged.score,
                ..own(asking)
            };
            if !judged.loses {
                self.longer.truncate(first);
                self.join(asking, member);
                return Ok(());
            }
            if !self.options.excerpts_give_way {
                continue;
            }
            let short = Member { goes: member.stays, goes_hash: member.stays_hash, ..member };
            self.longer.push(Longer { long: member.goes, long_hash: asking.hash, score: judged.score, short });
        }
        Ok(())
    }

    /// Gives where a row goes by its twin, if that one stays or has joined a row that this one may join, too.
    fn with_twin(&self, asking: &Asking) -> Option<Member> {
        let twin = asking.twin?;
        if self.stays(twin.position) {
            let stays = Earlier { position: twin.position, id: twin.id, time: twin.time };
            return Some(Member { stays, stays_hash: asking.hash, verdict: self.identical, score: 1.0, ..own(asking) });
        }
        // With a window, the row that the twin joined may be too far away. Then the row's candidates decide.
        let went = self.went.get(&twin.position).filter(|_| self.options.window.is_none())?;
        Some(Member {
            stays: went.stays,
            stays_hash: went.stays_hash,
            verdict: went.verdict,
            score: went.score,
            ..own(asking)
        })
    }

    fn join(&mut self, asking: &Asking, member: Member) {
        self.joined.insert(asking.position);
        self.heads.insert(member.stays.position);
        if asking.has_twins {
            self.went.insert(asking.position, member);
        }
        self.members.push(record(&member));
    }

    /// Ends the rows, and lets excerpts give way. `judge` gives the verdict on the longer row, which would stay, and another one.
    ///
    /// # Errors
    /// Those of `judge`.
    pub fn finish<E>(
        mut self,
        mut judge: impl FnMut(&Earlier, &Earlier) -> Result<Option<Judged>, E>,
    ) -> Result<Members<S>, E> {
        let mut longer = self.longest();
        let mut out = Out { members: Sorter::new(self.memory / 2), added: AHashMap::new() };
        // Those that nobody has joined first, so that they are counted in the group of the longer row.
        for (_, longer) in longer.extract_if(|short, _| !self.heads.contains(*short)) {
            if let Some(moved) = self.moved(&longer, &[], &mut judge)? {
                out.moved(longer.long.position, moved);
            }
        }
        let mut members = std::mem::replace(&mut self.members, Sorter::new(0)).finish().map(member).peekable();
        while let Some(first) = members.next() {
            let stays = first.stays.position;
            let Some(longer) = longer.remove(&stays) else {
                out.group(
                    stays,
                    std::iter::once(first).chain(std::iter::from_fn(|| members.next_if(|m| m.stays.position == stays))),
                );
                continue;
            };
            // All of them are needed before the first is decided.
            let mut group = vec![first];
            group.extend(std::iter::from_fn(|| members.next_if(|m| m.stays.position == stays)));
            match self.moved(&longer, &group, &mut judge)? {
                Some(moved) => out.moved(longer.long.position, moved),
                None => out.group(stays, group.into_iter()),
            }
        }
        Ok(out.finish())
    }

    /// Gives for each row that stays and is an excerpt the row in whose favour it goes: the one with the best score, then the first.
    /// That one stays itself. If a still longer row holds it, the excerpt goes in favour of that one, if the verdict on these two agrees.
    fn longest(&mut self) -> AHashMap<u32, Longer> {
        let held: AHashSet<u32> = self.longer.iter().map(|longer| longer.short.goes.position).collect();
        let mut longest: AHashMap<u32, Longer> = AHashMap::new();
        let add = |longest: &mut AHashMap<u32, Longer>, longer: Longer| {
            let best = longest.entry(longer.short.goes.position).or_insert(longer);
            if longer.score > best.score {
                *best = longer;
            }
        };
        let mut through: Vec<Longer> = Vec::new();
        for longer in std::mem::take(&mut self.longer) {
            if !self.stays(longer.long.position) {
                continue;
            }
            if held.contains(&longer.long.position) {
                through.push(longer);
            } else {
                add(&mut longest, longer);
            }
        }
        // A longer row comes after those it holds, so the last one knows best where it goes.
        through.sort_unstable_by_key(|longer| Reverse(longer.long.position));
        for longer in through {
            if let Some(last) = longest.get(&longer.long.position)
                && !longest.contains_key(&longer.short.goes.position)
            {
                let last = Longer { long: last.long, long_hash: last.long_hash, ..longer };
                add(&mut longest, last);
            }
        }
        longest
    }

    /// Gives the members of a group as they join the longer row, with the row that stayed so far; `None` unless all can.
    fn moved<E>(
        &self,
        longer: &Longer,
        group: &[Member],
        judge: &mut impl FnMut(&Earlier, &Earlier) -> Result<Option<Judged>, E>,
    ) -> Result<Option<Vec<Member>>, E> {
        let mut moved: Vec<Member> = Vec::with_capacity(group.len() + 1);
        let mut known: AHashMap<u64, (u8, f64)> = AHashMap::new();
        for member in std::iter::once(&longer.short).chain(group) {
            if !self.options.near(member.goes.time, longer.long.time) {
                return Ok(None);
            }
            let (verdict, score) = match known.get(&member.goes_hash) {
                Some(known) => *known,
                None => match judge(&longer.long, &member.goes)? {
                    Some(judged) if !judged.loses => (judged.verdict, judged.score),
                    _ => return Ok(None),
                },
            };
            known.insert(member.goes_hash, (verdict, score));
            moved.push(Member { stays: longer.long, stays_hash: longer.long_hash, verdict, score, ..*member });
        }
        Ok(Some(moved))
    }
}

/// A row as a member of no group yet.
fn own(asking: &Asking) -> Member {
    let row = Earlier { position: asking.position, id: asking.id, time: asking.time };
    Member {
        stays: row,
        goes: row,
        stays_hash: asking.hash,
        goes_hash: asking.hash,
        verdict: 0,
        score: 1.0,
        group_size: 0,
    }
}

/// The members of all groups, and the size of each in front of it.
struct Out<S> {
    members: Sorter<S, 8>,
    /// How many rows have moved to a row that stays.
    added: AHashMap<u32, u64>,
}

impl<S: Storage> Out<S> {
    fn group(&mut self, stays: u32, members: impl Iterator<Item = Member>) {
        let mut count = 0;
        for member in members {
            self.members.push(record(&member));
            count += 1;
        }
        // A longer row comes after the excerpts that gave way to it, so those have been counted.
        count += self.added.remove(&stays).unwrap_or(0);
        self.size(stays, count);
    }

    fn moved(&mut self, stays: u32, members: Vec<Member>) {
        *self.added.entry(stays).or_default() += members.len() as u64;
        members.iter().for_each(|member| self.members.push(record(member)));
    }

    fn size(&mut self, stays: u32, members: u64) {
        self.members.push([pack(stays, 0), members + 1, 0, 0, 0, 0, 0, 0]);
    }

    fn finish(mut self) -> Members<S> {
        for (stays, count) in std::mem::take(&mut self.added) {
            self.size(stays, count);
        }
        Members { sorted: self.members.finish(), group_size: 0 }
    }
}

/// All rows that joined another one, in the order of the rows that stay, then in their own.
#[derive(Debug)]
pub struct Members<S> {
    sorted: Sorted<S, 8>,
    group_size: u64,
}

impl<S: Storage> Iterator for Members<S> {
    type Item = Member;

    fn next(&mut self) -> Option<Member> {
        loop {
            let record = self.sorted.next()?;
            if unpack(record[0]).1 > 0 {
                return Some(Member { group_size: self.group_size, ..member(record) });
            }
            self.group_size = record[1];
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::super::spill::InMemory;
    use super::super::{CandidateRule, Lack, Ranked};
    use super::*;

    fn row(position: u32) -> Earlier {
        Earlier { position, id: position.into(), time: None }
    }

    /// Lists texts, each with its candidates. A text holds those that it begins with.
    fn list(texts: &[(&str, &[u32])]) -> Vec<(u32, u32, u64)> {
        let rule = CandidateRule::default();
        let options = Options { rule, window: None, first_asking: 0, askers_answer: true, excerpts_give_way: true };
        let mut stars: Stars<InMemory> = Stars::new(options, 0, 1 << 20);
        let judge = |stays: &Earlier, goes: &Earlier| {
            let [stays, goes] = [stays, goes].map(|row| texts[row.position as usize].0);
            let is_one = stays.starts_with(goes) || goes.starts_with(stays);
            let judged = Judged { verdict: 1, score: 0.9, loses: goes.len() > stays.len(), stays_hash: 0 };
            Ok::<_, Infallible>(is_one.then_some(judged))
        };
        for (position, (text, candidates)) in (0..).zip(texts) {
            let candidates = candidates
                .iter()
                .map(|&at| Ranked { row: row(at), weight: 2, rarest: 1, lack: Lack::default() })
                .collect();
            let (hash, bytes) = (position.into(), text.len() as u32);
            let asking =
                Asking { position, id: hash, hash, bytes, time: None, twin: None, has_twins: false, candidates };
            let Ok(()) = stars.place(&asking, |stays| judge(stays, &row(position)));
        }
        let Ok(members) = stars.finish(judge);
        members.map(|member| (member.goes.position, member.stays.position, member.group_size)).collect()
    }

    #[test]
    fn an_excerpt_of_an_excerpt_goes_with_it() {
        assert_eq!(list(&[("ab", &[]), ("abcd", &[0]), ("abcdef", &[1])]), [(0, 2, 3), (1, 2, 3)]);
        assert_eq!(list(&[("ab", &[]), ("abcd", &[0]), ("abxy", &[0])]), [(0, 1, 2)]);
    }

    #[test]
    fn excerpts_count_in_the_group_of_the_longer_text() {
        assert_eq!(list(&[("ab", &[]), ("abcd", &[0]), ("abcd", &[1])]), [(0, 1, 3), (2, 1, 3)]);
    }
}
