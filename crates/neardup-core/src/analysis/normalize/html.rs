//! The step `html`: what a browser's tokenizer would call text.
//!
//! The tokenizer is html5gum, which follows the WHATWG standard in linear time and without a tree, so nesting costs nothing.
//! Lone surrogates and other impossible numeric entities become U+FFFD there, as in a browser. Also as in a browser, what an
//! unclosed tag, comment or script opens reaches to the end of the text, and one level of entities is decoded: `&amp;lt;`
//! becomes `&lt;`, so this step is not idempotent.

use std::convert::Infallible;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

/// Elements that end a line or a cell: their tags keep the words around them apart.
#[rustfmt::skip]
const BLOCKS: [&str; 61] = [
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details", "dialog", "dir",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset", "h1", "h2", "h3",
    "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "iframe", "legend", "li", "main", "menu", "nav",
    "noframes", "noscript", "ol", "optgroup", "option", "p", "pre", "search", "section", "select", "summary", "table",
    "tbody", "td", "textarea", "tfoot", "th", "thead", "title", "tr", "ul", "video",
];

/// Appends the text of the markup `text` to `out`; block tags leave a space, other tags nothing.
pub(super) fn apply(text: &str, out: &mut String) {
    if !text.bytes().any(|byte| byte == b'<' || byte == b'&') {
        out.push_str(text);
        return;
    }
    let mut hidden = false;
    let mut events = 0_u32;
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| -> Option<Infallible> {
        events = events.wrapping_add(1);
        if events.is_multiple_of(4096) {
            crate::interrupt::check();
        }
        match event {
            CallbackEvent::OpenStartTag { name } => {
                hidden = matches!(name, b"script" | b"style");
                separate(name, out);
            }
            CallbackEvent::EndTag { name } => {
                hidden = false;
                separate(name, out);
            }
            // The tokenizer cuts its UTF-8 input at ASCII only, so nothing is ever replaced here.
            CallbackEvent::String { value } if !hidden => out.push_str(&String::from_utf8_lossy(value)),
            _ => {}
        }
        None
    });
    emitter.naively_switch_states(true);
    let Ok(()) = Tokenizer::new_with_emitter(text, emitter).finish();
}

/// Keeps the words before and after a block tag apart.
fn separate(tag: &[u8], out: &mut String) {
    if BLOCKS.binary_search_by(|block| block.as_bytes().cmp(tag)).is_ok() {
        out.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCKS, apply};

    fn html(text: &str) -> String {
        let mut out = String::new();
        apply(text, &mut out);
        out
    }

    #[test]
    fn tags_go_and_blocks_part_words() {
        assert!(BLOCKS.is_sorted());
        assert_eq!(html("<p>第一段</p><p>第<b>二</b>段<br/>换行</p>"), " 第一段  第二段 换行 ");
        assert_eq!(html("<DIV class=\"a>b\">x</DIV >y"), " x y");
        assert_eq!(html("没有标记"), "没有标记");
        assert_eq!(html(""), "");
    }

    #[test]
    fn comments_scripts_and_styles_go_with_their_content() {
        assert_eq!(html("a<!-- b > c -->d<!doctype html>e"), "ade");
        assert_eq!(html("a<script>if (1<2) alert('<p>')</script>b<style>p{color:red}</style>c"), "abc");
        assert_eq!(html("<title>标题 <b></title>正文"), " 标题 <b> 正文");
        assert_eq!(html("a<script>never closed"), "a");
    }

    #[test]
    fn entities_are_decoded_once() {
        assert_eq!(html("&lt;b&gt; &amp;lt; &nbsp;&#20013;&#x56fd;&hearts;"), "<b> &lt; \u{a0}中国♥");
        assert_eq!(html("a & b &unknown; &#; AT&T"), "a & b &unknown; &#; AT&T");
        assert_eq!(
            html("&#xD800;|&#xDFFF;|&#0;|&#x110000;|&#99999999999999999999;"),
            "\u{fffd}|\u{fffd}|\u{fffd}|\u{fffd}|\u{fffd}"
        );
    }

    #[test]
    fn less_than_signs_that_open_nothing_stay() {
        assert_eq!(html("1 < 2 <3 <<中"), "1 < 2 <3 <<中");
    }

    #[test]
    fn hostile_markup_ends() {
        let many = "<".repeat(1_000_000);
        assert_eq!(html(&many), many);
        assert_eq!(html(&"<b>".repeat(300_000)), "");
        assert_eq!(html(&("<i>".repeat(100_000) + "中" + &"</i>".repeat(100_000))), "中");
        assert_eq!(html(&"&".repeat(1_000_000)).len(), 1_000_000);
        assert_eq!(html(&("<a ".to_owned() + &"x=y ".repeat(200_000))), "");
        assert_eq!(html(&"<!--".repeat(200_000)), "");
    }
}
