//! The owner's answers: which pairs of rows are copies, whatever the verdict says.
//!
//! Answers on table `s.t` lie in `s.t_answers`, a plain table of t's owner ([`table`]). SQL writes it as its caller (`answers.sql`); guard
//! and list read it here by the hashes of texts, as a constraint is read, for every role that writes or asks. So an answer holds for every row with
//! the two texts, as long as they are what they were, and nothing has to be kept up when rows change, move or come back.
//!
//! Of two rows with the same text, an answer is about their keys.
//!
//! * [`given`]: the answers about a row. [`statements`]: what SQL reads of a row. [`learned`]: what the answers teach.

pub mod given;
mod learned;
mod statements;
mod table;

pub use given::Given;
pub use table::Answers;
