//! The steps `handles` and `reposts`: remove the names of people addressed or quoted on microblogs.
//!
//! A name is 1 to 30 letters, marks, numbers, `_` or `-` of any script after `@`. A longer run is a sentence without spaces rather
//! than a name, and stays. An `@` after an ASCII letter or digit belongs to a mail address and stays too.

use super::classes::{is_letter_or_number, is_mark};
use super::scan;

/// Longest name, in characters: the limit of Weibo.
const NAME_CHARS: usize = 30;

/// Appends `text` to `out`, with a space in place of each `@name`; `回复@name:` goes as a whole.
pub(super) fn apply_handles(text: &str, out: &mut String) {
    replace(text, out, |head, tail| {
        if head.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')) {
            return None;
        }
        let name = name_len(tail)?;
        let colon = colon_len(tail.get(name..)?);
        let reply = ["回复", "回覆"].into_iter().find(|reply| colon > 0 && head.ends_with(reply));
        Some(reply.map_or((0, name), |reply| (reply.len(), name + colon)))
    });
}

/// Appends `text` to `out`, with a space in place of each repost mark: `//@name` or `RT @name`, with its colon if it has one.
pub(super) fn apply_reposts(text: &str, out: &mut String) {
    replace(text, out, |head, tail| {
        let name = name_len(tail)?;
        let colon = colon_len(tail.get(name..)?);
        let before = head.trim_end_matches(' ');
        let by_word = || before.strip_suffix("RT").filter(|word| !word.ends_with(|c: char| c.is_ascii_alphanumeric()));
        let said = before.strip_suffix("//").or_else(by_word)?;
        Some((head.len() - said.len(), name + colon))
    });
}

/// Puts a space in place of what `find` sees around each at sign.
///
/// `find` gets the text before the sign and the text after it, and returns how many bytes of each go with the sign.
fn replace(text: &str, out: &mut String, find: impl Fn(&str, &str) -> Option<(usize, usize)>) {
    let mut kept = 0;
    for at in scan::find_sign(text.as_bytes(), |byte| byte == b'@') {
        let (head, tail) = text.split_at(at);
        let Some(name) = tail.strip_prefix(['@', '＠']) else { continue };
        // The end of one name is no part of what precedes the next: `@a@b` are two.
        let Some((before, after)) = find(if at == kept { "" } else { head }, name) else { continue };
        // What an earlier sign took is not there to take again.
        if let Some(between) = text.get(kept..at - before) {
            out.push_str(between);
            out.push(' ');
            kept = at + (tail.len() - name.len()) + after;
        }
    }
    out.push_str(text.get(kept..).unwrap_or_default());
}

/// Returns the length in bytes of the name at the start of `tail`.
fn name_len(tail: &str) -> Option<usize> {
    let is_name = |c: char| matches!(c, '_' | '-') || is_letter_or_number(c) || is_mark(c);
    let name = tail.chars().take(NAME_CHARS + 1).take_while(|&c| is_name(c));
    let (chars, bytes) = name.fold((0, 0), |(chars, bytes), c| (chars + 1, bytes + c.len_utf8()));
    (1..=NAME_CHARS).contains(&chars).then_some(bytes)
}

/// Returns the length in bytes of a colon at the start of `tail`, or 0.
fn colon_len(tail: &str) -> usize {
    [":", "："].into_iter().find(|colon| tail.starts_with(colon)).map_or(0, str::len)
}

#[cfg(test)]
mod tests {
    use super::{apply_handles, apply_reposts};

    fn handles(text: &str) -> String {
        let mut out = String::new();
        apply_handles(text, &mut out);
        out
    }

    fn reposts(text: &str) -> String {
        let mut out = String::new();
        apply_reposts(text, &mut out);
        out
    }

    #[test]
    fn handles_become_a_space() {
        assert_eq!(handles("转给@张三_1-x 看，＠李四：好"), "转给  看， ：好");
        assert_eq!(handles("回复@小王:谢谢 回覆@a：b 回复@小李 谢"), " 谢谢  b 回复  谢");
        assert_eq!(handles("@a@b@李四@c a@b@c"), "     a@b@c");
        assert_eq!(handles("@"), "@");
    }

    #[test]
    fn addresses_and_sentences_are_no_handles() {
        for text in ["mail user.name@example.com", "@ 空", "@：", &format!("@{}", "长".repeat(31))] {
            assert_eq!(handles(text), text);
        }
        assert_eq!(handles(&format!("@{}", "长".repeat(30))), " ");
        assert_eq!(handles(&format!("@{}。", "长".repeat(30))), " 。");
        assert_eq!(handles(&format!("@{}。", "长".repeat(31))), format!("@{}。", "长".repeat(31)));
    }

    #[test]
    fn repost_marks_go_and_the_reposted_stays() {
        assert_eq!(reposts("好！//@张三:支持//@李四：转发微博"), "好！ 支持 转发微博");
        assert_eq!(reposts("//@a// @b RT @c: d，RT＠e f"), "     d，  f");
        assert_eq!(reposts("a//b @c ART @d //@"), "a//b @c ART @d //@");
    }

    #[test]
    fn hostile_text_ends() {
        let signs = "@".repeat(500_000);
        assert_eq!(handles(&signs), signs);
        assert_eq!(reposts(&signs), signs);
        let names = "@长".repeat(200_000);
        assert_eq!(handles(&names), " ".repeat(200_000));
        let spaces = " ".repeat(1_000_000) + "@a";
        assert_eq!(reposts(&spaces), spaces);
    }
}
