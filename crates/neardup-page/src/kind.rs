//! The kinds of signature that an index can hold, and their index keys.
//!
//! * A `minhash` is stored under each of its keys, in one tree.
//! * A `simhash` is stored in four trees. Each tree orders the bits differently: those of one band come first, so that signatures
//!   with the same band are neighbours. An entry has the whole signature, so a search is exact without reading the row. A fifth
//!   tree has the rows without a signature, which come last in an order by distance.

use neardup_core::banding;
use neardup_core::signature::minhash::MinHashRef;

use neardup_text::Result;

/// The number of bands, and of trees for signatures.
pub const BANDS: u8 = 4;
/// The bits of a band.
pub const BAND_BITS: u32 = 16;
/// The tree of rows without a signature.
pub const NULLS: u8 = BANDS;

/// A key and the tree that it belongs to.
pub type TreeKey = (u8, u64);

/// A kind of signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureKind {
    /// Sketches, and other signatures of type `minhash`.
    Sketch,
    /// Signatures of type `simhash`.
    SimHash,
}

impl SignatureKind {
    /// Returns the number of the kind, on the metapage and in SQL.
    pub fn number(self) -> u8 {
        match self {
            Self::Sketch => 1,
            Self::SimHash => 2,
        }
    }

    /// Returns the kind of a number.
    pub fn of_number(number: u8) -> Option<Self> {
        [Self::Sketch, Self::SimHash].into_iter().find(|kind| kind.number() == number)
    }

    /// Returns how many trees an index of the kind has.
    pub fn trees(self) -> u8 {
        match self {
            Self::Sketch => 1,
            Self::SimHash => NULLS + 1,
        }
    }
}

/// Returns the keys of a sketch, sorted and distinct.
///
/// # Errors
/// For bytes that are no signature.
pub fn sketch_keys(bytes: &[u8], keys: &mut Vec<TreeKey>) -> Result<()> {
    keys.clear();
    keys.extend(MinHashRef::parse_header(bytes)?.keys().map(|key| (0, key)));
    keys.sort_unstable();
    keys.dedup();
    Ok(())
}

/// Returns the keys of a signature, or of NULL.
pub fn simhash_keys(signature: Option<u64>, keys: &mut Vec<TreeKey>) {
    keys.clear();
    match signature {
        Some(signature) => {
            let banded = banded(signature);
            keys.extend((0..BANDS).map(|tree| (tree, rotated(banded, tree))));
        }
        None => keys.push((NULLS, 0)),
    }
}

/// Returns a signature with its bits in the order of the bands. The distance of two signatures stays the same.
pub fn banded(signature: u64) -> u64 {
    let mut word = 0;
    // `bands` accepts four bands.
    let _ = banding::bands(signature, BANDS.into(), |key| word = word << BAND_BITS | u64::from(key as u16));
    word
}

/// Returns a banded signature as tree `tree` stores it, with band `tree` first.
pub fn rotated(banded: u64, tree: u8) -> u64 {
    banded.rotate_left(BAND_BITS * u32::from(tree))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_tree_begins_with_its_band_and_keeps_distances(a: u64, b: u64) {
            let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
            simhash_keys(Some(a), &mut of_a);
            simhash_keys(Some(b), &mut of_b);
            let mut bands = Vec::new();
            banding::bands(a, BANDS.into(), |key| bands.push(key as u16)).unwrap();
            prop_assert_eq!(of_a.len(), bands.len());
            for (number, (tree, key)) in of_a.iter().enumerate() {
                prop_assert_eq!(usize::from(*tree), number);
                prop_assert_eq!((key >> (64 - BAND_BITS)) as u16, bands[number]);
                prop_assert_eq!((key ^ of_b[number].1).count_ones(), (a ^ b).count_ones());
            }
        }
    }

    #[test]
    fn no_signature_is_an_entry_of_the_last_tree() {
        let mut keys = vec![(0, 1)];
        simhash_keys(None, &mut keys);
        assert_eq!(keys, [(NULLS, 0)]);
        assert_eq!(SignatureKind::SimHash.trees(), NULLS + 1);
        assert!([0, 3, 255].iter().all(|number| SignatureKind::of_number(*number).is_none()));
    }

    #[test]
    fn bytes_that_are_no_signature_are_refused() {
        assert!(sketch_keys(&[1, 2, 3], &mut Vec::new()).is_err());
    }
}
