//! Facts of two texts: which contradict each other, and which do not.

use super::*;

pub(super) fn kinds(a: &str, b: &str) -> Vec<(&'static str, String, String)> {
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
fn a_million_is_not_a_billion() {
    for (a, b) in [
        ("Riverside port handled 1.2 million tons last year", "Riverside port handled 1.2 billion tons last year"),
        ("滨河港去年吞吐量1.2万吨", "滨河港去年吞吐量1.2亿吨"),
    ] {
        assert!(!conflicts(a, b).unwrap().is_empty(), "{a}");
    }
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
