//! Hashtags: `#topic#`, as Weibo writes them, and `#topic`.
//!
//! One post goes out under several topics. Where two posts have the same words but for their hashtags, these are where they were posted and not what
//! they say: of 25 such read pairs with ten words or more 24 are copies, and the other one's link is its message. Where the words differ, too,
//! a hashtag may be what decides, and counts as any word.

use std::ops::Range;

use neardup_text::lexicon::{is_han, is_word_char};

/// The longest topic, in characters.
const LONGEST: usize = 40;

/// Posts with fewer words beside their hashtags (characters, in Chinese) may be about the topic.
const LEAST: usize = 10;

/// Returns the hashtags of two texts that have the same words outside of them and of what does not count, in bytes and in ascending order; `None` if they
/// have not, or if the hashtags are the same.
pub(crate) fn apart(texts: [&str; 2], out: [&[Range<usize>]; 2]) -> Option<[Vec<Range<usize>>; 2]> {
    if texts.iter().all(|text| !text.contains('#')) {
        return None;
    }
    let found = texts.map(hashtags);
    let written = |at: usize| found[at].iter().filter_map(move |range: &Range<usize>| texts[at].get(range.clone()));
    if written(0).eq(written(1)) {
        return None;
    }
    let words = |at: usize| outside(texts[at], [out[at], &found[at]]);
    let letters = |at: usize| words(at).filter(|c| is_word_char(*c)).flat_map(char::to_lowercase);
    (letters(0).eq(letters(1)) && units(words(0)) >= LEAST).then_some(found)
}

/// Returns the characters of a text outside of some stretches, each list of them in ascending order; a space stands for a stretch.
fn outside<'t>(text: &'t str, stretches: [&'t [Range<usize>]; 2]) -> impl Iterator<Item = char> + 't {
    let mut passed = [0; 2];
    text.char_indices().map(move |(place, c)| {
        let is_within = [0, 1].map(|list: usize| {
            let ranges = &stretches[list];
            passed[list] += ranges[passed[list]..].iter().take_while(|range| range.end <= place).count();
            ranges.get(passed[list]).is_some_and(|range| range.contains(&place))
        });
        if is_within == [false; 2] { c } else { ' ' }
    })
}

/// Finds the hashtags of a text. `#123` is a number of something, and `C#` a name.
fn hashtags(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut from) = (Vec::<Range<usize>>::new(), 0);
    while let Some(start) = text.get(from..).and_then(|rest| rest.find('#')).map(|at| from + at) {
        // What stands before it without a space is Chinese, or another hashtag.
        let before = text.get(..start).unwrap_or_default().chars().next_back();
        let is_begin = before.is_none_or(|c| !is_word_char(c) || is_han(c));
        match topic(text.get(start + 1..).unwrap_or_default()).filter(|_| is_begin) {
            Some(len) => {
                from = start + 1 + len;
                found.push(start..from);
            }
            None => from = start + 1,
        }
    }
    found
}

/// Returns the length of the topic after `#`, with its closing `#`.
fn topic(text: &str) -> Option<usize> {
    let end = text.char_indices().nth(LONGEST + 1).map_or(text.len(), |(at, _)| at);
    let text = text.get(..end).unwrap_or_default();
    let is_topic = |topic: &str| topic.contains(char::is_alphabetic) && topic.chars().count() <= LONGEST;
    let closed =
        text.find(['#', '\n', '\r', ' ']).filter(|&end| text.get(end..).is_some_and(|rest| rest.starts_with('#')));
    if let Some(end) = closed.filter(|&end| text.get(..end).is_some_and(is_topic)) {
        return Some(end + 1);
    }
    let end = text.find(|c: char| !is_word_char(c) && c != '_').unwrap_or(text.len());
    text.get(..end).filter(|topic| is_topic(topic)).map(str::len)
}

/// Counts words: Han characters, and other words.
fn units(text: impl Iterator<Item = char>) -> usize {
    let (mut count, mut in_word) = (0, false);
    for c in text {
        let counts = is_word_char(c);
        count += usize::from(counts && (is_han(c) || !in_word));
        in_word = counts && !is_han(c);
    }
    count
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn found(text: &str) -> Vec<&str> {
        hashtags(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn hashtags_are_found_in_both_styles() {
        assert_eq!(found("#江口龙舟赛# 今天开赛#体育[超话]#加油"), ["#江口龙舟赛#", "#体育[超话]#"]);
        assert_eq!(
            found("The ferry is back #harbour #Willow_Quay, see #12 and C# or F#"),
            ["#harbour", "#Willow_Quay"]
        );
        assert_eq!(found("第#1，#"), Vec::<&str>::new());
    }

    #[test]
    fn the_same_words_under_other_hashtags_have_them_apart() {
        let apart = |a: &str, b: &str| apart([a, b], [&[], &[]]).is_some();
        let body = "清河大桥今天上午恢复通车，公交改回原线。";
        assert!(apart(&format!("#清河大桥# {body}"), &format!("{body}#本地新闻[超话]#")));
        assert!(apart(
            "The night ferry from Willow Quay runs again at nine every evening #ferry",
            "The night ferry from Willow Quay runs again at nine every evening"
        ));
        assert!(!apart(&format!("#清河大桥# {body}"), &format!("#清河大桥# {body}")), "nothing is apart");
        assert!(!apart(&format!("#清河大桥# {body}"), &format!("#清河大桥#昨天 {body}")), "a word differs, too");
        assert!(!apart("#北京# 加油！", "#武汉# 加油！"), "little is said beside them");
        assert!(!apart("no hashtag", "none here"));
        // However many there are, each is read once.
        let many = |topic: &str| format!("{body}{}", format!("#{topic} ").repeat(100_000));
        assert!(apart(&many("a"), &many("b")) && !apart(&many("a"), &format!("{}c", many("b"))));
    }
}
