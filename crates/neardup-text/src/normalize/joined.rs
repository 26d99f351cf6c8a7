//! The step `joined`: words whose letters are taken apart by signs or spaces become whole: `vde.kur`, `v i a g r a`.
//!
//! It is about alphabets of Europe, in which words have several letters. In other scripts a letter with a space on both sides may be a word.

use super::classes::{is_letter_or_number, is_number};

/// Letters that stand apart from each other are a word from so many on.
const LEAST_APART: usize = 4;

/// Says whether `c` is a letter or digit of an alphabet that this is about.
fn is_part(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() } else { c < '\u{590}' && is_letter_or_number(c) }
}

/// Says whether `c` is such a letter, no digit.
fn is_letter(c: char) -> bool {
    is_part(c) && !is_number(c)
}

/// Says whether a sign between two letters is nothing but in their way.
fn is_in_the_way(c: char) -> bool {
    matches!(c, '.' | '*' | '_' | '~' | '^' | '|' | '·' | '•')
}

/// Says whether `c` may stand between letters that are taken apart.
fn is_separator(c: char) -> bool {
    is_in_the_way(c) || matches!(c, ' ' | '-' | '/' | ',')
}

/// Writes words without what takes them apart.
pub(super) fn apply(text: &str, out: &mut String) {
    let mut rest = text;
    let mut last = ' ';
    let mut count = 0_u32;
    while let Some(c) = rest.chars().next() {
        count = count.wrapping_add(1);
        if count.is_multiple_of(4096) {
            crate::interrupt::check();
        }
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        if is_part(c)
            && !is_part(last)
            && let Some((end, final_letter)) = letters_apart(rest)
        {
            let (apart, more) = rest.split_at(end);
            out.extend(apart.chars().filter(|&c| is_part(c)));
            (rest, last) = (more, final_letter);
            continue;
        }
        let next = after.chars().next();
        // A point between digits belongs to a number.
        let joins = is_in_the_way(c) && is_letter(last) && next.is_some_and(is_letter);
        if !joins {
            out.push(c);
        }
        (rest, last) = (after, c);
    }
}

/// Returns where a run of letters ends that stand apart, all by the same separator, if `text` begins with one; and its last letter.
fn letters_apart(text: &str) -> Option<(usize, char)> {
    let mut separator = None;
    let (mut letters, mut digits) = (0, 0);
    let mut end = None;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next().filter(|&(_, c)| is_part(c)) {
        let next = characters.peek().map(|&(_, next)| next);
        // Digits are no word; some may stand for letters.
        let is_one = is_letter(c) || digits < letters;
        if !is_one || next.is_some_and(is_part) {
            break;
        }
        if is_letter(c) {
            letters += 1;
        } else {
            digits += 1;
        }
        if (letters + digits) & 0xfff == 0 {
            crate::interrupt::check();
        }
        end = Some((at + c.len_utf8(), c));
        if next.is_none_or(|next| !is_separator(next) || *separator.get_or_insert(next) != next) {
            break;
        }
        characters.next();
    }
    // Where it is shorter, little was read, so that the whole takes linear time.
    end.filter(|_| letters + digits >= LEAST_APART)
}

#[cfg(test)]
mod tests {
    use super::apply;

    fn joined(text: &str) -> String {
        let mut out = String::new();
        apply(text, &mut out);
        out
    }

    #[test]
    fn words_that_are_taken_apart_become_whole() {
        for (apart, whole) in [
            ("vde.kur is he*re", "vdekur is here"),
            ("f r e e  v i a g r a now", "free  viagra now"),
            ("v-i-a-g-r-a, c.i.a.l.i.s", "viagra, cialis"),
            ("v 1 a g r a", "v1agra"),
            ("п р и в е т!", "привет!"),
            ("b u y it", "b u y it"),
            ("f r e e it", "free it"),
        ] {
            assert_eq!(joined(apart), whole);
        }
    }

    #[test]
    fn what_is_no_word_stays() {
        for text in [
            "",
            "3.5 1 2 3 4 5",
            "1.2.3",
            "in the end. next",
            "a b c",
            "wait...what",
            "中 国 人 民",
            "v2.0",
            "א ב ג ד ה",
        ] {
            assert_eq!(joined(text), text);
        }
    }
}
