//! The text form of a primary key, as lists show it, marks store it and refusals name it.
//!
//! The form of one value is the value's. Several values are joined by a comma and a space; a value that contains a comma or a quotation
//! mark stands between quotation marks, and those that it contains are doubled. So different keys have different forms, and [`split`]
//! returns the values. Marks store the form in users' tables.

/// Stands between the values.
const SEPARATOR: &str = ", ";

/// Returns the text form of a key from those of its values.
#[must_use]
pub fn join(values: &[String]) -> String {
    match values {
        [only] => only.clone(),
        _ => values.iter().map(|value| quoted(value)).collect::<Vec<_>>().join(SEPARATOR),
    }
}

fn quoted(value: &str) -> String {
    if value.contains([',', '"']) { format!("\"{}\"", value.replace('"', "\"\"")) } else { value.to_owned() }
}

/// Returns the values of a key of `count` columns from its text form; `None` if it is none.
#[must_use]
pub fn split(key: &str, count: usize) -> Option<Vec<String>> {
    if count == 1 {
        return Some(vec![key.to_owned()]);
    }
    let mut values = Vec::with_capacity(count);
    let mut rest = Some(key);
    while let Some(text) = rest {
        let end = if text.starts_with('"') { quoted_end(text)? } else { text.find(',').unwrap_or(text.len()) };
        let (value, after) = text.split_at(end);
        values.push(match value.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) {
            Some(inner) => inner.replace("\"\"", "\""),
            None => value.to_owned(),
        });
        rest = if after.is_empty() { None } else { Some(after.strip_prefix(SEPARATOR)?) };
    }
    (values.len() == count && join(&values) == key).then_some(values)
}

/// Returns where a value between quotation marks ends, with the closing one.
fn quoted_end(text: &str) -> Option<usize> {
    let mut at = 1;
    loop {
        at += text.get(at..)?.find('"')? + 1;
        if text.as_bytes().get(at) != Some(&b'"') {
            return Some(at);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    #[test]
    fn a_comma_within_a_value_is_told_from_one_between_values() {
        assert_eq!(join(&key(&["a, b", "c"])), "\"a, b\", c");
        assert_eq!(join(&key(&["a", "b, c"])), "a, \"b, c\"");
        assert_eq!(join(&key(&["7", "2031-05-04"])), "7, 2031-05-04");
        assert_eq!(join(&key(&["a, \"b\""])), "a, \"b\"", "one value is its own form");
    }

    #[test]
    fn what_is_no_key_has_no_values() {
        for text in ["a", "a,b", "\"a, b", "\"a\", b", "a, b, c", "a\"b, c"] {
            assert_eq!(split(text, 2), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_values_come_back(values in prop::collection::vec("[a\", é]{0,6}", 1..4)) {
            prop_assert_eq!(split(&join(&values), values.len()), Some(values));
        }

        #[test]
        fn any_text_is_split_or_refused(text in "[a\", é]{0,12}", count in 1_usize..4) {
            if let Some(values) = split(&text, count) {
                prop_assert_eq!(join(&values), text);
            }
        }
    }
}
