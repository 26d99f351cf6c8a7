//! A row as this module sees it, and how it is packed into records to sort.

/// A row that takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its position in the order of preference.
    pub position: u32,
    /// The caller's identifier.
    pub id: u64,
    /// The number of its scope; rows of different scopes do not meet.
    pub scope: u32,
    /// Its time; a row without one is near all others.
    pub time: Option<i64>,
    /// A hash of its text.
    pub hash: u64,
    /// The length of its text in bytes; more than 2³² − 1 counts as that.
    pub bytes: u32,
}

/// Which rows are probe rows and which are indexed, and how near they must be in time.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The bounds.
    pub rule: super::CandidateRule,
    /// How far apart in time rows may be.
    pub window: Option<u64>,
    /// Rows before this position are indexed only: they are kept whatever they resemble.
    pub first_probe: u32,
    /// Whether probe rows are indexed for later ones.
    pub indexes_probes: bool,
    /// Whether a kept row gives way to a later one that holds its text and more.
    pub excerpts_give_way: bool,
}

impl Options {
    /// Says whether a row is a probe row.
    #[must_use]
    pub const fn is_probe(&self, position: u32) -> bool {
        position >= self.first_probe
    }

    /// Says whether a row can be what later rows copy.
    #[must_use]
    pub const fn is_indexed(&self, position: u32) -> bool {
        self.indexes_probes || !self.is_probe(position)
    }

    /// Says whether two times are near enough.
    #[must_use]
    pub const fn near(&self, a: Option<i64>, b: Option<i64>) -> bool {
        match (self.window, a, b) {
            (Some(window), Some(a), Some(b)) => a.abs_diff(b) <= window,
            _ => true,
        }
    }
}

/// Stands for a missing time in a record.
const NO_TIME: i64 = i64::MIN;

/// Packs a time into a word of a record.
#[must_use]
pub fn pack_time(time: Option<i64>) -> u64 {
    time.map_or(NO_TIME, |time| time.max(NO_TIME + 1)).cast_unsigned()
}

/// Unpacks what [`pack_time`] packed.
#[must_use]
pub fn unpack_time(time: u64) -> Option<i64> {
    Some(time.cast_signed()).filter(|&time| time != NO_TIME)
}

/// Packs two numbers of 32 bits, the first the more significant.
pub(super) fn pack(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Unpacks them.
pub(super) const fn unpack(both: u64) -> (u32, u32) {
    ((both >> 32) as u32, both as u32)
}

/// A set of rows, by their positions; a bit for each.
#[derive(Debug, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// Says whether a row is in the set.
    #[must_use]
    pub fn contains(&self, position: u32) -> bool {
        self.0.get(position as usize / 64).is_some_and(|bits| bits >> (position % 64) & 1 == 1)
    }

    /// Adds a row.
    pub fn insert(&mut self, position: u32) {
        let at = position as usize / 64;
        if at >= self.0.len() {
            self.0.resize(at + 1 + at / 2, 0);
        }
        self.0[at] |= 1 << (position % 64);
    }
}
