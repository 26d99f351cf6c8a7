//! Search by Hamming distance: `simhash_within`, and the type `hamming_ball`, all signatures within a distance of one, which is the
//! query of an index.
//!
//! `simhash_within` reaches an index through its support function. The result is the same by index and by scan.

use std::ffi::{CStr, CString};

use neardup_core::signature::simhash;
use neardup_text::{Error, ErrorKind};
use pgrx::Internal;
use pgrx::prelude::*;

use super::{HammingBall, SimHash};
use crate::argument::within;
use crate::error::{Result, report};
use crate::pg::Message;
use crate::pg::planner::support;

#[pg_extern(sql = false)]
fn hamming_ball_in(text: &CStr) -> Result<HammingBall> {
    let text = text.to_string_lossy();
    let (center, distance) = text.trim().split_once('/').unwrap_or((&text, ""));
    match (simhash::parse_hex(center), distance.parse::<u32>()) {
        (Ok(center), Ok(distance @ 0..=64)) => Ok(HammingBall::new(center, distance)),
        _ => {
            let message = format!("invalid input syntax for type hamming_ball: \"{text}\"");
            Err(report(
                Error::new(ErrorKind::InvalidText, message)
                    .with_detail("A ball is written as 16 hexadecimal digits, a slash and a distance from 0 to 64."),
            ))
        }
    }
}

#[pg_extern(sql = false)]
fn hamming_ball_out(ball: HammingBall) -> CString {
    CString::new(format!("{}/{}", simhash::to_hex(ball.center), ball.distance)).unwrap_or_default()
}

#[pg_extern(sql = false)]
fn hamming_ball_recv(message: Message<'_>) -> Result<HammingBall> {
    let parts = message.bytes.split_first_chunk::<8>().map(|(center, distance)| (center, distance.try_into()));
    match parts.map(|(center, distance)| (u64::from_be_bytes(*center), distance.map(u32::from_be_bytes))) {
        Some((center, Ok(distance @ 0..=64))) => Ok(HammingBall::new(center, distance)),
        _ => Err(report(
            Error::new(ErrorKind::InvalidBinary, "invalid binary representation of a hamming_ball").with_detail(
                "It has 8 bytes for the signature and 4 for a distance from 0 to 64, most significant first.",
            ),
        )),
    }
}

#[pg_extern(sql = false)]
fn hamming_ball_send(ball: HammingBall) -> Vec<u8> {
    let distance = (ball.distance as u32).to_be_bytes();
    [&ball.center.to_be_bytes()[..], &distance[..]].concat()
}

#[pg_extern(sql = false)]
fn hamming_ball(center: SimHash, distance: i32) -> Result<HammingBall> {
    Ok(HammingBall::new(center.0, within("distance", distance, 0..=64)?))
}

/// Behind the operator `<@`.
#[pg_extern(sql = false)]
fn simhash_in_ball(signature: SimHash, ball: HammingBall) -> bool {
    ball.contains(signature.0)
}

#[pg_extern(sql = false)]
fn simhash_within(a: SimHash, b: SimHash, distance: i32) -> Result<bool> {
    Ok(simhash::hamming_distance(a.0, b.0) <= within("distance", distance, 0..=64)?)
}

/// Answers the planner about `simhash_within`: the signature is in a ball around the query.
#[pg_extern(sql = false)]
pub fn simhash_within_support(request: Internal) -> Internal {
    support::index_condition(request, |question, query| {
        let distance = question.argument(2)?;
        question.function("hamming_ball", &[query, distance])
    })
}
