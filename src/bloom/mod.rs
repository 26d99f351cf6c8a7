//! The type `bloom_filter`, the aggregate that fills one, and the functions that query one.

use std::ffi::{CStr, CString};

use neardup_core::signature::bloom::{BloomFilter, BloomHeader, BloomRef};
use neardup_text::{Error, ErrorKind};
use pgrx::Internal;
use pgrx::prelude::*;

use crate::error::{Result, report};
use crate::pg::call::aggregate;
use crate::pg::value::text::Text;
use crate::pg::{AggregateCall, BloomFilterType, Made, Message, Sliced, Stored};

type StoredBloomFilter<'a> = Stored<'a, BloomFilterType>;
type Filter = Made<BloomFilterType>;

#[pg_extern(sql = false)]
fn bloom_filter_in(text: &CStr) -> Result<Filter> {
    let filter: BloomFilter = text.to_string_lossy().parse().map_err(report)?;
    Ok(filter.into_bytes().into())
}

#[pg_extern(sql = false)]
fn bloom_filter_out(filter: StoredBloomFilter<'_>) -> Result<CString> {
    let filter = BloomFilter::from_bytes(filter.bytes.to_vec()).map_err(report)?;
    Ok(CString::new(filter.to_string()).unwrap_or_default())
}

#[pg_extern(sql = false)]
fn bloom_filter_recv(message: Message<'_>) -> Result<Filter> {
    BloomRef::parse(message.bytes).map_err(report)?;
    Ok(message.bytes.to_vec().into())
}

// Bytes from anywhere, checked as binary input is.
#[pg_extern(sql = false)]
fn bloom_filter_from_bytea(bytes: &[u8]) -> Result<Filter> {
    BloomRef::parse(bytes).map_err(report)?;
    Ok(bytes.to_vec().into())
}

/// A filter being filled, and what it was asked to be; a filter that a parallel worker sent was asked there.
struct Filling {
    filter: BloomFilter,
    asked: Option<(i64, f64)>,
}

fn start(expected: i64, false_positive_rate: f64) -> Result<Filling> {
    let asked = Some((expected, false_positive_rate));
    let expected = u64::try_from(expected).map_err(|_| {
        report(Error::new(ErrorKind::InvalidParameter, format!("invalid expected number of texts: {expected}")))
    })?;
    Ok(Filling { filter: BloomFilter::new(expected, false_positive_rate).map_err(report)?, asked })
}

#[pg_extern(sql = false)]
fn bloom_filter_add(
    state: Internal,
    element: Option<Text<'_>>,
    expected: Option<i64>,
    false_positive_rate: Option<f64>,
    call: AggregateCall<'_>,
) -> Result<Internal> {
    let element = element.as_deref();
    call.update(state, |filling: &mut Option<Filling>| {
        let (Some(expected), Some(rate)) = (expected, false_positive_rate) else {
            let message = "expected number of texts and false positive rate must not be null";
            return Err(report(Error::new(ErrorKind::InvalidParameter, message)));
        };
        let filling = match filling {
            Some(filling) => filling,
            None => filling.insert(start(expected, rate)?),
        };
        if filling.asked.is_some_and(|asked| asked != (expected, rate)) {
            let message = "expected number of texts and false positive rate must be the same for all rows";
            return Err(report(Error::new(ErrorKind::InvalidParameter, message)));
        }
        if let Some(element) = element {
            filling.filter.insert(element);
        }
        Ok(())
    })
}

#[pg_extern(sql = false)]
fn bloom_filter_combine(state: Internal, other: Internal, call: AggregateCall<'_>) -> Result<Internal> {
    call.update(state, |filling: &mut Option<Filling>| {
        let Some(other) = aggregate::read::<Filling>(&other) else { return Ok(()) };
        match filling {
            Some(filling) => filling.filter.union(other.filter.as_bytes()).map_err(report),
            None => {
                *filling = Some(Filling { filter: other.filter.clone(), asked: other.asked });
                Ok(())
            }
        }
    })
}

#[pg_extern(sql = false)]
fn bloom_filter_serialize(state: Internal) -> Option<Vec<u8>> {
    aggregate::read::<Filling>(&state).map(|filling| filling.filter.as_bytes().to_vec())
}

#[pg_extern(sql = false)]
fn bloom_filter_deserialize(bytes: &[u8], _state: Internal) -> Result<Internal> {
    let filter = BloomFilter::from_bytes(bytes.to_vec()).map_err(report)?;
    Ok(aggregate::received(Filling { filter, asked: None }))
}

#[pg_extern(sql = false)]
fn bloom_filter_final(state: Internal) -> Option<Filter> {
    aggregate::read::<Filling>(&state).map(|filling| filling.filter.as_bytes().to_vec().into())
}

#[pg_extern(sql = false)]
fn bloom_contains(filter: Sliced<'_, BloomFilterType>, element: Text<'_>) -> Result<bool> {
    let element: &str = &element;
    let header = BloomHeader::parse(&filter.read(0), filter.len()).map_err(report)?;
    Ok(header.places(element).all(|(byte, bit)| filter.read::<1>(byte)[0] & bit != 0))
}

#[pg_extern(sql = false)]
fn bloom_union(a: StoredBloomFilter<'_>, b: StoredBloomFilter<'_>) -> Result<Filter> {
    let mut union = BloomFilter::from_bytes(a.bytes.to_vec()).map_err(report)?;
    union.union(b.bytes).map_err(report)?;
    Ok(union.into_bytes().into())
}

#[pg_extern(sql = false)]
fn bloom_estimated_count(filter: StoredBloomFilter<'_>) -> Result<f64> {
    BloomRef::parse(filter.bytes).map(|filter| filter.estimated_count()).map_err(report)
}

#[pg_extern(sql = false)]
fn bloom_false_positive_rate(filter: StoredBloomFilter<'_>) -> Result<f64> {
    BloomRef::parse(filter.bytes).map(|filter| filter.false_positive_rate()).map_err(report)
}
