//! Walks the trees: from the root down, and along a level.
//!
//! A page is locked while it is read, and no page is locked while the next one is fetched. Meanwhile the next page may split, so
//! that the entry searched for is now further right. Or it may be merged into its left neighbour and be reused. The bounds on each
//! page show both: a reader that arrives too far left moves right, and a reader that arrives at any other page starts again at the
//! root. If the server crashed after a split, before it wrote the downlink, a search takes one more step to the right; the next
//! insert that takes it writes the downlink.
//!
//! A call that searches for several pages of a tree reads its root once ([`Descents`]). This copy may become outdated, like any
//! link that a reader has not yet followed. The page it leads to is tested like every other; if the test fails, the root itself is
//! read.

use neardup_page::kind::SignatureKind;
use neardup_page::{Entry, META, Meta, NONE, Page, PageOpaque};
use neardup_text::interrupt;
use pgrx::pg_sys::panic::ErrorReport;

use super::buffer::{Buffer, Index, Lock};
use crate::error::Result;

/// A tree that could not be read in order in this number of attempts is damaged: each failed attempt means that a page was reused at
/// that moment.
const MOST_RESTARTS: u32 = 1000;

/// Returns the block of a tree's root.
pub fn root(tree: u8) -> u32 {
    1 + u32::from(tree)
}

/// Returns the kind of signature that an index holds.
///
/// # Errors
/// For an index whose metapage is damaged.
pub fn kind(index: Index) -> Result<SignatureKind> {
    let buffer = index.read(META, Lock::Share)?;
    let meta = Meta::check(buffer.bytes()).map_err(|fault| index.corrupted(META, fault))?;
    SignatureKind::of_number(meta.kind).ok_or_else(|| index.corrupted(META, "its kind of signature is unknown"))
}

/// Checks a page that was read; `None` for a page that is not in use.
///
/// # Errors
/// If it is damaged.
pub fn check(index: Index, buffer: &Buffer) -> Result<Option<Page<'_>>> {
    let page = Page::check(buffer.bytes()).map_err(|fault| index.corrupted(buffer.block, fault))?;
    if page.is_some_and(|page| page.opaque().right == buffer.block) {
        return Err(index.corrupted(buffer.block, "it is its own neighbour"));
    }
    Ok(page)
}

/// The page to find: the one of a tree and a level to which a position belongs.
pub(super) struct Target {
    pub tree: u8,
    pub level: u16,
    pub position: Entry,
}

/// The next step of a descent.
pub(super) enum Step {
    /// This is the page.
    Here,
    /// To another page, on this level or the next lower one, whose lower bound is not less than this.
    To(u32, u16, Entry),
    /// The page does not match the link to it: start again.
    Again,
}

impl Target {
    pub fn step(&self, index: Index, buffer: &Buffer, expected: Option<(u16, Entry)>) -> Result<Step> {
        let Some(page) = check(index, buffer)? else { return Ok(Step::Again) };
        self.step_from(index, &page, buffer.block, expected)
    }

    pub fn step_from(&self, index: Index, page: &Page<'_>, block: u32, expected: Option<(u16, Entry)>) -> Result<Step> {
        let opaque = page.opaque();
        if opaque.tree != self.tree
            || expected.is_some_and(|(level, low)| level != opaque.level || low > opaque.low)
            || opaque.low >= self.position
            || opaque.level < self.level
        {
            return Ok(Step::Again);
        }
        if opaque.high < self.position {
            // The bounds rise with each step, so the search ends even if the links form a circle.
            return Ok(Step::To(opaque.right, opaque.level, opaque.high));
        }
        if opaque.level == self.level {
            return Ok(Step::Here);
        }
        let Some(downlink) = page.downlink_to(self.position) else {
            return Err(index.corrupted(block, "a downlink is missing"));
        };
        if downlink.child == META || downlink.child == block {
            return Err(index.corrupted(block, "a downlink leads nowhere"));
        }
        Ok(Step::To(downlink.child, opaque.level - 1, Entry::LEAST))
    }
}

/// Where a page of a level is expected, and what is known of it: its level, and a position that its lower bound is not less
/// than. Nothing of the root.
#[derive(Clone, Copy)]
pub(super) struct Link {
    pub block: u32,
    pub expected: Option<(u16, Entry)>,
}

/// Descends to the page of a level to which a position belongs, and locks it in the given mode.
///
/// # Errors
/// If a page on the way is damaged.
pub fn descend(index: Index, tree: u8, level: u16, position: Entry, lock: Lock) -> Result<Buffer> {
    Descents::new(index).descend(tree, level, position, lock)
}

/// The descents of one call. From the second descent in a tree on, they begin at a copy of its root.
pub struct Descents {
    index: Index,
    /// The tree of the last descent.
    tree: Option<u8>,
    root: Option<Vec<u8>>,
    /// Whether the last descent that locked its page reached it by a step to the right.
    pub has_stepped_right: bool,
}

impl Descents {
    pub fn new(index: Index) -> Self {
        Self { index, tree: None, root: None, has_stepped_right: false }
    }

    /// Descends to the page of a level to which a position belongs, and locks it in the given mode.
    ///
    /// # Errors
    /// If a page on the way is damaged.
    pub fn descend(&mut self, tree: u8, level: u16, position: Entry, lock: Lock) -> Result<Buffer> {
        let target = Target { tree, level, position };
        for _ in 0..MOST_RESTARTS {
            interrupt::check();
            let mut link = self.approach(&target)?;
            self.has_stepped_right = false;
            loop {
                let buffer = self.index.read(link.block, lock)?;
                match target.step(self.index, &buffer, link.expected)? {
                    Step::Here => return Ok(buffer),
                    Step::To(block, next, low) if next == level => {
                        link = Link { block, expected: Some((next, low)) };
                        self.has_stepped_right = true;
                    }
                    // It has changed since, or the root has split.
                    Step::To(..) | Step::Again => break,
                }
            }
            self.root = None;
        }
        Err(self.disorder(tree))
    }

    fn disorder(&self, tree: u8) -> ErrorReport {
        self.index.corrupted(root(tree), "its tree is in disorder")
    }

    /// Finds the page that leads to a target. It locks inner pages, also for a caller that has locked leaves, because no backend waits
    /// for a leaf while holding an inner page.
    fn approach(&mut self, target: &Target) -> Result<Link> {
        let is_repeated = self.tree.replace(target.tree) == Some(target.tree);
        if !is_repeated {
            self.root = None;
        }
        for _ in 0..MOST_RESTARTS {
            interrupt::check();
            if let Some(link) = self.try_approach(target, is_repeated)? {
                return Ok(link);
            }
            self.root = None;
        }
        Err(self.disorder(target.tree))
    }

    fn try_approach(&mut self, target: &Target, keeps_root: bool) -> Result<Option<Link>> {
        let mut link = match self.first_step(target)? {
            Some(link) => link,
            None => Link { block: root(target.tree), expected: None },
        };
        while link.expected.is_none_or(|(level, _)| level != target.level) {
            let buffer = self.index.read(link.block, Lock::Share)?;
            match target.step(self.index, &buffer, link.expected)? {
                // The root itself.
                Step::Here => break,
                Step::Again => return Ok(None),
                Step::To(block, level, low) => {
                    if keeps_root && link.expected.is_none() {
                        self.root = Some(buffer.bytes().to_vec());
                    }
                    link = Link { block, expected: Some((level, low)) };
                }
            }
        }
        Ok(Some(link))
    }

    /// Returns the step from the copy of the root, if there is a copy, of a higher level than the target.
    fn first_step(&self, target: &Target) -> Result<Option<Link>> {
        let (Some(bytes), block) = (&self.root, root(target.tree)) else { return Ok(None) };
        let page = Page::check(bytes).map_err(|fault| self.index.corrupted(block, fault))?;
        let Some(page) = page else { return Ok(None) };
        Ok(match target.step_from(self.index, &page, block, None)? {
            Step::To(block, level, low) => Some(Link { block, expected: Some((level, low)) }),
            Step::Here | Step::Again => None,
        })
    }
}

/// A walk along a level of a tree, from a position to the right.
pub struct Walk {
    index: Index,
    descents: Descents,
    tree: u8,
    level: u16,
    /// The first position that has not been read yet.
    next: Entry,
    /// The right link of the last page.
    right: Option<u32>,
    done: bool,
}

impl Walk {
    /// Begins a walk.
    pub fn begin(index: Index, tree: u8, level: u16, position: Entry) -> Self {
        Self { index, descents: Descents::new(index), tree, level, next: position, right: None, done: false }
    }

    /// Moves to another position, perhaps of another tree.
    fn move_to(&mut self, tree: u8, position: Entry) {
        (self.tree, self.next, self.right, self.done) = (tree, position, None, false);
    }

    fn descend(&mut self) -> Result<Buffer> {
        self.descents.descend(self.tree, self.level, self.next, Lock::Share)
    }

    /// Reads the next page, which stays locked while `work` uses it; `None` after the last page. `work` also gets the page's
    /// block and the first position that has not been read: if the last page was merged into this one, this one has entries
    /// that were already read.
    ///
    /// # Errors
    /// If a page is damaged, or those of `work`.
    pub fn step<T>(&mut self, work: impl FnOnce(&Page<'_>, u32, Entry) -> Result<T>) -> Result<Option<T>> {
        if self.done {
            return Ok(None);
        }
        interrupt::check();
        let buffer = match self.right {
            Some(block) => {
                let buffer = self.index.read(block, Lock::Share)?;
                // The page begins where the last one ended, unless it was merged into that one and reused since.
                let opaque = check(self.index, &buffer)?.map(|page| page.opaque());
                if opaque.is_some_and(|opaque| self.is_next(&opaque)) {
                    buffer
                } else {
                    drop(buffer);
                    self.descend()?
                }
            }
            None => self.descend()?,
        };
        let Some(page) = check(self.index, &buffer)? else {
            return Err(self.index.corrupted(buffer.block, "it is linked and not in use"));
        };
        let opaque = page.opaque();
        let result = work(&page, buffer.block, self.next)?;
        self.advance(&opaque);
        Ok(Some(result))
    }

    fn is_next(&self, opaque: &PageOpaque) -> bool {
        opaque.tree == self.tree && opaque.level == self.level && opaque.holds(self.next)
    }

    fn advance(&mut self, opaque: &PageOpaque) {
        self.done = opaque.right == NONE;
        self.right = Some(opaque.right);
        self.next = opaque.high.next();
    }

    /// Says whether everything left comes after a key.
    pub fn is_past(&self, key: u64) -> bool {
        self.done || self.next.key > key
    }
}

/// Passes each leaf's entries with keys from `first` to `last` to `sink`.
///
/// # Errors
/// If a page is damaged.
pub fn each_between(index: Index, tree: u8, first: u64, last: u64, sink: impl FnMut(Entry)) -> Result<()> {
    Leaves::of(index).each_between(tree, first, last, sink)
}

/// The leaves of an index, for several searches of one call.
pub struct Leaves(Walk);

impl Leaves {
    pub fn of(index: Index) -> Self {
        Self(Walk::begin(index, 0, 0, Entry::first_of(0)))
    }

    /// Passes each leaf's entries with keys from `first` to `last` to `sink`.
    ///
    /// # Errors
    /// If a page is damaged.
    pub fn each_between(&mut self, tree: u8, first: u64, last: u64, mut sink: impl FnMut(Entry)) -> Result<()> {
        let walk = &mut self.0;
        walk.move_to(tree, Entry::first_of(first));
        while !walk.is_past(last) {
            walk.step(|page, _, from| {
                page.between(first, last).filter(|entry| *entry >= from).for_each(&mut sink);
                Ok(())
            })?;
        }
        Ok(())
    }
}
