//! What holds for every text.

use proptest::prelude::*;

use super::super::{Kind, Layout, Message, Part, links};

/// Texts with many marks.
fn text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "> ",
        ">",
        "| ",
        ": ",
        "AH> ",
        "\n",
        "\n\n",
        "\n",
        "    ",
        "-- \n",
        "--------------------\n",
        "Ann wrote:\n",
        "On 3 May 2021 at 10:33, Ann <a@b.org> wrote:\n",
        "-----Original Message-----\n",
        "From: a\nSent: b\nTo: c\nSubject: d\n",
        "[quote]",
        "[/quote]",
        "<blockquote>",
        "</blockquote>",
        "//@小明:",
        "RT @ann: ",
        "Hi,\n",
        "Thanks,\n",
        "Ann",
        "大桥",
        "今天通车。",
        "Brücke",
        "İ",
        "http://a.org/?utm_source=b",
        "www.",
        "a@b.org",
        ".",
        "：",
        "\r\n",
        "```\n",
        "unsubscribe",
        "Re: ",
        "ß",
        "\u{202b}",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

fn is_sound(text: &str, parts: &[Part]) -> bool {
    let ends = [0].into_iter().chain(parts.iter().map(|part| part.range.end));
    let sound = |(end, part): (usize, &Part)| {
        end <= part.range.start && part.range.start < part.range.end && text.get(part.range.clone()).is_some()
    };
    ends.zip(parts).all(sound)
}

proptest! {
    #[test]
    fn parts_are_ordered_and_disjoint(text in text()) {
        let layout = Layout::of(&text);
        prop_assert!(is_sound(&text, layout.parts()), "{:?}", layout);
        let own: usize = layout.own().map(|range| range.len()).sum();
        let marked: usize = layout.parts().iter().map(|part| part.range.len()).sum();
        prop_assert_eq!(own + marked, text.len());
    }

    #[test]
    fn the_first_look_misses_nothing(text in text()) {
        prop_assert_eq!(Layout::of(&text), Layout::with(&text, Vec::new(), true));
    }

    #[test]
    fn any_text_is_sound(text in any::<String>()) {
        prop_assert!(is_sound(&text, Layout::of(&text).parts()));
    }

    #[test]
    fn markup_is_sound(pieces in prop::collection::vec(prop::sample::select(vec![
        "<p>", "</p>", "<br>", "<BLOCKQUOTE>", "</blockquote>", "<b>", "<td>", "大桥", "open", "\n", "&gt; ", "<", ">", "<!--", "<script>", "\"", "<a href=\"", "On 3 May 2021 at 10:33, Ann wrote:", "From: a", "Date: b", "Subject: c",
    ]), 0..24)) {
        let markup = pieces.concat();
        let message = Message::read(&markup);
        prop_assert!(is_sound(&message.text, message.layout.parts()), "{:?}", message);
    }

    #[test]
    fn letters_alone_quote_nothing(text in "[a-zA-Z\u{4e00}-\u{4eff}é ,.\n]{0,200}") {
        prop_assert!(!Layout::of(&text).has_quotation());
    }

    #[test]
    fn a_text_quoted_whole_has_no_own_words(text in text()) {
        let quoted: String = text.split('\n').map(|line| format!("> {line}\n")).collect();
        let layout = Layout::of(&quoted);
        prop_assert!(!layout.has_own_words() || !quoted.contains(char::is_alphanumeric), "{:?}", layout);
    }

    #[test]
    fn what_is_added_above_a_quotation_is_own(text in text()) {
        let quoted: String = text.split('\n').map(|line| format!("> {line}\n")).collect();
        let reply = format!("The bridge is late\n\nAnn wrote:\n{quoted}");
        let layout = Layout::of(&reply);
        let own: Vec<&str> = layout.own().map(|range| reply[range].trim()).filter(|own| own.contains(char::is_alphanumeric)).collect();
        prop_assert_eq!(own, ["The bridge is late"]);
    }

    #[test]
    fn links_are_ordered_and_disjoint(text in text()) {
        let mut end = 0;
        for link in links(&text) {
            prop_assert!(end <= link.range.start && link.range.start < link.range.end);
            prop_assert!(text.get(link.range.clone()).is_some());
            end = link.range.end;
        }
    }
}

#[test]
fn hostile_texts_end() {
    for piece in [
        ">",
        "> ",
        "\n",
        ">\n",
        "[quote]",
        "[quote][/quote]",
        "<blockquote>",
        "</blockquote>",
        "//@",
        "//@a",
        "@",
        "RT @a ",
        "a.",
        "a:\n",
        "Ann wrote:\n",
        "|\n",
        "a>\n",
        "-",
        "-\n",
        "-- \n",
        "From: a\nDate: b\nSubject: c\n",
        "From: a\n",
        "10:33 Ann <a@b.org> wrote:\n",
        "> a\n\n",
        "> a\nb\n",
        "```\n",
        "www.",
        "http://",
        "Hi,\n",
        "Thanks\n",
        "Re: ",
        "Quote from a\n",
        "a@b.c",
        "-----Original Message-----\n",
        "--------------------\nunsubscribe\n",
    ] {
        let text = piece.repeat(200_000 / piece.len());
        assert!(is_sound(&text, Layout::of(&text).parts()));
        links(&text).for_each(drop);
        let message = Message::read(&text);
        assert!(is_sound(&message.text, message.layout.parts()));
    }
}

#[test]
fn a_link_without_what_tracks_readers_is_the_same() {
    let key = |text: &str| links(text).map(|link| link.key).collect::<Vec<_>>();
    let same = [
        "https://www.example.org/news/a1?id=7&utm_source=feed",
        "http://example.org/news/a1?id=7",
        "Example.ORG/news/a1/?fbclid=x&id=7#top",
        "(http://m.example.org/news/a1?id=7&amp;spm=1.2)",
    ];
    for link in same {
        assert_eq!(key(link), key(same[0]), "{link}");
        assert_eq!(key(link).len(), 1);
    }
    for other in
        ["http://example.org/news/a1?id=8", "http://example.org/news/A1?id=7", "http://example.com/news/a1?id=7"]
    {
        assert_ne!(key(other), key(same[0]));
    }
}

#[test]
fn kinds_of_links() {
    use super::super::LinkKind::{Address, Short, Web};
    let text = "http://t.cn/Ab3dE 和 www.example.org, ann.hill@example.org. See example.org/a (or dw.example/x9Yz1) and/or e.g. 3.5/7, a.b c@d";
    let found: Vec<_> = links(text).map(|link| (&text[link.range], link.kind)).collect();
    assert_eq!(
        found,
        [
            ("http://t.cn/Ab3dE", Short),
            ("www.example.org", Web),
            ("ann.hill@example.org", Address),
            ("example.org/a", Web),
            ("dw.example/x9Yz1", Short)
        ]
    );
    assert_eq!(Layout::of(text).parts().iter().filter(|part| part.kind == Kind::Quotation).count(), 0);
}
