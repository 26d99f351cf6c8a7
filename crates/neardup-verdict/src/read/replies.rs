//! Replies that quote without a mark: `Ann wrote:`, the whole other text, and words of their own.
//!
//! Some forums store quotations as plain text, so no layout tells where one ends. Beside the text that is quoted it can be told: it is all there, right
//! after the words that say whose it is. Of 96 labelled pairs of this kind 94 are a text and its reply, with marks or without.

use std::ops::Range;

use neardup_text::message::ends_attribution;

/// A quoted text has at least this many letters and digits.
const LEAST: usize = 20;

/// What a reply says has at least this many bytes of letters and digits. What has less only passes the other text on.
const OWN: usize = 4;

/// Of the colons of a text, this many may end an attribution.
const COLONS: usize = 64;

/// The longest attribution within a line, in bytes.
const ATTRIBUTION: usize = 80;

/// Returns which of two texts quotes the other one whole and answers, and where it says whose words these are, in bytes.
pub(crate) fn quotes_whole(texts: [&str; 2]) -> Option<(usize, Range<usize>)> {
    let reply = usize::from(texts[0].len() < texts[1].len());
    let (text, quoted) = (texts[reply], texts[1 - reply]);
    letters(quoted).nth(LEAST - 1)?;
    let ends = text.char_indices().filter(|(_, c)| matches!(c, ':' | '：')).take(COLONS);
    ends.map(|(at, colon)| (at, at + colon.len_utf8())).find_map(|(colon, end)| {
        let line = text.get(..colon)?.rfind('\n').map_or(0, |line| line + 1);
        let start = text.ceil_char_boundary(line.max(colon.saturating_sub(ATTRIBUTION)));
        let attribution = text.get(start..colon)?;
        if !ends_attribution(attribution) {
            return None;
        }
        let after = own_after(text.get(end..)?, quoted)?;
        let before = letters(text.get(..start)?).map(char::len_utf8).sum::<usize>();
        (before + after >= OWN).then_some((reply, start..end))
    })
}

/// Returns how many bytes of letters a text has after another one with which it begins, if it does.
fn own_after(text: &str, beginning: &str) -> Option<usize> {
    let mut rest = letters(text);
    letters(beginning).all(|c| rest.next() == Some(c)).then(|| rest.map(char::len_utf8).sum())
}

fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::quotes_whole;
    use crate::same_message;
    use crate::score::model::MOST_OF_OTHERS;

    const POST: &str = "The ferry does not stop at the old pier any more, does it?\nI waited for an hour.";

    fn attribution(reply: &str) -> Option<&str> {
        let there = quotes_whole([reply, POST]);
        assert_eq!(there.clone().map(|(_, range)| range), quotes_whole([POST, reply]).map(|(_, range)| range));
        there.and_then(|(of, range)| [reply, POST][of].get(range))
    }

    #[test]
    fn a_reply_quotes_the_whole_text() {
        for (head, end) in [
            ("ann_2 wrote:", " No, since May."),
            ("> ann wrote:\n> ", "\n\nNo, since May."),
            ("Hi! Ann Lee schrieb: ", " Nein."),
            ("Hi there, ann said:\n\n", "\n\nNope."),
            ("Ann 写道：", "没有了。"),
        ] {
            let reply = format!("{head}{POST}{end}");
            let found = attribution(&reply);
            assert!(found.is_some_and(|found| head.contains(found)), "{head} {found:?}");
        }
    }

    #[test]
    fn both_stay() {
        let message = |reply: String| same_message(POST, &reply).unwrap();
        let reply = message(format!("ann_2 wrote:{POST} No, since May."));
        assert!(reply.score <= MOST_OF_OTHERS && !reply.verdict.keeps_one(), "{reply:?}");
        assert_eq!(
            reply.reasons.first().map(String::as_str),
            Some("one answers the other, which it quotes: ann_2 wrote:")
        );
        assert!(message(format!("ann_2 wrote:{POST}")).verdict.keeps_one());
    }

    #[test]
    fn what_only_passes_it_on_is_no_reply() {
        for text in [
            format!("ann wrote: {POST}"),
            format!("ann wrote: {POST} :-)"),
            format!("wrote: {POST} No, since May."),
            format!("A question: {POST} No, since May."),
            format!("ann wrote: About the pier. {POST} No, since May."),
            format!("ann wrote: {} No, since May.", &POST[..40]),
            POST.to_owned(),
        ] {
            assert_eq!(attribution(&text), None, "{text}");
        }
        assert_eq!(quotes_whole(["ann wrote: Thanks! You are welcome.", "Thanks!"]), None, "too short to tell");
        assert_eq!(quotes_whole(["", ""]), None);
    }
}
