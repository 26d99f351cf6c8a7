//! Bar charts as SVG: one bar per line of a comparison, on a logarithmic axis if the values are far apart.

use super::section::Line;
use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

const WIDTH: i32 = 860;
const LABELS: i32 = 330;
const VALUES: i32 = 90;
const ROW: i32 = 24;
const TOP: i32 = 50;
/// If the greatest value is more than this many times the least, the axis is logarithmic.
const WIDE: f64 = 25.0;

/// Draws the bars below each other, in their order.
pub fn svg(title: &str, lines: &[Line]) -> Result<String> {
    let mut drawing = String::new();
    draw(title, lines, &mut drawing)?;
    Ok(drawing)
}

fn draw(title: &str, lines: &[Line], to: &mut String) -> Result<()> {
    let bars: Vec<(&Line, f64)> = lines.iter().filter_map(|line| Some((line, line.ratio?))).collect();
    let height = TOP + i32::try_from(bars.len())? * ROW + 15;
    let area = SVGBackend::with_string(to, (WIDTH.try_into()?, height.try_into()?)).into_drawing_area();
    area.fill(&WHITE)?;
    let text =
        |size: i32, horizontal| ("sans-serif", size).into_font().color(&BLACK).pos(Pos::new(horizontal, VPos::Center));
    let (least, most) = bars.iter().fold((f64::MAX, 0.0_f64), |(l, m), (_, value)| (l.min(*value), m.max(*value)));
    let logarithmic = most > least * WIDE;
    let length = |value: f64| {
        // In a logarithmic chart, the shortest bar is a twentieth of the longest.
        let share = if logarithmic { 0.05 + 0.95 * (value / least).ln() / (most / least).ln() } else { value / most };
        (f64::from(WIDTH - LABELS - VALUES) * share).round() as i32
    };
    let title = if logarithmic { format!("{title} (logarithmic)") } else { title.to_owned() };
    area.draw(&Text::new(title, (15, 24), text(16, HPos::Left)))?;
    for (number, (line, value)) in (0..).zip(bars) {
        let top = TOP + number * ROW;
        let middle = top + ROW / 2;
        let colour = match line.who.as_deref() {
            Some("ours") => RGBColor(31, 119, 180),
            Some("peer") => RGBColor(255, 150, 60),
            _ => RGBColor(170, 170, 170),
        };
        area.draw(&Text::new(line.name.clone().unwrap_or_default(), (LABELS - 8, middle), text(13, HPos::Right)))?;
        let end = LABELS + length(value).max(1);
        area.draw(&Rectangle::new([(LABELS, top + 3), (end, top + ROW - 3)], colour.filled()))?;
        area.draw(&Text::new(line.multiple.clone(), (end + 6, middle), text(13, HPos::Left)))?;
    }
    area.present()?;
    Ok(())
}
