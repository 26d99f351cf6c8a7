//! Verdicts of a long list in parallel workers. Who joins whom is decided here, in order, so a list is the same with any number of workers: they
//! are asked in advance about the pairs of a batch that will come up, and what they were not asked is asked here.
#![allow(unsafe_code, reason = "the function that parallel workers run")]

use neardup_core::candidates::{Earlier, Judged, KeyFrequency, Leaders, Probe, pack_time, unpack_time};
use neardup_text::hash::token_hash;
use neardup_verdict::{Asked, Likeness, Tried};
use pgrx::pg_sys;
use pgrx::prelude::*;

use super::arguments::{Arguments, Choice};
use super::judge::{Found, Judge};
use super::plan::{self, Plan};
use super::readers;
use super::relation::Reader;
use super::settled::Gone;
use super::sketch::{self, List};
use crate::answers::{Answers, Given};
use crate::error::Result;
use crate::pg::call::boundary;
use crate::pg::call::workers::{self, Work, Workers, bytes_of, words_of};
use crate::pg::table::query::Session;
use crate::pg::table::temporary::{TemporaryFile, sort_memory};

/// What a worker has found about a probe row and a kept one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The number of the kept row.
    pub kept: u64,
    /// What was found.
    pub found: Found,
}

/// The pairs of one probe row.
#[derive(Debug, PartialEq)]
pub struct Compared {
    /// The position of the probe row.
    pub position: u32,
    pub pairs: Vec<Pair>,
}

/// What workers are asked for.
#[derive(Clone, Copy)]
pub struct Request<'l> {
    pub arguments: &'l Arguments,
    pub choice: &'l Choice,
    pub plan: &'l Plan,
}

impl Request<'_> {
    /// Returns a hash of how this process has understood the arguments, and of all else that a verdict goes by. Another session may change the guard
    /// meanwhile, and whether a transaction may use an index depends on when it began.
    fn meaning(&self) -> u64 {
        let Choice { guard, verify, threshold, excerpts, .. } = self.choice;
        let correction = &guard.settings.correction;
        let Plan { sources, indexes } = self.plan;
        // Between two statements of a session, a library of another version may have been installed.
        let version = env!("CARGO_PKG_VERSION");
        token_hash(&format!("{version} {verify:?} {threshold:?} {excerpts:?} {correction:?} {sources:?} {indexes:?}"))
    }
}

/// The workers of a list.
pub struct Crew(Workers);

impl Crew {
    /// Starts the workers that the settings allow, for rows that they may read as this process does; `None` if there are none.
    pub fn start(list: &List<'_>, readers: &[Reader<'_>], frequency: Option<&KeyFrequency>) -> Option<Self> {
        let count = workers::allowed();
        if count == 0 || !readers.iter().all(Reader::is_parallel_safe) {
            return None;
        }
        let frequency: Vec<u64> = frequency.into_iter().flat_map(KeyFrequency::words).collect();
        let mut words = vec![list.request.meaning(), list.gone.len() as u64, frequency.len() as u64];
        words.extend(list.gone);
        words.extend(frequency);
        let mut state = bytes_of(&words);
        state.extend(list.request.arguments.text().bytes());
        // SAFETY: only reads follow until they are finished; the function below is one of a worker.
        let started = unsafe { Workers::start(c"neardup_list_worker", count, &state, None) }?;
        pgrx::debug1!("parallel workers of a list: {}", started.count());
        Some(Self(started))
    }

    /// Compares probe rows of a batch with the kept rows that are likely to come up, each process its share. What was found is in the order of the
    /// rows; also returns whether all workers have answered. One that has not has met an error, or has understood the request otherwise.
    ///
    /// # Errors
    /// Those of the statements, and of a profile.
    pub fn compare(
        &self,
        batch: &[Probe],
        leaders: &Leaders<TemporaryFile>,
        list: &List<'_>,
        judge: &mut Judge<'_>,
    ) -> Result<(Vec<Compared>, bool)> {
        let questions: Vec<Vec<u64>> = batch.iter().map(|probe| question(probe, leaders, list, judge)).collect();
        let mut shares = Shares::new(self.0.count() + 1, questions.iter().map(Vec::len).sum());
        for (question, probe) in questions.into_iter().zip(batch) {
            shares.add(question, probe);
        }
        let Some((own, others)) = shares.0.split_first() else { return Ok((Vec::new(), false)) };
        for (worker, share) in others.iter().enumerate() {
            self.0.send(worker, &bytes_of(share));
        }
        let mut all = compared(&answer(judge, own)?);
        let mut is_whole = true;
        for worker in 0..others.len() {
            let answer = self.0.receive(worker, |answer| compared(&words_of(answer)));
            is_whole &= answer.is_some();
            all.extend(answer.unwrap_or_default());
        }
        all.sort_unstable_by_key(|of| of.position);
        Ok((all, is_whole))
    }

    /// Lets the workers end. An error that one of them has met is raised here.
    pub fn finish(self) {
        self.0.finish();
    }
}

/// The questions of each process, and how much one should have.
struct Shares(Vec<Vec<u64>>, usize);

impl Shares {
    fn new(count: usize, all: usize) -> Self {
        Self(vec![Vec::new(); count], all / count + all / count / 8 + 1)
    }

    /// Gives a question to the process that has had those about the rows around it, which keeps what it has read of them; or to the one that has
    /// the least, if that one has enough to do.
    fn add(&mut self, question: Vec<u64>, probe: &Probe) {
        let first = probe.candidates.iter().map(|candidate| candidate.row.position).min().unwrap_or_default();
        let wanted = (u64::from(first).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % self.0.len();
        let has_room = self.0.get(wanted).is_some_and(|share| share.len() + question.len() <= self.1);
        let share = if has_room { self.0.get_mut(wanted) } else { self.0.iter_mut().min_by_key(|share| share.len()) };
        if let Some(share) = share {
            share.extend(question);
        }
    }
}

/// Writes which kept rows a probe row is likely to be compared with; nothing if answers are about it.
fn question(probe: &Probe, leaders: &Leaders<TemporaryFile>, list: &List<'_>, judge: &Judge<'_>) -> Vec<u64> {
    if probe.exact_duplicate.is_some() || !Given::about(list.answers, probe.hash).is_none() {
        return Vec::new();
    }
    let likely = leaders.likely(probe).filter(|row| !judge.needs_no_texts(row.id, probe.id));
    let rows: Vec<u64> = likely.flat_map(|row| [row.position.into(), row.id, pack_time(row.time)]).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let mut question = vec![probe.position.into(), probe.id, pack_time(probe.time), rows.len() as u64 / 3];
    question.extend(rows);
    question
}

/// Answers questions: compares each row with the kept ones until it has found one that it copies.
fn answer(judge: &mut Judge<'_>, questions: &[u64]) -> Result<Vec<u64>> {
    let row = |words: &[u64]| match *words {
        [position, id, time] => Earlier { position: position as u32, id, time: unpack_time(time) },
        _ => Earlier { position: 0, id: 0, time: None },
    };
    let (mut rest, mut answers, mut probes) = (questions, Vec::new(), Vec::new());
    while let Some((&[position, id, time, count], after)) = rest.split_first_chunk() {
        let (kept, after) = after.split_at((count as usize * 3).min(after.len()));
        probes.push((row(&[position, id, time]), kept));
        rest = after;
    }
    let ids = |kept: &[u64]| kept.chunks_exact(3).filter_map(|row| row.get(1).copied()).collect::<Vec<_>>();
    let first = probes.iter().flat_map(|(own, kept)| judge.rows_to_read(own.id, ids(kept).into_iter()));
    let first = first.collect();
    judge.texts.prefetch(first)?;
    for (own, kept) in probes {
        neardup_text::interrupt::check();
        let start = answers.len();
        answers.extend([own.position.into(), 0]);
        let (mut count, mut tried) = (0, Tried::default());
        for kept in kept.chunks_exact(3).map(row) {
            let found = judge.compare(&kept, &own, &mut tried)?;
            answers.push(kept.id);
            answers.extend(packed(&found));
            count += 1;
            if found.judged.is_some_and(|judged| !judged.loses) {
                break;
            }
        }
        if let Some(place) = answers.get_mut(start + 1) {
            *place = count;
        }
    }
    Ok(answers)
}

/// Reads answers.
fn compared(answers: &[u64]) -> Vec<Compared> {
    let (mut rest, mut all) = (answers, Vec::new());
    while let Some((&[position, count], after)) = rest.split_first_chunk() {
        let (pairs, after) = after.split_at((count as usize * 5).min(after.len()));
        let pair = |&[kept, ref found @ ..]: &[u64; 5]| Pair { kept, found: unpacked(found) };
        all.push(Compared { position: position as u32, pairs: pairs.as_chunks().0.iter().map(pair).collect() });
        rest = after;
    }
    all
}

/// The bits of an answer: whether either row may go, whether the kept one holds less, what was asked, whether the pair was passed over, and the verdict.
const JUDGED: u64 = 1;
const LOSES: u64 = 2;
const BACKGROUND: u64 = 4;
const ROWS: u64 = 8;
const PASSED_OVER: u64 = 16;
const VERDICT: u32 = 8;

fn packed(Found { judged, asked, likeness, is_passed_over }: &Found) -> [u64; 4] {
    let bit = |is_set: bool, bit: u64| if is_set { bit } else { 0 };
    let of_judged = |judged: &Judged| JUDGED | bit(judged.loses, LOSES) | u64::from(judged.verdict) << VERDICT;
    let flags = judged.as_ref().map_or(0, of_judged)
        | bit(asked.background, BACKGROUND)
        | bit(asked.rows, ROWS)
        | bit(*is_passed_over, PASSED_OVER);
    let [score, kept_hash] = judged.map_or([0, 0], |judged| [judged.score.to_bits(), judged.kept_hash]);
    [flags, score, kept_hash, likeness.number()]
}

fn unpacked(&[flags, score, kept_hash, likeness]: &[u64; 4]) -> Found {
    let has = |bit: u64| flags & bit != 0;
    let score = f64::from_bits(score);
    let judged = Judged { verdict: (flags >> VERDICT) as u8, score, loses: has(LOSES), kept_hash };
    let asked = Asked { background: has(BACKGROUND), rows: has(ROWS) };
    let likeness = Likeness::of_number(likeness);
    Found { judged: has(JUDGED).then_some(judged), asked, likeness, is_passed_over: has(PASSED_OVER) }
}

/// What a worker runs.
///
/// # Safety
/// Postgres calls it in a parallel worker that [`Crew::start`] has started.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn neardup_list_worker(segment: *mut pg_sys::dsm_segment, contents: *mut pg_sys::shm_toc) {
    // SAFETY: Postgres passes what the starting process has prepared; this is the outermost frame.
    unsafe {
        boundary::entry(|| {
            let own = Work::of_worker(segment, contents);
            if let Err(error) = work(&own) {
                error.report(PgLogLevel::ERROR);
            }
            own.end();
        });
    }
}

fn work(work: &Work) -> Result<()> {
    let (head, state) = work.state().split_at(3 * size_of::<u64>());
    let [asked, gone, frequency] = words_of(head)[..] else { return Ok(()) };
    let (words, arguments) = state.split_at((gone + frequency) as usize * size_of::<u64>());
    let words = words_of(words);
    let (gone, frequency) = words.split_at(gone as usize);
    let arguments = Arguments::of_text(arguments)?;
    // If this process understands them otherwise, or not at all, the other one does all by itself.
    let Ok(choice) = Choice::of(&arguments) else { return Ok(()) };
    let Some(rule) = choice.rule() else { return Ok(()) };
    let session = Session::open();
    let Ok(plan) = plan::of(&choice) else { return Ok(()) };
    let request = Request { arguments: &arguments, choice: &choice, plan: &plan };
    if request.meaning() != asked {
        return Ok(());
    }
    let readers = readers(&session, &plan.sources);
    let list = List {
        request,
        plan: &plan,
        is_load: choice.source.is_some(),
        window: None,
        excerpts: choice.excerpts,
        rule: &rule,
        gone: &gone.iter().copied().collect::<Gone>(),
        answers: &Answers::none(),
        ruled_out: None,
    };
    let mut judge = sketch::judge(&list, &readers, KeyFrequency::of_words(frequency), sort_memory() / 2)?;
    work.serve(|questions| answer(&mut judge, &words_of(questions)).map(|answers| bytes_of(&answers)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_worker_has_found_comes_back_as_it_was() {
        let some = Judged { verdict: 1, score: 0.75, loses: true, kept_hash: 9 };
        for judged in [None, Some(some), Some(Judged { verdict: 0, loses: false, ..some })] {
            for asked in
                [(false, false), (true, false), (true, true)].map(|(background, rows)| Asked { background, rows })
            {
                let found =
                    Found { judged, asked, likeness: Likeness::of_number(11), is_passed_over: judged.is_none() };
                assert_eq!(unpacked(&packed(&found)), found);
            }
        }
        let answers = [7, 2, 70, 0, 0, 0, 0, 71, JUDGED, 1_f64.to_bits(), 5, 0, 8, 0];
        let found = compared(&words_of(&bytes_of(&answers)));
        let copy = Judged { verdict: 0, score: 1.0, loses: false, kept_hash: 5 };
        let none = Found::default();
        let pairs =
            vec![Pair { kept: 70, found: none }, Pair { kept: 71, found: Found { judged: Some(copy), ..none } }];
        assert_eq!(found, [Compared { position: 7, pairs }, Compared { position: 8, pairs: vec![] }]);
    }
}
