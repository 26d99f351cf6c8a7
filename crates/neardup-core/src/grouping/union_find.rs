//! Disjoint sets, each named by its smallest member.

/// Disjoint sets of the positions 0 to n - 1; 4 bytes each.
pub(super) struct UnionFind {
    /// Closer to the root on every step, and never larger than the position itself.
    parent: Vec<u32>,
}

impl UnionFind {
    /// Makes `count` sets of one position each.
    pub(super) fn new(count: u32) -> Self {
        Self { parent: (0..count).collect() }
    }

    /// Returns the smallest member of the set; halves the path on the way.
    #[inline]
    pub(super) fn find(&mut self, mut position: u32) -> u32 {
        loop {
            let parent = self.parent[position as usize];
            if parent == position {
                return position;
            }
            let grandparent = self.parent[parent as usize];
            self.parent[position as usize] = grandparent;
            position = grandparent;
        }
    }

    /// Joins two sets; returns whether they were separate.
    #[inline]
    pub(super) fn union(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
        a != b
    }

    /// Returns the smallest member of each position's set.
    pub(super) fn into_representatives(mut self) -> Vec<u32> {
        // A parent is never larger than its child, so it is final by the time the child is reached.
        for position in 0..self.parent.len() {
            self.parent[position] = self.parent[self.parent[position] as usize];
        }
        self.parent
    }
}
