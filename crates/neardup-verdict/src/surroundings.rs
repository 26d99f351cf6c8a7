//! Two texts among the rows around them: what of them is form, and whether their differences are found elsewhere.

use std::ops::Range;
use std::rc::Rc;

use ahash::AHashSet;

use super::forms::Sampled;
use super::passages::Passages;
use super::prepared::Prepared;

/// A row that shares less than this part of the shorter text's passages with each of the two texts has another message. Chosen
/// with [`OTHERS`] among 0.4 to 0.8, by the likelihood of the labels of held-out tables.
const ALIKE: f64 = 0.5;

/// A row that has this part of a text's passages contains the text.
const WHOLE: f64 = 0.95;

/// So many rows with other messages make a passage form.
const OTHERS: usize = 2;

/// What the other rows of a table say about two texts.
#[derive(Debug, Default)]
pub(super) struct Surroundings {
    /// The form in each text, in bytes of the plain text.
    pub(super) form: [Vec<Range<usize>>; 2],
    /// How many rows with other messages follow the form.
    pub(super) followers: usize,
    /// How varied similar rows are where the two texts differ: the mean share of what each has there that neither text has, 0 to 1.
    /// Other copies have what one of the two has; other fillings of a form do not.
    pub(super) variety: f64,
    /// How many similar rows have mostly something else there.
    pub(super) others: usize,
    /// Whether another row contains the shorter text.
    pub(super) is_repeated: bool,
}

impl Surroundings {
    pub(super) fn of(texts: [&Prepared<'_>; 2], rows: &[Rc<Sampled>]) -> Self {
        if rows.is_empty() {
            return Self::default();
        }
        let passages = texts.map(|text| Passages::of(text.plain()));
        let sets = [0, 1].map(|at: usize| passages[at].keys.iter().copied().collect::<AHashSet<u64>>());
        let shared =
            |row: &Sampled, set: &AHashSet<u64>| set.iter().filter(|key| row.passages.contains(key)).count() as f64;
        let likeness =
            |row: &Sampled, set: &AHashSet<u64>| shared(row, set) / set.len().min(row.passages.len()).max(1) as f64;
        let least = sets[0].len().min(sets[1].len());
        let contains =
            |row: &Sampled| sets.iter().any(|set| set.len() == least && shared(row, set) >= WHOLE * least as f64);
        let (similar, others): (Vec<&Rc<Sampled>>, Vec<&Rc<Sampled>>) =
            rows.iter().partition(|row| sets.iter().any(|set| likeness(row, set) >= ALIKE));
        let have = |rows: &[&Rc<Sampled>], key: u64| rows.iter().filter(|row| row.passages.contains(&key)).count();
        let lone = [0, 1].map(|at: usize| sets[at].difference(&sets[1 - at]).copied().collect::<Vec<u64>>());
        let has = |row: &Sampled, lone: &[u64]| {
            lone.iter().filter(|&&key| row.passages.contains(&key)).count() as f64 / lone.len() as f64
        };
        let other: Vec<f64> = if lone.iter().any(Vec::is_empty) {
            Vec::new()
        } else {
            similar.iter().map(|row| 1.0 - has(row, &lone[0]).max(has(row, &lone[1]))).collect()
        };
        let is_form = |key: u64| have(&others, key) >= OTHERS;
        let form = [0, 1].map(|at: usize| passages[at].stretches(is_form));
        let shared: AHashSet<u64> = sets[0].intersection(&sets[1]).copied().filter(|&key| is_form(key)).collect();
        let followers = others.iter().filter(|row| shared.iter().any(|key| row.passages.contains(key))).count();
        Self {
            form,
            followers,
            variety: other.iter().sum::<f64>() / other.len().max(1) as f64,
            others: other.iter().filter(|&&share| share > 0.5).count(),
            is_repeated: rows.iter().any(|row| contains(row)),
        }
    }
}
