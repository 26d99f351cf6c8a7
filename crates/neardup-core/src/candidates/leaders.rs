//! Which rows are kept: leader clustering, the star algorithm of Aslam, Pelekhov and Rus ("The star clustering algorithm", 2004) in the order of
//! preference.
//!
//! A row joins the first of its candidates that is kept and that it duplicates, so it is always judged against the row that is kept in its
//! place, never through a chain. A row with an earlier exact duplicate joins the row that this one has joined. At the end, a kept row that
//! is an excerpt of a later one gives way to it, if all rows that joined it can follow. An excerpt of an excerpt is judged against the
//! longest of the three. Rows that are kept apart ([`Apart`]) never join one group.
//!
//! Promised: the result depends on the rows, their candidates and the judge alone.

use ahash::AHashMap;

use super::all::{Earlier, Probe};
use super::apart::{Apart, Groups};
use super::excerpts::{Longer, longest, of_excerpt};
use super::row::{Bits, Options, pack, pack_time, unpack, unpack_time};
use super::spill::{Sorted, Sorter, Storage};

/// The verdict on a kept row and another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The caller's number of the verdict.
    pub verdict: u8,
    /// Its score, or a similarity.
    pub score: f64,
    /// Whether the other row holds more than the kept one, so that removing it would lose content.
    pub loses: bool,
    /// The hash of the text of the kept row.
    pub kept_hash: u64,
}

/// A row that joined another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// The kept row: position and the caller's identifier.
    pub kept: Earlier,
    /// The duplicate row.
    pub duplicate: Earlier,
    /// The hashes of their texts.
    pub kept_hash: u64,
    /// The hash of the text of the duplicate row.
    pub duplicate_hash: u64,
    /// The verdict on the two.
    pub verdict: u8,
    /// The score of the verdict, 0 to 1.
    pub score: f64,
    /// How many rows the group has, with the kept one.
    pub group_size: u64,
}

/// Which rows are kept, so far.
#[derive(Debug)]
pub struct Leaders<S> {
    options: Options,
    /// The caller's number of the verdict on identical texts.
    identical: u8,
    joined: Bits,
    /// Rows that others have joined.
    heads: Bits,
    /// The groups of rows that have later exact duplicates.
    went: AHashMap<u32, Member>,
    members: Sorter<S, 9>,
    longer: Vec<Longer>,
    apart: Groups,
    memory: usize,
}

fn record(member: &Member) -> [u64; 9] {
    [
        // A place before it is free for the size of the group.
        pack(member.kept.position, member.duplicate.position + 1),
        member.kept.id,
        member.duplicate.id,
        member.kept_hash,
        member.duplicate_hash,
        pack_time(member.duplicate.time),
        member.verdict.into(),
        member.score.to_bits(),
        pack_time(member.kept.time),
    ]
}

fn member([both, stays_id, goes_id, kept_hash, duplicate_hash, time, verdict, score, kept_time]: [u64; 9]) -> Member {
    let (kept, duplicate) = unpack(both);
    Member {
        kept: Earlier { position: kept, id: stays_id, time: unpack_time(kept_time) },
        duplicate: Earlier { position: duplicate.saturating_sub(1), id: goes_id, time: unpack_time(time) },
        kept_hash,
        duplicate_hash,
        verdict: verdict as u8,
        score: f64::from_bits(score),
        group_size: 0,
    }
}

impl<S: Storage> Leaders<S> {
    /// Begins, with about `memory` bytes. Besides it, two bits for each row and 80 bytes for each row that joins another one
    /// and has exact duplicates are kept.
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
            apart: Groups::default(),
            memory,
        }
    }

    /// Says whether a row has not joined another one.
    #[must_use]
    pub fn is_kept(&self, position: u32) -> bool {
        !self.joined.contains(position)
    }

    /// Returns the kept rows that a probe row will be compared with if no row between them and it joins another one, in their order.
    pub fn likely<'p>(&'p self, probe: &'p Probe) -> impl Iterator<Item = &'p Earlier> {
        let mut budget = self.options.rule.budget(probe.bytes as usize);
        let kept = probe.candidates.iter().filter(|candidate| self.is_kept(candidate.row.position));
        let likely = kept.filter(move |candidate| {
            let is_allowed = budget.allows(candidate.lack);
            if is_allowed {
                budget.spend(candidate.lack);
            }
            is_allowed
        });
        likely.map(|candidate| &candidate.row)
    }

    /// Takes the next probe row, with what it is kept apart from. `judge` gives the verdict on a kept row and this one, if either may be
    /// removed. A row that holds more than a kept one is not judged again as a row that is kept in its place.
    ///
    /// # Errors
    /// Those of `judge`.
    pub fn place<E>(
        &mut self,
        probe: &Probe,
        apart: &Apart,
        mut judge: impl FnMut(&Earlier) -> Result<Option<Judged>, E>,
    ) -> Result<(), E> {
        if let Some(member) = self.by_exact_duplicate(probe).filter(|to| self.apart.allows(to.kept.position, apart)) {
            self.join(probe, apart, member);
            return Ok(());
        }
        let mut budget = self.options.rule.budget(probe.bytes as usize);
        let first = self.longer.len();
        for candidate in &probe.candidates {
            if !self.is_kept(candidate.row.position) || !budget.allows(candidate.lack) {
                continue;
            }
            budget.spend(candidate.lack);
            if !self.apart.allows(candidate.row.position, apart) {
                continue;
            }
            let Some(judged) = judge(&candidate.row)?.filter(|judged| !apart.from.contains(&judged.kept_hash)) else {
                continue;
            };
            let member = Member {
                kept: candidate.row,
                kept_hash: judged.kept_hash,
                verdict: judged.verdict,
                score: judged.score,
                ..own(probe)
            };
            if !judged.loses {
                self.longer.truncate(first);
                self.join(probe, apart, member);
                return Ok(());
            }
            if !self.options.excerpts_give_way {
                continue;
            }
            self.longer.push(Longer {
                long: member.duplicate,
                long_hash: probe.hash,
                short: member.kept,
                short_hash: member.kept_hash,
                score: judged.score,
                verdict: judged.verdict,
                is_judged: true,
            });
        }
        self.apart.add(probe.position, apart);
        Ok(())
    }

    /// Says what an earlier row is kept apart from that may not have been a probe row: the first of those with its text.
    pub fn keep_apart(&mut self, position: u32, apart: &Apart) {
        if self.is_kept(position) {
            self.apart.add(position, apart);
        }
    }

    /// Returns which row a row joins by its exact duplicate, if that one is kept or has joined a row that this one may join, too.
    fn by_exact_duplicate(&self, probe: &Probe) -> Option<Member> {
        let exact_duplicate = probe.exact_duplicate?;
        if self.is_kept(exact_duplicate.position) {
            let kept =
                Earlier { position: exact_duplicate.position, id: exact_duplicate.id, time: exact_duplicate.time };
            return Some(Member { kept, kept_hash: probe.hash, verdict: self.identical, score: 1.0, ..own(probe) });
        }
        // With a window, the row that the exact duplicate joined may be too far away. Then the row's candidates decide.
        let went = self.went.get(&exact_duplicate.position).filter(|_| self.options.window.is_none())?;
        Some(Member {
            kept: went.kept,
            kept_hash: went.kept_hash,
            verdict: went.verdict,
            score: went.score,
            ..own(probe)
        })
    }

    fn join(&mut self, probe: &Probe, apart: &Apart, member: Member) {
        self.joined.insert(probe.position);
        self.apart.add(member.kept.position, apart);
        self.heads.insert(member.kept.position);
        if probe.has_exact_duplicates {
            self.went.insert(probe.position, member);
        }
        self.members.push(record(&member));
    }

    /// Ends the rows, and lets excerpts give way. `judge` gives the verdict on the longer row that a kept row would join, and on a row that has
    /// joined that one, or it itself.
    ///
    /// # Errors
    /// Those of `judge`.
    pub fn finish<E>(
        mut self,
        mut judge: impl FnMut(&Member, &Member) -> Result<Option<Judged>, E>,
    ) -> Result<Members<S>, E> {
        let longest = longest(std::mem::take(&mut self.longer), |position| self.is_kept(position));
        let mut out = Out { members: Sorter::new(self.memory / 2), added: AHashMap::new() };
        // Those without duplicates first, so that they are counted in the group of the longer row.
        for longer in &longest {
            if !self.heads.contains(longer.short.position)
                && let Some(moved) = self.moved(longer, &[], &mut judge)?
            {
                out.moved(longer.long.position, moved);
            }
        }
        let mut members = std::mem::replace(&mut self.members, Sorter::new(0)).finish().map(member).peekable();
        while let Some(first) = members.next() {
            let kept = first.kept.position;
            let Some(longer) = of_excerpt(&longest, kept) else {
                out.group(
                    kept,
                    std::iter::once(first).chain(std::iter::from_fn(|| members.next_if(|m| m.kept.position == kept))),
                );
                continue;
            };
            // All of them are needed before the first is decided.
            let mut group = vec![first];
            group.extend(std::iter::from_fn(|| members.next_if(|m| m.kept.position == kept)));
            match self.moved(longer, &group, &mut judge)? {
                Some(moved) => out.moved(longer.long.position, moved),
                None => out.group(kept, group.into_iter()),
            }
        }
        Ok(out.finish())
    }

    /// Returns the members of a group as they join the longer row, with the row that stayed so far; `None` unless all can.
    fn moved<E>(
        &mut self,
        longer: &Longer,
        group: &[Member],
        judge: &mut impl FnMut(&Member, &Member) -> Result<Option<Judged>, E>,
    ) -> Result<Option<Vec<Member>>, E> {
        let (short, long) = (longer.short.position, longer.long.position);
        if !self.apart.allow_both(short, long) {
            return Ok(None);
        }
        let own = longer.member();
        let heir = Member { kept: longer.long, kept_hash: longer.long_hash, ..own };
        let mut moved: Vec<Member> = Vec::with_capacity(group.len() + 1);
        let mut known: AHashMap<u64, (u8, f64)> = AHashMap::new();
        if longer.is_judged {
            known.insert(longer.short_hash, (longer.verdict, longer.score));
        }
        for member in std::iter::once(&own).chain(group) {
            if !self.options.near(member.duplicate.time, longer.long.time) {
                return Ok(None);
            }
            let (verdict, score) = match known.get(&member.duplicate_hash) {
                Some(known) => *known,
                None => match judge(&heir, member)? {
                    Some(judged) if !judged.loses => (judged.verdict, judged.score),
                    _ => return Ok(None),
                },
            };
            known.insert(member.duplicate_hash, (verdict, score));
            moved.push(Member { kept: longer.long, kept_hash: longer.long_hash, verdict, score, ..*member });
        }
        self.apart.join(short, long);
        Ok(Some(moved))
    }
}

/// A row as a member of no group yet.
fn own(probe: &Probe) -> Member {
    let row = Earlier { position: probe.position, id: probe.id, time: probe.time };
    Member {
        kept: row,
        duplicate: row,
        kept_hash: probe.hash,
        duplicate_hash: probe.hash,
        verdict: 0,
        score: 1.0,
        group_size: 0,
    }
}

/// The members of all groups, and the size of each in front of it.
struct Out<S> {
    members: Sorter<S, 9>,
    /// How many rows have moved to a kept row.
    added: AHashMap<u32, u64>,
}

impl<S: Storage> Out<S> {
    fn group(&mut self, kept: u32, members: impl Iterator<Item = Member>) {
        let mut count = 0;
        for member in members {
            self.members.push(record(&member));
            count += 1;
        }
        // A longer row comes after the excerpts that gave way to it, so those have been counted.
        count += self.added.remove(&kept).unwrap_or(0);
        self.size(kept, count);
    }

    fn moved(&mut self, kept: u32, members: Vec<Member>) {
        *self.added.entry(kept).or_default() += members.len() as u64;
        members.iter().for_each(|member| self.members.push(record(member)));
    }

    fn size(&mut self, kept: u32, members: u64) {
        self.members.push([pack(kept, 0), members + 1, 0, 0, 0, 0, 0, 0, 0]);
    }

    fn finish(mut self) -> Members<S> {
        for (kept, count) in std::mem::take(&mut self.added) {
            self.size(kept, count);
        }
        Members { sorted: self.members.finish(), group_size: 0 }
    }
}

/// All rows that joined another one, in the order of the kept rows, then in their own.
#[derive(Debug)]
pub struct Members<S> {
    sorted: Sorted<S, 9>,
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
    use std::cell::RefCell;
    use std::convert::Infallible;

    use ahash::AHashSet;

    use super::super::spill::InMemory;
    use super::super::{CandidateRule, Lack, Ranked};
    use super::*;

    fn row(position: u32) -> Earlier {
        Earlier { position, id: position.into(), time: None }
    }

    /// Lists texts, each with its candidates. A text holds those that it begins with.
    fn list(texts: &[(&str, &[u32])]) -> Vec<(u32, u32, u64)> {
        list_apart(texts, &[])
    }

    /// The same with pairs of positions that are kept apart.
    fn list_apart(texts: &[(&str, &[u32])], pairs: &[(u32, u32)]) -> Vec<(u32, u32, u64)> {
        let apart = |position: u32| {
            let named = pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).filter(|(own, _)| *own == position);
            let (own, from) = named.map(|(own, from)| (u64::from(own), u64::from(from))).unzip();
            Apart { own, from }
        };
        let rule = CandidateRule::default();
        let options = Options { rule, window: None, first_probe: 0, indexes_probes: true, excerpts_give_way: true };
        let mut leaders: Leaders<InMemory> = Leaders::new(options, 0, 1 << 20);
        let pairs_judged = RefCell::new(AHashSet::new());
        let judge = |kept: &Earlier, duplicate: &Earlier| {
            let pair = [kept.position.min(duplicate.position), kept.position.max(duplicate.position)];
            assert!(pairs_judged.borrow_mut().insert(pair), "{pair:?} is judged again");
            let [kept, duplicate] = [kept, duplicate].map(|row| texts[row.position as usize].0);
            let is_one = kept.starts_with(duplicate) || duplicate.starts_with(kept);
            let judged = Judged { verdict: 1, score: 0.9, loses: duplicate.len() > kept.len(), kept_hash: 0 };
            Ok::<_, Infallible>(is_one.then_some(judged))
        };
        for (position, (text, candidates)) in (0..).zip(texts) {
            let candidates = candidates
                .iter()
                .map(|&at| Ranked { row: row(at), weight: 2, rarest: 1, lack: Lack::default() })
                .collect();
            let (hash, bytes) = (position.into(), text.len() as u32);
            let probe = Probe {
                position,
                id: hash,
                hash,
                bytes,
                time: None,
                exact_duplicate: None,
                has_exact_duplicates: false,
                candidates,
            };
            let likely: Vec<u32> = leaders.likely(&probe).map(|row| row.position).collect();
            let mut asked = Vec::new();
            let Ok(()) = leaders.place(&probe, &apart(position), |kept| {
                asked.push(kept.position);
                judge(kept, &row(position))
            });
            // No row comes between, so what is asked is what was likely, up to the row that it joins, but for what it is kept apart from.
            if pairs.is_empty() {
                assert!(likely.starts_with(&asked), "{asked:?} {likely:?}");
            }
            assert!(asked.iter().all(|at| likely.contains(at)), "{asked:?} {likely:?}");
        }
        let Ok(members) = leaders.finish(|heir, member| judge(&heir.kept, &member.duplicate));
        members.map(|member| (member.duplicate.position, member.kept.position, member.group_size)).collect()
    }

    #[test]
    fn an_excerpt_of_an_excerpt_goes_with_it() {
        assert_eq!(list(&[("ab", &[]), ("abcd", &[0]), ("abcdef", &[1])]), [(0, 2, 3), (1, 2, 3)]);
        assert_eq!(list(&[("ab", &[]), ("abcd", &[0]), ("abxy", &[0])]), [(0, 1, 2)]);
    }

    #[test]
    fn rows_that_are_kept_apart_share_no_group() {
        let texts: [(&str, &[u32]); 3] = [("ab", &[]), ("ab", &[0]), ("ab", &[0, 1])];
        assert_eq!(list_apart(&texts, &[]), [(1, 0, 3), (2, 0, 3)]);
        assert_eq!(list_apart(&texts, &[(0, 1)]), [(2, 0, 2)]);
        assert_eq!(list_apart(&texts, &[(1, 2)]), [(1, 0, 2)], "nor through the first row");
        let longer: [(&str, &[u32]); 3] = [("ab", &[]), ("ab", &[0]), ("abcd", &[0, 1])];
        assert_eq!(list_apart(&longer, &[]), [(0, 2, 3), (1, 2, 3)]);
        assert_eq!(list_apart(&longer, &[(1, 2)]), [(1, 0, 2)], "nor when a longer text takes the group");
    }

    #[test]
    fn rows_that_have_joined_another_one_are_not_likely() {
        let texts: [(&str, &[u32]); 4] = [("ab", &[]), ("cd", &[0]), ("ab", &[1, 0]), ("ab", &[2, 0])];
        assert_eq!(list(&texts), [(2, 0, 3), (3, 0, 3)]);
    }

    #[test]
    fn excerpts_count_in_the_group_of_the_longer_text() {
        assert_eq!(list(&[("ab", &[]), ("abcd", &[0]), ("abcd", &[1])]), [(0, 1, 3), (2, 1, 3)]);
    }
}
