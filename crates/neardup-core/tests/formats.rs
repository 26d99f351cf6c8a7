//! The golden vectors of keys and profiles in `docs/internals/formats.md`, which a second implementation computes, too (`tests/formats`).
#![allow(clippy::unwrap_used, reason = "tests")]

use neardup_core::profile::Statistics;
use neardup_core::row_key;
use neardup_core::signature::corpus::CorpusStatistics;
use neardup_text::hash::token_hash;

/// Returns a vector of the page.
fn golden(name: &str) -> &'static str {
    let page = include_str!("../../../docs/internals/formats.md");
    page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = ")).unwrap()
}

#[test]
fn keys_have_the_stated_text() {
    for (name, values) in [
        ("key of one value", vec!["a, \"b\""]),
        ("key of two values", vec!["7", "2031-05-04"]),
        ("key of two values with a comma and quotation marks", vec!["a, b", "c \"d\""]),
    ] {
        let values: Vec<String> = values.into_iter().map(str::to_owned).collect();
        assert_eq!(row_key::join(&values), golden(name));
        assert_eq!(row_key::split(golden(name), values.len()), Some(values));
    }
}

#[test]
fn a_stored_profile_is_read() {
    let (digits, _) = golden("profile of two words").as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    let bytes: Vec<u8> = digits.iter().map(byte).collect();
    let statistics = Statistics::from_bytes(&bytes).unwrap();
    let [a, b] = ["近似", "新闻"].map(token_hash);
    let rarities = [a, b, 0].map(|word| format!("{:.12}", statistics.rarity(word)));
    assert_eq!(rarities.join(" "), golden("rarity of 近似, 新闻 and another"));
    let entropies = [a, b].map(|word| statistics.neighbour_entropy(word));
    let shown = format!("{:.6} {} {}", statistics.co_occurrence(a, b), entropies[0], entropies[1]);
    assert_eq!(shown, golden("co-occurrence and entropies"));
}
