//! Histograms: distances between copies, similarities of pairs.

use plotters::prelude::*;

use super::{Area, COLOURS, Drawing, picture};
use neardup_text::{Error, ErrorKind, Result};

/// Draws a histogram of finite values in `bins` bins of equal width, 1 to 200. Whole numbers within 200 of each other get a bin each.
///
/// # Errors
/// `InvalidParameter` for no values, another number of bins, or a value that is not finite.
pub fn histogram(title: &str, values: &[f64], bins: usize) -> Result<String> {
    let invalid = |message: String| Err(Error::new(ErrorKind::InvalidParameter, message));
    if !(1..=200).contains(&bins) {
        return invalid(format!("bins must be between 1 and 200: {bins}"));
    }
    if let Some(value) = values.iter().find(|value| !value.is_finite()) {
        return invalid(format!("cannot draw the value {value}"));
    }
    let Some((least, most)) = values.iter().fold(None, |range: Option<(f64, f64)>, &value| {
        range.map_or(Some((value, value)), |(least, most)| Some((least.min(value), most.max(value))))
    }) else {
        return invalid("there are no values to draw".to_owned());
    };
    let whole = values.iter().all(|value| value.fract() == 0.0) && most - least < 200.0;
    let (start, width, bins) = if whole {
        (least - 0.5, 1.0, (most - least) as usize + 1)
    } else {
        let width = if most > least { (most - least) / bins as f64 } else { 1.0 };
        (least, width, bins)
    };
    let mut counts = vec![0_u64; bins];
    for value in values {
        let bin = (((value - start) / width) as usize).min(bins - 1);
        if let Some(count) = counts.get_mut(bin) {
            *count += 1;
        }
    }
    picture("histogram", (640, 360), |area| draw(title, start, width, &counts, area))
}

fn draw(title: &str, start: f64, width: f64, counts: &[u64], area: &Area<'_>) -> Drawing {
    let end = start + width * counts.len() as f64;
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(30)
        .y_label_area_size(56)
        .build_cartesian_2d(start..end, 0..most + most / 20 + 1)?;
    chart.configure_mesh().disable_x_mesh().light_line_style(WHITE).draw()?;
    let (r, g, b) = COLOURS[0];
    chart.draw_series(counts.iter().enumerate().map(|(bin, &count)| {
        let from = start + width * (bin as f64 + 0.05);
        Rectangle::new([(from, 0), (from + width * 0.9, count)], RGBColor(r, g, b).filled())
    }))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn whole_numbers_get_a_bar_each() {
        let svg = histogram("distances", &[0.0, 0.0, 3.0, 7.0], 2).unwrap();
        assert_eq!(svg.matches("#0072B2").count(), 8, "one bar for each of 0 to 7");
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
            assert!(histogram("", values, bins).unwrap_err().message.contains(part));
        }
        assert!(histogram("", &[-1e300, 1e300, 0.5], 200).is_ok());
    }
}
