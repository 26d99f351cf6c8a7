//! The digest of a text, for a unique index: texts that are equal after normalisation have equal digests.

use std::cell::RefCell;

use neardup_core::signature::digest;
use neardup_text::normalize::{self, Steps};
use pgrx::Uuid;
use pgrx::prelude::*;

use crate::error::{Result, report};
use crate::pg::value::text::Text;

thread_local! {
    static BUFFER: RefCell<normalize::Buffer> = RefCell::new(normalize::Buffer::default());
}

// A uuid is 16 bytes in place, without a header, and its B-tree compares it fast.
#[pg_extern(sql = false)]
fn text_digest(document: Text<'_>, steps: Array<&str>) -> Result<Uuid> {
    let document: &str = &document;
    let steps = Steps::parse(steps.iter().map(|name| name.unwrap_or("NULL"))).map_err(report)?;
    // Taken out for the call: an error unwinds through here and only costs the buffer its capacity.
    let mut buffer = BUFFER.take();
    let digest = digest::text_digest(normalize::normalize(document, steps, &mut buffer));
    BUFFER.replace(buffer);
    Ok(Uuid::from_bytes(digest))
}
