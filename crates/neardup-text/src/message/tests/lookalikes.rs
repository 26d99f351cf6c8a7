//! What looks like a quotation and is none.

use super::super::Layout;

#[test]
fn these_quote_nothing() {
    for text in [
        "The bridge opens at noon.",
        "",
        "\n\n",
        "Contact: a > b",
        "他写道：“大桥今天通车。”\n记者来到大桥。",
        "记者在日记里写道：\n大桥今天通车。",
        "A: Is it open?\nB: It is.\nA: Good.\n",
        "| place | opens |\n|---|---|\n| bridge | noon |\n",
        "| a | b\n| c | d\n",
        "Look at this:\n>>> print(1)\n1\n>>> print(2)\n2\n",
        "```\n> npm install\n> npm test\n```\nIt fails.",
        "SQL> select 1;\nSQL> select 2;\n",
        "if a\n>= b then\n",
        ">_<\n",
        "I am glad\n:)\n:-)\n",
        ":smile:\nnice\n",
        "   /\\\n  |  |\n  |  |\n",
        "From: noon\nTo: two\n",
        "De: mim\nPara: você\n",
        "Bob said: the bridge\nis open\n",
        "He wrote three books on bridges.\nThe first was long.\n",
        "Date: 3 May\nPlace: bridge\nSubject: opening\n",
    ] {
        let layout = Layout::of(text);
        assert!(!layout.has_quotation(), "{text}: {layout:?}");
        assert!(
            layout.has_own_words() || text.trim().is_empty() || !text.contains(char::is_alphanumeric),
            "{text}: {layout:?}"
        );
    }
    let news =
        format!("{}\n\n> Read more about bridges here\n\n{}", "大桥今天通车。".repeat(60), "记者来到大桥。".repeat(60));
    assert!(!Layout::of(&news).has_quotation());
}

#[test]
fn a_message_of_one_line_is_own() {
    for text in ["Thanks!", "Hello", "谢谢", "Hi Bob,", "Best regards", "祝好"] {
        assert_eq!(super::own(text), text);
    }
}
