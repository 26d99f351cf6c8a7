//! Verdicts on any two texts: they terminate, are the same in both directions, and call a text a copy of itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use neardup_verdict::{Verdict, same_message};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (a, b) = text.split_once('\n').unwrap_or((&text, ""));
    let (Ok(forth), Ok(back)) = (same_message(a, b), same_message(b, a)) else { return };
    assert_eq!((forth.verdict, forth.score), (back.verdict, back.score));
    assert!((0.0..=1.0).contains(&forth.score));
    if !a.trim().is_empty() {
        assert!(same_message(a, a).is_ok_and(|same| same.verdict == Verdict::Copy));
    }
});
