//! Bands of a MinHash, and how to choose their number and width.
//!
//! A band is the hash of `rows` consecutive values. Two signatures of Jaccard similarity s share at least one of b bands of r rows
//! with probability 1 - (1 - s^r)^b, the S-curve. So unlike the bands of a SimHash, these miss some pairs.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use neardup_text::{Error, ErrorKind, Result};

/// The most rows a band can have.
pub const MAX_ROWS: u32 = 128;

/// Hands the key of each band to `sink`: the low 32 bits of XXH3-64, seeded with the band's number, over the band's `rows`
/// values, the low 32 bits of each, little-endian. Values beyond `bands` * `rows` are not used.
///
/// # Errors
/// `InvalidParameter` if `bands` is 0, `rows` is not between 1 and [`MAX_ROWS`], or there are fewer values than bands * rows.
pub fn minhash_bands(
    values: impl IntoIterator<Item = u64>,
    bands: u32,
    rows: u32,
    mut sink: impl FnMut(i32),
) -> Result<()> {
    check_shape(bands, rows)?;
    let mut values = values.into_iter();
    let mut bytes = [0; 4 * MAX_ROWS as usize];
    let width = rows as usize;
    for i in 0..bands {
        let mut filled = 0;
        for (place, value) in bytes.chunks_exact_mut(4).zip(values.by_ref().take(width)) {
            place.copy_from_slice(&(value as u32).to_le_bytes());
            filled += 1;
        }
        if filled < width {
            let wanted = u64::from(bands) * u64::from(rows);
            let given = u64::from(i) * u64::from(rows) + filled as u64;
            let message = format!("{bands} bands of {rows} rows need {wanted} values, not {given}");
            return Err(Error::new(ErrorKind::InvalidParameter, message));
        }
        sink(xxh3_64_with_seed(&bytes[..4 * width], u64::from(i)) as i32);
    }
    Ok(())
}

/// Returns the chance that two signatures of Jaccard `similarity` (0 to 1) share at least one band: 1 - (1 - s^r)^b.
#[must_use]
pub fn candidate_chance(similarity: f64, bands: u32, rows: u32) -> f64 {
    1.0 - power(1.0 - power(similarity.clamp(0.0, 1.0), rows), bands)
}

/// A way to cut a MinHash into bands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandPlan {
    /// How many bands.
    pub bands: u32,
    /// How many values in each band.
    pub rows: u32,
    /// The chance that a pair exactly at the wanted similarity shares a band; more similar pairs have more.
    pub recall: f64,
    /// The share of the pairs below the wanted similarity, taken as spread evenly over it, that share a band in vain.
    pub excess: f64,
}

/// Lists the plans that use at most `count` values and find a pair of the given `similarity` with at least the given `recall`,
/// one for each number of rows, the one with the fewest vain candidates first. Empty where `count` values do not suffice.
///
/// # Errors
/// `InvalidParameter` unless `similarity` and `recall` lie between 0 and 1, both exclusive, and `count` between 1 and 65536.
pub fn band_plans(similarity: f64, recall: f64, count: u32) -> Result<Vec<BandPlan>> {
    for (name, value) in [("similarity", similarity), ("recall", recall)] {
        if !(value > 0.0 && value < 1.0) {
            let message = format!("{name} must be between 0 and 1, both exclusive: {value}");
            return Err(Error::new(ErrorKind::InvalidParameter, message));
        }
    }
    if !(1..=65536).contains(&count) {
        return Err(Error::new(ErrorKind::InvalidParameter, format!("count must be between 1 and 65536: {count}")));
    }
    let mut plans: Vec<BandPlan> = (1..=count.min(MAX_ROWS))
        .filter_map(|rows| {
            let bands = fewest_bands(similarity, recall, rows, count / rows)?;
            let reached = candidate_chance(similarity, bands, rows);
            Some(BandPlan { bands, rows, recall: reached, excess: mean_chance_below(similarity, bands, rows) })
        })
        .collect();
    plans.sort_by(|a, b| a.excess.total_cmp(&b.excess));
    Ok(plans)
}

/// Finds the smallest number of bands, up to `most`, whose chance reaches `recall`; the chance grows with the bands.
fn fewest_bands(similarity: f64, recall: f64, rows: u32, most: u32) -> Option<u32> {
    let reaches = |bands| candidate_chance(similarity, bands, rows) >= recall;
    if !reaches(most) {
        return None;
    }
    let (mut low, mut high) = (1, most);
    while low < high {
        let middle = low.midpoint(high);
        if reaches(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(low)
}

/// Averages the S-curve between 0 and `similarity` by the midpoint rule.
fn mean_chance_below(similarity: f64, bands: u32, rows: u32) -> f64 {
    const STEPS: u32 = 256;
    let chance = |step| candidate_chance(similarity * (f64::from(step) + 0.5) / f64::from(STEPS), bands, rows);
    (0..STEPS).map(chance).sum::<f64>() / f64::from(STEPS)
}

/// Raises to a power by squaring: only multiplications, so that every platform gives the same bits.
fn power(base: f64, mut exponent: u32) -> f64 {
    let (mut square, mut result) = (base, 1.0);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result *= square;
        }
        square *= square;
        exponent >>= 1;
    }
    result
}

fn check_shape(bands: u32, rows: u32) -> Result<()> {
    if bands == 0 {
        return Err(Error::new(ErrorKind::InvalidParameter, "bands must be at least 1: 0"));
    }
    if !(1..=MAX_ROWS).contains(&rows) {
        return Err(Error::new(ErrorKind::InvalidParameter, format!("rows must be between 1 and {MAX_ROWS}: {rows}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;

    fn keys(values: &[u64], bands: u32, rows: u32) -> Vec<i32> {
        let mut keys = Vec::new();
        minhash_bands(values.iter().copied(), bands, rows, |key| keys.push(key)).unwrap();
        keys
    }

    /// Values from the reference implementation, by way of Python.
    #[test]
    fn keys_are_frozen() {
        let values: Vec<u64> = (1..=8u32).map(|i| i.wrapping_mul(0x9e37_79b9).into()).collect();
        assert_eq!(keys(&values, 2, 4), [2_099_119_362, 1_675_786_838]);
    }

    #[test]
    fn the_band_is_part_of_the_key() {
        let keys = keys(&[7; 8], 4, 2);
        assert!(keys.iter().enumerate().all(|(i, key)| !keys[..i].contains(key)));
    }

    #[test]
    fn bad_shapes_are_errors() {
        let message = |bands, rows| minhash_bands([1, 2, 3], bands, rows, |_| ()).unwrap_err().message;
        assert_eq!(message(0, 1), "bands must be at least 1: 0");
        assert_eq!(message(1, 0), "rows must be between 1 and 128: 0");
        assert_eq!(message(1, 129), "rows must be between 1 and 128: 129");
        assert_eq!(message(2, 2), "2 bands of 2 rows need 4 values, not 3");
    }

    #[test]
    fn the_curve_is_the_textbook_one() {
        assert!((candidate_chance(0.8, 20, 5) - 0.99964).abs() < 1e-5);
        assert!((candidate_chance(0.2, 20, 5) - 0.00638).abs() < 1e-5);
        assert_eq!(candidate_chance(0.0, 20, 5), 0.0);
        assert_eq!(candidate_chance(1.0, 20, 5), 1.0);
    }

    #[test]
    fn plans_reach_the_recall_with_the_fewest_bands() {
        let plans = band_plans(0.7, 0.95, 128).unwrap();
        for plan in &plans {
            assert!(plan.bands * plan.rows <= 128);
            assert!(plan.recall >= 0.95);
            assert!(plan.bands == 1 || candidate_chance(0.7, plan.bands - 1, plan.rows) < 0.95);
        }
        assert!(plans.windows(2).all(|pair| pair[0].excess <= pair[1].excess));
        assert!(!plans.is_empty());
        assert!(band_plans(0.1, 0.999, 4).unwrap().is_empty());
        assert!(band_plans(1.0, 0.9, 4).is_err());
        assert!(band_plans(0.5, f64::NAN, 4).is_err());
        assert!(band_plans(0.5, 0.5, 0).is_err());
    }

    proptest! {
        #[test]
        fn equal_rows_give_equal_keys(values in prop::collection::vec(0_u64..1 << 32, 12), changed in 0usize..12) {
            let mut other = values.clone();
            other[changed] ^= 1;
            let same: Vec<bool> = keys(&values, 4, 3).iter().zip(keys(&other, 4, 3)).map(|(a, b)| *a == b).collect();
            let expected: Vec<bool> = (0..4).map(|band| changed / 3 != band).collect();
            prop_assert_eq!(same, expected);
        }
    }
}
