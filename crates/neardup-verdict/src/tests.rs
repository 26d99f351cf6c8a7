//! Verdicts on pairs written for the purpose, and what holds for every pair.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::borrow::Cow;

use proptest::prelude::*;

use super::*;
use crate::read::reading;
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

fn kinds(a: &str, b: &str) -> Vec<(&'static str, String, String)> {
    conflicts(a, b).unwrap().into_iter().map(|c| (c.kind.name(), c.in_a, c.in_b)).collect()
}

#[test]
fn conflicts_say_what_differs() {
    for (a, b, kind, in_a, in_b) in [
        ("新增66例", "新增94例", "number", "66例", "94例"),
        ("涨幅为3.5%", "涨幅为4.5%", "percentage", "3.5%", "4.5%"),
        ("涨幅为20 %", "涨幅为２１％", "percentage", "20 %", "２１％"),
        ("今晨气温-5℃", "今晨气温5℃", "number", "-5", "5"),
        ("会议5月22日召开", "会议五月二十三日召开", "date", "5月22日", "五月二十三日"),
        ("会议上9点30分开始", "会议上10点开始", "time", "9点30分", "10点"),
        ("小说第七集", "小说第8集", "ordinal", "第七集", "第8集"),
        (
            "从第4部起照常演出，停演的第2部、第3部另行通知",
            "从第3部起照常演出，停演的第2部另行通知",
            "ordinal",
            "第4部",
            "第3部",
        ),
        ("红队2:0蓝队", "红队2:1蓝队", "score", "2:0", "2:1"),
        ("电话13800000001", "电话13800000002", "phone", "13800000001", "13800000002"),
        ("电话010-1234567", "电话010-7654321", "phone", "010-1234567", "010-7654321"),
        ("热线400-800-1234", "热线400-800-4321", "phone", "400-800-1234", "400-800-4321"),
        ("请看《红河》这本书", "请看《青山》这本书", "quoted", "红河", "青山"),
        ("新款AbcPhone价格", "新款XyzPad价格", "latin", "AbcPhone", "XyzPad"),
        ("人口最多的是北京没错", "人口最多的是上海没错", "place", "北京", "上海"),
        ("联系人张建国先生", "联系人李明华先生", "person", "张建国", "李明华"),
        ("主队追平对手", "主队超越对手", "status", "追平", "超越"),
        ("白皮书将发布", "白皮书发布", "status", "将", ""),
        // The day may be the month in one of them, in neither way the same.
        ("Palestra na ponte 05/06/2031", "Palestra na ponte 29/05/2031", "date", "05/06/2031", "29/05/2031"),
        ("COMO USAR A BARCA NA CHEIA", "COMO NÃO USAR A BARCA NA CHEIA", "status", "", "NÃO"),
        ("TỐI NAY BẾN KHÔNG CÓ ĐÒ CHƯA TỪNG THẤY", "TỐI NAY BẾN CÓ ĐÒ CHƯA TỪNG THẤY", "status", "KHÔNG", ""),
        (
            "Millbrook x Fairwater: where to watch",
            "Ashford x Fairwater: where to watch",
            "latin",
            "Millbrook",
            "Ashford",
        ),
    ] {
        let found = kinds(a, b);
        assert!(found.contains(&(kind, in_a.to_owned(), in_b.to_owned())), "{a} {b}: {found:?}");
        let swapped = kinds(b, a);
        assert!(swapped.contains(&(kind, in_b.to_owned(), in_a.to_owned())), "{b} {a}: {swapped:?}");
    }
}

#[test]
fn what_does_not_count_is_no_conflict() {
    for (a, b) in [
        ("第九集", "第9集"),
        ("红队由三期演出，蓝队由四期演出", "红队由四期演出，蓝队由三期演出"),
        ("it counted sixty-six boats", "it counted 66 boats"),
        ("投资1.2万元", "投资12000元"),
        ("12,000人参加", "一万二千人参加"),
        ("新华社北京5月9日电 大桥通车", "新华社上海5月10日电 大桥通车"),
        ("大桥通车@小明", "大桥通车@小红"),
        ("大桥今日通车 http://a.example/1", "大桥今日通车 http://b.example/2"),
        ("赞123//@小明:大桥今天正式通车", "好45//@小明:大桥今天正式通车"),
        ("会议于2023年5月22日召开", "会议于5月22日召开"),
        ("大桥长2公里", "大桥"),
        ("大桥今天通车（编辑：李明3）", "大桥今天通车（编辑：王芳5）"),
        ("Many of the passengers were children", "Most of the passengers were children"),
        ("The poet (1933–2015) wrote of boats", "The poet (1933 -2015) wrote of boats"),
        ("A barca custa R$ 1.500 por mês", "A barca custa R$ 1,5 mil por mês"),
    ] {
        assert_eq!(kinds(a, b), [], "{a} / {b}");
    }
}

#[test]
fn links_and_handles_beside_few_words_and_a_handle_in_a_sentence_are_the_message() {
    let copies = |a: &str, b: &str| {
        let (a, b) = (Prepared::new(a).unwrap(), Prepared::new(b).unwrap());
        Pair::new(&a, &b).duplicate().unwrap().is_some()
    };
    for (a, b) in [
        ("Watch live: https://t.co/a1B2c3", "Watch live: https://t.co/d4E5f6"),
        ("看直播 http://t.cn/a1B2c3", "看直播 http://t.cn/d4E5f6"),
        ("via @riverpost https://t.co/a1B2c3", "via @riverpost https://t.co/d4E5f6"),
        ("https://river.example/bridge-opens", "https://river.example/ferry-stops"),
        ("Thank you, @mary_hill, for your support!", "Thank you, @peter_ford, for your support!"),
        ("Joining @morning_radio in a minute", "Joining @evening_radio in a minute"),
        ("谢谢 @河边小明 的支持", "谢谢 @山上小红 的支持"),
        ("谢谢 ＠河边小明 的支持", "谢谢 ＠山上小红 的支持"),
        ("cc @mary_hill @ann_lee", "cc @mary_hill @peter_ford"),
        ("@mary_hill", "@peter_ford"),
        ("//@mary_hill: 😀", "//@mary_hill: 😡"),
        ("好 @河边小明", "好 ＠山上小红"),
    ] {
        assert!(!copies(a, b), "{a} / {b}");
    }
    for (a, b) in [
        ("Watch live: https://river.example/live?utm_source=x", "WATCH LIVE: https://river.example/live"),
        (
            "New bridge across the river opens https://t.co/a1B2c3",
            "New bridge across the river opens https://t.co/d4E5f6",
        ),
        ("跨江大桥今天正式通车 http://t.cn/a1B2c3", "跨江大桥今天正式通车 http://t.cn/d4E5f6"),
        ("@mary_hill the new bridge opens to all on Monday", "@peter_ford the new bridge opens to all on Monday"),
        ("The new bridge opens to all on Monday via @riverpost", "The new bridge opens to all on Monday via @hillpost"),
        ("好//@河边小明:大桥今天正式通车", "好//@山上小红:大桥今天正式通车"),
        ("大桥今天正式通车，感谢大家的支持@河边小明", "大桥今天正式通车，感谢大家的支持@山上小红"),
        ("谢谢 ＠河边小明 的支持", "谢谢 @河边小明 的支持"),
        ("cc @mary_hill, @ann_lee", "CC @Mary_Hill @ann_lee!"),
    ] {
        assert!(copies(a, b), "{a} / {b}");
    }
}

#[test]
fn english_facts() {
    for (a, b, kind, in_a, in_b) in [
        ("the port moved 1.2 million tons", "the port moved 1.3 million tons", "number", "1.2 million", "1.3 million"),
        ("it lost 1,200,000 a year", "it lost 1,250,000 a year", "number", "1,200,000", "1,250,000"),
        ("two ships sank off the coast", "three ships sank off the coast", "number", "two", "three"),
        ("prices rose 3 percent", "prices rose 4 percent", "percentage", "3", "4"),
        ("it opens on March 5, 2031", "it opens on 6 March 2031", "date", "March 5, 2031", "6 March 2031"),
        ("it opened in June", "it opened in July", "date", "June", "July"),
        ("the third bridge", "the fourth bridge", "ordinal", "third", "fourth"),
        ("results for the 3rd quarter", "results for the 4th quarter", "ordinal", "3rd", "4th"),
        ("a report from Riverside today", "a report from Lakeside today", "latin", "Riverside", "Lakeside"),
        ("the council approved the plan", "the council rejected the plan", "status", "approved", "rejected"),
        ("shares rose on Monday", "shares fell on Monday", "status", "rose", "fell"),
        ("the bridge will close", "the bridge will not close", "status", "", "not"),
        ("the bank has cut its rate", "the bank will cut its rate", "status", "", "will"),
        ("it isn't open", "it is open", "status", "isn't", ""),
    ] {
        let found = kinds(a, b);
        assert!(found.contains(&(kind, in_a.to_owned(), in_b.to_owned())), "{a} / {b}: {found:?}");
    }
    for (a, b) in [
        ("it lost 1.2 million a year", "it lost 1,200,000 a year"),
        ("two ships sank", "2 ships sank"),
        ("the 3rd quarter", "the third quarter"),
        ("opens on 5 March 2031", "opens on March 5th, 2031"),
        ("opens on March 5, 2031", "opens on March 5"),
        ("prices gained", "prices rose"),
        ("the plan was quietly dropped by the city", "the plan was silently dropped by the city"),
        ("Acme Corp said", "Acme Corporation said"),
    ] {
        assert_eq!(kinds(a, b), [], "{a} / {b}");
    }
    assert_eq!(
        verdict(
            "The harbour of Riverside moved 1.2 million tons in the first quarter, the office said on Monday.",
            "The harbour of Riverside moved 1,200,000 tons in the 1st quarter, the office said on Monday."
        ),
        Verdict::Copy
    );
}

#[test]
fn a_quotation_stands_against_a_plain_word() {
    assert_eq!(kinds("怎么看新角色「空山」？", "怎么看新角色砚？"), [("quoted", "空山".to_owned(), "砚".to_owned())]);
    assert_eq!(kinds("怎么看新角色「空山」？", "怎么看新角色空山？"), []);
}

#[test]
fn a_rounded_figure_agrees() {
    assert_eq!(kinds("队员场均得到1.7次抢断", "队员场均得到1.71次抢断"), []);
    assert_eq!(kinds("队员场均得到2.6次盖帽", "队员场均得到2.56次盖帽"), []);
    assert_eq!(kinds("队员场均得到2.6次盖帽", "队员场均得到2.46次盖帽").len(), 1);
    assert_eq!(kinds("队员全场得到2次盖帽", "队员全场得到2.4次盖帽").len(), 1);
    assert_eq!(kinds("the port handled 1.2 million tons", "the port handled 1.2 billion tons").len(), 1);
    assert_eq!(kinds("the port handled 1.2 million tons", "the port handled 1.23 billion tons").len(), 1);
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

/// Texts of the parts that verdicts look at.
fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "[\u{4e00}-\u{4e20}]{1,8}",
        "[0-9]{1,4}",
        Just("第".to_owned()),
        Just("一百二十".to_owned()),
        Just("5月22日".to_owned()),
        Just("3:2".to_owned()),
        Just("《红河》".to_owned()),
        Just("“".to_owned()),
        Just("将".to_owned()),
        Just("北京".to_owned()),
        Just("张建国".to_owned()),
        Just("Abc".to_owned()),
        Just("，".to_owned()),
        Just("。".to_owned()),
        Just("\n".to_owned()),
        Just("//@小明:".to_owned()),
        Just("（编辑：李明）".to_owned()),
        Just("某社北京5月9日电".to_owned()),
        Just("&nbsp;".to_owned()),
        Just("%".to_owned()),
        ".{0,3}",
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
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

proptest! {
    #[test]
    fn is_symmetric(a in text(), b in text()) {
        let (there, back) = (same_message(&a, &b).unwrap(), same_message(&b, &a).unwrap());
        prop_assert_eq!(there.verdict, back.verdict);
        prop_assert_eq!(there.score.to_bits(), back.score.to_bits());
        prop_assert!((0.0..=1.0).contains(&there.score));
        prop_assert_eq!(there.score >= model::LEAST_SCORE, there.verdict.keeps_one());
        prop_assert!(!there.reasons.is_empty());
        let mut turned: Vec<_> = kinds(&b, &a).into_iter().map(|(kind, b, a)| (kind, a, b)).collect();
        let mut found = kinds(&a, &b);
        found.sort();
        turned.sort();
        prop_assert_eq!(found, turned);
    }

    #[test]
    fn what_is_kept_has_that_verdict(head in text(), a in text(), b in text(), tail in text()) {
        let (a, b) = (format!("{head}{a}{tail}"), format!("{head}{b}{tail}"));
        let Message { verdict, score, .. } = same_message(&a, &b).unwrap();
        prop_assert_eq!(kept_on(&a, &b).unwrap(), verdict.keeps_one().then_some((verdict, score)));
    }

    #[test]
    fn what_was_read_before_is_read_as_alone(head in text(), a in text(), b in text(), tail in text()) {
        let (a, b) = (format!("{head}。{a}{tail}"), format!("{head}。{b}{tail}"));
        let read = |text, known: Option<&Text<'_>>| Text::without(reading::plain(text).unwrap(), &[], known);
        let (alone, beside) = (read(&b, None), read(&b, Some(&read(&a, None))));
        prop_assert_eq!(&alone.units, &beside.units);
        prop_assert_eq!(&alone.quotes, &beside.quotes);
        let numbers = |text: &Text<'_>| text.units.iter().map(|unit| text.number(unit)).collect::<Vec<_>>();
        prop_assert_eq!(numbers(&alone), numbers(&beside));
    }

    #[test]
    fn texts_with_links_and_handles_are_read_as_alone(
        [head, a, b, tail] in prop::array::uniform4(prop::collection::vec(prop::sample::select(
            vec!["http://t.cn/p", "?id=27", "? ", "! ", "；", "@a", "＠乙", " ", "，", "www.river.example/p", "新", "word ", "3", "//@x:", "a@b.cc"]
        ), 0..24)),
    ) {
        let [a, b] = [a, b].map(|own| [&head, &own, &tail].map(|pieces| pieces.concat()).concat());
        let read = |text, known: Option<&Text<'_>>| Text::without(Cow::Owned(text), &[], known);
        let (alone, beside) = (read(b.clone(), None), read(b, Some(&read(a, None))));
        prop_assert_eq!(&alone.units, &beside.units);
    }

    #[test]
    fn a_text_is_a_copy_of_itself(a in text()) {
        let message = same_message(&a, &a).unwrap();
        prop_assert_eq!((message.verdict, message.score), (Verdict::Copy, 1.0));
        prop_assert_eq!(kinds(&a, &a), []);
    }

    #[test]
    fn conflicts_are_quoted_as_written(a in text(), b in text()) {
        // Markup is taken out first, so what is quoted is looked for without it.
        let plain = |text: &str| text.replace("&nbsp;", "").replace(['&', '<', '\0'], "");
        let (a, b) = (plain(&a), plain(&b));
        for (_, in_a, in_b) in kinds(&a, &b) {
            prop_assert!(a.contains(&in_a) && b.contains(&in_b));
        }
    }

    #[test]
    fn another_number_is_no_copy(number in 2_u32..100_000, other in 2_u32..100_000) {
        prop_assume!(number != other);
        let report = |number: u32| format!("本市昨日新增病例{number}例，均为外地输入");
        prop_assert!(!verdict(&report(number), &report(other)).keeps_one());
    }
}

#[test]
fn a_million_is_not_a_billion() {
    for (a, b) in [
        ("Riverside port handled 1.2 million tons last year", "Riverside port handled 1.2 billion tons last year"),
        ("滨河港去年吞吐量1.2万吨", "滨河港去年吞吐量1.2亿吨"),
    ] {
        assert!(!conflicts(a, b).unwrap().is_empty(), "{a}");
    }
}

/// Passages of several scripts, with facts that are read in several ways.
const PASSAGES: [&str; 14] = [
    "定例会は6月16日(日)に市役所で開きます。",
    "次の水曜日に会場へお集まりください。",
    "定例会 日曜 九時 市役所",
    "市议会决定，新桥将于五月二十日通车，票价三元。",
    "市议会决定，新桥将于五月二十三日通车，票价五元。",
    "《山海歌》第七集昨晚播出，李明饰演船长。",
    "The council of Arlington meets on Monday, 12 May, at 9:30.",
    "The council of Tampa meets on Tuesday, 13 May, at 9:30.",
    "Müller trägt die Grüße über Köln, 5 % mehr als 2019.",
    "Совет соберётся 12 мая в 9:30 в Самаре.",
    "ประชุมวันจันทร์ที่ 12 พฤษภาคม เวลา 9.30 น.",
    "> 次回は日曜です\n了解しました。",
    "https://example.org/a/1 ",
    "こんにちは。",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// What a guard keeps from row to row.
    #[test]
    fn a_kept_text_is_judged_as_one_that_is_read_anew(
        texts in prop::collection::vec(prop::collection::vec(0..PASSAGES.len(), 1..8), 3..7),
    ) {
        let texts: Vec<String> = texts.iter().map(|parts| parts.iter().map(|at| PASSAGES[*at]).collect()).collect();
        let (kept, others) = texts.split_first().unwrap();
        let known = Prepared::new(kept).unwrap().as_candidate();
        for other in others {
            let own = Prepared::new(other).unwrap();
            let anew = Prepared::new(kept).unwrap().as_candidate();
            let fresh = Prepared::new(other).unwrap();
            prop_assert_eq!(Pair::new(&own, &known).duplicate().unwrap(), Pair::new(&fresh, &anew).duplicate().unwrap());
            let (found, expected) = (Pair::new(&own, &known).message().unwrap(), Pair::new(&fresh, &anew).message().unwrap());
            prop_assert_eq!((found.verdict, found.score, found.reasons), (expected.verdict, expected.score, expected.reasons), "{:?} {:?}", kept, other);
        }
    }
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
fn a_telephone_number_is_one_however_it_is_grouped() {
    let text = |phone: &str| format!("江口镇渡口招聘船工三名，要求会游泳，有意者请拨打联系电话：{phone}，非诚勿扰。");
    for phone in ["138-0013-8000", "138 0013 8000"] {
        let found = same_message(&text("13800138000"), &text(phone)).unwrap();
        assert_eq!(found.verdict, Verdict::Copy, "{phone} {found:?}");
        assert!(
            conflicts(&text("13800138000"), &text("138-0013-8001"))
                .unwrap()
                .iter()
                .any(|of| of.kind == ConflictKind::Phone)
        );
    }
}

#[test]
fn words_that_are_joined_contradict_nothing() {
    let (a, b) = ("他们发布了River Intelligence系统", "他们发布了RiverIntelligence系统");
    assert_eq!(conflicts(a, b).unwrap(), []);
    assert_eq!(verdict(a, b), Verdict::Copy);
}

#[test]
fn a_denial_in_brackets_is_no_emoticon() {
    let text = "江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。";
    assert_eq!(same_message(text, &format!("{text}[鼓掌]")).unwrap().score, 1.0);
    assert!(same_message(text, &format!("{text}[谣言]")).unwrap().score < 0.95);
}
