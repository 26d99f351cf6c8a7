//! The aggregate behind `neardup.train_profile`: turns documents into the statistics of a profile.

use std::time::{Duration, Instant};

use neardup_core::profile::{Training, token_hashes};
use pgrx::Internal;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::loaded;
use crate::error::{Result, report};
use crate::pg::AggregateCall;
use crate::pg::call::aggregate;
use crate::pg::value::text::Text;

/// How often a training says how far it is.
const PROGRESS: Duration = Duration::from_secs(3);

struct State {
    training: Training,
    keep: i32,
    told: Instant,
}

#[pg_extern(sql = false)]
fn train_transition(
    state: Internal,
    document: Option<Text<'_>>,
    profile: Option<&str>,
    keep: Option<i32>,
    call: AggregateCall<'_>,
) -> Result<Internal> {
    let document = document.as_deref();
    let (Some(profile), Some(keep)) = (profile, keep) else {
        let code = PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED;
        return Err(ErrorReport::new(code, "profile and keep must not be NULL", "train_statistics"));
    };
    call.update(state, |state: &mut Option<State>| {
        let state = match state {
            Some(state) => state,
            None => {
                let training = Training::new(usize::try_from(keep).unwrap_or_default()).map_err(report)?;
                state.insert(State { training, keep, told: Instant::now() })
            }
        };
        add(state, document, profile)
    })
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
    aggregate::read::<State>(&state).and_then(finish)
}

/// Returns the statistics, and says what they leave out; `None` where no document has a token.
fn finish(state: &State) -> Option<Vec<u8>> {
    let training = &state.training;
    if training.documents() == 0 {
        return None;
    }
    if training.words() > state.keep.unsigned_abs() as usize {
        let message = format!("the {} most frequent words are kept", state.keep);
        let mut told = ErrorReport::new(PgSqlErrorCode::ERRCODE_SUCCESSFUL_COMPLETION, message, "train_profile");
        if training.lost() > 0 {
            let lost = training.lost();
            told = told.set_detail(format!("The number of documents of a word may be too low by up to {lost}."));
        }
        told.set_hint("To keep more words, raise keep.").report(PgLogLevel::NOTICE);
    }
    Some(training.finish())
}
