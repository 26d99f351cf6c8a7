//! `on_related => 'mark'`: the row that a stored row is related to without being a copy of it, and how.
//!
//! The verdict says so of the rows that the search has compared anyway: an update, a text that contains the other one, an excerpt where excerpts
//! are kept, a copy whose score is below the guard's threshold. The first of them counts, which shares the most keys. It is a hint for readers,
//! and nothing goes by it: a row that a running transaction has written is passed over, and no row is waited for.

use neardup_verdict::Verdict;

use super::verify::{Explanation, Verifier};
use crate::error::Result;
use crate::verdict::judge::Between;

/// How many rows are asked about: a verdict that says what two rows are takes longer than one that says that they are no copies.
const MOST: usize = 8;

/// A row that the new one is related to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Its primary key, as text.
    pub key: String,
    /// What the new row is to it: `update`, `contains`, `excerpt`, `copy` or `rewrite`.
    pub relation: &'static str,
}

/// The search for it.
#[derive(Debug, Default)]
pub struct Relatives {
    asked: usize,
    found: Option<Related>,
}

impl Relatives {
    /// Asks about a row that is not what the new one duplicates.
    ///
    /// # Errors
    /// Those of the verdict.
    pub fn ask(
        &mut self,
        verifier: &mut Verifier<'_>,
        text: &str,
        between: Between<'_>,
        key: impl FnOnce() -> String,
    ) -> Result<()> {
        if self.found.is_some() || self.asked >= MOST {
            return Ok(());
        }
        self.asked += 1;
        let relation = relation(&verifier.comparison(text, between, None)?, verifier.is_longer_than(text));
        self.found = relation.map(|relation| Related { key: key(), relation });
        Ok(())
    }

    /// Returns what was found.
    pub fn take(&mut self) -> Option<Related> {
        self.found.take()
    }
}

/// Says what a new text is to one that it does not duplicate.
fn relation(found: &Explanation, is_longer: bool) -> Option<&'static str> {
    let verdict = found.message.as_ref()?.verdict;
    match (found.rejected?, verdict) {
        // Two texts that share one key and a name may be called a copy with hardly any wording in common.
        ("overlap", _) | (_, Verdict::Different) => None,
        (_, Verdict::Excerpt) if is_longer => Some("contains"),
        _ => Some(verdict.name()),
    }
}

#[cfg(test)]
mod tests {
    use neardup_verdict::Message;

    use super::*;

    #[test]
    fn relations_are_named_from_the_view_of_the_new_row() {
        let found = |rejected, verdict| Explanation {
            overlap: Some(0.9),
            rejected: Some(rejected),
            message: Some(Message { verdict, score: 0.1, reasons: Vec::new() }),
        };
        for (rejected, verdict, is_longer, expected) in [
            ("verdict", Verdict::Update, true, Some("update")),
            ("verdict", Verdict::Rewrite, false, Some("rewrite")),
            ("verdict", Verdict::Different, false, None),
            ("contains", Verdict::Excerpt, true, Some("contains")),
            ("excerpt", Verdict::Excerpt, true, Some("contains")),
            ("excerpt", Verdict::Excerpt, false, Some("excerpt")),
            ("threshold", Verdict::Copy, false, Some("copy")),
            ("overlap", Verdict::Copy, false, None),
        ] {
            assert_eq!(relation(&found(rejected, verdict), is_longer), expected, "{rejected} {verdict}");
        }
        assert_eq!(relation(&Explanation::default(), false), None);
    }
}
