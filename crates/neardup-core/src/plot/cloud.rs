//! A word cloud (methods.md S): the heavier a word, the larger it is drawn.
//!
//! Words are placed from the heaviest on, each at the first free position of a spiral from the centre. The size of a word is
//! estimated, because the viewer chooses the font.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{Area, COLOURS, Drawing, picture};
use neardup_text::Result;

const WIDTH: i32 = 800;
const HEIGHT: i32 = 500;
const LARGEST: f64 = 72.0;
const SMALLEST: f64 = 12.0;
/// Steps of the spiral after which a word is left out.
const STEPS: i32 = 4000;
/// Words beyond these are not drawn.
const MOST_WORDS: usize = 300;

/// A word's box: left, top, right, bottom.
type Rect = (i32, i32, i32, i32);

/// Draws words by their weights. Words without a finite weight above 0 are ignored, and words that do not fit are left out.
///
/// # Errors
/// `InvalidParameter` if the library cannot draw it.
pub fn word_cloud(words: &[(&str, f64)]) -> Result<String> {
    let mut words: Vec<(&str, f64)> = words
        .iter()
        .copied()
        .filter(|(word, weight)| weight.is_finite() && *weight > 0.0 && !word.is_empty())
        .collect();
    words.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    words.truncate(MOST_WORDS);
    picture("word cloud", (WIDTH as u32, HEIGHT as u32), |area| draw(&words, area))
}

fn draw(words: &[(&str, f64)], area: &Area<'_>) -> Drawing {
    let heaviest = words.first().map_or(1.0, |word| word.1);
    let mut taken: Vec<Rect> = Vec::new();
    for (&(word, weight), &(r, g, b)) in words.iter().zip(COLOURS.iter().cycle()) {
        let size = SMALLEST + (LARGEST - SMALLEST) * (weight / heaviest).sqrt();
        let (width, height) = (width_in_em(word) * size, size * 1.1);
        let Some(place) = free_place(width as i32 + 4, height as i32, &taken) else { continue };
        taken.push(place);
        let style = ("sans-serif", size as i32).into_font().color(&RGBColor(r, g, b));
        let middle = ((place.0 + place.2) / 2, (place.1 + place.3) / 2);
        area.draw(&Text::new(word, middle, style.pos(Pos::new(HPos::Center, VPos::Center))))?;
    }
    Ok(())
}

/// Estimates the width: a Han character is as wide as high, a Latin letter about 0.6 of that.
fn width_in_em(word: &str) -> f64 {
    word.chars().map(|c| if c < '\u{1100}' { 0.6 } else { 1.0 }).sum()
}

fn free_place(width: i32, height: i32, taken: &[Rect]) -> Option<Rect> {
    (0..STEPS).find_map(|step| {
        let angle = f64::from(step) * 0.2;
        // Wider than high, as the picture is.
        let x = WIDTH / 2 + (angle.cos() * angle * 1.6) as i32 - width / 2;
        let y = HEIGHT / 2 + (angle.sin() * angle) as i32 - height / 2;
        let place = (x, y, x + width, y + height);
        let inside = x >= 0 && y >= 0 && place.2 <= WIDTH && place.3 <= HEIGHT;
        let meets = |other: &Rect| place.0 < other.2 && other.0 < place.2 && place.1 < other.3 && other.1 < place.3;
        (inside && !taken.iter().any(meets)).then_some(place)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn heavier_words_are_larger_and_none_overlap() {
        let svg = word_cloud(&[("灯塔", 4.0), ("<b>", 1.0), ("无", 0.0), ("", 1.0), ("x", f64::NAN)]).unwrap();
        assert!(svg.contains("灯塔") && svg.contains("&lt;b&gt;") && !svg.contains("无"));
        let mut taken = Vec::new();
        for width in [300, 200, 100, 50, 50, 50] {
            let place = free_place(width, 40, &taken).unwrap();
            assert!(taken.iter().all(|o: &Rect| place.0 >= o.2 || o.0 >= place.2 || place.1 >= o.3 || o.1 >= place.3));
            taken.push(place);
        }
        assert_eq!(free_place(WIDTH + 1, 10, &[]), None);
    }
}
