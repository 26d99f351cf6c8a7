//! Quotations and brackets, inside which no sentence ends.
//!
//! A pair counts only if it closes within [`MAX_CHARS`] characters and on its line, so that a forgotten closing quote swallows
//! nothing. One pass with a bounded stack.

use std::collections::VecDeque;

/// Longest quotation, in characters; what is longer is text between two signs and is cut as any other.
pub(super) const MAX_CHARS: usize = 500;

/// Deepest nesting; of more open signs the outermost are forgotten.
const MAX_DEPTH: usize = 16;

const PAIRS: [(char, char); 20] = [
    ('“', '”'),
    ('‘', '’'),
    ('「', '」'),
    ('『', '』'),
    ('《', '》'),
    ('〈', '〉'),
    ('（', '）'),
    ('【', '】'),
    ('〔', '〕'),
    ('〖', '〗'),
    ('［', '］'),
    ('｛', '｝'),
    ('﹁', '﹂'),
    ('﹃', '﹄'),
    ('(', ')'),
    ('[', ']'),
    ('{', '}'),
    ('«', '»'),
    ('‹', '›'),
    ('"', '"'),
];

/// Says whether `c` closes a quotation or a bracket; not said of `"`, which also opens.
pub(super) fn is_closing(c: char) -> bool {
    may_be_sign(c) && c != '"' && PAIRS.iter().any(|&(_, close)| close == c)
}

/// Rules out nearly every character before the pairs are searched.
fn may_be_sign(c: char) -> bool {
    matches!(c, '\0'..='\u{bb}' | '\u{2018}'..='\u{203a}' | '\u{3008}'..='\u{3017}' | '\u{fe41}'..='\u{fe44}' | '\u{ff08}'..='\u{ff5d}')
        && !c.is_ascii_alphanumeric()
}

/// Fills `spans` with the outermost quotations of `paragraph` in text order: where each opens and the end of what closes it.
pub(super) fn spans(paragraph: &str, spans: &mut Vec<(usize, usize)>) {
    spans.clear();
    let mut open: VecDeque<(char, usize, usize)> = VecDeque::with_capacity(MAX_DEPTH);
    let mut previous = ' ';
    let mut chars = paragraph.char_indices().enumerate().peekable();
    while let Some((count, (at, c))) = chars.next() {
        if count.is_multiple_of(4096) {
            crate::interrupt::check();
        }
        if may_be_sign(c) {
            let next = chars.peek().map_or(' ', |&(_, (_, next))| next);
            let apostrophe = c == '’' && previous.is_alphabetic() && next.is_alphabetic() && next < '\u{2000}';
            if let Some(&(sign, _)) = PAIRS.iter().find(|&&(_, close)| close == c && !apostrophe)
                && let Some(place) = open.iter().rposition(|&(opened, ..)| opened == sign)
            {
                let start = open.drain(place..).next();
                if let Some((_, start, _)) = start.filter(|&(.., from)| count - from <= MAX_CHARS) {
                    while spans.pop_if(|&mut (inner, _)| inner > start).is_some() {}
                    spans.push((start, at + c.len_utf8()));
                }
            } else if PAIRS.iter().any(|&(sign, _)| sign == c)
                && !(c == '"' && (next.is_whitespace() || previous.is_ascii_alphanumeric()))
            {
                if open.len() == MAX_DEPTH {
                    open.pop_front();
                }
                open.push_back((c, at, count));
            }
        }
        previous = c;
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_CHARS, spans};

    fn quoted(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        spans(text, &mut found);
        found.into_iter().map(|(start, end)| &text[start..end]).collect()
    }

    #[test]
    fn outermost_pairs_are_found() {
        assert_eq!(quoted("他“说‘走（吧）’。”又《书》"), ["“说‘走（吧）’。”", "《书》"]);
        assert_eq!(quoted("say \"a b\" and 5\" or \"c\"."), ["\"a b\"", "\"c\""]);
        assert_eq!(quoted("‘don’t go’ (x]y)"), ["‘don’t go’", "(x]y)"]);
    }

    #[test]
    fn what_does_not_close_is_nothing() {
        assert!(quoted("“没有关 ”".replace('”', "").as_str()).is_empty());
        assert_eq!(quoted("（（a）"), ["（a）"]);
        assert_eq!(quoted("“（a”）"), ["“（a”"]);
        assert!(quoted(&format!("“{}”", "长".repeat(MAX_CHARS))).is_empty());
        assert_eq!(quoted(&format!("“{}”", "长".repeat(MAX_CHARS - 1))).len(), 1);
    }

    #[test]
    fn hostile_nesting_ends() {
        assert!(quoted(&"（".repeat(300_000)).is_empty());
        assert!(quoted(&"）".repeat(300_000)).is_empty());
        assert_eq!(quoted(&("（".repeat(100_000) + &"）".repeat(100_000))).len(), 1);
        assert_eq!(quoted(&"（）".repeat(100_000)).len(), 100_000);
    }
}
