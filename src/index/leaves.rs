//! Finds the leaves of several positions of a tree at once, level by level.
//!
//! Each inner page on the way is read once for all positions that lead through it. Nothing is locked when the leaves are known, so a leaf
//! may have split or moved since: its bounds show that, and then the caller descends to it alone ([`Descents`](super::tree::Descents)).
//! Leaves are pinned several at a time before the first is read, so that the processor fetches them from memory at the same time.
//!
//! A guard searches the keys of a row just before the same keys are inserted. So the leaves of the last search are kept ([`keep`]), and
//! an insert into the same index begins with these ([`of_keys`]), which are tested like all others.

use std::cell::RefCell;

use neardup_page::Entry;
use neardup_page::kind::TreeKey;
use neardup_text::interrupt;
use pgrx::pg_sys;

use super::buffer::{Buffer, Index, Lock, Pin};
use super::tree::{Link, Step, Target, check, root};
use crate::error::Result;

/// Of more keys than a guard may have, leaves are not kept.
const MOST_KEPT: usize = 64;

/// Where the leaf of a position is expected.
#[derive(Clone, Copy)]
pub struct LeafLink {
    tree: u8,
    position: Entry,
    link: Link,
}

/// A leaf that is pinned and not locked yet: the one of a position, unless it has changed since.
pub struct NextLeaf {
    pin: Pin,
    target: Target,
    link: Link,
}

impl LeafLink {
    const fn is_leaf(&self) -> bool {
        matches!(self.link.expected, Some((0, _)))
    }

    fn target(&self) -> Target {
        Target { tree: self.tree, level: 0, position: self.position }
    }

    /// Pins the leaf, and lets the processor fetch it while the caller goes on.
    ///
    /// # Errors
    /// For a block that does not exist.
    pub fn pin(&self, index: Index) -> Result<NextLeaf> {
        let pin = index.pin(self.link.block)?;
        pin.prefetch();
        Ok(NextLeaf { pin, target: self.target(), link: self.link })
    }
}

impl NextLeaf {
    /// Locks it for reading. `None` if it is no longer the leaf of the position.
    ///
    /// # Errors
    /// If the page is damaged.
    pub fn lock_to_read(self, index: Index) -> Result<Option<Buffer>> {
        let Self { pin, target, link } = self;
        let buffer = pin.lock(Lock::Share);
        let is_here = matches!(target.step(index, &buffer, link.expected)?, Step::Here);
        Ok(is_here.then_some(buffer))
    }

    /// Locks it for a change. `None` if it is no longer the leaf of the position, or, for a caller that has locked other leaves and so
    /// must not wait, if another backend holds it.
    ///
    /// # Errors
    /// If the page is damaged.
    pub fn lock(self, index: Index, waits: bool) -> Result<Option<Buffer>> {
        let Self { pin, target, link } = self;
        let buffer = if waits { Some(pin.lock(Lock::Exclusive)) } else { pin.try_lock() };
        let Some(buffer) = buffer else { return Ok(None) };
        let is_here = matches!(target.step(index, &buffer, link.expected)?, Step::Here);
        Ok(is_here.then_some(buffer))
    }
}

/// Finds the leaves of positions, each with its tree. Those of one tree stand together; ascending ones share the most pages. It locks
/// one inner page at a time.
///
/// # Errors
/// If a page on the way is damaged.
pub fn leaves_of(index: Index, positions: impl Iterator<Item = (u8, Entry)>) -> Result<Vec<LeafLink>> {
    let begin = |(tree, position)| LeafLink { tree, position, link: Link { block: root(tree), expected: None } };
    let mut links: Vec<LeafLink> = positions.map(begin).collect();
    while !links.iter().all(LeafLink::is_leaf) {
        interrupt::check();
        for run in links.chunk_by_mut(|a, b| a.link.block == b.link.block) {
            if run.iter().all(LeafLink::is_leaf) {
                continue;
            }
            let Some(block) = run.first().map(|first| first.link.block) else { continue };
            let buffer = index.read(block, Lock::Share)?;
            let page = check(index, &buffer)?;
            for leaf in run.iter_mut().filter(|leaf| !leaf.is_leaf()) {
                let step = match &page {
                    Some(page) => leaf.target().step_from(index, page, block, leaf.link.expected)?,
                    None => Step::Again,
                };
                leaf.link = match step {
                    Step::To(block, level, low) => Link { block, expected: Some((level, low)) },
                    // The root is the leaf, or else the caller descends once more.
                    Step::Here | Step::Again => Link { block, expected: Some((0, Entry::LEAST)) },
                };
            }
        }
    }
    Ok(links)
}

/// The leaves of the keys of a row that a guard has searched.
#[derive(Default)]
struct Kept {
    index: Option<pg_sys::Oid>,
    keys: Vec<u64>,
    links: Vec<LeafLink>,
}

thread_local! {
    static LAST: RefCell<Kept> = RefCell::default();
}

/// Keeps the leaves of the keys of a row, which may be inserted next.
pub fn keep(index: pg_sys::Oid, keys: &[u64], links: &[LeafLink]) {
    LAST.with_borrow_mut(|last| {
        let count = if keys.len() > MOST_KEPT { 0 } else { keys.len() };
        last.index = Some(index);
        last.keys.clear();
        last.keys.extend_from_slice(&keys[..count]);
        last.links.clear();
        last.links.extend_from_slice(&links[..count]);
    });
}

/// Finds the leaves of a row's keys: those that were kept, or else by reading the trees.
///
/// # Errors
/// If a page on the way is damaged.
pub fn of_keys(index: Index, keys: &[TreeKey], row: u64) -> Result<Vec<LeafLink>> {
    let kept = LAST.with_borrow(|last| {
        let links = last.links.iter().zip(keys);
        let is_same = last.index == Some(index.oid()) && last.keys.iter().map(|key| (0, *key)).eq(keys.iter().copied());
        // The index may have been built anew since.
        let kept = links.map(|(link, &(_, key))| LeafLink { position: Entry { key, row }, ..*link });
        is_same.then(|| kept.collect::<Vec<_>>()).filter(|kept| kept.iter().all(|leaf| index.has(leaf.link.block)))
    });
    match kept {
        Some(links) => Ok(links),
        None => leaves_of(index, keys.iter().map(|&(tree, key)| (tree, Entry { key, row }))),
    }
}
