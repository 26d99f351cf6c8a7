//! Charts with two axes: lines and histograms.

use std::fmt::Write;

use crate::{COLOURS, picture, text};

/// Space around the axes of a panel, in pixels: left, top, right, bottom.
const MARGINS: [f64; 4] = [56.0, 34.0, 14.0, 44.0];

/// One line of [`precision_and_recall`].
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Threshold, precision, recall.
    pub points: Vec<(f64, f64, f64)>,
}

/// Axes with labels, and the functions from values to pixels.
struct Panel {
    left: f64,
    width: f64,
    height: f64,
    x: (f64, f64),
    y: (f64, f64),
}

impl Panel {
    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let [left, top, right, bottom] = MARGINS;
        let share = |value: f64, (from, to): (f64, f64)| (value / 2.0 - from / 2.0) / (to / 2.0 - from / 2.0);
        let right = self.left + self.width - right;
        let bottom = self.height - bottom;
        let left = self.left + left;
        (left + share(x, self.x) * (right - left), bottom - share(y, self.y) * (bottom - top))
    }

    /// Draws title, grid, numbers and labels.
    fn axes(&self, title: &str, x_label: &str, y_label: &str) -> String {
        let mut svg = text(self.left + self.width / 2.0, 22.0, "font-size=\"16\"", title);
        let line = |(x1, y1): (f64, f64), (x2, y2): (f64, f64)| {
            format!("<path d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\" stroke=\"#ccc\"/>\n")
        };
        for tick in 0..=5 {
            let share = f64::from(tick) / 5.0;
            let value = |(from, to): (f64, f64)| from * (1.0 - share) + to * share;
            let (x, y) = (value(self.x), value(self.y));
            svg += &line(self.at(x, self.y.0), self.at(x, self.y.1));
            svg += &line(self.at(self.x.0, y), self.at(self.x.1, y));
            let (below, beside) = (self.at(x, self.y.0), self.at(self.x.0, y));
            svg += &text(below.0, below.1 + 16.0, "", &number(x));
            svg += &text(beside.0 - 20.0, beside.1 + 4.0, "", &number(y));
        }
        svg += &text(self.left + self.width / 2.0, self.height - 8.0, "", x_label);
        let (x, y) = (self.left + 12.0, self.height / 2.0);
        svg + &text(x, y, &format!("transform=\"rotate(-90 {x:.1} {y:.1})\""), y_label)
    }

    fn line(&self, points: &[(f64, f64)], colour: &str) -> String {
        let mut path = String::new();
        for &(x, y) in points {
            let (x, y) = self.at(x, y);
            let _ = write!(path, "{x:.1},{y:.1} ");
        }
        format!("<polyline points=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n")
    }
}

/// Writes a number of an axis with few digits.
fn number(value: f64) -> String {
    if value == 0.0 || (0.01..100_000.0).contains(&value.abs()) {
        let written = format!("{value:.2}");
        written.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.1e}")
    }
}

/// Draws one line over the unit square.
#[must_use]
pub fn curve(title: &str, x_label: &str, y_label: &str, points: &[(f64, f64)]) -> String {
    let panel = Panel { left: 0.0, width: 640.0, height: 400.0, x: (0.0, 1.0), y: (0.0, 1.0) };
    picture(640, 400, &(panel.axes(title, x_label, y_label) + &panel.line(points, COLOURS[0])))
}

/// Draws precision and recall against the threshold in two panels, one line for each method (Zhang 2016, figures 1 and 2).
/// Thresholds are similarities of 0 to 1 or, with `distance`, distances of 0 to 32.
#[must_use]
pub fn precision_and_recall(series: &[Series], distance: bool) -> String {
    let (most, label) = if distance { (32.0, "Hamming distance") } else { (1.0, "similarity") };
    let mut svg = String::new();
    for (left, title) in [(0.0, "Precision"), (500.0, "Recall")] {
        let panel = Panel { left, width: 500.0, height: 440.0, x: (0.0, most), y: (0.0, 1.0) };
        svg += &panel.axes(title, &format!("threshold: {label}"), title);
        for (line, colour) in series.iter().zip(COLOURS.iter().cycle()) {
            let points = line.points.iter().map(|&(at, p, r)| (at, if left == 0.0 { p } else { r }));
            svg += &panel.line(&points.collect::<Vec<_>>(), colour);
        }
    }
    for (row, (line, colour)) in series.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let style = format!("style=\"text-anchor:start;fill:{colour}\"");
        svg += &text(565.0, 60.0 + 16.0 * row as f64, &style, &line.name);
    }
    picture(1000, 440, &svg)
}

/// Draws a histogram of finite values in `bins` bins of equal width, 1 to 200. Whole numbers within 200 of each other get a bin each.
///
/// # Errors
/// The message, for no values, another number of bins, or a value that is not finite.
pub fn histogram(title: &str, values: &[f64], bins: usize) -> Result<String, String> {
    if !(1..=200).contains(&bins) {
        return Err(format!("bins must be between 1 and 200: {bins}"));
    }
    if let Some(value) = values.iter().find(|value| !value.is_finite()) {
        return Err(format!("cannot draw the value {value}"));
    }
    let (least, most) = match (values.iter().copied().reduce(f64::min), values.iter().copied().reduce(f64::max)) {
        (Some(least), Some(most)) => (least, most),
        _ => return Err("there are no values to draw".to_owned()),
    };
    let whole = values.iter().all(|value| value.fract() == 0.0) && most - least < 200.0;
    let (start, width, bins) = if whole {
        (least - 0.5, 1.0, (most - least) as usize + 1)
    } else {
        (least, if most > least { most / bins as f64 - least / bins as f64 } else { 1.0 }, bins)
    };
    let mut counts = vec![0_u64; bins];
    for value in values {
        let bin = ((value / width - start / width) as usize).min(bins - 1);
        if let Some(count) = counts.get_mut(bin) {
            *count += 1;
        }
    }
    let highest = counts.iter().copied().max().unwrap_or(1) as f64;
    // Not from the width, whose multiples need not be finite.
    let end = if whole || most <= least { start + bins as f64 } else { most };
    let panel = Panel { left: 0.0, width: 640.0, height: 360.0, x: (start, end), y: (0.0, highest) };
    let mut svg = panel.axes(title, "", "");
    for (bin, &count) in counts.iter().enumerate() {
        let [from, to] =
            [0.05, 0.95].map(|edge| (bin as f64 + edge) / bins as f64).map(|share| start * (1.0 - share) + end * share);
        let ((x, top), (right, bottom)) = (panel.at(from, count as f64), panel.at(to, 0.0));
        let (width, height) = (right - x, bottom - top);
        let colour = COLOURS[0];
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{colour}\"/>"
        );
    }
    Ok(picture(640, 360, &svg))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn lines_and_names_are_in_the_picture() {
        let svg = curve("16 bands < 17", "similarity", "chance", &[(0.0, 0.0), (1.0, 1.0)]);
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("16 bands &lt; 17") && svg.contains("similarity") && svg.contains("chance"));
        assert!(svg.contains("points=\"56.0,356.0 626.0,34.0 \""), "from corner to corner");
        let series = [Series { name: "a < b".to_owned(), points: vec![(0.0, 0.5, 1.0), (1.0, 1.0, 0.2)] }];
        let svg = precision_and_recall(&series, false);
        assert!(svg.contains("a &lt; b") && svg.contains("Precision") && svg.matches("<polyline").count() == 2);
        assert!(precision_and_recall(&[], true).contains("Hamming"));
    }

    #[test]
    fn whole_numbers_get_a_bar_each() {
        let svg = histogram("distances", &[0.0, 0.0, 3.0, 7.0], 2).unwrap();
        assert_eq!(svg.matches(COLOURS[0]).count(), 8, "one bar for each of 0 to 7");
        assert!(svg.contains("distances"));
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        for (values, bins, part) in [
            (&[][..], 10, "no values"),
            (&[f64::NAN], 10, "NaN"),
            (&[1.0], 0, "between 1 and 200"),
            (&[1.0], 201, "201"),
        ] {
            assert!(histogram("", values, bins).unwrap_err().contains(part));
        }
        let extreme = histogram("", &[f64::MIN, f64::MAX, 0.5], 200).unwrap();
        assert!(!extreme.contains("NaN") && !extreme.contains("inf"));
    }
}
