//! Prints the seconds grouping takes: `cargo bench -p neardup-core --bench grouping [-- million-rows filter]`.
//!
//! The best of three runs, over random signatures, clusters of near ones, and skewed ones.
#![allow(missing_docs, reason = "a program, not a library")]

use std::time::Instant;

use neardup_core::grouping::{Linkage, group_simhash};

/// SplitMix64 (Steele 2014): the same numbers everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn flip(&mut self, mut signature: u64, most: u64) -> u64 {
        for _ in 0..self.next() % (most + 1) {
            signature ^= 1 << (self.next() % 64);
        }
        signature
    }
}

/// Processor time of this thread where the system tells (Linux), so that a busy machine does little harm; else wall time.
struct Clock(Option<u64>, Instant);

impl Clock {
    fn on_processor() -> Option<u64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split_whitespace().next()?.parse().ok()
    }

    fn start() -> Self {
        Self(Self::on_processor(), Instant::now())
    }

    fn seconds(&self) -> f64 {
        match (self.0, Self::on_processor()) {
            (Some(before), Some(now)) => (now - before) as f64 * 1e-9,
            _ => self.1.elapsed().as_secs_f64(),
        }
    }
}

fn make(kind: &str, count: usize) -> Vec<u64> {
    let mut random = Random(1);
    let any = |random: &mut Random| random.next();
    let mut rows: Vec<u64> = Vec::with_capacity(count);
    match kind {
        "random" => rows.extend((0..count).map(|_| any(&mut random))),
        // Half the rows are copies, a few bits away, of an earlier row: chains and clusters of many sizes.
        "clustered" => {
            for i in 0..count {
                let fresh = random.next();
                let row = if i > 0 && fresh.is_multiple_of(2) {
                    let of = rows[(random.next() % i as u64) as usize];
                    random.flip(of, 4)
                } else {
                    random.next()
                };
                rows.push(row);
            }
        }
        "equal" => rows.resize(count, 0x1234_5678_9abc_def0),
        "one band" => rows.extend((0..count).map(|_| any(&mut random) & !0x1111_1111_1111_1111)),
        "40 equal bits" => rows.extend((0..count).map(|_| any(&mut random) & 0x00ff_00ff_0000_00ff)),
        "32 equal bits" => rows.extend((0..count).map(|_| any(&mut random) & 0xffff_ffff)),
        // Two dense clusters, four bits apart.
        "two cubes" => rows.extend((0..count).map(|_| {
            let word = any(&mut random);
            word & 0x000f_ffff | if word >> 63 == 1 { 0x0101_0101_0000_0000 } else { 0 }
        })),
        // Half of the rows from a hundred templates, each varying in 30 places.
        _ => {
            let templates: Vec<(u64, u64)> = (0..100)
                .map(|_| (random.next(), (0..30).fold(0, |mask, _| mask | 1 << (random.next() % 64))))
                .collect();
            rows.extend((0..count).map(|i| {
                let (template, mask) = templates[(random.next() % 100) as usize];
                let word = random.next();
                if i.is_multiple_of(2) { word } else { template ^ word & mask }
            }));
        }
    }
    rows
}

fn main() {
    let mut million = 1.0;
    let mut filter = String::new();
    for argument in std::env::args().skip(1).filter(|argument| argument != "--bench") {
        match argument.parse() {
            Ok(number) => million = number,
            Err(_) => filter = argument,
        }
    }
    let count = (million * 1e6) as usize;
    println!("{count} signatures; seconds at distance");
    println!("{:<16}{:>10}{:>10}{:>10}{:>10}", "", 3, 5, 7, 11);
    let kinds =
        ["random", "clustered", "equal", "one band", "32 equal bits", "40 equal bits", "two cubes", "templates"];
    for (linkage, name) in [(Linkage::Components, "components"), (Linkage::Star, "star")] {
        for kind in kinds {
            if !format!("{name} {kind}").contains(&filter) {
                continue;
            }
            let rows = make(kind, count);
            print!("{kind:<16}");
            for distance in [3, 5, 7, 11] {
                let mut best = f64::INFINITY;
                let mut groups = 0;
                for _ in 0..3 {
                    let start = Clock::start();
                    let representatives = group_simhash(&rows, distance, linkage).unwrap_or_default();
                    best = best.min(start.seconds());
                    groups = (0..).zip(&representatives).filter(|(i, representative)| i == *representative).count();
                    if best > 3.0 {
                        break;
                    }
                }
                print!(" {best:>8.3} ({groups})");
                use std::io::Write as _;
                _ = std::io::stdout().flush();
            }
            println!("  {name}");
        }
    }
}
