//! Numerals, dates and other facts in any text: each fact found lies within its text, and an explanation has all its parts.
#![no_main]

use libfuzzer_sys::fuzz_target;
use neardup_text::{Analyzer, Scratch};
use neardup_verdict::explain::explain;
use neardup_verdict::{conflicts, numerals};

/// Bytes stand for what facts are made of, so that numbers and dates come up often.
const PIECES: [&str; 48] = [
    "0", "1", "2", "9", "12", "2031", "零", "一", "二", "三", "九", "十", "百", "千", "万", "亿", "点", ".", ",", "．", "-",
    "年", "月", "日", "号", "时", "分", "第", "期", "集", "%", "％", "百分之", "元", "美元", "今天", "昨日", "周一", "上午",
    "至", "/", ":", "不", "未", "已", "灯塔", " ", "\n",
];

fuzz_target!(|data: &[u8]| {
    let text: String = match data.split_first() {
        Some((first, rest)) if first & 1 == 0 => {
            rest.iter().map(|&byte| PIECES[usize::from(byte) % PIECES.len()]).collect()
        }
        _ => String::from_utf8_lossy(data).into_owned(),
    };
    let chars: Vec<char> = text.chars().collect();
    for start in 0..chars.len() {
        if let Some(reading) = numerals::read(chars[start..].iter().copied()) {
            assert!(reading.len > 0 && start + reading.len <= chars.len());
        }
    }
    let middle = chars.len() / 2;
    let (a, b): (String, String) = (chars[..middle].iter().collect(), chars[middle..].iter().collect());
    for (a, b) in [(&a, &b), (&text, &a)] {
        let (forth, back) = (conflicts(a, b), conflicts(b, a));
        assert_eq!(forth.map(|list| list.is_empty()), back.map(|list| list.is_empty()));
    }
    assert_eq!(conflicts(&text, &text), Ok(Vec::new()), "a text contradicts itself");
    let analyzer: Analyzer = "chars:3".parse().expect("a preset");
    explain(&a, &b, &analyzer, &mut Scratch::default()).expect("short texts can be explained");
});
