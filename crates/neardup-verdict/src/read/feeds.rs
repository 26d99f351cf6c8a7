//! The line with which blogs' software closes an article in a feed: `The post TITLE appeared first on BLOG.`
//!
//! Each blog that carries an article names itself there, so that copies differ in a name. Only what says so goes, with the name: the title may be
//! all that tells two articles apart. `data/credits.tsv` has the line in the languages of a plugin for WordPress that adds it by default.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::FinderRev;

use super::credits::FEED;

/// The longest name of a blog, in bytes and in words.
const NAME_BYTES: usize = 80;
const NAME_WORDS: usize = 6;

/// The longest title with what stands around it, in bytes.
const TITLE_BYTES: usize = 400;

/// A line: what stands before the title, between it and the name, and after the name.
struct Line {
    before: &'static str,
    between: FinderRev<'static>,
    after: &'static str,
}

static LINES: LazyLock<Vec<Line>> = LazyLock::new(|| {
    let line = |line: &&'static str| {
        let (before, rest) = line.split_once('…')?;
        let (between, after) = rest.split_once('…').unwrap_or((rest, ""));
        Some(Line { before, between: FinderRev::new(between), after })
    };
    FEED.iter().filter_map(line).collect()
});

impl Line {
    /// Returns where the words between title and name begin, if a text ends with this line.
    fn place(&self, text: &str) -> Option<usize> {
        let body = text.trim_end_matches(['.', '。']).strip_suffix(self.after)?;
        let between = self.between.needle();
        let last = body.ceil_char_boundary(body.len().saturating_sub(NAME_BYTES + between.len()));
        let place = last + self.between.rfind(body.get(last..)?.as_bytes())?;
        let name = body.get(place + between.len()..)?;
        let is_name = (1..=NAME_WORDS).contains(&name.split_whitespace().count()) && !name.contains(['\n', ';']);
        (is_name && !name.contains(". ") && self.has_title(body.get(..place)?)).then_some(place)
    }

    /// Says whether the last line of a text begins a sentence with these words, and a title follows.
    fn has_title(&self, text: &str) -> bool {
        let line = text.rfind('\n').map_or(0, |end| end + 1);
        let near = text.ceil_char_boundary(text.len().saturating_sub(TITLE_BYTES)).max(line);
        let line = text.get(near..).unwrap_or_default();
        // In some languages the line begins with the title.
        let begin = if self.before.is_empty() { Some(0) } else { line.rfind(self.before) };
        let Some(begin) = begin else { return false };
        let (earlier, title) = line.split_at(begin);
        let title = title.get(self.before.len()..).unwrap_or_default();
        let is_first = earlier.trim_end().is_empty() || earlier.trim_end().ends_with(SENTENCE_ENDS);
        is_first && !title.trim().is_empty() && !title.contains(';')
    }
}

/// What a sentence or a shortened text ends with.
const SENTENCE_ENDS: [char; 9] = ['.', '!', '?', '…', ']', '»', '"', '”', '。'];

/// Returns the place of what names the blog in such a line at the end of a text, in bytes.
pub(super) fn closing(text: &str) -> Option<Range<usize>> {
    let body = text.trim_end();
    LINES.iter().find_map(|line| line.place(body)).map(|place| place..text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_blog_goes() {
        for (text, left) in [
            (
                "The bridge opens. The post The bridge opens appeared first on Harbour Post.",
                "The bridge opens. The post The bridge opens",
            ),
            (
                "The bridge [...] The post The bridge first appeared on Harbour Post",
                "The bridge [...] The post The bridge",
            ),
            (
                "Die Brücke ist offen.\nDer Beitrag Die Brücke erschien zuerst auf Hafenpost.",
                "Die Brücke ist offen.\nDer Beitrag Die Brücke",
            ),
            (
                "Le pont ouvre.\nL’article Le pont est apparu en premier sur La Poste.",
                "Le pont ouvre.\nL’article Le pont",
            ),
            (
                "Podul se deschide. Articolul Podul apare prima dată în Poșta portului.",
                "Podul se deschide. Articolul Podul",
            ),
            (
                "橋が開通しました。\n投稿 橋が開通 は 港新聞 に最初に表示されました。",
                "橋が開通しました。\n投稿 橋が開通",
            ),
            ("Köprü açıldı.\nKöprü açıldı yazısı ilk önce Liman üzerinde ortaya çıktı.", "Köprü açıldı.\nKöprü açıldı"),
        ] {
            assert_eq!(closing(text), Some(left.len()..text.len()), "{text}");
        }
    }

    #[test]
    fn other_text_stays() {
        for text in [
            "The mayor appeared first on Monday.",
            "The post at berth 7 was hit by a truck; the story appeared first on Twitter.",
            "He left The post of clerk and appeared first on stage.",
            "The post The bridge appeared first on Harbour Post. Trains leave at 5 pm.",
            "The post The bridge appeared first on the evening news of the harbour radio today.",
            "The post appeared first on\nHarbour Post",
            "L'articolo 12 fissa la tariffa a 40 euro; la norma proviene da Bruxelles.",
            "",
            "»",
        ] {
            assert_eq!(closing(text), None, "{text}");
        }
    }
}
