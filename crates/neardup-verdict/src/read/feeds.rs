//! The line with which blogs' software closes an article in a feed: `The post TITLE appeared first on BLOG.`
//!
//! Each blog that carries an article names itself there, so that copies differ in a name. `data/credits.tsv` has the line in the languages of WordPress
//! SEO plugins. Where the text in the feed is shortened, an invitation to read on stands before it.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::FinderRev;

use super::credits::{FEED, READ_ON};

/// The longest name of a blog with what follows it, in bytes.
const NAME_BYTES: usize = 120;

/// The longest title with what stands around it, in bytes.
const TITLE_BYTES: usize = 400;

/// What stands before the title and after it, by language.
static LINES: LazyLock<Vec<(&str, FinderRev<'static>)>> = LazyLock::new(|| {
    let parts = FEED.iter().filter_map(|line| line.split_once('…'));
    parts.map(|(before, after)| (before, FinderRev::new(after))).collect()
});

/// Returns the place of such a line at the end of a text, in bytes, with the invitation to read on before it.
pub(super) fn closing(text: &str) -> Option<Range<usize>> {
    let end = text.trim_end().len();
    let last = text.ceil_char_boundary(end.saturating_sub(NAME_BYTES));
    let place = LINES.iter().find_map(|(before, after)| {
        let found = last + after.rfind(text.get(last..end)?.as_bytes())?;
        let earliest = text.ceil_char_boundary(found.saturating_sub(TITLE_BYTES));
        let title = text.get(earliest..found)?;
        // Some languages begin with the title.
        let begin = if before.is_empty() { title.rfind('\n').map(|line| line + 1) } else { title.rfind(before) };
        begin.map(|begin| earliest + begin)
    })?;
    Some(read_on(text, place).unwrap_or(place)..text.len())
}

/// Returns where an invitation to read on begins that ends at a place: `Read more "TITLE" »`.
fn read_on(text: &str, place: usize) -> Option<usize> {
    let before = text.get(..place)?.trim_end();
    let earliest = text.ceil_char_boundary(before.len().saturating_sub(TITLE_BYTES));
    let near = before.get(earliest..)?;
    let of = |words: &&str| near.rfind(*words).filter(|_| near.ends_with(*words) || near.ends_with('»'));
    READ_ON.iter().filter_map(of).max().map(|at| earliest + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_goes_with_the_invitation() {
        for (text, left) in [
            (
                "The bridge opens today. The post The bridge opens appeared first on Harbour Post.",
                "The bridge opens today. ",
            ),
            (
                "The bridge opens today [...] Read More The post The bridge opens appeared first on Harbour Post",
                "The bridge opens today [...] ",
            ),
            (
                "The bridge opens today... Read more \"The bridge opens\" »\nThe post The bridge opens appeared first on Harbour Post.",
                "The bridge opens today... ",
            ),
            ("Die Brücke ist offen.\nDer Beitrag Die Brücke erschien zuerst auf Hafenpost.", "Die Brücke ist offen.\n"),
            ("Le pont ouvre.\nL’article Le pont est apparu en premier sur La Poste du port.", "Le pont ouvre.\n"),
            ("Podul se deschide. Articolul Podul apare prima dată în Poșta portului.", "Podul se deschide. "),
            ("橋が開通しました。\n投稿 橋が開通 は 港新聞 に最初に表示されました。", "橋が開通しました。\n"),
            (
                "Köprü açıldı.\nKöprü bugün açıldı yazısı ilk önce Liman Postası üzerinde ortaya çıktı.",
                "Köprü açıldı.\n",
            ),
        ] {
            assert_eq!(closing(text), Some(left.len()..text.len()), "{text}");
            assert!(text.starts_with(left));
        }
    }

    #[test]
    fn other_text_stays() {
        for text in ["The mayor appeared first on Monday, and The post of clerk is free.", "", "»"] {
            assert_eq!(closing(text), None, "{text}");
        }
        let long =
            format!("The post The bridge opens appeared first on Harbour Post.{}", " More text follows.".repeat(10));
        assert_eq!(closing(&long), None);
    }
}
