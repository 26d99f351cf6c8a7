//! Rows that must not be put together: pairs that the owner of the rows has said are no copies.
//!
//! A row is known by numbers, and names those that it must not be with. A group is what its rows are: a row that would bring two such
//! numbers together does not join it. So no chain of other rows joins what was kept apart, and the order of the rows decides who stays out.

use ahash::{AHashMap, AHashSet};

/// What a row is known as, and what it must not be with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Apart {
    /// The numbers by which others name it.
    pub own: AHashSet<u64>,
    /// The numbers that must not be in its group.
    pub from: AHashSet<u64>,
}

/// Says whether two sets have a number in common. A group of many rows is asked about each further one, so it goes by the smaller set.
fn meet(a: &AHashSet<u64>, b: &AHashSet<u64>) -> bool {
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    few.iter().any(|number| many.contains(number))
}

impl Apart {
    /// Says whether two rows, or groups, must not be together.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        meet(&self.from, &other.own) || meet(&other.from, &self.own)
    }

    /// Adds another row to a group.
    pub fn add(&mut self, other: &Self) {
        self.own.extend(&other.own);
        self.from.extend(&other.from);
    }
}

/// What the rows of each group are known as, by the position of the kept row. Only rows that are kept apart from others are there.
#[derive(Debug, Default)]
pub(super) struct Groups(AHashMap<u32, Apart>);

impl Groups {
    /// Says whether a row may join a group.
    pub(super) fn allows(&self, kept: u32, apart: &Apart) -> bool {
        apart.own.is_empty() || self.0.get(&kept).is_none_or(|group| !group.meets(apart))
    }

    /// Adds a row to a group.
    pub(super) fn add(&mut self, kept: u32, apart: &Apart) {
        if !apart.own.is_empty() {
            self.0.entry(kept).or_default().add(apart);
        }
    }

    /// Says whether two groups may become one.
    pub(super) fn allow_both(&self, a: u32, b: u32) -> bool {
        self.0.get(&a).is_none_or(|group| self.allows(b, group))
    }

    /// Makes two groups one.
    pub(super) fn join(&mut self, from: u32, to: u32) {
        if let Some(group) = self.0.remove(&from) {
            self.add(to, &group);
        }
    }
}
