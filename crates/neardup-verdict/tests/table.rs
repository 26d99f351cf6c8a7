//! What a table teaches a verdict: forms, footers and families of reposts, in four languages. All texts are written for the test.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::collections::BTreeMap;
use std::time::Duration;

use neardup_core::document::minhash;
use neardup_core::signature::minhash::{MinHashRef, MinHasher, Parameters};
use neardup_text::hash::token_hash;
use neardup_text::{Analyzer, Scratch};
use neardup_verdict::{Forms, Known, Message, Pair, Prepared, Rows, SAMPLE, same_message};
use proptest::prelude::*;

/// A table in memory.
struct Table {
    texts: Vec<String>,
    keys: Vec<Vec<u64>>,
    by_key: BTreeMap<u64, Vec<usize>>,
    /// How many texts were read.
    read: usize,
}

impl Table {
    fn of(texts: Vec<String>) -> Self {
        let analyzer: Analyzer = "shingles:5".parse().unwrap();
        let (mut scratch, mut hasher) = (Scratch::default(), MinHasher::new(Parameters::sketch(10, 0).unwrap(), 0));
        let mut keys_of = |text: &String| -> Vec<u64> {
            let sketch = minhash(text, &analyzer, &mut scratch, &mut hasher).unwrap();
            sketch.map(|sketch| MinHashRef::parse(sketch.as_bytes()).unwrap().keys().collect()).unwrap_or_default()
        };
        let keys: Vec<Vec<u64>> = texts.iter().map(&mut keys_of).collect();
        let mut by_key: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (row, keys) in keys.iter().enumerate() {
            keys.iter().for_each(|&key| by_key.entry(key).or_default().push(row));
        }
        Self { texts, keys, by_key, read: 0 }
    }

    fn message(&mut self, a: usize, b: usize, days: u64, forms: &mut Forms) -> Message {
        self.titled([a, b], ["", ""], days, forms)
    }

    fn titled(&mut self, [a, b]: [usize; 2], [title_a, title_b]: [&str; 2], days: u64, forms: &mut Forms) -> Message {
        let (text_a, text_b) = (self.texts[a].clone(), self.texts[b].clone());
        let (keys_a, keys_b) = (self.keys[a].clone(), self.keys[b].clone());
        let (text_a, text_b) = (Prepared::new(&text_a).unwrap(), Prepared::new(&text_b).unwrap());
        let known = Known {
            forms,
            rows: self,
            own: [Some(a as u64), Some(b as u64)],
            keys: [&|| Ok(keys_a.clone()), &|| Ok(keys_b.clone())],
        };
        let apart = Some(Duration::from_secs(days * 86_400));
        Pair::new(&text_a, &text_b).titled(title_a, title_b).apart(apart).known(known).message().unwrap()
    }

    fn alone(&self, a: usize, b: usize) -> f64 {
        same_message(&self.texts[a], &self.texts[b]).unwrap().score
    }
}

impl Rows for Table {
    fn with_key(&mut self, key: u64) -> neardup_text::Result<Vec<u64>> {
        let rows = self.by_key.get(&key).map_or(&[][..], Vec::as_slice);
        Ok(rows.iter().take(SAMPLE).map(|&row| row as u64).collect())
    }

    fn texts(&mut self, rows: &[u64]) -> neardup_text::Result<Vec<(u64, String)>> {
        self.read += rows.len();
        Ok(rows.iter().map(|&row| (row, self.texts[row as usize].clone())).collect())
    }

    fn stored(&mut self, rows: &[u64]) -> neardup_text::Result<Vec<(u64, u64)>> {
        Ok(rows.iter().map(|&row| (row, token_hash(&self.texts[row as usize]))).collect())
    }

    fn spread(&mut self) -> neardup_text::Result<Vec<String>> {
        Ok(self.texts.clone())
    }
}

/// For each language: a description that many rows share below a message of their own, and messages.
fn forms() -> [(&'static str, [&'static str; 8]); 4] {
    [
        (
            "本节目每周由江口镇广播站制作，介绍镇上的工匠、渔民和老师傅的生活，欢迎听众来信点歌，来信请寄江口镇东街八号广播站收。",
            [
                "本周请来了修船的王师傅，讲木船为什么要晒三年。",
                "中学合唱队在录音棚里唱了四首新歌，还有一段后台花絮。",
                "渡口的老摆渡人回忆洪水那一年怎样救人。",
                "茶园的采茶姑娘教大家分辨春茶和秋茶。",
                "图书馆的管理员推荐了三本写河流的书。",
                "养蜂人带来了蜂箱，现场割了一块蜜。",
                "邮差说他每天要走过十一座桥。",
                "豆腐坊凌晨开工，主播去拍了全过程。",
            ],
        ),
        (
            "The harbour council publishes this bulletin every week for residents of the old quarter. Questions about tides, moorings \
             and fees are answered at the office behind the fish market on working mornings.",
            [
                "A new crane was hoisted onto the eastern quay and will lift timber from Thursday.",
                "Divers cleaned the lighthouse cable after kelp had wrapped itself around the mast.",
                "The swimming club asks members to keep clear of the regatta course.",
                "Two lost anchors were found near the breakwater and wait for their owners.",
                "Fishermen reported unusually large shoals of mackerel beyond the reef.",
                "Repairs to the drawbridge will close the inner basin for carts.",
                "A choir from the seamen's mission sings on the ferry deck.",
                "The tide gauge was moved because storms had bent its pole.",
            ],
        ),
        (
            "この番組は川口町の放送局が毎週お届けする町の情報番組です。職人や漁師や先生たちの暮らしを紹介し、皆さんからのお便りをお待ちしています。",
            [
                "今週は船大工の親方が木の乾かし方を語ります。",
                "中学校の合唱部が新しい曲を四つ歌いました。",
                "渡し船の船頭さんが洪水の年を思い出します。",
                "茶畑で春のお茶と秋のお茶を飲み比べました。",
                "図書館員が川についての本を三冊すすめます。",
                "養蜂家が巣箱を持ってスタジオに来ました。",
                "郵便配達員は毎日十一の橋を渡るそうです。",
                "豆腐屋さんの夜明け前の仕事を取材しました。",
            ],
        ),
        (
            "Передача выходит каждую неделю на радио речного порта и рассказывает о мастерах, рыбаках и учителях нашего города. Письма \
             слушателей мы читаем в эфире по субботам.",
            [
                "Сегодня корабельный плотник объясняет, почему доски сушат три года.",
                "Школьный хор записал четыре новые песни и показал репетицию.",
                "Старый перевозчик вспоминает наводнение и спасённых соседей.",
                "Сборщицы чая учат отличать весенний лист от осеннего.",
                "Библиотекарь советует книги о больших реках и озёрах.",
                "Пасечник принёс улей прямо в студию и угостил всех мёдом.",
                "Почтальон рассказал о мостах, которые проходит за день.",
                "Ночью мы побывали в пекарне и видели весь замес.",
            ],
        ),
    ]
}

#[test]
fn a_form_does_not_make_a_copy() {
    for (form, messages) in forms() {
        let mut table = Table::of(messages.iter().map(|message| format!("{message}\n{form}\n{form}")).collect());
        let mut forms = Forms::default();
        let found = table.message(0, 1, 7, &mut forms);
        assert!(!found.verdict.keeps_one(), "{} {:?}", table.texts[0], found);
        assert!(found.score <= table.alone(0, 1) + 1e-9, "{form}");
    }
}

#[test]
fn a_stored_text_is_read_once() {
    for (form, messages) in forms() {
        let mut table = Table::of(messages.iter().map(|message| format!("{message}{form}")).collect());
        let mut forms = Forms::default();
        let first = table.message(0, 1, 0, &mut forms);
        let read = table.read;
        assert!(read > 0);
        // The rows have moved.
        table.texts.reverse();
        table.keys.reverse();
        let last = messages.len() - 1;
        table.by_key.values_mut().flatten().for_each(|row| *row = last - *row);
        forms.forget_rows();
        assert_eq!(table.message(last, last - 1, 0, &mut forms), first);
        assert_eq!(table.read, read);
    }
}

#[test]
fn a_copy_within_a_form_is_found() {
    for (form, messages) in forms() {
        let mut texts: Vec<String> = messages.iter().map(|message| format!("{message}\n{form}")).collect();
        texts.push(texts[0].replace(['。', '.'], "!"));
        let mut table = Table::of(texts);
        let found = table.message(0, 8, 0, &mut Forms::default());
        assert!(found.verdict.keeps_one(), "{form} {found:?}");
    }
}

#[test]
fn a_footer_does_not_hide_a_copy() {
    let footers = [
        ["关注江口镇广播站", "订阅河岸日报 投稿请来信"],
        ["Follow the Harbour Bulletin", "Subscribe | Send us your story"],
    ];
    let footers = footers.into_iter().chain([
        ["川口町ニュースをフォロー", "登録はこちら お便り募集"],
        ["Подписаться на Речной порт", "Прислать новость | Читать нас"],
    ]);
    for ((_, messages), footers) in forms().into_iter().zip(footers) {
        let mut texts: Vec<String> = Vec::new();
        for (at, message) in messages.iter().enumerate().skip(1) {
            texts.push(format!("{message}\n\n{}", footers[at % 2]));
        }
        texts.push(format!("{}\n\n{}", messages[0], footers[0]));
        texts.push(format!("{}\n\n{}", messages[0], footers[1]));
        let (a, b) = (texts.len() - 2, texts.len() - 1);
        let mut table = Table::of(texts);
        let found = table.message(a, b, 0, &mut Forms::default());
        assert!(found.verdict.keeps_one(), "{} {found:?}", messages[0]);
        assert!(found.reasons.iter().any(|reason| reason.contains("lines")), "{found:?}");
    }
}

#[test]
fn a_family_of_reposts_stays_one() {
    for (form, messages) in forms() {
        let text = format!("{}{}{form}", messages[0], messages[1]);
        let edits = ["!", "!!", " ", "…", " :)", "?", " (1)", "~"];
        let mut table = Table::of(edits.iter().map(|edit| format!("{text}{edit}")).collect());
        let found = table.message(0, 5, 0, &mut Forms::default());
        assert!(found.verdict.keeps_one(), "{form} {found:?}");
    }
}

#[test]
fn a_score_is_less_sure_where_many_rows_fill_the_same_form() {
    let (form, _) = forms()[0];
    let row = |own: &str| format!("{own}{form}{form}");
    let pair = ["下午三点渡口照常开船，请乘客提前到场。", "下午三点渡口仍旧开船，请乘客提前到场。"].map(row);
    let fillings = |rows: usize| {
        let own = |n: usize| row(&format!("第{n}号工匠今天讲了怎样修补{n}号木船，听众问了{n}个问题。"));
        pair.iter().cloned().chain((3..3 + rows).map(own)).collect()
    };
    let score = |rows: usize| Table::of(fillings(rows)).message(0, 1, 0, &mut Forms::default()).score;
    let (few, many) = (score(4), score(20));
    assert!(few > many, "{few} {many}");
}

#[test]
fn a_phrase_beside_many_links_is_no_certain_copy() {
    let phrases = [
        "Warm congratulations to the elected members, and best wishes for a successful term!",
        "热烈祝贺当选的各位代表，祝大家任期顺利，为家乡多做实事！",
        "Сердечно поздравляем избранных депутатов и желаем им плодотворной работы!",
    ];
    for phrase in phrases {
        let rows = |rows: usize| (0..rows).map(|at| format!("{phrase} https://t.co/k{at}Zq7Lm{at}")).collect();
        let found = |texts| Table::of(texts).message(0, 1, 0, &mut Forms::default());
        assert_eq!(found(rows(4)).score, 1.0, "a few links made anew");
        let many = found(rows(12));
        assert!(many.verdict.keeps_one() && many.score <= 0.9, "{many:?}");
        assert!(many.reasons.iter().any(|reason| reason.contains("another link")), "{many:?}");
        let same = rows(12).into_iter().chain([format!("{phrase} https://t.co/k0Zq7Lm0!")]).collect();
        assert_eq!(Table::of(same).message(0, 12, 0, &mut Forms::default()).score, 1.0, "the same link");
    }
}

#[test]
fn a_preamble_is_no_certain_excerpt() {
    let preambles = [
        "The harbour office is a fair employer and welcomes every applicant, whatever their age or origin.",
        "所需的数据太大，无法直接发送，请在下面粘贴并说明你遇到的问题。",
    ];
    for preamble in preambles {
        let own = |n: usize| {
            let messages =
                [("ferry pilot", "渡船"), ("rope maker", "绳索"), ("crane driver", "吊车"), ("night watch", "夜班")];
            let (english, chinese) = messages[n % 4];
            format!(
                "Wanted: {english} for pier {n}, {} hours a week. 第{n}号码头的{chinese}出了问题，{}点起停用。",
                20 + n,
                n % 12
            )
        };
        let rows = |others: usize| {
            let all = (0..=others).map(|n| format!("{preamble} {}", own(n)));
            [preamble.to_owned()].into_iter().chain(all).collect()
        };
        let found = |others| Table::of(rows(others)).message(0, 1, 0, &mut Forms::default());
        let many = found(12);
        assert!(many.score <= 0.9, "{many:?}");
        assert!(many.reasons.iter().any(|reason| reason.contains("go on in other ways")), "{many:?}");
        assert!(!found(2).reasons.iter().any(|reason| reason.contains("go on in other ways")));
    }
}

#[test]
fn a_form_that_nobody_filled_in_is_what_its_title_says() {
    let form = "所需的数据太大，无法直接发送，请在下面粘贴。";
    let longer = format!("{form} 昨天更新以后，编辑器一打开项目就卡住，重装三次都没有用。");
    let rows = |forms: usize| (0..forms).map(|_| form.to_owned()).chain([longer.clone()]).collect();
    let found = |forms: usize, titles| Table::of(rows(forms)).titled([0, forms], titles, 0, &mut Forms::default());
    let apart = found(12, ["终端没有颜色", "编辑器打开就卡住"]);
    assert!(!apart.verdict.keeps_one() && apart.score <= 0.4, "{apart:?}");
    assert!(found(12, ["编辑器打开就卡住了", "编辑器打开就卡住"]).score > 0.4);
    assert!(found(2, ["终端没有颜色", "编辑器打开就卡住"]).score > 0.4, "few rows may be copies of a teaser");
}

#[test]
fn time_speaks_against_a_copy() {
    let (form, messages) = forms()[1];
    let text = format!("{} {} {form}", messages[0], messages[1]);
    let mut table = Table::of(vec![text.clone(), text.replace("Thursday", "Friday").replace("timber", "stone")]);
    let scores: Vec<f64> = [0, 1, 30, 365].map(|days| table.message(0, 1, days, &mut Forms::default()).score).to_vec();
    assert!(scores.windows(2).all(|pair| pair[0] > pair[1]), "{scores:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn is_symmetric_and_does_not_depend_on_what_was_asked_before(
        texts in prop::collection::vec(prop::collection::vec("[一-四]{3,9}。|form of words here\n|[a-d]{2,5} |第[一二三]届|[0-9]{1,2}", 2..12), 3..8),
        days in 0_u64..400,
    ) {
        let mut table = Table::of(texts.into_iter().map(|parts| parts.concat()).collect());
        let mut kept = Forms::default();
        for b in 1..table.texts.len() {
            let there = table.message(0, b, days, &mut kept);
            let back = table.message(b, 0, days, &mut Forms::default());
            prop_assert_eq!(there.verdict, back.verdict);
            prop_assert_eq!(there.score.to_bits(), back.score.to_bits());
        }
    }
}
