//! Precision and recall against the threshold, one line for each method (methods.md Z, figures 1 and 2).

use plotters::prelude::*;

use super::lines::{Axes, draw_lines};
use super::{Area, Drawing, picture};
use neardup_text::Result;

/// One line: its name and its points, threshold and value.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Threshold, precision, recall.
    pub points: Vec<(f64, f64, f64)>,
}

/// Draws two panels beside each other. Thresholds are similarities of 0 to 1, or, with `distance`, distances of 0 to 32.
///
/// # Errors
/// `InvalidParameter` if the library cannot draw it.
pub fn precision_and_recall(series: &[Series], distance: bool) -> Result<String> {
    picture("curves", (1000, 440), |area| draw(series, distance, area))
}

fn draw(series: &[Series], distance: bool, area: &Area<'_>) -> Drawing {
    let (left, right) = area.split_horizontally(500);
    let (most, label, place) = if distance {
        (32.0, "Hamming distance", SeriesLabelPosition::LowerRight)
    } else {
        (1.0, "similarity", SeriesLabelPosition::LowerLeft)
    };
    for (panel, title, recall) in [(left, "Precision", false), (right, "Recall", true)] {
        let points = |line: &Series| line.points.iter().map(|&(at, p, r)| (at, if recall { r } else { p })).collect();
        let lines: Vec<_> = series.iter().map(|line| (line.name.as_str(), points(line))).collect();
        let x = format!("threshold: {label}");
        draw_lines(&panel, &Axes { title, x: &x, y: title, most }, &lines, recall.then(|| place.clone()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn lines_and_names_are_in_the_picture() {
        let series = [Series { name: "a < b".to_owned(), points: vec![(0.0, 0.5, 1.0), (1.0, 1.0, 0.2)] }];
        let svg = precision_and_recall(&series, false).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("a &lt; b") && svg.contains("Precision") && svg.contains("<polyline"));
        assert!(precision_and_recall(&[], true).unwrap().contains("Hamming"));
    }
}
