//! What stands around a message and is not part of it: datelines, editors' and photographers' lines, comments before a
//! repost, notes of platforms.
//!
//! [`ignored`] returns the stretches of a text that no verdict counts. It knows the marks of Chinese agencies, portals and
//! microblogs, and what [`feeds`](super::feeds) of blogs add, in `data/credits.tsv`; text without them is left whole. It never takes everything: of a text that would be left with nothing, nothing is ignored.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::{self, Finder, FinderRev};

use neardup_text::interrupt;
use neardup_text::lexicon::{is_han, is_word_char};
use neardup_text::normalize::simplified;

use super::feeds;

/// Where a dateline may end, or a line that names reporters begin, in bytes from the start of the text.
const OPENING_BYTES: usize = 220;

/// The longest group in brackets that may be a credit, in bytes.
const GROUP_BYTES: usize = 160;

/// How far from the end a closing line may begin, in bytes.
const TAIL_BYTES: usize = 120;

/// The longest comment before a repost that counts as having no content, in letters.
const SHORT_COMMENT: usize = 8;

/// The openings of a group in brackets.
const OPENINGS: [&str; 5] = ["（", "(", "【", "[", "［"];

include!(concat!(env!("OUT_DIR"), "/credits_lists.rs"));

/// Searchers for the lists that are looked for in each text, made once: making a searcher takes longer than searching.
struct Finders {
    openings: [Finder<'static>; OPENINGS.len()],
    notes: [Finder<'static>; NOTE.len()],
    credits: [Finder<'static>; CREDIT.len()],
    dateline_ends: [Finder<'static>; DATELINE.len()],
    closings: [Finder<'static>; CLOSING.len()],
    denials: [Finder<'static>; DENIAL.len()],
    comment: Finder<'static>,
    place: FinderRev<'static>,
}

static FINDERS: LazyLock<Finders> = LazyLock::new(|| Finders {
    openings: OPENINGS.map(Finder::new),
    notes: NOTE.map(Finder::new),
    credits: CREDIT.map(Finder::new),
    dateline_ends: DATELINE.map(Finder::new),
    closings: CLOSING.map(Finder::new),
    denials: DENIAL.map(Finder::new),
    comment: Finder::new("//@"),
    place: FinderRev::new(" 2"),
});

/// The longest line that only names reporters, `光明日报记者李明`, in bytes.
const BYLINE_BYTES: usize = 60;

/// The longest line of a catalogue, in bytes.
const FILED_BYTES: usize = 80;

/// Returns the stretches that are not part of the message, in bytes, ascending and disjoint; they include the boilerplate.
pub(crate) fn ignored(text: &str, boilerplate: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found = boilerplate.to_vec();
    comments(text, &mut found);
    groups(text, &mut found);
    found.extend(feeds::closing(text));
    // The other marks are not ASCII.
    if !text.is_ascii() {
        found.extend(dateline(text));
        lines(text, &mut found);
        tail(text, &mut found);
        for note in &FINDERS.notes {
            found.extend(note.find_iter(text.as_bytes()).map(|at| at..at + note.needle().len()));
        }
    }
    found.sort_unstable_by_key(|range| (range.start, range.end));
    let mut apart: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for range in found {
        match apart.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => apart.push(range),
        }
    }
    if has_letters_outside(text, &apart) { apart } else { Vec::new() }
}

/// Returns a headline without the page of a newspaper before it: `01版 - `. One article stands on the first page and inside.
pub(crate) fn without_page(title: &str) -> &str {
    let title = title.trim_start();
    let digits = title.bytes().take_while(u8::is_ascii_digit).count();
    let rest = title.get(digits..).and_then(|rest| rest.strip_prefix('版')).filter(|_| (1..=2).contains(&digits));
    let rest = rest.filter(|rest| !rest.starts_with(is_word_char));
    let rest = rest.map(|rest| rest.trim_start_matches(|c: char| !is_word_char(c)));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(title)
}

/// Counts letters and digits.
pub(crate) fn letters(text: &str) -> usize {
    text.chars().filter(|&c| is_word_char(c)).count()
}

/// Says whether a letter is outside all of some ranges, which ascend.
pub(crate) fn has_letters_outside(text: &str, ranges: &[Range<usize>]) -> bool {
    let ends = ranges.iter().map(|range| range.start).chain([text.len()]);
    let starts = [0].into_iter().chain(ranges.iter().map(|range| range.end));
    starts.zip(ends).any(|(from, to)| text.get(from..to).unwrap_or_default().contains(is_word_char))
}

/// Finds short comments that others put before a repost: `赞//@name:`. One that denies what is reposted stays.
fn comments(text: &str, found: &mut Vec<Range<usize>>) {
    if FINDERS.comment.find(text.as_bytes()).is_none() {
        return;
    }
    let Some(root) = text.rfind("//@") else { return };
    // The name after the last mark ends at a colon or a space.
    let after = text.get(root..).unwrap_or_default();
    let body = after
        .char_indices()
        .skip(3)
        .take(40)
        .find(|&(_, c)| matches!(c, ':' | '：' | ' '))
        .map_or(0, |(at, c)| at + c.len_utf8());
    if letters(after.get(body..).unwrap_or_default()) < 4 {
        return;
    }
    let mut from = 0;
    for (at, _) in text.match_indices("//@") {
        let segment = text.get(from..at).unwrap_or_default();
        let name = if from == 0 { 0 } else { name_len(segment) };
        let own = segment.get(name..).unwrap_or_default();
        if without_emoticons(own) <= SHORT_COMMENT
            && !FINDERS.denials.iter().any(|word| word.find(own.as_bytes()).is_some())
        {
            found.push(from..at);
        }
        from = at;
    }
    found.push(root..root + name_len(after));
}

/// Length of a repost mark with its name and colon.
fn name_len(segment: &str) -> usize {
    let end = segment.char_indices().skip(3).take(40).find(|&(_, c)| matches!(c, ':' | '：'));
    end.map_or(0, |(at, c)| at + c.len_utf8())
}

/// Counts the letters of a comment, without what is in square brackets or between number signs.
fn without_emoticons(comment: &str) -> usize {
    let mut depth = false;
    let mut topic = false;
    let mut count = 0;
    for c in comment.chars() {
        match c {
            '[' => depth = true,
            ']' => depth = false,
            '#' => topic = !topic,
            _ => count += usize::from(!depth && !topic && is_word_char(c)),
        }
    }
    count
}

/// Returns the opening of an agency report, `某社北京5月9日电（记者 某某）`, up to the word that closes it; a headline before it, in brackets or
/// on a line of its own, is none of it.
pub(crate) fn dateline(text: &str) -> Option<Range<usize>> {
    let lines =
        memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1).take_while(|start| *start < OPENING_BYTES);
    [0].into_iter().chain(lines).find_map(|line| dateline_from(text, line + headline(text.get(line..)?)))
}

/// Says whether two texts have the same letters and digits, and any.
pub(crate) fn same_letters(a: &str, b: &str) -> bool {
    let of = |text: &str| -> Vec<char> {
        text.chars().filter(|&c| is_word_char(c)).map(|c| simplified(c).to_ascii_lowercase()).collect()
    };
    let of_a = of(a);
    !of_a.is_empty() && of_a == of(b)
}

/// Length of the headline in 【】 that a line starts with.
pub(crate) fn headline(line: &str) -> usize {
    let bare = line.trim_start();
    let close = bare.get(..bare.floor_char_boundary(GROUP_BYTES)).filter(|head| head.starts_with('【'));
    let close = close
        .and_then(|head| head.find(['】', '\n']))
        .filter(|at| bare.get(*at..).is_some_and(|rest| rest.starts_with('】')));
    close.map_or(0, |at| line.len() - bare.len() + at + '】'.len_utf8())
}

/// Returns the opening of an agency report that starts at `from`.
fn dateline_from(text: &str, from: usize) -> Option<Range<usize>> {
    let opening = text.get(from..text.floor_char_boundary(from + OPENING_BYTES))?;
    // It ends at the first sentence, or before.
    let sentence = opening.find(['。', '！', '？', '，', '；']).unwrap_or(opening.len());
    let opening = opening.get(..sentence)?;
    for (close, finder) in DATELINE.into_iter().zip(&FINDERS.dateline_ends) {
        let Some(at) = finder.find(opening.as_bytes()) else { continue };
        let before = opening.get(..at)?;
        let source = ["社", "网", "报", "新闻", "虎扑", "台", "讯"]
            .iter()
            .any(|mark| before.contains(mark) || close.contains(mark));
        if !source || letters(before) > 30 {
            continue;
        }
        let start = from + before.rfind('\n').map_or(0, |line| line + 1);
        let mut end = from + at + close.len();
        if matches!(close, "消息（" | "消息(") {
            end -= close.chars().next_back().map_or(0, char::len_utf8);
        }
        // A group in brackets and a colon may follow.
        let rest = text.get(end..)?;
        let group = bracketed(rest.trim_start());
        end += rest.len() - rest.trim_start().len() + group;
        return Some(start..end.min(text.len()));
    }
    None
}

/// Length of the group in round brackets that `text` starts with.
fn bracketed(text: &str) -> usize {
    if !text.starts_with(['（', '(']) {
        return 0;
    }
    let close = text.char_indices().take(GROUP_BYTES).find(|&(_, c)| matches!(c, '）' | ')'));
    close.map_or(0, |(at, c)| at + c.len_utf8())
}

/// Finds groups in brackets that name editors, reporters or sources.
fn groups(text: &str, found: &mut Vec<Range<usize>>) {
    let openings = FINDERS.openings.iter().flat_map(|open| {
        let places = open.find_iter(text.as_bytes());
        places.map(|at| (at, at + open.needle().len()))
    });
    for (count, (at, start)) in openings.enumerate() {
        if count & 0xff == 0 {
            interrupt::check();
        }
        let inside = text.get(start..).unwrap_or_default();
        let close = inside
            .char_indices()
            .take_while(|&(end, c)| end < GROUP_BYTES && !matches!(c, '\n' | '（' | '(' | '【'))
            .find(|&(_, c)| matches!(c, '）' | ')' | '】' | ']' | '］'));
        let Some((end, c)) = close else { continue };
        let end = end + c.len_utf8();
        let group = inside.get(..end).unwrap_or_default();
        if FINDERS.credits.iter().any(|mark| mark.find(group.as_bytes()).is_some()) {
            found.push(at..start + end);
        }
    }
}

/// Finds whole lines that name a source or an editor.
fn lines(text: &str, found: &mut Vec<Range<usize>>) {
    let mut at = 0;
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1).chain([text.len()]);
    for end in ends {
        let line = text.get(at..end).unwrap_or_default();
        let bare = line.trim_start();
        let credit = bare.len() <= GROUP_BYTES && LINE.iter().any(|mark| bare.starts_with(mark));
        if credit || is_filed(bare) || at < OPENING_BYTES && is_byline(bare) {
            found.push(at..end);
        }
        at = end;
    }
}

/// Says whether a line only names reporters.
fn is_byline(line: &str) -> bool {
    let line = line.trim_end();
    line.len() <= BYLINE_BYTES
        && REPORTER
            .iter()
            .any(|word| line.split_once(word).is_some_and(|(before, _)| before.ends_with(|c| PUBLISHER.contains(c))))
        && line.chars().all(|c| is_word_char(c) || matches!(c, ' ' | '\u{3000}'))
}

/// Says whether a line is one of a catalogue.
fn is_filed(line: &str) -> bool {
    let label = line.strip_prefix('【').filter(|_| line.len() <= FILED_BYTES).and_then(|rest| rest.split_once('】'));
    label.is_some_and(|(label, _)| {
        let plain: String = label.chars().filter(|c| !c.is_whitespace()).collect();
        FIELD.contains(&plain.as_str())
    })
}

/// Finds the closing part of a report or post: the photographer, or the location it was sent from.
fn tail(text: &str, found: &mut Vec<Range<usize>>) {
    let end = text.trim_end().len();
    let mut from = end.saturating_sub(TAIL_BYTES);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let text = text.get(from..end).unwrap_or_default();
    let end = text.len();
    let mut found = |at: usize| found.push(from + at..from + end);
    for (mark, finder) in CLOSING.into_iter().zip(&FINDERS.closings) {
        if finder.find(text.as_bytes()).is_some()
            && let Some(at) = memmem::rfind(text.as_bytes(), mark.as_bytes())
            && from + at > 0
            && end - at <= 60
        {
            found(at);
        }
    }
    // Crawlers turn the microblog's sign for a location into a lone 2.
    if let Some(at) = FINDERS.place.rfind(text.as_bytes()) {
        let place = text.get(at + 2..).unwrap_or_default();
        let named = |c: char| is_han(c) || matches!(c, '·' | '（' | '）' | '(' | ')');
        if (2..=16).contains(&place.chars().count()) && place.chars().all(named) {
            found(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_a_newspaper_is_no_part_of_a_headline() {
        let headlines = ["01版 -  江口龙舟赛开赛", "4版：江口龙舟赛开赛", "江口龙舟赛开赛"];
        assert!(headlines.iter().all(|headline| without_page(headline) == "江口龙舟赛开赛"));
        assert!(["3版本更新", "2031版 目录", "01版", "版 目录"].iter().all(|title| without_page(title) == *title));
    }

    fn left(text: &str) -> String {
        let mut out = String::new();
        let mut from = 0;
        for range in ignored(text, &[]) {
            out.push_str(&text[from..range.start]);
            from = range.end;
        }
        out + &text[from..]
    }

    #[test]
    fn datelines_and_credits_go() {
        for (text, message) in [
            ("新华社北京5月9日电（记者 李明）大桥今天通车。", "大桥今天通车。"),
            ("中新网11月6日电 大桥今天通车。(完)【编辑:李明】", "大桥今天通车。"),
            ("某台消息（晚间新闻）：大桥今天通车。", "：大桥今天通车。"),
            ("虎扑3月9日讯 大桥队今天获胜。(编辑：李明)", "大桥队今天获胜。"),
            ("大桥今天通车。\n责任编辑：李明", "大桥今天通车。\n"),
            ("大桥今天通车。  新华社记者李明摄", "大桥今天通车。  "),
            ("【大桥今天，通车】某社6月17日电，大桥通车。", "【大桥今天，通车】，大桥通车。"),
            ("大桥通车，江上又多一条路\n新华社北京5月9日电 大桥今天通车。", "大桥通车，江上又多一条路\n大桥今天通车。"),
            ("大桥日报实习生李明　记者王红\n大桥今天通车。", "大桥今天通车。"),
            ("大桥通车了 2人民路", "大桥通车了"),
            ("【 文献号 】1-18\n【 标 题 】大桥通车", "【 标 题 】大桥通车"),
            ("大桥通车怎么看？\n如题", "大桥通车怎么看？"),
        ] {
            assert_eq!(left(text), message);
        }
    }

    #[test]
    fn comments_before_a_repost_go() {
        assert_eq!(left("赞//@小明:[心]//@大桥:大桥今天通车，大家去看"), "大桥今天通车，大家去看");
        assert_eq!(left("我昨天已经走过一次这座桥了//@大桥:大桥今天通车"), "我昨天已经走过一次这座桥了大桥今天通车");
        assert_eq!(left("赞//@大桥:好"), "赞//@大桥:好");
        assert_eq!(left("谣言，已辟谣//@大桥:大桥今天通车"), "谣言，已辟谣大桥今天通车");
    }

    #[test]
    fn other_text_stays() {
        for text in [
            "大桥（长2公里）今天通车",
            "5月9日，大桥通车",
            "记者昨天来到大桥",
            "新房2室1厅",
            "责任编辑：李明",
            "本报记者，大桥\n通车",
            "",
        ] {
            assert_eq!(left(text), text);
        }
    }
}
