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
use plotters::coord::Shift;
use plotters::prelude::*;

/// The result of a drawing step; none is expected to fail, since the text is in memory.
type Drawing = std::result::Result<(), Box<dyn std::error::Error>>;

/// Colours that most people can tell apart (Okabe and Ito 2008).
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

/// The area of a picture, or of one panel of it.
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws a picture of this width and height on a white background.
///
/// # Errors
/// `InvalidParameter` if the library cannot draw it; the message says `what` it is.
fn picture(what: &str, size: (u32, u32), draw: impl FnOnce(&Area<'_>) -> Drawing) -> neardup_text::Result<String> {
    let on_white = |svg: &mut String| -> Drawing {
        let area = SVGBackend::with_string(svg, size).into_drawing_area();
        area.fill(&WHITE)?;
        draw(&area)?;
        Ok(area.present()?)
    };
    let mut svg = String::new();
    match on_white(&mut svg) {
        Ok(()) => Ok(svg),
        Err(error) => Err(Error::new(ErrorKind::InvalidParameter, format!("cannot draw the {what}: {error}"))),
    }
}
