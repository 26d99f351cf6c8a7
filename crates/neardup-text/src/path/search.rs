//! The searches that run over the word graph of a text.

use crate::lexicon::is_word_char;

/// A search over the edges of a stretch, which come by their starts.
///
/// An edge's cost is minus the base-2 logarithm of the word's probability, in units of 2^-16; what the lexicon does not
/// have costs as much as a word seen once.
pub(super) trait PathSearch {
    /// Forgets the stretch before.
    fn begin(&mut self);

    /// Whether any way leads to this node; no edges start from others.
    fn reaches(&self, node: usize) -> bool;

    /// Takes in an edge; every node before `start` has had all of its edges.
    fn edge(&mut self, start: usize, end: usize, cost: u32);

    /// Whether the stretch may end between these characters, where all ways meet.
    fn settles(&self, before: char, after: char) -> bool;

    /// Puts the ends of the best way's words into the list, the last one first.
    fn best(&self, ends: &mut Vec<usize>);
}

/// Seeks the most probable way.
#[derive(Default)]
pub(super) struct Likeliest {
    /// Per node: cost of the best way to it, and where its last word starts.
    nodes: Vec<(u64, usize)>,
}

impl Likeliest {
    /// The cost of the best way.
    pub(super) fn cost(&self) -> u64 {
        self.nodes.last().map_or(0, |&(cost, _)| cost)
    }
}

impl PathSearch for Likeliest {
    fn begin(&mut self) {
        self.nodes.clear();
        self.nodes.push((0, 0));
    }

    #[inline]
    fn reaches(&self, node: usize) -> bool {
        self.nodes.get(node).is_some_and(|&(cost, _)| cost != u64::MAX)
    }

    #[inline]
    fn edge(&mut self, start: usize, end: usize, cost: u32) {
        if end >= self.nodes.len() {
            self.nodes.resize(end + 1, (u64::MAX, 0));
        }
        let cost = self.nodes[start].0.saturating_add(u64::from(cost));
        if cost < self.nodes[end].0 {
            self.nodes[end] = (cost, start);
        }
    }

    #[inline]
    fn settles(&self, _: char, _: char) -> bool {
        true
    }

    fn best(&self, ends: &mut Vec<usize>) {
        ends.clear();
        let mut node = self.nodes.len() - 1;
        while node > 0 {
            ends.push(node);
            node = self.nodes[node].1;
        }
    }
}

/// Seeks the most probable among the ways with the fewest words or a few more.
///
/// A way with at most `n - 1` words too many has at most that many too many at each node, so each node keeps the best way
/// of each of `n` word counts, from the fewest.
pub(super) struct Fewest {
    n: usize,
    /// Per node: the fewest words, and for that many and each more: cost, and where the last word starts.
    nodes: Vec<(usize, Vec<(u64, usize)>)>,
    used: usize,
}

const NO_WAY: (u64, usize) = (u64::MAX, 0);

impl Fewest {
    pub(super) fn new(n: u8) -> Self {
        Self { n: usize::from(n), nodes: Vec::new(), used: 0 }
    }
}

impl PathSearch for Fewest {
    fn begin(&mut self) {
        self.used = 0;
        self.edge_node(0);
        self.nodes[0].0 = 0;
        self.nodes[0].1[0] = (0, 0);
    }

    fn reaches(&self, node: usize) -> bool {
        node < self.used && self.nodes.get(node).is_some_and(|&(fewest, _)| fewest != usize::MAX)
    }

    fn edge(&mut self, start: usize, end: usize, cost: u32) {
        self.edge_node(end);
        let (before, after) = self.nodes.split_at_mut(end);
        let ((fewest, ways), (end_fewest, end_ways)) = (&before[start], &mut after[0]);
        for (words, &(way, _)) in (fewest + 1..).zip(ways) {
            if way == u64::MAX {
                continue;
            }
            // Fewer words than known so far: the known ways move up, the last ones out.
            while *end_fewest > words {
                let known = end_ways.iter().any(|&(way, _)| way != u64::MAX);
                *end_fewest = if known { *end_fewest - 1 } else { words };
                end_ways.rotate_right(1);
                end_ways[0] = NO_WAY;
            }
            let way = way.saturating_add(u64::from(cost));
            if let Some(known) = end_ways.get_mut(words - *end_fewest)
                && way < known.0
            {
                *known = (way, start);
            }
        }
    }

    fn settles(&self, before: char, after: char) -> bool {
        !is_word_char(before) || !is_word_char(after)
    }

    fn best(&self, ends: &mut Vec<usize>) {
        ends.clear();
        let mut node = self.used - 1;
        let (fewest, ways) = &self.nodes[node];
        let cheapest = (*fewest..).zip(ways).min_by_key(|&(_, &(cost, _))| cost);
        let mut words = cheapest.map_or(*fewest, |(words, _)| words);
        while node > 0 {
            ends.push(node);
            let (fewest, ways) = &self.nodes[node];
            node = ways[words - fewest].1;
            words -= 1;
        }
    }
}

impl Fewest {
    /// Makes sure the node exists, without a way to it.
    fn edge_node(&mut self, node: usize) {
        while self.used <= node {
            match self.nodes.get_mut(self.used) {
                Some((fewest, ways)) => {
                    *fewest = usize::MAX;
                    ways.fill(NO_WAY);
                }
                None => self.nodes.push((usize::MAX, vec![NO_WAY; self.n])),
            }
            self.used += 1;
        }
    }
}
