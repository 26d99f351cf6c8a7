//! A pair that stood before an UPDATE: a longer text was accepted after a shorter one, or a row was let through. An edit of either makes no copy
//! that was not there, so the guard does not refuse it; otherwise such rows could not be edited any more.

use pgrx::pg_sys;

use super::candidate::Candidate;
use super::signature::Signature;
use super::subject::Subject;
use super::verify::Verifier;
use crate::error::Result;
use crate::guarded::document::candidate_document;
use crate::verdict::judge::Between;

/// Says whether the row that an UPDATE replaces was a near-duplicate of a candidate already, by what the guard goes by now. `table_of_row` is the
/// table that the row is in.
pub fn stood_before(subject: &Subject<'_>, candidate: &Candidate<'_>, table_of_row: pg_sys::Oid) -> Result<bool> {
    let &Candidate { guard, part, table, .. } = candidate;
    let Some(before) = guard.part(table_of_row).and_then(|own| subject.before(guard, &own)) else {
        return Ok(false);
    };
    let beside = candidate.beside();
    let is_apart = candidate.time(&before).is_some_and(|time| !before.is_near(time, guard.settings.window));
    if is_apart
        || !candidate.is_in_scope(&before)
        || before.beside.difference(&beside, guard.differ_columns()).is_some()
    {
        return Ok(false);
    }
    let (Some(document), Some(text)) = (before.document.as_deref(), candidate_document(guard, part, table)) else {
        return Ok(false);
    };
    let (Some(signature), Some(of_text)) =
        (Signature::of(document, &guard.settings)?, Signature::of(&text, &guard.settings)?)
    else {
        return Ok(false);
    };
    let distance = match (&signature, &of_text) {
        (Signature::SimHash(ours), Signature::SimHash(theirs)) => (ours ^ theirs).count_ones(),
        _ => 0,
    };
    if distance > guard.settings.distance {
        return Ok(false);
    }
    let titles = [&*before.beside.title, &*beside.title];
    let columns = before.beside.columns(&beside, guard.agree_columns());
    let between = Between { apart: candidate.apart(&before), titles, columns };
    let mut verifier = Verifier::new(guard, &before, &signature, table_of_row)?;
    Ok(verifier.compare(&text, f64::from(distance), between)?.is_some())
}
