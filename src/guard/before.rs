//! A pair that stood before an UPDATE: a longer text was accepted after a shorter one, or a row was let through. An edit that leaves the two what they
//! were is not refused; otherwise such rows could not be edited any more. An excerpt that becomes a copy of the whole is refused.

use neardup_verdict::Verdict;

use super::candidate::{Candidate, key_of};
use super::signature::Signature;
use super::subject::Subject;
use super::verify::Verifier;
use crate::answers::{Answers, Given};
use crate::error::Result;
use crate::guarded::document::candidate_document;
use crate::verdict::judge::Between;

/// Says whether the row that an UPDATE replaces was to a candidate already what the new one, which `verifier` compares, is: a copy, or an excerpt. What
/// was answered of the two counts: if they were no copies, the edit must not bring them nearer.
pub fn stood_before(
    subject: &Subject<'_>,
    candidate: &Candidate<'_>,
    between: Between<'_>,
    verifier: &mut Verifier<'_>,
) -> Result<bool> {
    let table_of_row = verifier.table();
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
    let before_between = Between { apart: candidate.apart(&before), titles, columns };
    let mut before_verifier = Verifier::new(guard, &before, &signature, table_of_row)?;
    let given = Given::about(&Answers::beside(guard), before.beside.hash(document));
    let answer = given.on(&subject.key, beside.hash(&text), &key_of(part, table));
    if answer == Some(true) {
        return Ok(true);
    }
    let Some((was, score)) = before_verifier.verdict(&text, before_between)? else { return Ok(false) };
    Ok(match (answer, was, verifier.verdict(&text, between)?) {
        (_, _, None) => true,
        // The owner has let these two stay, but not come nearer.
        (Some(_), _, Some((_, now))) => now <= score && subject.document.as_deref() != Some(&*text),
        (None, Verdict::Copy, _) => true,
        (None, was, Some((verdict, _))) => verdict == was,
    })
}
