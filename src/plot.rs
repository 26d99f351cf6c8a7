//! Line charts as SVG text; labels are text elements, so no font is needed here.

use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::panic::ErrorReport;
use plotters::prelude::*;

use crate::error::Result;

const SIZE: (u32, u32) = (640, 400);
const COLOURS: [RGBColor; 4] =
    [RGBColor(31, 119, 180), RGBColor(255, 127, 14), RGBColor(44, 160, 44), RGBColor(148, 103, 189)];

/// Draws lines over the unit square, each under its name; a name may be empty.
pub fn lines(title: &str, x: &str, y: &str, series: &[(&str, Vec<(f64, f64)>)]) -> Result<String> {
    let mut drawing = String::new();
    draw(title, x, y, series, &mut drawing).map_err(|error| {
        let message = format!("cannot draw \"{title}\": {error}");
        ErrorReport::new(PgSqlErrorCode::ERRCODE_INTERNAL_ERROR, message, "plot")
    })?;
    Ok(drawing)
}

fn draw(
    title: &str,
    x: &str,
    y: &str,
    series: &[(&str, Vec<(f64, f64)>)],
    to: &mut String,
) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(to, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 16))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(48)
        .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
    chart.configure_mesh().x_desc(x).y_desc(y).light_line_style(WHITE).draw()?;
    for ((name, points), colour) in series.iter().zip(COLOURS.iter().cycle()) {
        let line = chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?;
        if !name.is_empty() {
            line.label(*name).legend(|(x, y)| PathElement::new(vec![(x, y), (x + 16, y)], colour.stroke_width(2)));
        }
    }
    if series.iter().any(|(name, _)| !name.is_empty()) {
        chart.configure_series_labels().background_style(WHITE).border_style(BLACK).draw()?;
    }
    area.present()?;
    drop(chart);
    Ok(())
}
