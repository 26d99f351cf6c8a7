//! Precision and recall against the threshold, a line for each method (methods.md Z, figures 1 and 2).

use plotters::prelude::*;

use super::{COLOURS, Drawing, finish};
use crate::Result;

/// One line: its name and its points, threshold and value.
#[derive(Clone, Debug)]
pub struct Series {
    /// What the legend says.
    pub name: String,
    /// Threshold, precision, recall.
    pub points: Vec<(f64, f64, f64)>,
}

/// Draws two panels beside each other. Thresholds are similarities of 0 to 1, or, with `distance`, distances of 0 to 32.
///
/// # Errors
/// `InvalidParameter` if the library cannot draw it.
pub fn precision_and_recall(series: &[Series], distance: bool) -> Result<String> {
    let mut svg = String::new();
    let drawn = draw(series, distance, &mut svg);
    finish("curves", drawn, svg)
}

fn draw(series: &[Series], distance: bool, svg: &mut String) -> Drawing {
    let area = SVGBackend::with_string(svg, (1000, 440)).into_drawing_area();
    area.fill(&WHITE)?;
    let (left, right) = area.split_horizontally(500);
    let (most, label) = if distance { (32.0, "Hamming distance") } else { (1.0, "similarity") };
    for (panel, title, recall) in [(left, "Precision", false), (right, "Recall", true)] {
        let mut chart = ChartBuilder::on(&panel)
            .caption(title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(38)
            .y_label_area_size(42)
            .build_cartesian_2d(0.0..most, 0.0..1.0)?;
        chart.configure_mesh().x_desc(format!("threshold: {label}")).y_desc(title).light_line_style(WHITE).draw()?;
        for (line, &(r, g, b)) in series.iter().zip(COLOURS.iter().cycle()) {
            let style = RGBColor(r, g, b).stroke_width(2);
            let points = line.points.iter().map(|&(threshold, p, q)| (threshold, if recall { q } else { p }));
            let drawn = chart.draw_series(LineSeries::new(points, style))?;
            if recall {
                let swatch = move |(x, y)| PathElement::new(vec![(x, y), (x + 16, y)], style);
                drawn.label(line.name.clone()).legend(swatch);
            }
        }
        if recall && !series.is_empty() {
            let place = if distance { SeriesLabelPosition::LowerRight } else { SeriesLabelPosition::LowerLeft };
            chart
                .configure_series_labels()
                .position(place)
                .background_style(WHITE.mix(0.8))
                .border_style(BLACK)
                .draw()?;
        }
    }
    area.present()?;
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
