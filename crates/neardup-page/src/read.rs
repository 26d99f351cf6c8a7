//! Reads a page: checks it once, then searches it in place.

use crate::{
    AT, DELETED, DOWN, Downlink, Entry, Fault, HEADER, IN_USE, LEAF, MOST_LEVELS, NONE, PAGE_ID, PageOpaque, SIZE,
    STEP, address, half, long, word,
};

/// A page that has been checked.
#[derive(Clone, Copy)]
pub struct Page<'p> {
    bytes: &'p [u8],
    opaque: PageOpaque,
    count: usize,
    sorted: usize,
}

impl<'p> Page<'p> {
    /// Checks a page of a tree; `None` if it is not in use.
    pub fn check(bytes: &'p [u8]) -> Result<Option<Self>, Fault> {
        if is_new(bytes) {
            return Ok(None);
        }
        check_header(bytes)?;
        match bytes[AT + 41] {
            IN_USE => {}
            DELETED => return Ok(None),
            _ => return Err("its state is unknown"),
        }
        let bound = |at| Entry { key: long(bytes, AT + at), row: long(bytes, AT + at + 8) };
        let opaque = PageOpaque {
            low: bound(0),
            high: bound(16),
            right: word(bytes, AT + 32),
            level: half(bytes, AT + 36),
            tree: bytes[AT + 40],
        };
        if opaque.level > MOST_LEVELS {
            return Err("its level is out of range");
        }
        if opaque.low >= opaque.high
            || !opaque.low.is_bound()
            || !opaque.high.is_bound()
            || (opaque.right == NONE) != (opaque.high == Entry::GREATEST)
        {
            return Err("its bounds contradict each other");
        }
        let used = usize::from(half(bytes, 12)) - HEADER;
        let size = if opaque.level == 0 { LEAF } else { DOWN };
        if !used.is_multiple_of(size) {
            return Err("its entries do not end where they should");
        }
        let (places, sorted) = (used / size, usize::from(half(bytes, AT + 38)));
        let mut count = places;
        if opaque.level == 0 {
            while count > sorted && address(bytes, HEADER + count * LEAF - 6) == 0 {
                count -= 1;
            }
        }
        if sorted > count || places - count >= STEP || (opaque.level > 0 && sorted == 0) {
            return Err("it has another number of entries than it says");
        }
        Ok(Some(Self { bytes, opaque, count, sorted }))
    }

    /// Returns the data at its end.
    pub fn opaque(&self) -> PageOpaque {
        self.opaque
    }

    /// Returns the number of its entries.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Says whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the offset of the first free place.
    pub fn end(&self) -> usize {
        HEADER + self.items().len()
    }

    /// Returns the number of its sorted entries.
    pub fn sorted(&self) -> usize {
        self.sorted
    }

    fn items(&self) -> &'p [u8] {
        let size = if self.opaque.level == 0 { LEAF } else { DOWN };
        &self.bytes[HEADER..HEADER + self.count * size]
    }

    /// Returns the entries of a leaf, in stored order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = Entry> + 'p {
        self.items().chunks_exact(LEAF).map(Entry::read)
    }

    /// Returns the downlinks of an inner page, in stored order.
    pub fn downlinks(&self) -> impl ExactSizeIterator<Item = Downlink> + 'p {
        self.items().chunks_exact(DOWN).map(Downlink::read)
    }

    /// Returns the downlinks of an inner page in order.
    pub fn ordered_downlinks(&self) -> Vec<Downlink> {
        let mut downlinks: Vec<Downlink> = self.downlinks().collect();
        if self.sorted < self.count {
            downlinks.sort_unstable_by_key(|downlink| downlink.low);
        }
        downlinks
    }

    /// Returns the entries of a leaf with keys from `first` to `last`, in no order.
    pub fn between(&self, first: u64, last: u64) -> impl Iterator<Item = Entry> + 'p {
        let (sorted, tail) = self.items().split_at(self.sorted * LEAF);
        let begin = partition(self.sorted, self.guess(self.sorted, first), |i| long(sorted, i * LEAF) < first);
        let sorted = sorted[begin * LEAF..].chunks_exact(LEAF).map(Entry::read).take_while(move |e| e.key <= last);
        let tail = tail.chunks_exact(LEAF).filter(move |entry| (first..=last).contains(&long(entry, 0)));
        sorted.chain(tail.map(Entry::read))
    }

    /// Passes the entries of a leaf that have a key to `found`, in no order: what [`Self::between`] gives, faster.
    pub fn with_key(&self, key: u64, mut found: impl FnMut(Entry)) {
        /// This many appended entries are compared without a branch between them: hardly any has the key.
        const TOGETHER: usize = 8;
        let has_key = |entry: &[u8; LEAF]| long(entry, 0) == key;
        let (sorted, tail) = self.items().split_at(self.sorted * LEAF);
        let begin = partition(self.sorted, self.guess(self.sorted, key), |i| long(sorted, i * LEAF) < key);
        let sorted = sorted[begin * LEAF..].as_chunks::<LEAF>().0;
        sorted.iter().take_while(|entry| has_key(entry)).for_each(|entry| found(Entry::read(entry)));
        let (groups, rest) = tail.as_chunks::<LEAF>().0.as_chunks::<TOGETHER>();
        for group in groups {
            if group.iter().fold(false, |any, entry| any | has_key(entry)) {
                group.iter().filter(|entry| has_key(entry)).for_each(|entry| found(Entry::read(entry)));
            }
        }
        rest.iter().filter(|entry| has_key(entry)).for_each(|entry| found(Entry::read(entry)));
    }

    /// Estimates the index of a key among `count` sorted entries. Keys are hashes, so they are spread evenly between the
    /// bounds.
    fn guess(&self, count: usize, key: u64) -> usize {
        let PageOpaque { low, high, .. } = self.opaque;
        let part = key.saturating_sub(low.key) as f64 / high.key.abs_diff(low.key) as f64;
        (part * count as f64) as usize
    }

    /// Returns the downlink that leads to a position.
    pub fn downlink_to(&self, position: Entry) -> Option<Downlink> {
        let (sorted, tail) = self.items().split_at(self.sorted * DOWN);
        // The first downlink leads to everything before the second.
        let guess = self.guess(self.sorted, position.key);
        let at = partition(self.sorted, guess, |i| Entry::read(&sorted[i * DOWN..]) < position).saturating_sub(1);
        let mut best = sorted.get(at * DOWN..).map(Downlink::read)?;
        for other in tail.chunks_exact(DOWN).map(Downlink::read) {
            if other.low < position && other.low > best.low {
                best = other;
            }
        }
        Some(best)
    }

    /// Returns the entries of a leaf in order.
    pub fn ordered(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.entries().collect();
        if self.sorted < self.count {
            entries.sort_unstable();
        }
        entries
    }
}

/// Returns the first of `count` indexes for which `is_before` is false. The search starts at a guess and moves away from it in
/// steps that double, because each distant step would fetch another cache line.
fn partition(count: usize, guess: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    let (mut at, mut step) = (guess, NEAR);
    while low < high {
        at = at.clamp(low, high - 1);
        let goes_up = is_before(at);
        if goes_up {
            low = at + 1;
        } else {
            high = at;
        }
        at = match goes_up {
            _ if low > 0 && high < count => usize::midpoint(low, high),
            true => at.saturating_add(step),
            false => at.saturating_sub(step),
        };
        step = step.saturating_mul(2);
    }
    low
}

/// The usual error of a guess among 400 evenly spread keys.
const NEAR: usize = 8;

/// Says whether a page has never been written, as when the server crashed while adding it.
pub fn is_new(bytes: &[u8]) -> bool {
    half(bytes, 14) == 0
}

/// Says whether a page may be reused.
pub fn is_free(bytes: &[u8]) -> bool {
    is_new(bytes) || (check_header(bytes).is_ok() && bytes[AT + 41] == DELETED)
}

/// Checks Postgres's page header.
pub(crate) fn check_header(bytes: &[u8]) -> Result<(), Fault> {
    let (lower, upper, special) = (half(bytes, 12), half(bytes, 14), half(bytes, 16));
    if bytes.len() != SIZE || half(bytes, SIZE - 2) != PAGE_ID || usize::from(special) != AT {
        return Err("it is no page of this kind of index");
    }
    if usize::from(lower) < HEADER || lower > upper || upper != special {
        return Err("its header contradicts itself");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_does_not_depend_on_the_guess() {
        for count in 0..70 {
            for place in 0..=count {
                for guess in (0..=count + 1).chain([usize::MAX]) {
                    assert_eq!(partition(count, guess, |i| i < place), place, "{count} {guess}");
                }
            }
        }
    }
}
