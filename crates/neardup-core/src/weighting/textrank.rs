//! TextRank: the weight of a word follows from the weights of the words near it (Zhang 2016, eq. 3 and 4; Mihalcea and Tarau
//! 2004).
//!
//! The graph has a vertex for each distinct token, and an unweighted, undirected edge between any two different tokens that occur
//! within [`WINDOW`] consecutive tokens of each other. Then `WS(v) = (1 - d) + d * sum of WS(u) / deg(u) over the neighbours u of
//! v`, `d` = 0.85.
//!
//! The equation has one solution, wherever the iteration starts. It starts here at `1 - d + d * deg(v) / mean degree`, the solution
//! for a word whose neighbours are average, instead of at 1. On news of 1,222 characters, which have 690 tokens, this takes 18
//! sweeps instead of 31.
//!
//! These details are fixed too, because weights are frozen. A sweep visits the vertices in the order of first occurrence and uses
//! new values immediately (Gauss-Seidel). Neighbours are added in the order in which the text first shows them beside `v`: in four
//! sums by position modulo 4 for complete groups of four, the remainder separately, `(s0 + s1) + (s2 + s3) + remainder`. The sweeps
//! end when none has changed a value by [`EPSILON`] (0.0001, Mihalcea and Tarau's threshold), or after [`MAX_SWEEPS`].
//!
//! All data are flat arrays of integers: no hash map, and at most `2 * (WINDOW - 1)` entries per token, even if one word stands
//! beside all others. Such an article takes 76 µs; normalising and cutting it takes 210 µs.

/// How many consecutive tokens stand together.
const WINDOW: usize = 5;
/// The damping factor d.
const DAMPING: f64 = 0.85;
/// The change below which a value is at rest.
const EPSILON: f64 = 1e-4;
/// The most sweeps. The slowest text tried, one long chain of new words, needs fewer.
const MAX_SWEEPS: usize = 100;
/// The most tokens: the graph takes 64 bytes each.
pub(super) const MAX_TOKENS: usize = 1 << 24;

/// The graph and the ranks, as reusable memory.
#[derive(Debug, Default)]
pub(super) struct TextRank {
    /// Where the neighbours of each vertex start and, once all are in, end.
    starts: Vec<u32>,
    ends: Vec<u32>,
    neighbours: Vec<u32>,
    /// The vertex that last saw each vertex as a neighbour, to leave out repetitions.
    seen_by: Vec<u32>,
    ranks: Vec<f64>,
    /// WS(v) / deg(v), what a vertex hands to each neighbour.
    shares: Vec<f64>,
}

impl TextRank {
    /// Ranks `vertices` distinct tokens, given the sequence of their numbers; at most [`MAX_TOKENS`] of them.
    pub(super) fn rank(&mut self, sequence: &[u32], vertices: usize) -> &[f64] {
        self.connect(sequence, vertices);
        self.start();
        for _ in 0..MAX_SWEEPS {
            if self.sweep() < EPSILON {
                break;
            }
        }
        &self.ranks
    }

    /// Fills in the neighbours of each vertex, each once, in the order in which the text shows them.
    fn connect(&mut self, sequence: &[u32], vertices: usize) {
        // Room for every pair in the window, counted by vertex. A place sees at most WINDOW - 1 tokens on either side.
        self.starts.clear();
        self.starts.resize(vertices, 0);
        for &vertex in sequence {
            self.starts[vertex as usize] += 2 * (WINDOW as u32 - 1);
        }
        let mut total = 0;
        for start in &mut self.starts {
            total += std::mem::replace(start, total);
        }
        self.ends.clear();
        self.ends.extend_from_slice(&self.starts);
        self.neighbours.clear();
        self.neighbours.resize(total as usize, 0);
        for (at, &vertex) in sequence.iter().enumerate() {
            for &other in sequence[at + 1..].iter().take(WINDOW - 1) {
                if other != vertex {
                    self.append(vertex, other);
                    self.append(other, vertex);
                }
            }
        }
        neardup_text::interrupt::check();
        self.seen_by.clear();
        self.seen_by.resize(vertices, u32::MAX);
        for vertex in 0..vertices {
            let start = self.starts[vertex] as usize;
            let mut kept = start;
            for from in start..self.ends[vertex] as usize {
                let neighbour = self.neighbours[from];
                let seen_by = &mut self.seen_by[neighbour as usize];
                if *seen_by != vertex as u32 {
                    *seen_by = vertex as u32;
                    self.neighbours[kept] = neighbour;
                    kept += 1;
                }
            }
            self.ends[vertex] = kept as u32;
        }
    }

    #[inline]
    fn append(&mut self, vertex: u32, neighbour: u32) {
        let end = &mut self.ends[vertex as usize];
        self.neighbours[*end as usize] = neighbour;
        *end += 1;
    }

    /// Sets the ranks from which the sweeps start.
    fn start(&mut self) {
        let degrees = || self.starts.iter().zip(&self.ends).map(|(&start, &end)| f64::from(end - start));
        let entries: f64 = degrees().sum();
        let scale = DAMPING * self.starts.len() as f64 / entries.max(1.0);
        self.ranks.clear();
        self.ranks.extend(degrees().map(|degree| (1.0 - DAMPING) + scale * degree));
        self.shares.clear();
        self.shares.extend(degrees().zip(&self.ranks).map(|(degree, rank)| rank / degree));
    }

    /// Applies equation 4 to each vertex once; returns the largest change.
    fn sweep(&mut self) -> f64 {
        neardup_text::interrupt::check();
        let mut change: f64 = 0.0;
        for vertex in 0..self.ranks.len() {
            let neighbours = &self.neighbours[self.starts[vertex] as usize..self.ends[vertex] as usize];
            let share = |&neighbour: &u32| self.shares[neighbour as usize];
            let (fours, rest) = neighbours.as_chunks::<4>();
            let mut sums = [0.0; 4];
            for four in fours {
                sums = std::array::from_fn(|lane| sums[lane] + share(&four[lane]));
            }
            let rest: f64 = rest.iter().map(share).sum();
            let sum = (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest;
            let rank = (1.0 - DAMPING) + DAMPING * sum;
            change = change.max((rank - self.ranks[vertex]).abs());
            self.ranks[vertex] = rank;
            self.shares[vertex] = rank / neighbours.len() as f64;
        }
        change
    }
}

#[cfg(test)]
mod tests {
    use super::{DAMPING, MAX_SWEEPS, TextRank, WINDOW};
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// Equations 3 and 4 by the book, as far as floating point goes.
    fn oracle(sequence: &[u32], vertices: usize) -> Vec<f64> {
        let mut graph: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for window in (0..sequence.len()).map(|at| &sequence[at..sequence.len().min(at + WINDOW)]) {
            for &other in window.iter().filter(|&&other| other != window[0]) {
                graph.entry(window[0]).or_default().insert(other);
                graph.entry(other).or_default().insert(window[0]);
            }
        }
        let neighbours = |vertex: usize| graph.get(&(vertex as u32)).into_iter().flatten();
        let mut ranks = vec![1.0; vertices];
        for _ in 0..150 {
            ranks = (0..vertices)
                .map(|vertex| {
                    let handed = |&u: &u32| ranks[u as usize] / graph[&u].len() as f64;
                    1.0 - DAMPING + DAMPING * neighbours(vertex).map(handed).sum::<f64>()
                })
                .collect();
        }
        ranks
    }

    /// Numbers in the order of first occurrence, as `Distinct` gives them.
    fn number(tokens: &[u32]) -> (Vec<u32>, usize) {
        let mut numbers = BTreeMap::new();
        let sequence = tokens
            .iter()
            .map(|token| {
                let next = numbers.len() as u32;
                *numbers.entry(token).or_insert(next)
            })
            .collect();
        (sequence, numbers.len())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn agrees_with_the_oracle(texts in prop::collection::vec(prop::collection::vec(0u32..40, 0..120), 1..4)) {
            let mut textrank = TextRank::default();
            for tokens in texts {
                let (sequence, vertices) = number(&tokens);
                let ranks = textrank.rank(&sequence, vertices);
                prop_assert_eq!(ranks.len(), vertices);
                for (rank, exact) in ranks.iter().zip(oracle(&sequence, vertices)) {
                    prop_assert!((rank - exact).abs() < 1e-3, "{} is not {}", rank, exact);
                }
            }
        }
    }

    #[test]
    fn a_lone_word_has_the_least_rank() {
        assert_eq!(TextRank::default().rank(&[0, 0, 0], 1), &[1.0 - DAMPING]);
    }

    #[test]
    fn the_window_is_five_tokens() {
        let mut textrank = TextRank::default();
        textrank.connect(&[0, 1, 1, 1, 2, 3], 4);
        let neighbours = |vertex: usize| {
            textrank.neighbours[textrank.starts[vertex] as usize..textrank.ends[vertex] as usize].to_vec()
        };
        assert_eq!(neighbours(0), [1, 2]);
        assert_eq!(neighbours(1), [0, 2, 3]);
        assert_eq!(neighbours(2), [0, 1, 3]);
        assert_eq!(neighbours(3), [1, 2]);
    }

    #[test]
    fn the_slowest_graph_comes_to_rest() {
        let chain: Vec<u32> = (0..20_000).collect();
        let mut textrank = TextRank::default();
        textrank.rank(&chain, chain.len());
        assert!(textrank.sweep() < super::EPSILON, "not at rest after {MAX_SWEEPS} sweeps");
    }

    /// One word beside every other: a vertex of 20,000 neighbours.
    #[test]
    fn a_hub_is_heavy() {
        let sequence: Vec<u32> = (1..20_000).flat_map(|word| [0, word]).collect();
        let mut textrank = TextRank::default();
        let ranks = textrank.rank(&sequence, 20_000);
        assert!(ranks[0] > 1000.0 * ranks[10_000]);
    }

    /// Frozen: weights are part of the signature format.
    #[test]
    fn golden() {
        let mut textrank = TextRank::default();
        let ranks = textrank.rank(&[0, 1, 2, 3, 1, 4, 5, 2, 6, 7, 0, 8, 1, 9], 10);
        let bits: Vec<u64> = ranks.iter().map(|rank| rank.to_bits()).collect();
        let frozen = [
            4607901204705039868,
            4608479187821318698,
            4607858993256734588,
            4605090986416605323,
            4606235277050424867,
            4607276343376574814,
            4607264570392096954,
            4607885723171982632,
            4606287771426252555,
            4603987426831311754,
        ];
        assert_eq!(bits, frozen);
    }
}
