//! Tells a copy from an update: whether two texts are one message, judged by their facts and not by their wording alone.
//!
//! Two bulletins may share nine tenths of their words and differ in the number that is the news. [`same_message`] reads both
//! texts. It says whether one may be removed ([`Verdict::Copy`], or [`Verdict::Excerpt`], where the longer one should stay) or each
//! has something of its own ([`Verdict::Update`], [`Verdict::Rewrite`], [`Verdict::Different`]), how sure it is, and why.
//!
//! ```
//! use neardup_verdict::{Pair, Prepared, Verdict};
//!
//! let a = Prepared::new("The ferry between the two islands will run every hour from May, the company said.")?;
//! let b = Prepared::new("The ferry between the two islands will run every hour from May, the company said!")?;
//! let message = Pair::new(&a, &b).message()?;
//! assert_eq!(message.verdict, Verdict::Copy);
//! # Ok::<(), neardup_text::Error>(())
//! ```
//!
//! # Which entry to choose
//! * [`Pair`] is the front door: two [`Prepared`] texts with all that is known of them: titles, a profile, the distance in time, and
//!   the table they are rows of ([`Known`], [`Rows`], [`Forms`]). [`Pair::duplicate`] is the rule that guard, query and clean-up
//!   share; [`Pair::message`] returns reasons.
//! * [`Tried`] says which of many candidates need no verdict, because others that were compared in vain have more in common with the text.
//! * [`same_message`] and its relatives judge two texts of which nothing else is known.
//! * [`replaces`] says which of two duplicates may be removed; [`differences`] quotes what differs, for a person who reviews them.
//! * [`conflicts`] lists the facts that contradict each other; [`explain::explain`] returns all measures, facts and
//!   sentences.
//!
//! All are symmetric except for the order of what is shown, and pure functions of the texts and of what is known of them. A later
//! version may give better verdicts, because signatures store nothing of them.
//!
//! # Steps
//! One folder each, which imports only those before it: `read` (units), `align` (which units stand for each other), `facts`,
//! `compare` (two texts side by side), `table` (the rows around them), `score`. `pair` calls them.

mod align;
mod compare;
pub mod duplicate;
pub mod evaluate;
pub mod explain;
pub mod facts;
mod pair;
mod read;
mod score;
mod table;
mod tried;
mod verdict;

pub use compare::comparison::conflicts;
pub use compare::difference::{differences, whole_differences};
pub use compare::prepared::Prepared;
pub use compare::prepared::{READ, SHORT};
pub use duplicate::{Outline, replaces, says_more};
pub use facts::{Conflict, ConflictKind};
pub use pair::{Compared, Pair, kept_on, same_message, same_message_by_profile, same_message_titled};
pub use read::numerals;
pub use score::{context, correction, features, line, model, teaching, trees};
pub use table::forms::{Asked, Forms, Known, RowsAround};
pub use table::rows::{BACKGROUND, Rows, SAMPLE};
pub use tried::{Likeness, Tried};
pub use verdict::{Message, Verdict};

#[cfg(test)]
mod tests;
