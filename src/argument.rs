//! Checks SQL integers against the ranges of the core.

use std::ops::RangeInclusive;

use neardup_text::{Error, ErrorKind};

use crate::error::{Result, report};

/// Returns `value` as the core takes it, or an error that names the argument, its range and the value.
pub fn within(name: &str, value: i32, range: RangeInclusive<u32>) -> Result<u32> {
    u32::try_from(value).ok().filter(|value| range.contains(value)).ok_or_else(|| {
        let (least, most) = (range.start(), range.end());
        let message = format!("{name} must be between {least} and {most}: {value}");
        report(Error::new(ErrorKind::InvalidParameter, message))
    })
}
