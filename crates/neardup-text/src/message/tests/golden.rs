//! Texts as programs write them, and what of them is the writer's own.

use super::super::{Kind, Layout, Message};
use super::{of_kind, own};

/// Lines that say whose words follow, as programs write them, before marked lines.
const ATTRIBUTIONS: [&str; 44] = [
    "On Mon, May 3, 2021 at 10:33 AM Ann Hill <ann@example.org> wrote:",
    "On Mon, May 3, 2021 at 10:33 AM Ann Hill <\nann@example.org> wrote:",
    "On 3 May 2021, at 10:33, Ann Hill <ann@example.org> wrote:",
    "On Mon, 03 May 2021 10:33:17 +0100\nAnn Hill <ann@example.org> wrote:",
    "Ann Hill writes:",
    "In article <1993May3.1033@example.org> ann@example.org (Ann Hill) writes:",
    "In article <1993May3.1033@example.org>, ann@example.org (Ann Hill)\nwrites:",
    "-=> Quoting Ann Hill to All <=-",
    "Am 03.05.21 um 10:33 schrieb Anna Berg:",
    "Am Mo., 3. Mai 2021 um 10:33 Uhr schrieb Anna Berg <anna@example.org>:",
    "Am 03.05.2021 um 10:33 schrieb Anna Berg <anna@example.org>:",
    "Le lun. 3 mai 2021 à 10:33, Anne Mont <anne@example.org> a écrit :",
    "Le 03/05/2021 à 10:33, Anne Mont a écrit :",
    "El lun, 3 may 2021 a las 10:33, Ana Ríos (<ana@example.org>) escribió:",
    "Il giorno lun 3 mag 2021 alle ore 10:33 Anna Monti <anna@example.org> ha scritto:",
    "Em seg., 3 de mai. de 2021 às 10:33, Ana Rios <ana@example.org> escreveu:",
    "Op ma 3 mei 2021 om 10:33 schreef Anna Berg <anna@example.org>:",
    "Den mån 3 maj 2021 kl 10:33 skrev Anna Berg <anna@example.org>:",
    "Den man. 3. maj 2021 kl. 10.33 skrev Anna Berg <anna@example.org>:",
    "man. 3. mai 2021 kl. 10:33 skrev Anna Berg <anna@example.org>:",
    "ma 3. toukok. 2021 klo 10.33 Anna Mäki (anna@example.org) kirjoitti:",
    "pon., 3 maj 2021 o 10:33 Anna Góra <anna@example.org> napisał(a):",
    "W dniu 03.05.2021 o 10:33, Anna Góra pisze:",
    "Dnia 3 maja 2021 10:33 Anna Góra <anna@example.org> napisał(a):",
    "po 3. 5. 2021 v 10:33 odesílatel Anna Horská <anna@example.org> napsal:",
    "Anna Hegyi <anna@example.org> ezt írta (időpont: 2021. máj. 3., H, 10:33):",
    "În lun., 3 mai 2021 la 10:33, Ana Munte <ana@example.org> a scris:",
    "пн, 3 мая 2021 г. в 10:33, Анна Горная <anna@example.org>:",
    "03.05.2021 10:33, Анна Горная пишет:",
    "3 мая 2021 г., в 10:33, Анна Горная <anna@example.org> написал(а):",
    "пн, 3 трав. 2021 р. о 10:33 Ганна Гірська <hanna@example.org> пише:",
    "Στις Δευ, 3 Μαΐ 2021 στις 10:33 π.μ., ο χρήστης Άννα <anna@example.org> έγραψε:",
    "Anna Dağ <anna@example.org>, 3 May 2021 Pzt, 10:33 tarihinde şunu yazdı:",
    "Vào Th 2, 3 thg 5, 2021 vào lúc 10:33 An Núi <an@example.org> đã viết:",
    "Pada tanggal Sen, 3 Mei 2021 pukul 10.33 Ana Gunung <ana@example.org> menulis:",
    "ในวันที่ จ. 3 พ.ค. 2021 เวลา 10:33 แอน <ann@example.org> เขียนว่า:",
    "في الاثنين، 3 مايو 2021 في 10:33 ص تمت كتابة ما يلي بواسطة <ann@example.org>:",
    "\u{202b}בתאריך יום ב׳, 3 במאי 2021 ב-10:33 מאת \u{202a}Anna\u{202c}\u{200f} <\u{202a}ann@example.org\u{202c}\u{200f}>:\u{202c}",
    "2021년 5월 3일 (월) 오전 10:33, 안나 <ann@example.org>님이 작성:",
    "2021年5月3日(月) 10:33 山田 <yamada@example.org>:",
    "2021/05/03 10:33、山田 <yamada@example.org>のメール:",
    "山田さんは書きました:",
    "张三 <zhang@example.org> 于2021年5月3日周一 上午10:33写道：",
    "在 2021年5月3日，上午10:33，张三 <zhang@example.org> 写道：",
];

#[test]
fn lines_below_an_attribution_are_quoted() {
    for head in ATTRIBUTIONS {
        for quoted in [
            "> The bridge opens at noon.",
            "| The bridge opens\n| at noon.",
            ": The bridge opens at noon.",
            "AH> The bridge opens\nAH> at noon.",
        ] {
            let answer = format!("That is late.\n\n{head}\n{quoted}\n");
            assert_eq!(own(&answer), "That is late.", "{answer}");
            let below = format!("{head}\n\n{quoted}\n\nThat is late.\n");
            assert_eq!(own(&below), "That is late.", "{below}");
            let bare = format!("{head}\n{quoted}\n");
            assert!(!Layout::of(&bare).has_own_words(), "{bare}");
        }
    }
}

/// What announces a message without marks, to the end of the text.
const HEADS: [&str; 24] = [
    "-----Original Message-----\nFrom: Ann Hill\nSent: Monday, May 3, 2021 10:33 AM\nTo: Bob\nSubject: Bridge",
    "---------- Forwarded message ---------\nFrom: Ann Hill <ann@example.org>\nDate: Mon, May 3, 2021 at 10:33 AM\nSubject: Bridge\nTo: <bob@example.org>",
    "Begin forwarded message:\n\nFrom: Ann Hill <ann@example.org>\nSubject: Bridge\nDate: 3 May 2021 at 10:33:17 BST\nTo: bob@example.org",
    "________________________________\nFrom: Ann Hill <ann@example.org>\nSent: Monday, May 3, 2021 10:33 AM\nTo: Bob <bob@example.org>\nSubject: Bridge",
    "-------- Original Message --------\nSubject: Bridge\nDate: Mon, 3 May 2021 10:33:17 +0100\nFrom: Ann Hill\nTo: Bob",
    "----- Forwarded message from Ann Hill <ann@example.org> -----",
    "-----Ursprüngliche Nachricht-----\nVon: Anna Berg\nGesendet: Montag, 3. Mai 2021 10:33\nAn: Bernd\nBetreff: Brücke",
    "Von: Anna Berg <anna@example.org>\nGesendet: Montag, 3. Mai 2021 10:33\nAn: Bernd\nBetreff: Brücke",
    "-------- Weitergeleitete Nachricht --------\nBetreff: Brücke\nDatum: Mon, 3 May 2021 10:33:17 +0100\nVon: Anna Berg\nAn: Bernd",
    "-----Message d'origine-----\nDe : Anne Mont\nEnvoyé : lundi 3 mai 2021 10:33\nÀ : Bruno\nObjet : Pont",
    "De : Anne Mont <anne@example.org>\nEnvoyé : lundi 3 mai 2021 10:33\nÀ : Bruno\nObjet : Pont",
    "De: Ana Ríos\nEnviado el: lunes, 3 de mayo de 2021 10:33\nPara: Bruno\nAsunto: Puente",
    "De: Ana Rios\nEnviada em: segunda-feira, 3 de maio de 2021 10:33\nPara: Bruno\nAssunto: Ponte",
    "Da: Anna Monti\nInviato: lunedì 3 maggio 2021 10:33\nA: Bruno\nOggetto: Ponte",
    "Van: Anna Berg\nVerzonden: maandag 3 mei 2021 10:33\nAan: Bart\nOnderwerp: Brug",
    "Från: Anna Berg\nSkickat: den 3 maj 2021 10:33\nTill: Bo\nÄmne: Bro",
    "Od: Anna Góra\nWysłano: poniedziałek, 3 maja 2021 10:33\nDo: Bartek\nTemat: Most",
    "От: Анна Горная\nОтправлено: 3 мая 2021 г. 10:33\nКому: Борис\nТема: Мост",
    "-------- Пересылаемое сообщение --------\n03.05.2021, 10:33, \"Анна\" <anna@example.org>:",
    "Kimden: Anna Dağ\nGönderildi: 3 Mayıs 2021 Pazartesi 10:33\nKime: Barış\nKonu: Köprü",
    "差出人: 山田\n送信日時: 2021年5月3日 10:33\n宛先: 鈴木\n件名: 橋",
    "보낸 사람: 안나\n보낸 날짜: 2021년 5월 3일 월요일 오전 10:33\n받는 사람: 보라\n제목: 다리",
    "-----原始邮件-----\n发件人: 张三\n发送时间: 2021年5月3日 10:33\n收件人: 李四\n主题: 大桥",
    "发件人：张三\n发送时间：2021年5月3日 10:33\n收件人：李四\n主题：大桥",
];

#[test]
fn what_is_below_a_head_is_quoted() {
    for head in HEADS {
        let text = format!("That is late.\n\n{head}\n\nThe bridge opens at noon.\nPlease come.\n");
        assert_eq!(own(&text), "That is late.", "{text}");
        let quoted = of_kind(&text, Kind::Quotation);
        assert_eq!(quoted, "The bridge opens at noon. Please come.", "{text}");
    }
}

#[test]
fn a_bare_forward_has_no_own_words() {
    for head in HEADS.iter().filter(|head| head.starts_with('-') || head.starts_with("Begin")) {
        let text = format!("{head}\n\nThe bridge opens at noon.\n");
        assert!(!Layout::of(&text).has_own_words(), "{text}");
        let text = format!("FYI\n\n{head}\n\nThe bridge opens at noon.\n");
        assert!(!Layout::of(&text).has_own_words(), "{text}");
    }
}

#[test]
fn attributions_without_marks_quote_to_the_end() {
    for head in ATTRIBUTIONS
        .iter()
        .filter(|head| head.contains("10:33") && !head.starts_with("في") && !head.starts_with("\u{202b}"))
    {
        let text = format!("That is late.\n\n{head}\n\nThe bridge opens at noon.\n\nPlease come.\n");
        assert_eq!(own(&text), "That is late.", "{text}");
    }
}

#[test]
fn interleaved_replies_are_own() {
    let text = "Ann Hill wrote:\n> The bridge opens at noon.\nThat is late.\n> Please come.\nI will.\n";
    assert_eq!(own(text), "That is late. / I will.");
    // A program broke the long line.
    let text =
        "> The bridge across the river will open on Monday at noon, and\neverybody\n> is invited.\nI will come.\n";
    assert_eq!(own(text), "I will come.");
}

#[test]
fn an_announced_message_may_be_marked_all_the_same() {
    let text = "----- Original Message -----\nFrom: \"Ann Hill\" <ann@example.org>\n\n> The bridge opens\n> at noon.\n\nThat is late.\n";
    assert_eq!(own(text), "That is late.");
    let text =
        ">>>>> \"A\" == Ann Hill <ann@example.org> writes:\n\n A> The bridge opens\n A> at noon.\n\nThat is late.\n";
    assert_eq!(own(text), "That is late.");
}

#[test]
fn nested_quotations_are_quoted() {
    let text = "I agree.\n\n> > The bridge opens at noon.\n>\n> That is late.\n";
    assert_eq!(own(text), "I agree.");
    let text = "Bob wrote:\n>>> One\n>> Two\n> Three\n\nFour\n";
    assert_eq!(own(text), "Four");
}

#[test]
fn forums_and_markup() {
    for text in [
        "[quote]The bridge opens at noon.[/quote]\nThat is late.",
        "[quote=\"ann\"]The bridge opens at noon.[/quote]That is late.",
        "[QUOTE=ann;123][quote]Bridge?[/quote]The bridge opens at noon.[/QUOTE]\n\nThat is late.",
        "[quote=\"ann, post:3, topic:12\"]\nThe bridge opens at noon.\n[/quote]\n\nThat is late.",
        "<blockquote cite=\"x\"><p>The bridge opens at noon.</p></blockquote><p>That is late.</p>",
        "Originally posted by ann:\nThe bridge opens at noon.\n\nThat is late.",
        "Zitat von anna:\nDie Brücke öffnet mittags.\n\nThat is late.",
        "> The bridge opens at noon.\n\nThat is late.",
        "@ann\n> Noon.\n\nThat is late.",
        "@ann:\n> The bridge opens at noon.\nThat is late.",
        "&gt; The bridge opens at noon.\n\nThat is late.",
    ] {
        let own = own(text);
        let own = own.trim_start_matches("<p>").trim_end_matches("</p>");
        assert_eq!(own, "That is late.", "{text}");
    }
    assert_eq!(own("[quote]never closed"), "[quote]never closed");
}

#[test]
fn indented_blocks_below_an_attribution() {
    let text = "On 3 May 2021 at 10:33, Ann Hill <ann@example.org> wrote:\n\n    The bridge opens\n    at noon.\n\nThat is late.\n";
    assert_eq!(own(text), "That is late.");
}

#[test]
fn microblogs() {
    for (text, words) in [
        ("我昨天已经走过一次这座桥了//@小明:真的吗//@大桥:大桥今天通车", "我昨天已经走过一次这座桥了"),
        ("[心][泪][泪][泪][悲伤]//@大桥:大桥今天通车", "大桥今天通车"),
        ("//@小明:大桥今天通车，大家去看", "大桥今天通车，大家去看"),
        ("转发微博 大桥今天通车", "转发微博 大桥今天通车"),
        ("【转】大桥今天通车", "大桥今天通车"),
        ("RT @ann: The bridge is open", "The bridge is open"),
        ("We walked over it yesterday. RT @ann: The bridge is open", "We walked over it yesterday."),
        ("In case you missed it: The bridge is open", "The bridge is open"),
        ("ICYMI: Breaking: The bridge is open", "The bridge is open"),
        ("快讯：大桥今天通车", "大桥今天通车"),
        ("Fwd: Re: Bridge", "Bridge"),
        ("“@ann: The bridge is open”", "The bridge is open”"),
    ] {
        assert_eq!(own(text), words);
    }
    for bare in ["赞//@小明:[心]//@大桥:大桥今天通车，大家去看", "Wow! RT @ann: The bridge is open"] {
        assert!(!Layout::of(bare).has_own_words(), "{bare}");
    }
}

#[test]
fn chats() {
    for (text, words) in [
        (
            "[12/05/21, 10:33] Ann: The bridge is open.\n[12/05/21, 10:34] Bob: At last!",
            "The bridge is open. / At last!",
        ),
        ("[10:33, 12/05/2021] Ann Hill: The bridge is open.", "The bridge is open."),
        ("[12.05.21, 10:33:17] Анна: Мост открыт.", "Мост открыт."),
        ("Анна, [12.05.21 10:33]\nМост открыт.", "Мост открыт."),
        ("Ann Hill, [12.05.2021 10:33]\n[Forwarded from Bob]\nThe bridge is open.", "The bridge is open."),
        ("[2021-05-12 10:33:17] error: no bridge", "[2021-05-12 10:33:17] error: no bridge"),
    ] {
        assert_eq!(own(text), words);
    }
}

#[test]
fn signatures_and_footers() {
    for text in [
        "That is late.\n\n-- \nAnn Hill\nBridges Ltd, 1 River Road\n",
        "That is late.\n\nSent from my iPhone\n",
        "That is late.\n\nVon meinem iPhone gesendet\n",
        "That is late.\n\nEnvoyé de mon iPhone\n",
        "That is late.\n\n发自我的iPhone\n",
        "That is late.\n\niPhoneから送信\n",
        "That is late.\n\nОтправлено с iPhone\n",
        "That is late.\n\nSent from my iPhone\n\n> On 3 May 2021, at 10:33, Ann <ann@example.org> wrote:\n>\n> The bridge opens at noon.\n",
        "That is late.\n_______________________________________________\nBridges mailing list\nbridges@example.org\nhttp://example.org/listinfo/bridges\n",
        "That is late.\n\n-- \nAnn\n\n---------------------------------------------\nTo unsubscribe, write to bridges-off@example.org\n",
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\nThat is late.\n-----BEGIN PGP SIGNATURE-----\nVersion: 1\n\niEYEARECAAYFAj\n=abcd\n-----END PGP SIGNATURE-----\n",
        "That is late.\n\nhttp://example.org/mailman/listinfo/bridges\n",
        "That is late.\n\nBest regards,\nAnn Hill\n",
        "That is late.\n\nMit freundlichen Grüßen\nAnna Berg\n",
        "That is late.\n\nCordialement,\nAnne\n",
        "That is late.\n\nС уважением,\nАнна Горная\n",
        "That is late.\n\n此致\n敬礼\n张三\n",
        "Hi Bob,\n\nThat is late.\n\nThanks,\nAnn\n-- \nAnn Hill\n",
        "Sehr geehrter Herr Berg,\nThat is late.\nViele Grüße, Anna\n",
        "您好！\nThat is late.\n谢谢！\n",
        "Здравствуйте!\nThat is late.\n",
        "こんにちは。\nThat is late.\nよろしくお願いします。\n山田\n",
        "That is late.\n\n—\nReply to this email directly, view it on GitHub, or unsubscribe.\nYou are receiving this because you were mentioned.\n",
        "That is late.\n\nThis e-mail is confidential and for its reader only.\n",
    ] {
        assert_eq!(own(text), "That is late.", "{text}");
    }
}

#[test]
fn mails_in_markup() {
    for markup in [
        "<div>That is late.</div><div><br></div><div class=\"gmail_quote\">On Mon, May 3, 2021 at 10:33 AM Ann Hill &lt;<a href=\"mailto:ann@example.org\">ann@example.org</a>&gt; wrote:<br><blockquote>The bridge\nopens at noon.</blockquote></div>",
        "<p>That is\nlate.</p><hr><p><b>From:</b> Ann Hill<br><b>Sent:</b> Monday, May 3, 2021 10:33 AM<br><b>To:</b> Bob<br><b>Subject:</b> Bridge</p><p>The bridge opens at noon.</p>",
        "<html><body>That is late.<br><br>-----Original Message-----<br>From: Ann Hill<br>The bridge opens at noon.</body></html>",
        "That is late.<br>&gt; The bridge opens<br>&gt; at noon.<br>",
        "<blockquote><p>The bridge opens at noon.</p></blockquote>\n<p>That is late.</p>",
        "<p>Hi Bob,</p><p>That is late.</p><p>Best regards,<br>Ann</p><p>Sent from my iPhone</p>",
    ] {
        let message = Message::read(markup);
        let own = message
            .layout
            .own()
            .map(|range| message.text[range].trim())
            .filter(|own| own.contains(char::is_alphanumeric));
        assert_eq!(own.collect::<Vec<_>>(), ["That is late."], "{message:?}");
    }
    let text = "Ann Hill <ann@example.org> wrote:\n> The bridge opens\n> at noon.\nThat is late.";
    let message = Message::read(text);
    assert_eq!(message.layout.own().map(|range| message.text[range].trim()).collect::<Vec<_>>(), ["That is late."]);
}

#[test]
fn a_mail_about_tags_is_no_html() {
    let text =
        "Ann wrote:\n> Use one element\n> around both of them.\n\n<div class=\"a\">\n<div>b</div>\n</div>\n\nIt works!";
    let message = Message::read(text);
    let own: String = message.layout.own().map(|range| &message.text[range]).collect();
    assert!(own.contains("It works!") && !own.contains("around"), "{own}");
}
