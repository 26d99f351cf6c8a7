//! What the rows of a table share, learned from the rows that have the same keys.

use std::ops::Range;
use std::rc::Rc;

use ahash::{AHashMap, AHashSet};

use super::passages::Passages;
use super::prepared::Prepared;
use super::table::Rows;
use neardup_text::Result;
use neardup_text::hash::token_hash;

/// The most sampled texts that are kept.
const KEPT: usize = 4096;

/// A row that shares less than this of the shorter text's passages with both texts is another message.
pub(super) const ALIKE: f64 = 0.5;

/// What is known of the table that two texts are rows of.
pub struct Known<'p> {
    /// What has been learned of the table.
    pub forms: &'p mut Forms,
    /// The table.
    pub rows: &'p mut dyn Rows,
    /// The keys of the sketches of the two texts.
    pub keys: [&'p [u64]; 2],
}

/// What has been learned of a table, key by key; kept from pair to pair.
#[derive(Debug, Default)]
pub struct Forms {
    by_key: AHashMap<u64, Vec<Rc<Sampled>>>,
    by_text: AHashMap<u64, Rc<Sampled>>,
}

/// A row that was read because it shares a key with one of the texts.
#[derive(Debug)]
pub(super) struct Sampled {
    /// Equal for equal texts.
    text: u64,
    passages: AHashSet<u64>,
}

impl Forms {
    fn with_key(&mut self, rows: &mut dyn Rows, key: u64) -> Result<&[Rc<Sampled>]> {
        if !self.by_key.contains_key(&key) {
            let mut found = Vec::new();
            for text in rows.with_key(key)? {
                let hash = token_hash(&text);
                let sampled = match self.by_text.get(&hash) {
                    Some(sampled) => Rc::clone(sampled),
                    None => {
                        let passages = Passages::of(Prepared::new(&text)?.plain()).keys.into_iter().collect();
                        let sampled = Rc::new(Sampled { text: hash, passages });
                        self.by_text.insert(hash, Rc::clone(&sampled));
                        sampled
                    }
                };
                found.push(sampled);
            }
            self.by_key.insert(key, found);
        }
        Ok(self.by_key.get(&key).map_or(&[], Vec::as_slice))
    }

    /// Gives the distinct rows other than two texts that share a key with either of them.
    fn around(&mut self, rows: &mut dyn Rows, keys: [&[u64]; 2], texts: [u64; 2]) -> Result<Vec<Rc<Sampled>>> {
        if self.by_text.len() > KEPT {
            *self = Self::default();
        }
        let mut wanted: Vec<u64> = keys.concat();
        wanted.sort_unstable();
        wanted.dedup();
        let mut seen: AHashSet<u64> = texts.into_iter().collect();
        let mut found = Vec::new();
        for key in wanted {
            found.extend(self.with_key(rows, key)?.iter().filter(|sampled| seen.insert(sampled.text)).cloned());
        }
        Ok(found)
    }
}

/// What the other rows of a table say about two texts.
#[derive(Debug)]
pub struct Surroundings {
    /// Stretches of each text that rows with other messages have too, in bytes of the plain text.
    pub(super) furniture: [Vec<Range<usize>>; 2],
    /// Numbers for the model.
    pub numbers: Vec<(&'static str, f64)>,
}

impl Known<'_> {
    /// Compares two texts with the rows around them; `None` if there are none.
    pub(super) fn surroundings(&mut self, a: &Prepared<'_>, b: &Prepared<'_>) -> Result<Option<Surroundings>> {
        let texts = [token_hash(a.text()), token_hash(b.text())];
        let rows = self.forms.around(self.rows, self.keys, texts)?;
        if rows.is_empty() {
            return Ok(None);
        }
        let of = [Passages::of(a.plain()), Passages::of(b.plain())];
        Ok(Some(measure(&of, &rows)))
    }
}

fn overlap(shared: usize, a: usize, b: usize) -> f64 {
    if a.min(b) == 0 { 0.0 } else { shared as f64 / a.min(b) as f64 }
}

fn measure(of: &[Passages; 2], rows: &[Rc<Sampled>]) -> Surroundings {
    let sets: Vec<AHashSet<u64>> = of.iter().map(|of| of.keys.iter().copied().collect()).collect();
    let [set_a, set_b] = &sets[..] else { unreachable!() };
    let shared = set_a.intersection(set_b).count();
    let between = overlap(shared, set_a.len(), set_b.len());
    let alike = |row: &Sampled, set: &AHashSet<u64>| {
        let shared = set.iter().filter(|key| row.passages.contains(key)).count();
        overlap(shared, set.len(), row.passages.len())
    };
    let likeness: Vec<[f64; 2]> = rows.iter().map(|row| [alike(row, set_a), alike(row, set_b)]).collect();
    let (family, others): (Vec<_>, Vec<_>) =
        rows.iter().zip(&likeness).partition(|(_, [a, b])| a.max(*b) >= ALIKE);
    let count = |rows: &[(&Rc<Sampled>, &[f64; 2])], key: u64| {
        rows.iter().filter(|(row, _)| row.passages.contains(&key)).count()
    };
    let mut numbers = Vec::new();
    let ln = |n: usize| libm::log(1.0 + n as f64);
    numbers.push(("rows", ln(rows.len())));
    numbers.push(("family", ln(family.len())));
    numbers.push(("between", between));
    let share = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    for (at, name) in ["closer_a", "closer_b"].into_iter().enumerate() {
        numbers.push((name, share(family.iter().filter(|(_, l)| l[at] >= between).count(), family.len())));
    }
    let mean = |at: usize| family.iter().map(|(_, l)| l[at]).sum::<f64>() / family.len().max(1) as f64;
    numbers.push(("mean_a", mean(0)));
    numbers.push(("mean_b", mean(1)));
    let best = |at: usize| family.iter().map(|(_, l)| l[at]).fold(0.0, f64::max);
    numbers.push(("best_a", best(0)));
    numbers.push(("best_b", best(1)));
    for (cut, name) in [
        (0.0, ["own_a0", "own_b0", "own_shared0"]),
        (0.15, ["own_a1", "own_b1", "own_shared1"]),
        (0.34, ["own_a3", "own_b3", "own_shared3"]),
    ] {
        let most = (cut * family.len() as f64) as usize;
        let own = |set: &AHashSet<u64>| -> AHashSet<u64> {
            set.iter().copied().filter(|&key| count(&family, key) <= most && count(&others, key) <= 1).collect()
        };
        let (own_a, own_b) = (own(set_a), own(set_b));
        numbers.push((name[0], own_a.len() as f64));
        numbers.push((name[1], own_b.len() as f64));
        numbers.push((name[2], own_a.intersection(&own_b).count() as f64));
    }
    for (at, name) in
        [["lone_a", "lone_a_family", "lone_a_others", "lone_a_backed"], ["lone_b", "lone_b_family", "lone_b_others", "lone_b_backed"]]
            .into_iter()
            .enumerate()
    {
        let lone: Vec<u64> = sets[at].difference(&sets[1 - at]).copied().collect();
        numbers.push((name[0], lone.len() as f64));
        numbers.push((name[1], share(lone.iter().filter(|&&key| count(&family, key) > 0).count(), lone.len())));
        numbers.push((name[2], share(lone.iter().filter(|&&key| count(&others, key) > 1).count(), lone.len())));
        let backed = lone.iter().map(|&key| share(count(&family, key), family.len())).sum::<f64>();
        numbers.push((name[3], backed / lone.len().max(1) as f64));
    }
    numbers.push(("passages_a", set_a.len() as f64));
    numbers.push(("passages_b", set_b.len() as f64));
    let furniture = [0, 1].map(|at: usize| of[at].stretches(|key| count(&others, key) >= 2));
    Surroundings { furniture, numbers }
}
