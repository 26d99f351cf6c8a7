//! Bar charts as SVG: one bar a line, on a logarithmic axis where the values lie far apart.

use crate::error::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Whose figure a bar shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Who {
    /// The extension's.
    Ours,
    /// Somebody else's program's.
    Peer,
    /// What cannot be had for less: reading the rows, an empty loop.
    Floor,
}

impl Who {
    fn colour(self) -> RGBColor {
        match self {
            Self::Ours => RGBColor(31, 119, 180),
            Self::Peer => RGBColor(255, 150, 60),
            Self::Floor => RGBColor(170, 170, 170),
        }
    }
}

/// One bar.
pub struct Bar {
    /// Whose it is.
    pub who: Who,
    /// What stands left of it.
    pub label: String,
    /// How long it is; finite and above 0.
    pub value: f64,
    /// What stands at its end.
    pub shown: String,
}

const WIDTH: i32 = 860;
const LABELS: i32 = 330;
const VALUES: i32 = 90;
const ROW: i32 = 24;
const TOP: i32 = 50;
/// Values further apart than this get a logarithmic axis.
const WIDE: f64 = 25.0;

/// Draws the bars below each other, in their order.
pub fn svg(title: &str, bars: &[Bar]) -> Result<String> {
    let mut drawing = String::new();
    draw(title, bars, &mut drawing).map_err(|error| format!("cannot draw \"{title}\": {error}"))?;
    Ok(drawing)
}

fn draw(title: &str, bars: &[Bar], to: &mut String) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let count = i32::try_from(bars.len())?;
    let height = TOP + count * ROW + 15;
    let area = SVGBackend::with_string(to, (WIDTH.try_into()?, height.try_into()?)).into_drawing_area();
    area.fill(&WHITE)?;
    let text =
        |size: i32, horizontal| ("sans-serif", size).into_font().color(&BLACK).pos(Pos::new(horizontal, VPos::Center));
    let (least, most) = bars.iter().fold((f64::MAX, 0.0_f64), |(l, m), bar| (l.min(bar.value), m.max(bar.value)));
    let logarithmic = most > least * WIDE;
    let length = |value: f64| {
        let room = f64::from(WIDTH - LABELS - VALUES);
        // The shortest bar of a logarithmic chart is a twentieth of the longest.
        let share = if logarithmic { 0.05 + 0.95 * (value / least).ln() / (most / least).ln() } else { value / most };
        (room * share).round() as i32
    };
    let title = if logarithmic { format!("{title} (logarithmic)") } else { title.to_owned() };
    area.draw(&Text::new(title, (15, 24), text(16, HPos::Left)))?;
    for (place, bar) in (0..).zip(bars) {
        let top = TOP + place * ROW;
        let middle = top + ROW / 2;
        area.draw(&Text::new(bar.label.clone(), (LABELS - 8, middle), text(13, HPos::Right)))?;
        let end = LABELS + length(bar.value).max(1);
        area.draw(&Rectangle::new([(LABELS, top + 3), (end, top + ROW - 3)], bar.who.colour().filled()))?;
        area.draw(&Text::new(bar.shown.clone(), (end + 6, middle), text(13, HPos::Left)))?;
    }
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(value: f64) -> Bar {
        Bar { who: Who::Ours, label: "a < b".into(), value, shown: format!("{value} ms") }
    }

    #[test]
    fn labels_are_escaped_and_values_shown() {
        let drawing = svg("Speed", &[bar(1.0), bar(2.0)]).expect("it can be drawn");
        assert!(drawing.starts_with("<svg") && drawing.contains("a &lt; b") && drawing.contains("2 ms"), "{drawing}");
        assert!(!drawing.contains("logarithmic"));
    }

    #[test]
    fn values_far_apart_get_a_logarithmic_axis() {
        assert!(svg("Speed", &[bar(1.0), bar(1000.0)]).expect("it can be drawn").contains("logarithmic"));
    }
}
