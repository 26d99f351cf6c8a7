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

/// Returns the hashtags of two texts that have the same words outside of them and of what does not count, in bytes; `None` if they have not, or if the
/// hashtags are the same.
pub(crate) fn apart(texts: [&str; 2], out: [&[Range<usize>]; 2]) -> Option<[Vec<Range<usize>>; 2]> {
    if texts.iter().all(|text| !text.contains('#')) {
        return None;
    }
    let found = texts.map(hashtags);
    let written = |at: usize| found[at].iter().filter_map(move |range: &Range<usize>| texts[at].get(range.clone()));
    if written(0).eq(written(1)) {
        return None;
    }
    let words = [0, 1].map(|at: usize| {
        let outside = |place: usize| !out[at].iter().chain(&found[at]).any(|range| range.contains(&place));
        let words = texts[at].char_indices().filter(move |(place, c)| is_word_char(*c) && outside(*place));
        words.flat_map(|(_, c)| c.to_lowercase()).collect::<String>()
    });
    let enough = || units(texts[0], out[0], &found[0]) >= LEAST;
    (words[0] == words[1] && enough()).then_some(found)
}

/// Finds the hashtags of a text. `#123` is a number of something, and `C#` a name.
fn hashtags(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut from) = (Vec::<Range<usize>>::new(), 0);
    while let Some(start) = text.get(from..).and_then(|rest| rest.find('#')).map(|at| from + at) {
        let is_begin = text.get(..start).unwrap_or_default().chars().next_back().is_none_or(|c| {
            // What stands before it without a space is Chinese, or another hashtag.
            !is_word_char(c) || is_han(c)
        });
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
    let is_topic = |topic: &str| topic.contains(char::is_alphabetic) && topic.chars().count() <= LONGEST;
    let line = text.split(['\n', '\r']).next().unwrap_or_default();
    let closed =
        line.find('#').filter(|&end| line.get(..end).is_some_and(|topic| is_topic(topic) && !topic.contains(' ')));
    if let Some(end) = closed {
        return Some(end + 1);
    }
    let end = line.find(|c: char| !is_word_char(c) && c != '_').unwrap_or(line.len());
    line.get(..end).filter(|topic| is_topic(topic)).map(str::len)
}

/// Counts words outside of some stretches: Han characters, and other words.
fn units(text: &str, out: &[Range<usize>], tags: &[Range<usize>]) -> usize {
    let (mut count, mut in_word) = (0, false);
    for (place, c) in text.char_indices() {
        let counts = is_word_char(c) && !out.iter().chain(tags).any(|range| range.contains(&place));
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
    }
}
