//! Verdicts on pairs written for the purpose; `facts.rs` has those on facts, and `properties.rs` what holds for every pair.
#![allow(clippy::unwrap_used, reason = "tests")]

mod facts;
mod properties;

use super::*;
use crate::read::units::{Break, Text};
use neardup_core::profile::{Profile, Training, token_hashes};
use neardup_text::Scratch;

fn verdict(a: &str, b: &str) -> Verdict {
    let message = same_message(a, b).unwrap();
    assert_eq!(message.score >= model::LEAST_SCORE, message.verdict.keeps_one(), "{a} {b}");
    message.verdict
}

const REPORT: &str = "市交通局昨天宣布，连接东西两岸的滨河大桥将从下月起免费通行。负责人在说明会上表示，大桥去年的通行费收入为三千万元，\
全部用于偿还贷款。今年春天贷款已经还清，按照当年的约定，收费站将在月底前拆除。沿线居民对这个消息表示欢迎，有人回忆说，大桥刚通车时每天只有几百辆车经过。";

#[test]
fn a_copy_may_be_edited() {
    for (a, b) in [
        ("本市昨日新增病例６６例", "本市昨日新增病例六十六例。"),
        ("语文老师用新系统点名", "老师用新系统点名"),
        ("怎么看待滨河大桥免费通行？", "如何看待滨河大桥免费通行？"),
        (REPORT, &REPORT.replace("居民", "市民").replace("表示欢迎", "非常欢迎")),
        (REPORT, &format!("新华社某市5月9日电（记者 李明）{REPORT}(完)【编辑：王芳】")),
        ("赞//@小明:滨河大桥下月起免费通行，大家去看看", "[心]//@小红:滨河大桥下月起免费通行，大家去看看"),
    ] {
        assert_eq!(verdict(a, b), Verdict::Copy, "{a} / {b}");
    }
}

#[test]
fn an_update_differs_in_its_facts() {
    for (a, b) in [
        ("本市昨日新增病例66例", "本市昨日新增病例94例"),
        ("如何评价《山海歌》第七集？", "如何评价《山海歌》第8集？"),
        ("临江新增3例本土病例", "上海新增3例本土病例"),
        ("主席下周将会见来访的代表团", "主席下周会见来访的代表团"),
        ("半场：红队1-0蓝队", "全场：红队1-0蓝队"),
        ("数字经济白皮书俄文版出版发行", "数字经济白皮书阿文版出版发行"),
    ] {
        assert_eq!(verdict(a, b), Verdict::Update, "{a} / {b}");
    }
}

#[test]
fn a_short_text_that_says_the_opposite_is_another_message() {
    for (a, b) in [
        (
            "Our team won the cup in Leeds on Saturday; the captain thanked the fans.",
            "Our team lost the cup in Leeds on Saturday; the captain thanked the fans.",
        ),
        (
            "The ministry confirmed the agreement with Norway on cod quotas this morning.",
            "The ministry denied the agreement with Norway on cod quotas this morning.",
        ),
        (
            "主队昨晚在主场战胜来访的红队，赛后双方教练都表示满意。",
            "主队昨晚在主场不敌来访的红队，赛后双方教练都表示满意。",
        ),
    ] {
        let message = same_message(a, b).unwrap();
        assert!(message.score <= model::MOST_OF_OTHERS, "{a} / {b}: {message:?}");
    }
}

#[test]
fn the_place_of_a_page_is_the_message_beside_a_few_words() {
    let comment = |number: &str| format!("Thanks! [Updated](https://example.org/pull/12#issuecomment-{number}).");
    assert_eq!(verdict(&comment("13873050"), &comment("13873050")), Verdict::Copy);
    assert!(!verdict(&comment("13873050"), &comment("14570952")).keeps_one());
    let shared = |tag: &str| format!("A new bridge for the river town https://example.org/bridge#xtor={tag}");
    assert_eq!(verdict(&shared("RSS-1234"), &shared("RSS-5678")), Verdict::Copy);
}

#[test]
fn an_excerpt_is_held_nearly_whole() {
    let longer = format!(
        "{REPORT}另据了解，市里还计划在大桥两侧修建自行车道和观景平台，设计方案已经公布，工程预计明年夏天完工，届时市民可以从公园直接走上大桥。{}",
        "专家认为此举有助于两岸的商业往来，也会带动沿河地区的发展。"
    );
    assert_eq!(verdict(REPORT, &longer), Verdict::Excerpt);
}

#[test]
fn an_announcement_is_not_the_report() {
    let planned = "应市长邀请，友好城市代表团将于6月3日至5日访问我市，参观滨河大桥，并出席龙舟节开幕式。";
    let report =
        format!("{}随行的还有三十名学生，他们将在滨河中学上课。", planned.replace("将于6月3日至5日", "3日抵达"));
    assert_eq!(verdict(planned, &report), Verdict::Update);
    assert!(verdict(planned, &format!("{planned}随行的还有三十名学生。")).keeps_one());
}

#[test]
fn an_excerpt_has_hardly_anything_of_its_own() {
    let longer = format!(
        "{REPORT}大桥建成于二十年前，全长两千四百米，是当时省里最长的公路桥。市里计划在大桥两侧修建自行车道和观景平台，设计方案已经公布，\
         工程预计明年夏天完工，届时市民可以从公园直接走上大桥，沿河的三个村子也会通上公交车。"
    );
    assert_eq!(verdict(REPORT, &longer), Verdict::Excerpt);
    let reaction = REPORT.replace("负责人", "消息在网上引起热烈讨论，不少司机说早该如此，也有人担心堵车。负责人");
    assert_eq!(verdict(&reaction, &longer), Verdict::Rewrite);
}

#[test]
fn a_full_stop_ends_a_sentence() {
    let ends = |text: &str| -> usize {
        let units = Text::read(text).unwrap().units;
        units.iter().skip(1).filter(|unit| unit.before == Break::Stop).count()
    };
    for (text, expected) in [
        ("The bridge is open. Cars may cross it. \"At last,\" he said.", 2),
        ("Мост открыт. Машины едут.", 1),
        ("He paid 2.5 million to example.com on 3. Mai.", 0),
        ("Dr. Mabuse met J. R. Smith of Acme Inc. in St. Ives.", 0),
        ("open . and shut", 0),
        ("पुल खुल गया। गाड़ियाँ चल रही हैं।", 1),
    ] {
        assert_eq!(ends(text), expected, "{text}");
    }
}

#[test]
fn a_template_about_another_work_is_another_message() {
    let a = "本台今晚播出评论《大桥不收费之后》，敬请收看。";
    assert_eq!(verdict(a, "本台今晚播出评论《再谈大桥不收费之后》，敬请收看。"), Verdict::Update);
    assert_eq!(verdict(a, "本台今晚播出评论：《大桥不收费之后》，敬请收看！"), Verdict::Copy);
}

#[test]
fn two_messages_are_different() {
    assert_eq!(verdict("市长昨天出席了大桥的通车仪式", "今天下午将有大雨"), Verdict::Different);
    let body = "本栏目正在征集故事，欢迎点击下方链接参加讨论，每天完成任务还可以得到奖励，快来一起写下你的经历吧。";
    assert_eq!(
        verdict(&format!("第一份工作教会了你什么？\n{body}"), &format!("家里的老照片怎么保存？\n{body}")),
        Verdict::Different
    );
    assert_eq!(verdict("", ""), Verdict::Copy);
    assert_eq!(verdict("", "今天下午将有大雨"), Verdict::Different);
    assert_eq!(verdict("。。。", "！"), Verdict::Different);
    assert_eq!(verdict("。。。", "。。。"), Verdict::Copy);
}

#[test]
fn titles_count() {
    let same = same_message_titled("大桥免费", REPORT, "大桥免费", REPORT).unwrap();
    assert_eq!((same.verdict, same.score), (Verdict::Copy, 1.0));
    let other = same_message_titled("第3期：大桥免费", REPORT, "第4期：大桥免费", REPORT).unwrap();
    assert!(other.score < 1.0);
    assert_eq!(other.reasons[0], "title: ordinal: 第3期 / 第4期");
    let short = same_message_titled("第3期", "大桥今天通车", "第4期", "大桥今天通车").unwrap();
    assert_eq!(short.verdict, Verdict::Update);
    assert_eq!(same_message_titled("", REPORT, "大桥免费", REPORT).unwrap().score, 1.0);
}

#[test]
fn one_text_under_titles_with_other_facts_is_no_copy() {
    let text = Prepared::new(REPORT).unwrap();
    let kept = |a, b| Pair::new(&text, &text).titled(a, b).duplicate().unwrap();
    assert_eq!(kept("第3期", "第4期"), None);
    assert_eq!(kept(" 第3期", "第3期 "), Some((Verdict::Copy, 1.0)));
    assert_eq!(kept("第3期", " "), Some((Verdict::Copy, 1.0)));
    assert!(kept("大桥免费", "大桥今日起免费通行").is_some_and(|(verdict, _)| verdict == Verdict::Copy));
}

#[test]
fn a_long_text_is_one_message_under_a_headline_that_is_worded_anew() {
    let body = "清河镇昨日起试行渡船错峰开行，早晚各加一班，学生凭证免票，票价不变，船上禁止吸烟，遇大风停航时由公交接驳，详情见渡口公告。".repeat(4);
    let score = |a, b, body: &str| same_message_titled(a, body, b, body).unwrap().score;
    assert_eq!(score("清河镇渡船错峰开行", "早晚各加一班！学生坐船免票了", &body), 1.0);
    assert_eq!(score("01版 - 清河镇渡船错峰开行", "04版 - 清河镇渡船错峰开行", &body), 1.0);
    assert!(score("清河镇渡船加开3班", "清河镇渡船加开5班", &body) < 1.0, "other figures");
    for (one, other) in
        [("每班渡船或收费几毛钱", "每班渡船收费或只需几毛钱"), ("摆渡人定档11.17 何处靠岸", "摆渡人定档1117 何处靠岸")]
    {
        let found = score(one, other, &body);
        assert!((0.5..1.0).contains(&found), "what looks like a name or a figure in a headline: {one}, {found}");
    }
    assert!(score("清河镇渡船错峰开行", "早晚各加一班！学生坐船免票了", &body[..150]) < 1.0, "a short text");
}

#[test]
fn a_short_text_is_what_its_title_says() {
    let found = |text: &str, a: &str, b: &str| {
        let text = Prepared::new(text).unwrap();
        Pair::new(&text, &text).titled(a, b).message().unwrap()
    };
    let (teaser, long) = ("Read what the readers of this page say about it.", REPORT.repeat(2));
    for (a, b) in [
        ("Which ferry is the slowest?", "The ten best bakeries by the river"),
        ("哪条渡船最慢", "河边十家面包店"),
        ("Line 12: no service", "Line 57A: no service"),
    ] {
        let apart = found(teaser, a, b);
        assert!(!apart.verdict.keeps_one() && apart.score <= 0.4, "{a} {b}: {apart:?}");
        let says = |reason: &String| reason.starts_with("title: ") || reason.starts_with("one short text");
        assert!(apart.reasons.iter().any(says), "{apart:?}");
    }
    assert!(found(teaser, "The ten best bakeries", "The ten best bakeries by the river").score > 0.4);
    assert!(found(&long, "Bridge opens at noon", "A new way over the river").verdict.keeps_one());
}

#[test]
fn a_revised_edition_and_a_report_of_what_was_announced_are_updates() {
    for (a, b) in [
        (
            "由市政府印发的修订后的《滨河市问责条例》单行本，已由某某出版社出版，即日起在全市发行。",
            "由市政府印发的《滨河市问责条例》单行本，已由某某出版社出版，即日起在全市发行。",
        ),
        (
            "应青山共和国总统邀请，市长李明将于5月19日至27日对上述四国进行正式访问。",
            "应青山共和国总统邀请，市长李明乘专机离开本市，对上述四国进行正式访问。",
        ),
    ] {
        assert_eq!(verdict(a, b), Verdict::Update, "{a} / {b}");
    }
}

#[test]
fn what_only_one_text_says_is_shown() {
    let more = "收费站的二十名员工将转到公交公司工作，名单下周公布。";
    let lines =
        explain::explain(REPORT, &format!("{REPORT}{more}"), &"chars:2".parse().unwrap(), &mut Scratch::default());
    let lines = lines.unwrap();
    let own: Vec<_> = lines.iter().filter(|line| line.section == "sentence").collect();
    assert_eq!(own.len(), 1);
    assert_eq!((own[0].item.as_str(), own[0].in_a.as_deref()), ("only in b", None));
    assert!(own[0].in_b.as_deref().is_some_and(|sentence| sentence.starts_with("收费站的二十名")));
}

#[test]
fn a_slogan_is_no_message() {
    let slogan = same_message("滨河加油！", "#最新地图# 转发给家人，很准 #滨河加油#").unwrap();
    assert_eq!(slogan.verdict, Verdict::Different);
    assert_eq!(slogan.reasons[0], "the shorter text is too short to be a message");
    assert_eq!(verdict("滨河大桥", "滨河大桥！"), Verdict::Copy);
}

#[test]
fn boilerplate_of_both_makes_no_copy() {
    let note = "本网所有文章未经书面授权不得转载，违者将依法追究责任。如需转载请联系编辑部，并注明出处及作者姓名；网友留言只代表个人意见，与本网立场无关。";
    let untrained = Profile::new("chars:6", [], None).unwrap();
    let mut training = Training::new(10_000).unwrap();
    for i in 0..60 {
        let tokens = token_hashes(&format!("第{i}座桥通车。{note}"), untrained.analyzer(), &mut Scratch::default());
        training.add(&tokens.unwrap());
    }
    let profile = Profile::new("chars:6", [], Some(&training.finish())).unwrap();
    let by_profile =
        |a: &str, b: &str| same_message_by_profile(["", a, "", b], &profile, &mut Scratch::default()).unwrap();
    let (a, b) = (format!("大桥免费了！{note}"), format!("下午有雨。{note}"));
    assert_eq!(verdict(&a, &b), Verdict::Update);
    let apart = by_profile(&a, &b);
    assert_eq!(apart.verdict, Verdict::Different);
    assert!(apart.reasons.contains(&"boilerplate of both left out".to_owned()));
    // What one text alone has counts, and so does all of it where nothing else is left.
    assert!(by_profile(&a, &a.replace("免费了", "今天免费了")).verdict.keeps_one());
    assert_eq!(by_profile(note, &b), same_message(note, &b).unwrap());
    let duplicate = |a: &str, b: &str| {
        let prepared = Prepared::new(a).unwrap();
        let (b, mut scratch) = (Prepared::new(b).unwrap(), Scratch::default());
        let found = Pair::new(&prepared, &b).by_profile(&profile, &mut scratch).duplicate().unwrap();
        found.map(|(verdict, _)| verdict)
    };
    assert_eq!(duplicate(&a, &b), None);
    assert!(duplicate(&a, &a.replace("免费了", "今天免费了")).is_some());
}

#[test]
fn beginnings_alone_are_never_sure() {
    let line =
        |at: usize| format!("Entry {at} of the long log says that pump {} ran for {} minutes. ", at % 7, at % 50);
    let long: String = (0..6_000).map(line).collect();
    let message = same_message(&format!("{long}All is well."), &format!("{long}The dam has burst.")).unwrap();
    assert!(message.score <= 0.9, "{message:?}");
    assert_eq!(same_message(&long, &long).unwrap().score, 1.0);
}

#[test]
fn a_headline_in_brackets_is_the_title() {
    let body = "江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。";
    let title = "江口镇举办第十届龙舟赛";
    let headed = format!("【{title}】某社6月17日电，{body}");
    for (in_a, in_b) in [("", title), (title, title), (title, "")] {
        let found = same_message_titled(in_a, &headed, in_b, body).unwrap();
        assert_eq!((found.verdict, found.score), (Verdict::Copy, 1.0), "{found:?}");
    }
}

#[test]
fn a_short_report_of_another_day_is_another_message() {
    let report = |day: &str| format!("某社{day}电，江口天文台发布红色暴雨警告。");
    let found = same_message(&report("6月8日"), &report("6月18日")).unwrap();
    assert_eq!(found.verdict, Verdict::Update, "{found:?}");
    assert!(found.reasons.iter().any(|reason| reason.ends_with("6月8日 / 6月18日")), "{found:?}");
    assert_eq!(same_message(&report("6月8日"), &report("6月9日")).unwrap().score, 1.0);
    assert_eq!(same_message(&report("6月8日"), &report("8日")).unwrap().score, 1.0);
    let long =
        |day: &str| format!("{}{}", report(day), "今夜大雨，渡口停航，学校停课，居民不要外出，等候通知。".repeat(4));
    assert_eq!(same_message(&long("6月8日"), &long("6月18日")).unwrap().score, 1.0, "sent again");
}

#[test]
fn a_denial_in_brackets_is_no_emoticon() {
    let text = "江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。";
    assert_eq!(same_message(text, &format!("{text}[鼓掌]")).unwrap().score, 1.0);
    assert!(same_message(text, &format!("{text}[谣言]")).unwrap().score < 0.95);
}
