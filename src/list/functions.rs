//! What SQL calls: `neardup_internal.copies`, `reasons`, `checked_list` and `list_settings`.
#![allow(unsafe_code, reason = "a function that Postgres calls by pointer, and its rows")]

use std::cell::RefCell;
use std::rc::Rc;

use neardup_core::candidates::{Judged, Member};
use neardup_verdict::Message;
use pgrx::prelude::*;
use pgrx::{JsonB, pg_sys};
use serde_json::json;

use super::arguments::{Arguments, Choice};
use super::plan::Plan;
use super::reasons::Pair;
use super::relation::Reader;
use super::ruled_out::RuledOut;
use super::settled::Gone;
use super::sketch::Found;
use super::workers::Request;
use super::{give, plan, reasons, settled, simhash, sketch};
use crate::answers::Answers;
use crate::error::Result;
use crate::guarded::settings::Method;
use crate::pg::call::boundary;
use crate::pg::call::function_info;
use crate::pg::call::set::Set;
use crate::pg::table::query::Session;
use crate::pg::table::temporary::sort_memory;
use crate::verdict::judge::Rule;

/// Checks the arguments of a list, and returns them. Times, which mean what they mean to the caller's settings, are written as under those of a list.
#[pg_extern(sql = false)]
pub fn checked_list(arguments: JsonB) -> Result<JsonB> {
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    unsafe {
        boundary::entry(move || {
            let mut checked = arguments.0.clone();
            let choice = Choice::of(&Arguments::read(arguments)?)?;
            for (name, time) in [
                ("since", choice.plain_time(choice.since.as_deref())?),
                ("until", choice.plain_time(choice.until.as_deref())?),
            ] {
                if let Some(time) = time {
                    checked[name] = time.into();
                }
            }
            Ok(JsonB(checked))
        })
    }
}

/// Returns what a list with these arguments goes by, for reports.
#[pg_extern(sql = false)]
pub fn list_settings(arguments: JsonB) -> Result<JsonB> {
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    let choice = unsafe { boundary::entry(move || Choice::of(&Arguments::read(arguments)?)) }?;
    let settings = &choice.guard.settings;
    Ok(JsonB(json!({
        "document": choice.guard.columns.first(),
        "method": settings.method.name(),
        "analyzer": settings.analyzer,
        "verify": choice.verify.name(),
        "distance": (settings.method == Method::SimHash).then_some(choice.distance),
    })))
}

/// Returns the verdict on a row of a list and the kept one, its score and its reasons; no row if the caller does not see both, or if
/// texts are not compared. No row has a key with a NULL.
#[pg_extern(sql = false)]
fn reasons(
    arguments: JsonB,
    key: Vec<Option<String>>,
    kept: Vec<Option<String>>,
    kept_is_new: bool,
) -> Result<TableIterator<'static, (name!(verdict, String), name!(score, f64), name!(reasons, Vec<String>))>> {
    let message = of_pair(arguments, key, kept, kept_is_new, reasons::message)?;
    let row = |message: Message| (message.verdict.name().to_owned(), message.score, message.reasons);
    Ok(TableIterator::new(message.into_iter().map(row)))
}

/// Returns what is learned of two rows of a table from an answer; `None` if the caller does not see both, or texts are not compared by facts.
#[pg_extern(sql = false)]
fn measured(arguments: JsonB, key: Vec<Option<String>>, other: Vec<Option<String>>) -> Result<Option<Vec<f64>>> {
    Ok(of_pair(arguments, key, other, false, reasons::measured)?.map(|measured| measured.values()))
}

/// What is asked about a pair.
type Ask<T> = fn(&Session, &plan::Plan, &Rule<'_>, &mut [Reader<'_>], &Pair<'_>) -> Result<Option<T>>;

/// Asks about a row of a list and the kept one.
fn of_pair<T>(
    arguments: JsonB,
    key: Vec<Option<String>>,
    kept: Vec<Option<String>>,
    kept_is_new: bool,
    ask: Ask<T>,
) -> Result<Option<T>> {
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    unsafe {
        boundary::entry(move || {
            let choice = Choice::of(&Arguments::read(arguments)?)?;
            let whole = |key: Vec<Option<String>>| key.into_iter().collect::<Option<Vec<String>>>();
            let (Some(duplicate), Some(kept)) = (whole(key), whole(kept)) else { return Ok(None) };
            let Some(rule) = choice.rule() else { return Ok(None) };
            let session = Session::open();
            let plan = plan::of(&choice)?;
            let mut readers = super::readers(&session, &plan.sources);
            let answers = Answers::beside(&choice.guard);
            let pair = Pair { duplicate: &duplicate, kept: &kept, kept_is_new, answers: &answers };
            ask(&session, &plan, &rule, &mut readers, &pair)
        })
    }
}

/// How a list with some arguments is made.
pub struct Lists<'l> {
    session: &'l Session,
    arguments: &'l Arguments,
    choice: &'l Choice,
    plan: &'l Plan,
    rule: Option<&'l Rule<'l>>,
    /// What the owner has said of pairs.
    pub answers: &'l Answers,
    /// Pairs that a settled list has ruled out.
    ruled_out: Option<Rc<RefCell<RuledOut>>>,
}

impl<'l> Lists<'l> {
    /// Lists the copies among the rows that are not gone.
    pub fn round(&self, gone: &Gone, readers: &mut [Reader<'_>]) -> Result<Found> {
        match (self.by_sketch(gone), self.choice.guard.settings.method) {
            (Some(list), Method::Sketch) => sketch::run(self.session, &list, readers),
            _ => simhash::run(self.session, &self.by_simhash(gone), readers),
        }
    }

    /// Passes to `question` what gives the verdict on the row that a kept row joins and one of its group, in a table without the rows that are gone.
    pub fn compare(
        &self,
        gone: &Gone,
        readers: &[Reader<'_>],
        question: impl FnOnce(&mut dyn FnMut(&Member, &Member) -> Result<Option<Judged>>) -> Result<()>,
    ) -> Result<()> {
        match (self.by_sketch(gone), self.choice.guard.settings.method) {
            (Some(list), Method::Sketch) => {
                let mut judge = sketch::judge(&list, readers, None, sort_memory() / 4)?;
                question(&mut |heir, member| judge.follow(heir, member, self.answers))
            }
            _ => {
                let groups = self.by_simhash(gone);
                let mut pairs = simhash::Pairs::new(&groups, readers);
                question(&mut |heir, member| pairs.follow(heir, member))
            }
        }
    }

    /// Says whether two times are near enough for a copy.
    pub fn near(&self, a: Option<i64>, b: Option<i64>) -> bool {
        match (self.window(), a, b) {
            (Some(window), Some(a), Some(b)) => a.abs_diff(b) <= window,
            _ => true,
        }
    }

    fn window(&self) -> Option<u64> {
        self.choice.window.map(i64::unsigned_abs)
    }

    fn by_simhash<'g>(&self, gone: &'g Gone) -> simhash::Groups<'g>
    where
        'l: 'g,
    {
        let Choice { distance, excerpts, .. } = *self.choice;
        simhash::Groups { distance, window: self.window(), excerpts, rule: self.rule, gone, answers: self.answers }
    }

    /// `None` if texts are not compared, which the check of the arguments allows for SimHashes only.
    fn by_sketch<'g>(&'g self, gone: &'g Gone) -> Option<sketch::List<'g>>
    where
        'l: 'g,
    {
        let (is_load, excerpts) = (self.choice.source.is_some(), self.choice.excerpts);
        Some(sketch::List {
            request: Request { arguments: self.arguments, choice: self.choice, plan: self.plan },
            plan: self.plan,
            is_load,
            window: self.window(),
            excerpts,
            rule: self.rule?,
            gone,
            answers: self.answers,
            ruled_out: self.ruled_out.as_ref(),
        })
    }
}

/// The entry point behind `neardup_internal.copies`.
///
/// # Safety
/// Postgres calls it as the function that list.sql declares: strict, of one jsonb.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn neardup_copies(fcinfo: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: Postgres passes the fcinfo of this call; this is the outermost frame.
    unsafe {
        boundary::entry(|| {
            let arguments = JsonB::from_datum((*fcinfo).args.as_slice(1)[0].value, false);
            if let Some(Err(error)) = arguments.map(|arguments| copies(fcinfo, arguments)) {
                error.report(PgLogLevel::ERROR);
            }
            (*fcinfo).isnull = true;
            pg_sys::Datum::null()
        })
    }
}

/// # Safety
/// `fcinfo` must be that of the running call.
unsafe fn copies(fcinfo: pg_sys::FunctionCallInfo, arguments: JsonB) -> Result<()> {
    let arguments = Arguments::read(arguments)?;
    let choice = Choice::of(&arguments)?;
    // SAFETY: guaranteed by the caller; list.sql declares nine columns of the types that are given.
    let mut set = unsafe { Set::begin(fcinfo)? };
    let session = Session::open();
    let plan = plan::of(&choice)?;
    let mut readers = super::readers(&session, &plan.sources);
    let rule = choice.rule();
    let answers = Answers::beside(&choice.guard);
    let memory = sort_memory();
    let ruled_out = choice.settled.then(|| Rc::new(RefCell::new(RuledOut::new(memory / 16, memory / 8))));
    let lists = Lists {
        session: &session,
        arguments: &arguments,
        choice: &choice,
        plan: &plan,
        rule: rule.as_ref(),
        answers: &answers,
        ruled_out,
    };
    if choice.settled {
        let found = settled::run(&lists, &mut readers)?;
        return give(&mut set, found, &readers, &choice.verify);
    }
    let found = lists.round(&Gone::default(), &mut readers)?;
    give(&mut set, found, &readers, &choice.verify)
}

function_info!(pg_finfo_neardup_copies);
