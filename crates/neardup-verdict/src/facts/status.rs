//! Status words, which change the meaning of a statement: 将 or 已, 新增 or 无, 半场 or 全场, `rose` or `fell`, `not`.
//!
//! A status word counts where it touches a difference. Two words of one [`GROUPS`] line, or of two columns of one [`ENGLISH`]
//! line, contradict each other; a word of [`TURNING`] contradicts a text that has nothing in its place.

use std::ops::Range;
use std::sync::LazyLock;

use ahash::AHashMap;

use crate::read::units::{Kind, Text};

/// Groups of words, of which a report uses one.
const GROUPS: [&[&str]; 35] = [
    &["半场", "全场", "上半场", "下半场", "首节", "末节"],
    &["开盘", "收盘", "尾盘", "早盘", "午盘", "盘前", "盘后"],
    &["追平", "超越", "反超", "落后", "领先"],
    &["开幕", "闭幕"],
    &["将于", "离开", "抵达", "启程", "回到"],
    &["开幕会", "闭幕会", "开幕式", "闭幕式", "全体会议"],
    &["上午", "下午", "晚上", "凌晨", "早上", "中午", "傍晚"],
    &["上涨", "下跌", "持平"],
    &["涨", "跌"],
    &["涨停", "跌停"],
    &["上调", "下调"],
    &["增长", "下降", "减少", "增加"],
    &["上升", "下降", "回落", "回升"],
    &["升", "降"],
    &["高开", "低开", "平开"],
    &["战胜", "不敌", "战平", "负于", "击败", "力克", "惜败", "逼平", "大胜", "横扫"],
    &["胜", "负", "平"],
    &["赢", "输"],
    &["夺冠", "摘银", "摘铜", "夺金", "夺银"],
    &["男", "女"],
    &["男子", "女子"],
    &["男孩", "女孩"],
    &["冠军", "亚军", "季军"],
    &["确诊", "疑似", "无症状", "死亡", "治愈", "重症"],
    &["本土", "境外"],
    &["上", "下", "中"],
    &["东", "西", "南", "北"],
    &["首次", "再次", "再度"],
    &["启动", "结束", "完成", "暂停", "恢复"],
    &["开始", "结束"],
    &["宣布", "否认", "辟谣", "证实"],
    &["同意", "拒绝", "反对"],
    &["批准", "驳回"],
    &["获释", "被捕", "逮捕", "起诉", "判决", "立案"],
    &["春季", "夏季", "秋季", "冬季"],
];

/// Opposites in English. The words of a column have the same meaning.
const ENGLISH: [[&[&str]; 2]; 12] = [
    [
        &[
            "up",
            "rise",
            "rises",
            "rose",
            "risen",
            "rising",
            "gain",
            "gains",
            "gained",
            "climbed",
            "higher",
            "increase",
            "increased",
        ],
        &[
            "down",
            "fall",
            "falls",
            "fell",
            "fallen",
            "falling",
            "drop",
            "drops",
            "dropped",
            "declined",
            "lower",
            "decrease",
            "decreased",
        ],
    ],
    [&["profit", "profits", "net"], &["loss", "losses", "deficit"]],
    [&["won", "win", "wins", "beat", "beats", "defeated"], &["lost", "lose", "loses", "drew", "draw"]],
    [&["opens", "opened", "opening", "open"], &["closes", "closed", "closing", "close"]],
    [
        &["starts", "started", "start", "begins", "began", "begin"],
        &["ends", "ended", "end", "stops", "stopped", "stop"],
    ],
    [
        &["approves", "approved", "approve", "accepts", "accepted"],
        &["rejects", "rejected", "reject", "refused", "vetoed"],
    ],
    [&["confirms", "confirmed", "confirm"], &["denies", "denied", "deny"]],
    [&["buys", "buy", "bought", "acquired", "acquire"], &["sells", "sell", "sold", "divested"]],
    [&["raises", "raised", "raise"], &["cuts", "cut", "lowers", "lowered"]],
    [&["before"], &["after"]],
    [&["export", "exports", "exported"], &["import", "imports", "imported"]],
    [&["guilty", "convicted"], &["acquitted", "cleared"]],
];

/// The second part of `isn't` after segmentation.
const NOT: &str = "t";

/// Words that change the statement in which they occur, or from which they are missing.
const TURNING: [&str; 42] = [
    "将",
    "拟",
    "或",
    "曝",
    "未",
    "不",
    "没",
    "无",
    "非",
    "尚未",
    "并未",
    "没有",
    "不是",
    "否认",
    "取消",
    "疑似",
    "有望",
    "即将",
    "将于",
    "计划",
    "不再",
    "暂停",
    "修订版",
    "修订后的",
    "修改后的",
    "not",
    "no",
    "never",
    NOT,
    "cannot",
    "without",
    "will",
    "would",
    "may",
    "might",
    "could",
    "plans",
    "planned",
    "denied",
    "alleged",
    "postponed",
    "cancelled",
];

/// A status word in a text: the units, and its line and column in the lists, if any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Status {
    pub(super) units: Range<usize>,
    place: Option<(usize, usize)>,
}

impl Status {
    /// Says whether two words, each in its own text, have the same meaning.
    pub(super) fn agrees(&self, text: &Text<'_>, other: &Self, other_text: &Text<'_>) -> bool {
        let written = text.written(self.units.clone()) == other_text.written(other.units.clone());
        written || self.place.is_some() && self.place == other.place
    }

    /// Says whether two words that do not agree contradict each other.
    pub(super) fn opposes(&self, other: &Self) -> bool {
        self.place.zip(other.place).is_some_and(|(own, other)| own.0 == other.0)
    }
}

/// All status words, each with the line and the column of its first occurrence in the lists, if it is in one.
static KNOWN: LazyLock<AHashMap<&str, Option<(usize, usize)>>> = LazyLock::new(|| {
    let groups = GROUPS.iter().map(|words| words.chunks(1).collect());
    let english = ENGLISH.iter().map(|columns| columns.to_vec());
    let mut known = AHashMap::new();
    for (line, columns) in groups.chain(english).enumerate() {
        for (column, words) in columns.iter().enumerate() {
            for &word in *words {
                known.entry(word).or_insert(Some((line, column)));
            }
        }
    }
    for word in TURNING {
        known.entry(word).or_insert(None);
    }
    known
});

/// Says whether a status word changes the statement in which it occurs, or from which it is missing.
pub(super) fn turns(text: &Text<'_>, status: &Status) -> bool {
    let last = status.units.end.saturating_sub(1);
    TURNING.contains(&text.written(status.units.clone())) || text.written(last..status.units.end) == NOT
}

/// The longest status word, in units.
const LONGEST: usize = 4;

/// Finds the status words that touch units `span` of `text`, the longest at each position.
pub(super) fn find(text: &Text<'_>, span: Range<usize>) -> Vec<Status> {
    let mut found: Vec<Status> = Vec::new();
    let from = span.start.saturating_sub(LONGEST - 1);
    let mut at = from;
    while at < span.end {
        let longest = (1..=LONGEST).rev().find_map(|len| {
            let units = at..at + len;
            if units.end <= span.start || units.end > text.units.len() {
                return None;
            }
            let kinds = text.units.get(units.clone())?;
            let is = |kind: Kind| kinds.iter().all(|unit| unit.kind == kind);
            if !(is(Kind::Han) || len == 1 && is(Kind::Word)) {
                return None;
            }
            let word = text.written(units.clone());
            let place = *KNOWN.get(word)?;
            // isn't is segmented into isn and t.
            let units = if word == NOT && at > 0 { at - 1..at + 1 } else { units };
            Some(Status { units, place })
        });
        match longest {
            Some(status) => {
                at = status.units.end;
                found.push(status);
            }
            None => at += 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn finds_words_that_touch_the_span() {
        let text = Text::read("全场战罢主队战胜客队").unwrap();
        let written = |span| -> Vec<String> {
            find(&text, span).into_iter().map(|status| text.written(status.units).to_owned()).collect()
        };
        assert_eq!(written(0..10), ["全场", "战胜"]);
        assert_eq!(written(1..2), ["全场"]);
        assert_eq!(written(2..4), Vec::<String>::new());
    }

    #[test]
    fn no_word_is_longer_than_the_search() {
        for word in GROUPS.iter().copied().flatten().chain(&TURNING) {
            assert!(word.is_ascii() || word.chars().count() <= LONGEST, "{word}");
        }
    }
}
