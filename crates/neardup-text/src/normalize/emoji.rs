//! The step `emoji`: replaces emoji by a space.
//!
//! An emoji is what Unicode Technical Standard 51 displays as one: a character with Emoji_Presentation, any emoji character before
//! U+FE0F or a skin tone, a keycap, a flag, and sequences of these with tags or zero-width joiners. Characters that are text by
//! default (`©`, `™`, `❤` without U+FE0F) are not emoji here; the step `punctuation` replaces those that are symbols. Names in
//! brackets such as `[哈哈]` stay, because they look like any other words in brackets.

use unicode_properties::UnicodeEmoji;
use unicode_properties::emoji::EmojiStatus;

const JOINER: char = '\u{200d}';
const EMOJI_SELECTOR: char = '\u{fe0f}';
const KEYCAP: char = '\u{20e3}';

/// Appends `text` to `out`, with a space in place of each run of emoji.
pub(super) fn apply(text: &str, out: &mut String) {
    let mut kept = 0;
    let mut at = 0;
    let mut count = 0_u32;
    while let Some(rest) = text.get(at..)
        && let Some(first) = rest.chars().next()
    {
        count = count.wrapping_add(1);
        if count.is_multiple_of(4096) {
            crate::interrupt::check();
        }
        match sequence_len(rest) {
            0 => at += first.len_utf8(),
            len => {
                out.push_str(text.get(kept..at).unwrap_or_default());
                if kept < at || at == 0 {
                    out.push(' ');
                }
                at += len;
                kept = at;
            }
        }
    }
    out.push_str(text.get(kept..).unwrap_or_default());
}

/// Returns the length in bytes of the emoji sequence at the start of `rest`, or 0.
fn sequence_len(rest: &str) -> usize {
    let mut len = element_len(rest, false);
    while len > 0
        && let Some(joined) = rest.get(len..).and_then(|more| more.strip_prefix(JOINER))
    {
        match element_len(joined, true) {
            0 => break,
            element => len += JOINER.len_utf8() + element,
        }
    }
    len
}

/// Returns the length in bytes of one element of a sequence: a character with its selector, skin tone, keycap or tags.
fn element_len(rest: &str, joined: bool) -> usize {
    let mut chars = rest.chars().peekable();
    let Some(first) = chars.next() else { return 0 };
    // Rules out most before the table is searched.
    if !matches!(first, '#' | '*' | '0'..='9' | '\u{a9}' | '\u{ae}' | '\u{203c}'..='\u{2bff}' | '\u{3030}'..='\u{3299}' | '\u{1f000}'..)
    {
        return 0;
    }
    let mut len = first.len_utf8();
    let mut shown = shown_as_emoji(first) || (joined && !first.is_ascii() && first.is_emoji_char());
    if !shown && !first.is_emoji_char() {
        return 0;
    }
    if let Some(selector) = chars.next_if_eq(&EMOJI_SELECTOR) {
        len += selector.len_utf8();
        shown |= !first.is_ascii();
    }
    if first.is_ascii() {
        return chars.next_if_eq(&KEYCAP).map_or(0, |keycap| len + keycap.len_utf8());
    }
    while let Some(more) = chars.next_if(|&c| matches!(c, '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}')) {
        len += more.len_utf8();
        shown = true;
    }
    if shown { len } else { 0 }
}

/// Says whether `c` is an emoji without further signs: it has Emoji_Presentation, as half a flag has too.
fn shown_as_emoji(c: char) -> bool {
    matches!(
        c.emoji_status(),
        EmojiStatus::EmojiPresentation
            | EmojiStatus::EmojiPresentationAndModifierBase
            | EmojiStatus::EmojiPresentationAndEmojiComponent
            | EmojiStatus::EmojiPresentationAndModifierAndEmojiComponent
    )
}

#[cfg(test)]
mod tests {
    use super::apply;

    fn emoji(text: &str) -> String {
        let mut out = String::new();
        apply(text, &mut out);
        out
    }

    #[test]
    fn emoji_become_a_space() {
        assert_eq!(emoji("今天😀😀真好🎉"), "今天 真好 ");
        assert_eq!(emoji("a👨‍👩‍👧‍👦b👍🏽c❤️d🏳️‍🌈e"), "a b c d e");
        assert_eq!(emoji("🇨🇳中国🏴󠁧󠁢󠁥󠁮󠁧󠁿"), " 中国 ");
        assert_eq!(emoji("1️⃣2⃣#️⃣"), " ");
        assert_eq!(emoji("👩‍❤‍👩"), " ");
    }

    #[test]
    fn text_stays() {
        for text in ["12#* ©™❤☀ [哈哈]", "㊗", "1\u{fe0f}", "a\u{200d}b", "", "\u{fe0f}\u{200d}"] {
            assert_eq!(emoji(text), text);
        }
        assert_eq!(emoji("😀\u{200d}x"), " \u{200d}x");
    }

    #[test]
    fn hostile_text_ends() {
        assert_eq!(emoji(&"👩‍".repeat(100_000)), " \u{200d}");
        assert_eq!(emoji(&("👩".to_owned() + &"\u{1f3fb}".repeat(100_000))), " ");
        let digits = "1\u{fe0f}".repeat(100_000);
        assert_eq!(emoji(&digits), digits);
    }
}
