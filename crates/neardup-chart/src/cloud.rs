//! Word clouds.

use crate::{COLOURS, picture, text};

/// The size of a word cloud.
const CLOUD: (i32, i32) = (800, 500);
/// The sizes of its words.
const SMALLEST: f64 = 12.0;
const LARGEST: f64 = 72.0;
/// More words are not drawn.
const MOST_WORDS: usize = 300;
/// A word without a free place in this many steps of the spiral is left out.
const SPIRAL: i32 = 4000;

/// A word's box: left, top, right, bottom.
type Rect = (i32, i32, i32, i32);

/// Draws words by their weights (the SogouCS report): the heaviest first, each at the first free position of a spiral from the
/// centre. Words without a finite weight above 0 are ignored, and words that do not fit are left out.
#[must_use]
pub fn word_cloud(words: &[(&str, f64)]) -> String {
    let is_drawn = |(word, weight): &(&str, f64)| weight.is_finite() && *weight > 0.0 && !word.is_empty();
    let mut words: Vec<(&str, f64)> = words.iter().copied().filter(is_drawn).collect();
    words.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    words.truncate(MOST_WORDS);
    let heaviest = words.first().map_or(1.0, |word| word.1);
    let mut taken: Vec<Rect> = Vec::new();
    let mut svg = String::new();
    for ((word, weight), colour) in words.into_iter().zip(COLOURS.iter().cycle()) {
        let size = SMALLEST + (LARGEST - SMALLEST) * (weight / heaviest).sqrt();
        let (width, height) = (width_in_em(word) * size, size * 1.1);
        let Some(free) = free_box(width as i32 + 4, height as i32, &taken) else { continue };
        taken.push(free);
        let (x, y) = (f64::from(free.0 + free.2) / 2.0, f64::from(free.1 + free.3) / 2.0 + size * 0.35);
        svg += &text(x, y, &format!("font-size=\"{size:.0}\" fill=\"{colour}\""), word);
    }
    picture(CLOUD.0, CLOUD.1, &svg)
}

/// Estimates the width of a word: a Han character is as wide as high, a Latin letter about 0.6 of that.
fn width_in_em(word: &str) -> f64 {
    word.chars().map(|c| if c < '\u{1100}' { 0.6 } else { 1.0 }).sum()
}

fn free_box(width: i32, height: i32, taken: &[Rect]) -> Option<Rect> {
    (0..SPIRAL).find_map(|step| {
        let angle = f64::from(step) * 0.2;
        // Wider than high, as the picture is.
        let x = CLOUD.0 / 2 + (angle.cos() * angle * 1.6) as i32 - width / 2;
        let y = CLOUD.1 / 2 + (angle.sin() * angle) as i32 - height / 2;
        let found = (x, y, x + width, y + height);
        let inside = x >= 0 && y >= 0 && found.2 <= CLOUD.0 && found.3 <= CLOUD.1;
        let meets = |other: &Rect| found.0 < other.2 && other.0 < found.2 && found.1 < other.3 && other.1 < found.3;
        (inside && !taken.iter().any(meets)).then_some(found)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn heavier_words_are_larger_and_none_overlap() {
        let svg = word_cloud(&[("灯塔", 4.0), ("<b>", 1.0), ("无", 0.0), ("", 1.0), ("x", f64::NAN)]);
        assert!(svg.contains("灯塔") && svg.contains("&lt;b&gt;") && !svg.contains("无"));
        let mut taken = Vec::new();
        for width in [300, 200, 100, 50, 50, 50] {
            let free = free_box(width, 40, &taken).unwrap();
            assert!(taken.iter().all(|o: &Rect| free.0 >= o.2 || o.0 >= free.2 || free.1 >= o.3 || o.1 >= free.3));
            taken.push(free);
        }
        assert_eq!(free_box(CLOUD.0 + 1, 10, &[]), None);
    }
}
