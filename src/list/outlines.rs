//! Outlines of texts that are compared: a list meets most texts again after there was no more room for them, and most pairs share so little that their
//! outlines rule them out. Such a text is not prepared, and mostly not read again.

use ahash::AHashMap;
use neardup_verdict::{Likeness, Outline};

/// What an entry takes besides its outline, in bytes.
const BYTES_OF_EACH: usize = 56;

/// Outlines by the numbers of their rows.
pub struct Outlines {
    recent: AHashMap<u64, Outline>,
    /// Those that were added before these.
    older: AHashMap<u64, Outline>,
    /// How many bytes the recent ones have, and may have.
    bytes: usize,
    room: usize,
}

impl Outlines {
    /// Begins with room for `room` bytes.
    pub fn new(room: usize) -> Self {
        Self { recent: AHashMap::new(), older: AHashMap::new(), bytes: 0, room: room / 2 }
    }

    fn get(&self, row: u64) -> Option<&Outline> {
        self.recent.get(&row).or_else(|| self.older.get(&row))
    }

    /// Says whether two rows cannot be duplicates, as far as their outlines are known.
    pub fn rule_out(&self, a: u64, b: u64) -> bool {
        let (Some(a), Some(b)) = (self.get(a), self.get(b)) else { return false };
        !a.may_be_duplicate(b)
    }

    /// Returns the most that two rows may have in common, if their outlines are known.
    pub fn at_most(&self, a: u64, b: u64) -> Option<Likeness> {
        Some(self.get(a)?.likeness_at_most(self.get(b)?))
    }

    /// Says whether a row's outline is known.
    pub fn has(&self, row: u64) -> bool {
        self.get(row).is_some()
    }

    /// Adds a row's outline.
    pub fn add(&mut self, row: u64, outline: Outline) {
        self.bytes += outline.bytes() + BYTES_OF_EACH;
        self.recent.insert(row, outline);
        if self.bytes > self.room {
            self.older = std::mem::take(&mut self.recent);
            self.bytes = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn the_oldest_ones_are_forgotten() {
        let mut outlines = Outlines::new(4096);
        for row in 0..1000 {
            let text = format!("{row}{}", "江口镇今日举办龙舟赛".repeat(2));
            outlines.add(row, Outline::of(&text).unwrap());
        }
        assert!(outlines.has(999) && !outlines.has(0));
        assert!(outlines.recent.len() + outlines.older.len() < 100);
    }

    #[test]
    fn only_what_shares_little_is_ruled_out() {
        let mut outlines = Outlines::new(4096);
        // Long enough that bits, which are chosen anew in each process, hardly ever say too little.
        let race = "龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学，沿江两岸站满了看热闹的乡亲，锣鼓队也来助阵，散场时天已经黑了。";
        let texts = [
            format!("江口镇今日举办第十届{race}"),
            format!("江口镇今日举办第九届{race}"),
            "石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖，孩子们围着糖人师傅不肯走，老人在茶馆里听评弹，一直热闹到深夜。".to_owned(),
        ];
        for (row, text) in (0..).zip(&texts) {
            outlines.add(row, Outline::of(text).unwrap());
        }
        assert!(!outlines.rule_out(0, 1) && outlines.rule_out(0, 2));
        assert!(!outlines.rule_out(0, 3), "nothing is known of it");
    }
}
