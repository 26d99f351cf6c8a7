//! Output pasted into a document against what is printed today: whether they say the same, where not, and the new text.
//!
//! `…` in a pasted line stands for anything on that line, a line `…` for any number of lines: for times, sizes and what else
//! may differ on the reader's machine. Row counts, `(3 rows)`, spaces at the ends of lines and empty lines in a row make no
//! difference.

/// Stands for what may differ.
const ANYTHING: &str = "…";

/// How a line of the document relates to what was printed.
#[derive(Debug, PartialEq)]
pub enum Line {
    /// It stands in the document and was printed; as it is in the document.
    Same(String),
    /// It stands in the document only.
    Gone(String),
    /// It was printed only.
    New(String),
}

/// Puts the document's lines and the printed ones beside each other, with as few differences as can be.
pub fn compare(pasted: &str, printed: &str) -> Vec<Line> {
    let (pasted, printed) = (tidy(pasted), tidy(printed));
    let cost = costs(&pasted, &printed);
    let (_, gone) = prices(printed.len());
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    while i < pasted.len() || j < printed.len() {
        let here = cost[i][j];
        match (pasted.get(i), printed.get(j)) {
            (Some(&ANYTHING), Some(_)) if here == cost[i][j + 1] + 1 => j += 1,
            (Some(line @ &ANYTHING), _) => {
                lines.push(Line::Same((*line).to_owned()));
                i += 1;
            }
            (Some(line), Some(other)) if here == cost[i + 1][j + 1] && matches(line, other) => {
                lines.push(Line::Same((*line).to_owned()));
                (i, j) = (i + 1, j + 1);
            }
            (Some(line), _) if here == cost[i + 1][j] + gone => {
                lines.push(Line::Gone((*line).to_owned()));
                i += 1;
            }
            (_, Some(other)) => {
                lines.push(Line::New((*other).to_owned()));
                j += 1;
            }
            _ => break,
        }
    }
    lines
}

/// What a line costs that is new, and one that is gone; a line that `…` stands for costs 1. So as many pasted lines as can be find
/// their own, and `…` stands for no more than it must.
fn prices(printed: usize) -> (usize, usize) {
    let new = printed + 1;
    (new, (printed + 1) * new)
}

/// What the lines cost from each place in both on.
fn costs(pasted: &[&str], printed: &[&str]) -> Vec<Vec<usize>> {
    let (new, gone) = prices(printed.len());
    let mut cost = vec![vec![0; printed.len() + 1]; pasted.len() + 1];
    for i in (0..=pasted.len()).rev() {
        for j in (0..=printed.len()).rev() {
            let without_pasted = || cost[i + 1][j];
            let without_printed = || cost[i][j + 1];
            cost[i][j] = match (pasted.get(i), printed.get(j)) {
                (None, None) => 0,
                (Some(&ANYTHING), None) => without_pasted(),
                (Some(&ANYTHING), Some(_)) => without_pasted().min(without_printed() + 1),
                (Some(_), None) => without_pasted() + gone,
                (None, Some(_)) => without_printed() + new,
                (Some(a), Some(b)) if matches(a, b) => cost[i + 1][j + 1],
                (Some(_), Some(_)) => (without_pasted() + gone).min(without_printed() + new),
            };
        }
    }
    cost
}

/// Whether a printed line is what the pasted one says.
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

/// Whether nothing differs.
pub fn is_same(lines: &[Line]) -> bool {
    lines.iter().all(|line| matches!(line, Line::Same(_)))
}

/// The differences for the reader: `-` only in the document, `+` only printed.
pub fn diff(lines: &[Line]) -> String {
    let shown = lines.iter().map(|line| match line {
        Line::Same(text) => format!("      {text}"),
        Line::Gone(text) => format!("    - {text}"),
        Line::New(text) => format!("    + {text}"),
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// What should stand in the document: what was printed, with the document's `…` where they still hold.
pub fn corrected(lines: &[Line]) -> Vec<String> {
    let kept = lines.iter().filter_map(|line| match line {
        Line::Same(text) | Line::New(text) => Some(text.clone()),
        Line::Gone(_) => None,
    });
    kept.collect()
}

/// The lines that count.
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
            assert!(is_same(&compare(pasted, printed)), "{pasted:?} {printed:?}");
        }
        for (pasted, printed) in [("a\nb", "b\na"), ("a", ""), ("", "a"), ("a\n(one row)", "a")] {
            assert!(!is_same(&compare(pasted, printed)), "{pasted:?} {printed:?}");
        }
    }

    #[test]
    fn what_differs_is_shown_and_corrected() {
        let lines = compare("key | time\nk1 | …\n…\nk9 | …", "key | time\nk2 | 7\nk3 | 8\nk9 | 9\nend");
        assert!(diff(&lines).contains("- k1 | …") && diff(&lines).contains("+ end"));
        assert_eq!(corrected(&lines), ["key | time", "…", "k9 | …", "end"]);
        let dots = compare("…\nend", "a\nend\nmore\nmore\nmore");
        assert_eq!(corrected(&dots), ["…", "end", "more", "more", "more"], "what was pasted is not lost to dots");
    }
}
