//! Charts as SVG text.
//!
//! The plotting library needs no fonts; a picture uses the viewer's. The same input gives the same picture.

mod cloud;
mod curves;
mod histogram;
mod lines;

pub use cloud::word_cloud;
pub use curves::{Series, precision_and_recall};
pub use histogram::histogram;
pub use lines::curve;

use neardup_text::{Error, ErrorKind};

/// What any step of drawing may give; none of it is foreseen for text in memory.
type Drawing = std::result::Result<(), Box<dyn std::error::Error>>;

/// Colours that stay apart for most people (Okabe and Ito 2008).
const COLOURS: [(u8, u8, u8); 8] = [
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (230, 159, 0),
    (86, 180, 233),
    (120, 120, 120),
    (0, 0, 0),
];

fn finish(what: &str, drawn: Drawing, svg: String) -> neardup_text::Result<String> {
    match drawn {
        Ok(()) => Ok(svg),
        Err(error) => Err(Error::new(ErrorKind::InvalidParameter, format!("cannot draw the {what}: {error}"))),
    }
}
