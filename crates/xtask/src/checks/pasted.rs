//! Compares output pasted into a document with the output printed today: tells whether they are the same, and writes the new text.
//!
//! `…` in a pasted line stands for anything on that line, and a line `…` for any number of lines. Use it for times, sizes and
//! whatever else may differ on the reader's machine. The comparison ignores row counts such as `(3 rows)`, spaces at the ends of
//! lines, and repeated empty lines.

use similar::TextDiff;

/// Marks text that may differ.
const ANYTHING: &str = "…";

/// Says whether the document's lines equal the printed ones.
pub fn is_same(pasted: &str, printed: &str) -> bool {
    fn same(pasted: &[&str], printed: &[&str]) -> bool {
        match (pasted, printed) {
            ([], rest) => rest.is_empty(),
            ([ANYTHING, after @ ..], rest) => (0..=rest.len()).any(|skipped| same(after, &rest[skipped..])),
            ([line, after @ ..], [other, rest @ ..]) => matches(line, other) && same(after, rest),
            (_, []) => false,
        }
    }
    same(&tidy(pasted), &tidy(printed))
}

/// Returns the new lines for the document: those printed, except that document lines with a `…` are kept if they still match.
/// Lines that consist of `…` alone must be restored by hand.
pub fn corrected(pasted: &str, printed: &str) -> Vec<String> {
    let mut dotted: Vec<&str> = pasted.lines().filter(|line| line.contains(ANYTHING) && *line != ANYTHING).collect();
    let line = |printed: &str| match dotted.iter().position(|line| matches(line, printed)) {
        Some(at) => dotted.remove(at).to_owned(),
        None => printed.to_owned(),
    };
    tidy(printed).into_iter().map(line).collect()
}

/// Returns the differences: `-` in the document, `+` printed.
pub fn diff(pasted: &str, printed: &str) -> String {
    let (old, new) = (tidy(pasted).join("\n"), corrected(pasted, printed).join("\n"));
    TextDiff::from_lines(&old, &new).iter_all_changes().map(|change| format!("    {} {change}", change.tag())).collect()
}

/// Says whether a printed line matches the pasted one.
pub fn matches(pasted: &str, printed: &str) -> bool {
    let mut parts = pasted.split(ANYTHING);
    let Some(mut rest) = parts.next().and_then(|beginning| printed.strip_prefix(beginning)) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(place) => rest = &rest[place + part.len()..],
            None => return false,
        }
    }
    true
}

/// Returns the lines that are compared.
fn tidy(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !is_row_count(line)).collect();
    lines.dedup_by(|a, b| a.is_empty() && b.is_empty());
    let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(lines.len());
    lines.drain(..first);
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

fn is_row_count(line: &str) -> bool {
    let count = line.strip_prefix('(').and_then(|rest| rest.strip_suffix(" rows)").or(rest.strip_suffix(" row)")));
    count.is_some_and(|count| count.parse::<u64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_stand_for_anything_on_a_line() {
        for (pasted, printed) in [("a", "a"), ("a … ms", "a 12.5 ms"), ("…b", "aab"), ("a…c…e", "abcde"), ("…", "")]
        {
            assert!(matches(pasted, printed), "{pasted} {printed}");
        }
        for (pasted, printed) in [("a", "b"), ("a", "ab"), ("a … ms", "a 12.5 s"), ("a…a", "a"), ("a…c…e", "aec")]
        {
            assert!(!matches(pasted, printed), "{pasted} {printed}");
        }
    }

    #[test]
    fn what_says_the_same_is_the_same() {
        let row_counts = ("a\n\nb", "a\n(1 row)\n\nb\n(12 rows)\n");
        let dots = [("…\nb", "a\na\nb"), ("a\n…\nb", "a\nb"), ("…\nb…\n…", "a\nb1\nb2\nb3")];
        for (pasted, printed) in [("a\n\n\nb\n", "\na  \n\nb\n"), ("", "\n"), row_counts].into_iter().chain(dots) {
            assert!(is_same(pasted, printed), "{pasted:?} {printed:?}");
        }
        for (pasted, printed) in [("a\nb", "b\na"), ("a", ""), ("", "a"), ("a\n(one row)", "a")] {
            assert!(!is_same(pasted, printed), "{pasted:?} {printed:?}");
        }
    }

    #[test]
    fn what_differs_is_shown_and_corrected() {
        let (pasted, printed) = ("key | time\nk1 | …\n…\nk9 | …", "key | time\nk2 | 7\nk9 | 9\nend\n(3 rows)");
        assert!(diff(pasted, printed).contains("- k1 | …") && diff(pasted, printed).contains("+ end"));
        assert_eq!(corrected(pasted, printed), ["key | time", "k2 | 7", "k9 | …", "end"]);
    }
}
