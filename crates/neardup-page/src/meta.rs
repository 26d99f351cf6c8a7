//! The metapage: the kind of index, and the version of its format.

use crate::read::check_header;
use crate::write::blank;
use crate::{Fault, HEADER, put, word};

/// The contents of the metapage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta {
    /// The number of the kind of signature ([`SignatureKind`](crate::kind::SignatureKind)).
    pub kind: u8,
}

/// The first bytes of the metapage.
const MAGIC: u32 = 0x6E64_7570;
/// The version of the layout of all pages.
const VERSION: u32 = 2;

impl Meta {
    /// Reads and checks the metapage.
    pub fn check(bytes: &[u8]) -> Result<Self, Fault> {
        check_header(bytes)?;
        if word(bytes, HEADER) != MAGIC {
            return Err("it is no metapage");
        }
        match word(bytes, HEADER + 4) {
            VERSION => Ok(Self { kind: bytes[HEADER + 8] }),
            _ => Err("it was written by another version"),
        }
    }

    /// Writes the metapage.
    pub fn write(self, bytes: &mut [u8]) {
        blank(bytes);
        put(bytes, HEADER, &MAGIC.to_ne_bytes());
        put(bytes, HEADER + 4, &VERSION.to_ne_bytes());
        put(bytes, HEADER + 8, &[self.kind]);
        put(bytes, 12, &((HEADER + 16) as u16).to_ne_bytes());
    }
}
