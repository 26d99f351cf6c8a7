//! Lines over an axis that starts at 0, with values from 0 to 1: the common part of all line charts.

use plotters::prelude::*;

use super::{Area, COLOURS, Drawing, picture};
use neardup_text::Result;

/// The labels of a chart, and the end of its horizontal axis.
pub(super) struct Axes<'a> {
    pub title: &'a str,
    pub x: &'a str,
    pub y: &'a str,
    pub most: f64,
}

/// Draws each line under its name; draws the legend only if it is given a position.
pub(super) fn draw_lines(
    area: &Area<'_>,
    axes: &Axes<'_>,
    lines: &[(&str, Vec<(f64, f64)>)],
    legend: Option<SeriesLabelPosition>,
) -> Drawing {
    let mut chart = ChartBuilder::on(area)
        .caption(axes.title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(38)
        .y_label_area_size(42)
        .build_cartesian_2d(0.0..axes.most, 0.0..1.0)?;
    chart.configure_mesh().x_desc(axes.x).y_desc(axes.y).light_line_style(WHITE).draw()?;
    for ((name, points), &(r, g, b)) in lines.iter().zip(COLOURS.iter().cycle()) {
        let style = RGBColor(r, g, b).stroke_width(2);
        let drawn = chart.draw_series(LineSeries::new(points.iter().copied(), style))?;
        if legend.is_some() {
            drawn.label(*name).legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 16, y)], style));
        }
    }
    if let Some(place) = legend.filter(|_| !lines.is_empty()) {
        chart.configure_series_labels().position(place).background_style(WHITE.mix(0.8)).border_style(BLACK).draw()?;
    }
    Ok(())
}

/// Draws one line over the unit square.
///
/// # Errors
/// `InvalidParameter` if the library cannot draw it.
pub fn curve(title: &str, x: &str, y: &str, points: Vec<(f64, f64)>) -> Result<String> {
    let axes = Axes { title, x, y, most: 1.0 };
    picture("curve", (640, 400), |area| draw_lines(area, &axes, &[("", points)], None))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn the_line_and_its_words_are_in_the_picture() {
        let svg = curve("16 bands < 17", "similarity", "chance", vec![(0.0, 0.0), (1.0, 1.0)]).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("16 bands &lt; 17") && svg.contains("similarity") && svg.contains("chance"));
        assert_eq!(svg.matches("#0072B2").count(), 1, "one line, no legend");
    }
}
