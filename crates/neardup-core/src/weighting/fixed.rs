//! The integer form of a weight.
//!
//! Floating-point sums depend on their order; integer sums do not. So a signature adds integers, in any order and in as many lanes
//! as the machine has. The form is part of the signature format.

/// How many bits of a fixed-point weight lie behind the point.
pub const FIXED_POINT_BITS: u32 = 32;

/// Turns a weight into a fixed-point integer: `weight * 2^32`, rounded to the nearest, ties to even.
///
/// A step is 2^-32, so that even the relative frequency of one word among a million keeps four digits. The result
/// saturates at ±2^62 (weights beyond ±2^30); a weight that is not a number gives 0.
///
/// The weights that a [`Weigher`](super::Weigher) gives one text add up to at most 2^26, or to the largest idf, so
/// their fixed-point forms to at most 2^58. Sums of weights from elsewhere should wrap, which does not depend on
/// order either.
#[inline]
#[must_use]
pub fn fixed_point(weight: f64) -> i64 {
    const SCALE: f64 = 4_294_967_296.0;
    const LIMIT: i64 = 1 << 62;
    let fixed = (weight * SCALE).round_ties_even() as i64;
    fixed.clamp(-LIMIT, LIMIT)
}

#[cfg(test)]
mod tests {
    use super::{FIXED_POINT_BITS, fixed_point};

    #[test]
    fn one_is_a_power_of_two() {
        assert_eq!(fixed_point(1.0), 1 << FIXED_POINT_BITS);
        assert_eq!(fixed_point(-1.0), -(1 << FIXED_POINT_BITS));
        assert_eq!(fixed_point(0.0), 0);
    }

    #[test]
    fn ties_go_to_even() {
        let half_step = 0.5 / 4_294_967_296.0;
        assert_eq!(fixed_point(half_step), 0);
        assert_eq!(fixed_point(3.0 * half_step), 2);
        assert_eq!(fixed_point(-half_step), 0);
        assert_eq!(fixed_point(-3.0 * half_step), -2);
        assert_eq!(fixed_point(5.0 * half_step), 2);
    }

    #[test]
    fn saturates() {
        assert_eq!(fixed_point(1e30), 1 << 62);
        assert_eq!(fixed_point(f64::INFINITY), 1 << 62);
        assert_eq!(fixed_point(f64::NEG_INFINITY), -(1 << 62));
        assert_eq!(fixed_point(f64::NAN), 0);
    }
}
