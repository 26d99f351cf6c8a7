//! The value of a number, whatever its writing.

use neardup_text::hash::mix;

/// A decimal value: `digits` times ten to the power of `exponent`, or its negative, without trailing zeros in `digits`.
///
/// A number of more than 36 digits is stored as a hash, with the exponent that says so. Packed, because a long text may have a hundred thousand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(C, packed(8))]
pub struct Number {
    digits: u128,
    exponent: i32,
    negative: bool,
}

/// The exponent of numbers that are too long to store by value.
const HASHED: i32 = i32::MAX;

/// The most digits that are stored by value.
pub(super) const MAX_DIGITS: usize = 36;

impl Number {
    /// Makes the number `digits * 10^exponent`.
    #[must_use]
    pub fn new(mut digits: u128, mut exponent: i32) -> Self {
        if digits == 0 {
            return Self { digits, exponent: 0, negative: false };
        }
        while digits.is_multiple_of(10) {
            digits /= 10;
            exponent += 1;
        }
        Self { digits, exponent, negative: false }
    }

    /// Returns the negative of this number; that of 0 is 0.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { negative: !self.negative && self.digits != 0, ..self }
    }

    /// Makes a number with too many digits to store by value, from their hash.
    pub(super) fn hashed(hash: u64) -> Self {
        Self { digits: u128::from(hash), exponent: HASHED, negative: false }
    }

    /// Returns the value as a small integer, if it is one.
    #[must_use]
    pub fn small(self) -> Option<u32> {
        if self.negative || !(0..=9).contains(&self.exponent) {
            return None;
        }
        let power = 10_u128.pow(self.exponent.unsigned_abs());
        u32::try_from(self.digits.checked_mul(power)?).ok()
    }

    /// Returns bits that are equal for equal values.
    #[must_use]
    pub fn bits(self) -> u64 {
        let [low, high] = [self.digits as u64, (self.digits >> 64) as u64];
        let bits = mix(mix(low, 1) ^ high, u64::from(self.exponent.unsigned_abs()) << 1 | u64::from(self.exponent < 0));
        if self.negative { mix(bits, 2) } else { bits }
    }

    /// Says whether this number, of at least two digits, is another one without its decimals, cut off or rounded.
    pub(crate) fn is_whole_of(self, other: Self) -> bool {
        let Some(power) = 10_u128.checked_pow(other.exponent.min(0).unsigned_abs()) else { return false };
        let whole = self.small().filter(|&whole| whole >= 10 && power > 1 && !other.negative);
        let is = |digits: u128| whole.is_some_and(|whole| digits / power == u128::from(whole));
        is(other.digits) || is(other.digits.saturating_add(power / 2))
    }

    /// Returns the power of ten by which this number is another one with the same digits.
    pub(crate) const fn power_over(self, other: Self) -> i32 {
        if self.exponent == HASHED || other.exponent == HASHED { 0 } else { self.exponent - other.exponent }
    }

    /// Says whether one of two decimal fractions is the other with fewer decimals, rounded or cut off: 1.7 and 1.71.
    pub(crate) fn rounds(self, other: Self) -> bool {
        let (fine, coarse) = if self.exponent <= other.exponent { (self, other) } else { (other, self) };
        if self.negative != other.negative || coarse.exponent >= 0 || coarse.exponent == fine.exponent {
            return false;
        }
        let power = coarse.exponent.checked_sub(fine.exponent).and_then(|power| u32::try_from(power).ok());
        let Some(power) = power.and_then(|power| 10_u128.checked_pow(power)) else { return false };
        fine.digits / power == coarse.digits || fine.digits.saturating_add(power / 2) / power == coarse.digits
    }

    pub(super) fn add(self, other: Self) -> Self {
        let least = self.exponent.min(other.exponent);
        let scaled = |number: Self| {
            let power = u32::try_from(number.exponent.checked_sub(least)?).ok().filter(|&power| power < 38)?;
            number.digits.checked_mul(10_u128.pow(power))
        };
        match (scaled(self), scaled(other)) {
            (Some(a), Some(b)) if a.checked_add(b).is_some() => Self::new(a + b, least),
            _ => self,
        }
    }

    /// Returns the sum of two numbers of which the second has no sign of its own; this number if the sum is too long.
    pub(crate) fn and(self, more: Self) -> Self {
        if self.negative { self.negated().add(more).negated() } else { self.add(more) }
    }

    pub(crate) fn times_ten_to(self, power: i32) -> Self {
        if self.digits == 0 || self.exponent == HASHED {
            return self;
        }
        Self { exponent: self.exponent + power, ..self }
    }
}
