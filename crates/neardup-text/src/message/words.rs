//! The words of the data file, by their role.

mod starts;

include!(concat!(env!("OUT_DIR"), "/message_table.rs"));

/// Returns the longest phrase of a sorted list with which `line` begins, where a word ends. Both are in lower case.
pub(super) fn prefix(phrases: &[&'static str], line: &str) -> Option<&'static str> {
    let first = line.chars().next()?;
    let from = phrases.partition_point(|phrase| phrase.chars().next() < Some(first));
    let of_first = phrases.iter().skip(from).take_while(|phrase| phrase.starts_with(first));
    of_first
        .filter(|phrase| line.strip_prefix(**phrase).is_some_and(|rest| ends_word(phrase, rest)))
        .max_by_key(|phrase| phrase.len())
        .copied()
}

/// The longest beginning of a line that is looked up, in bytes.
const HEAD: usize = 96;

/// Returns a text in small letters.
pub(super) fn lower(text: &str) -> String {
    let mut lower = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            _ if c.is_ascii() => lower.push(c.to_ascii_lowercase()),
            // No script of these has small letters.
            '\u{2e80}'..='\u{a63f}' | '\u{ac00}'..='\u{d7a3}' => lower.push(c),
            _ => lower.extend(c.to_lowercase()),
        }
    }
    lower
}

/// Returns the beginning of a line in small letters, long enough for every phrase.
pub(super) fn lower_head(line: &str) -> String {
    lower(line.get(..line.floor_char_boundary(HEAD)).unwrap_or_default())
}

/// Says whether a line may begin with a phrase of the roles of a filter.
pub(super) fn may_start(filter: &[u64; starts::WORDS], line: &str) -> bool {
    let mut chars = line.chars();
    let Some(first) = chars.next() else { return false };
    let bit = starts::bit(first, chars.next().unwrap_or('\0'));
    filter[bit / 64] >> (bit % 64) & 1 == 1
}

/// Says whether the list has exactly this phrase.
pub(super) fn has(phrases: &[&str], phrase: &str) -> bool {
    phrases.binary_search(&phrase).is_ok()
}

/// Says whether a word ends between `phrase` and `rest`. Scripts without spaces have no such ends, so there it may always be.
fn ends_word(phrase: &str, rest: &str) -> bool {
    let spaced = |c: char| c.is_alphanumeric() && !crate::lexicon::is_han(c) && !is_unspaced(c);
    !(phrase.chars().next_back().is_some_and(spaced) && rest.chars().next().is_some_and(spaced))
}

/// Says whether `c` belongs to a script other than Han that is written without spaces, or whose endings are part of the word.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7a3}')
}
