//! Bar charts: named values below each other, each with its label at the end of the bar.

use crate::{COLOURS, picture, text};

/// The places of a chart, in pixels: its width, the room for names and for labels, the height of a row and of the title.
const WIDTH: f64 = 950.0;
const NAMES: f64 = 420.0;
const LABELS: f64 = 90.0;
const ROW: f64 = 24.0;
const TITLE: f64 = 50.0;
/// On a logarithmic scale, the shortest bar is this part of the longest.
const SHORTEST: f64 = 0.05;

/// One bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// The text to the left; 70 characters have room.
    pub name: String,
    /// The value, above 0 on a logarithmic scale.
    pub value: f64,
    /// The value as text.
    pub label: String,
    /// The number of its colour; each number from 0 to 7 is another.
    pub colour: usize,
}

/// How values become lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// From 0.
    Linear,
    /// By the logarithms of the values.
    Logarithmic,
}

/// Draws the bars below each other, in their order, under a title unless it is empty.
#[must_use]
pub fn bars(title: &str, bars: &[Bar], scale: Scale) -> String {
    let top = if title.is_empty() { 0.0 } else { TITLE };
    let mut svg = if title.is_empty() {
        String::new()
    } else {
        text(15.0, 29.0, "font-size=\"16\" style=\"text-anchor:start\"", title)
    };
    let least = bars.iter().map(|bar| bar.value).fold(f64::MAX, f64::min);
    let most = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    let share = |value: f64| match scale {
        Scale::Linear => value / most,
        Scale::Logarithmic if most > least => SHORTEST + (1.0 - SHORTEST) * (value / least).ln() / (most / least).ln(),
        Scale::Logarithmic => 1.0,
    };
    for (row, bar) in bars.iter().enumerate() {
        let y = top + ROW * row as f64;
        let baseline = y + ROW / 2.0 + 4.0;
        // Not NaN: `max` takes the other operand.
        let length = (share(bar.value) * (WIDTH - NAMES - LABELS)).max(1.0);
        let end = NAMES + length;
        let colour = COLOURS[bar.colour % COLOURS.len()];
        svg += &text(NAMES - 8.0, baseline, "style=\"text-anchor:end\"", &bar.name);
        svg += &format!(
            "<rect x=\"{NAMES:.1}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"{:.1}\" fill=\"{colour}\"/>\n",
            y + 3.0,
            ROW - 6.0
        );
        svg += &text(end + 6.0, baseline, "style=\"text-anchor:start\"", &bar.label);
    }
    picture(WIDTH as i32, (top + ROW * bars.len() as f64) as i32 + 15, &svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(name: &str, value: f64) -> Bar {
        Bar { name: name.to_owned(), value, label: format!("{value} ×"), colour: 1 }
    }

    /// The lengths of the bars.
    fn lengths(svg: &str) -> Vec<&str> {
        let after = |line: &str| line.find("width=\"").map(|at| at + 7);
        let lines = svg.lines().filter(|line| line.starts_with("<rect x="));
        lines.filter_map(|line| line[after(line)?..].split('"').next()).collect()
    }

    #[test]
    fn a_bar_is_as_long_as_its_value() {
        let svg = bars("cost < 5", &[bar("a & b", 1.0), bar("c", 4.0), bar("none", 0.0)], Scale::Linear);
        assert!(svg.contains("cost &lt; 5") && svg.contains("a &amp; b") && svg.contains("4 ×"));
        assert_eq!(lengths(&svg), ["110.0", "440.0", "1.0"]);
    }

    #[test]
    fn factors_are_steps_of_a_logarithmic_scale() {
        let svg = bars("", &[bar("a", 1.0), bar("b", 10.0), bar("c", 100.0)], Scale::Logarithmic);
        assert_eq!(lengths(&svg), ["22.0", "231.0", "440.0"]);
        assert_eq!(lengths(&bars("", &[bar("a", 7.0)], Scale::Logarithmic)), ["440.0"]);
    }

    #[test]
    fn no_values_are_an_empty_chart() {
        let svg = bars("", &[bar("a", 0.0)], Scale::Linear) + &bars("", &[], Scale::Logarithmic);
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
