//! The aggregate behind `neardup.train_profile`: from documents to the statistics of a profile.

use std::time::{Duration, Instant};

use neardup_core::profile::{Training, token_hashes};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use pgrx::{Internal, pg_sys};

use super::loaded;
use crate::datum::aggregate;
use crate::error::{Result, report};

/// How often a training says how far it is.
const PROGRESS: Duration = Duration::from_secs(3);

struct State {
    training: Training,
    keep: i32,
    told: Instant,
}

#[pg_extern(sql = false)]
fn train_transition(
    mut state: Internal,
    document: Option<&str>,
    profile: &str,
    keep: i32,
    fcinfo: pg_sys::FunctionCallInfo,
) -> Result<Internal> {
    let training = Training::new(usize::try_from(keep).unwrap_or_default()).map_err(report)?;
    let make = || State { training, keep, told: Instant::now() };
    // SAFETY: sql/profile.sql declares this as the transition function of one aggregate, whose state is always a State.
    let done = unsafe { aggregate::with_state(&mut state, fcinfo, make, |state| add(state, document, profile)) };
    done.unwrap_or(Ok(())).map(|()| state)
}

fn add(state: &mut State, document: Option<&str>, profile: &str) -> Result<()> {
    let Some(document) = document else { return Ok(()) };
    let tokens = loaded::with(profile, None, |profile, scratch| token_hashes(document, profile.analyzer(), scratch))?;
    let training = &mut state.training;
    training.add(&tokens.map_err(report)?);
    if state.told.elapsed() >= PROGRESS {
        state.told = Instant::now();
        notice!("{} documents, {} words so far", training.documents(), training.words());
    }
    Ok(())
}

#[pg_extern(sql = false)]
fn train_final(state: Internal) -> Option<Vec<u8>> {
    // SAFETY: as in the transition function.
    unsafe { aggregate::with_last_state(&state, finish) }.flatten()
}

/// Gives the statistics, and says what they leave out; `None` where no document has a token.
fn finish(state: &State) -> Option<Vec<u8>> {
    let training = &state.training;
    if training.documents() == 0 {
        return None;
    }
    if training.words() > state.keep.unsigned_abs() as usize {
        let message = format!("the {} words that are in most documents are kept", state.keep);
        let mut told = ErrorReport::new(PgSqlErrorCode::ERRCODE_SUCCESSFUL_COMPLETION, message, "train_profile");
        if training.lost() > 0 {
            let lost = training.lost();
            told = told.set_detail(format!("The number of documents of a word may be too low by up to {lost}."));
        }
        told.set_hint("More words: keep => ...").report(PgLogLevel::NOTICE);
    }
    Some(training.finish())
}
