//! Verdicts a second on one core, and the time of two hostile megabytes: `cargo bench -p neardup-verdict --bench verdict`.
#![allow(clippy::expect_used, reason = "a benchmark stops at the first surprise")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use neardup_verdict::same_message;

const SENTENCES: [&str; 8] = [
    "市交通局昨天宣布，连接东西两岸的滨河大桥将从下月起免费通行。",
    "负责人在说明会上表示，大桥去年的通行费收入为三千万元，全部用于偿还贷款。",
    "今年春天贷款已经还清，按照当年的约定，收费站将在5月31日前拆除。",
    "沿线居民对这个消息表示欢迎，有人回忆说，大桥刚通车时每天只有几百辆车经过。",
    "据《滨河日报》报道，大桥每天的车流量现在是12.6万辆，比十年前增长了85%。",
    "市民李明华说，他每天上午8点30分从桥上经过，一年能省下两千多元。",
    "专家认为，免费通行有助于两岸的商业往来，也会带动沿河地区的发展。",
    "另据了解，北京和上海的同类大桥在2018年已经取消收费。",
];

fn article(chars: usize, seed: usize) -> String {
    let mut text = String::new();
    for i in 0.. {
        text.push_str(SENTENCES[(i * 5 + seed) % SENTENCES.len()]);
        text.push_str(&format!("第{}段到此为止。", i + 1));
        if text.chars().count() >= chars {
            return text;
        }
    }
    text
}

fn rate(name: &str, pairs: &[(String, String)]) {
    let mut best = Duration::MAX;
    for _ in 0..7 {
        let start = Instant::now();
        let mut rounds = 0_u32;
        while start.elapsed() < Duration::from_millis(200) {
            for (a, b) in pairs {
                black_box(same_message(a, b).expect("short"));
            }
            rounds += 1;
        }
        best = best.min(start.elapsed() / (rounds * pairs.len() as u32));
    }
    println!("{name:<44} {:>10.0} verdicts/s", 1.0 / best.as_secs_f64());
}

fn once(name: &str, a: &str, b: &str) {
    let start = Instant::now();
    let message = same_message(a, b).expect("under 4 GB");
    println!("{name:<44} {:>10.2} s  {}", start.elapsed().as_secs_f64(), message.verdict);
}

fn main() {
    let titles: Vec<(String, String)> = (0..50)
        .map(|i| (format!("滨河市昨日新增{}例本土病例，详情公布", i + 2), format!("临江市昨日新增{}例本土病例", i + 3)))
        .collect();
    rate("titles, about 20 characters", &titles);
    let posts: Vec<(String, String)> =
        (0..50).map(|i| (article(120, i), article(120, i).replace("昨天", "日前").replace("居民", "市民"))).collect();
    rate("posts, about 140 characters, edited", &posts);
    let edited: Vec<(String, String)> = (0..20)
        .map(|i| {
            (
                article(1200, i),
                article(1200, i).replace("居民", "市民").replace("今年春天", "本月").replace("85%", "86%"),
            )
        })
        .collect();
    rate("articles, about 1,200 characters, edited", &edited);
    let other: Vec<(String, String)> = (0..20)
        .map(|i| {
            let rewritten: String = article(1200, i + 3).chars().rev().collect();
            (article(1200, i), rewritten)
        })
        .collect();
    rate("articles, about 1,200 characters, unlike", &other);

    let han = |range: std::ops::Range<u32>, factor: u32| -> String {
        let width = range.end - range.start;
        (0..350_000_u32).filter_map(|i| char::from_u32(range.start + i.wrapping_mul(factor) % width)).collect()
    };
    once("1 MB, nothing in common", &han(0x4e00..0x6000, 7919), &han(0x6000..0x8000, 104_729));
    once("1 MB, the same characters in another order", &han(0x4e00..0x6000, 7919), &han(0x4e00..0x6000, 104_729));
    once("1 MB, one character against another", &"甲".repeat(350_000), &"乙".repeat(350_000));
    once("1 MB, one character, other lengths", &"甲".repeat(350_000), &"甲".repeat(300_000));
    let numbers = |step: usize| -> String { (0..160_000).map(|i| format!("{} ", (i * step) % 99_991)).collect() };
    once("1 MB of numbers", &numbers(7), &numbers(11));
    once("1 MB of brackets", &"（《“".repeat(115_000), &"【[（".repeat(115_000));
    once("1 MB of reposts", &"//@a:好".repeat(120_000), &"//@b:坏".repeat(120_000));
    once("1 MB of dates", &"5月22日".repeat(120_000), &"2023年6月".repeat(90_000));
}
