//! The step `html`: extracts the text that a browser's tokenizer would find.
//!
//! The tokenizer is html5gum, which follows the WHATWG standard in linear time and builds no tree, so nesting costs nothing. As in
//! a browser, lone surrogates and other impossible numeric entities become U+FFFD. Also as in a browser, one level of entities is
//! decoded: `&amp;lt;` becomes `&lt;`, so this step is not idempotent.
//!
//! Unlike in a browser, markup that is never closed does not swallow the rest of the text, because plain text often contains a `<`,
//! and markup is often cut off:
//!
//! * after the last `>` nothing is markup, and every `<` stays;
//! * a tag with a quotation mark that is never closed ends at the first `>` after that mark;
//! * a comment that is never closed ends at the first `>`, and so do all comments after it;
//! * a script or style that is never closed loses its tag but keeps its content, and so do all after it.

use std::borrow::Cow;
use std::convert::Infallible;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Error, Readable, Reader, Span, State, StringReader, Tokenizer};

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
    extract(text, out, &mut separate);
}

/// Keeps the words before and after a block tag apart.
fn separate(tag: &[u8], _: bool, out: &mut String) {
    if is_block(tag) {
        out.push(' ');
    }
}

/// Says whether a tag of this name, in lower case, ends a line or a cell.
pub(crate) fn is_block(tag: &[u8]) -> bool {
    BLOCKS.binary_search_by(|block| block.as_bytes().cmp(tag)).is_ok()
}

/// Appends the text of the markup `text` to `out`. At each tag `between` gets its name in lower case, whether it is an end tag, and
/// `out`.
pub(crate) fn extract(text: &str, out: &mut String, between: &mut impl FnMut(&[u8], bool, &mut String)) {
    if !text.bytes().any(|byte| byte == b'<' || byte == b'&') {
        out.push_str(text);
        return;
    }
    // Without a `>` nothing is closed.
    let (markup, plain) = text.split_at(text.rfind('>').map_or(0, |last| last + 1));
    let mut rest = Cow::Borrowed(markup);
    // Each round uses up the double quotation marks, the single ones, the comments, the scripts or the styles.
    while let Some(unclosed) = read(&rest, State::Data, out, between) {
        let tail = |from: usize| rest.get(from..).unwrap_or_default();
        let past = |from: usize| tail(from).find('>').map_or("", |at| tail(from + at + 1));
        rest = Cow::Owned(match unclosed {
            Unclosed::Tag(from) => {
                let quote = |mark| tail(from).rfind(mark);
                let last = [quote('"'), quote('\'')].into_iter().flatten().min();
                past(from + last.unwrap_or(0)).to_owned()
            }
            Unclosed::Comment(from) => without(past(from), "<!--"),
            Unclosed::Script(from) => without(tail(from), "<script"),
            Unclosed::Style(from) => without(tail(from), "<style"),
        });
    }
    if !plain.is_empty() {
        // In this state, that of a title's content, entities are decoded and tags are text.
        read(plain, State::RcData, out, between);
    }
}

/// What is open at the end of a text, and where it may have begun: nothing before that place belongs to it. Of a script or
/// a style, where its content begins.
enum Unclosed {
    Tag(usize),
    Comment(usize),
    Script(usize),
    Style(usize),
}

/// Appends the text of some markup to `out`, up to what is not closed.
fn read(
    text: &str,
    state: State,
    out: &mut String,
    between: &mut impl FnMut(&[u8], bool, &mut String),
) -> Option<Unclosed> {
    // The content of which element is being left out, and where it begins.
    let mut hidden: Option<Unclosed> = None;
    let mut opening = false;
    let mut done = 0;
    let mut unclosed = None;
    let callback = |event: CallbackEvent<'_>, span: Span<usize>| -> Option<Infallible> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                opening = true;
                hidden = match name {
                    b"script" => Some(Unclosed::Script(0)),
                    b"style" => Some(Unclosed::Style(0)),
                    _ => None,
                };
                between(name, false, out);
            }
            CallbackEvent::CloseStartTag { .. } => {
                opening = false;
                done = span.end;
                if let Some(Unclosed::Script(from) | Unclosed::Style(from)) = &mut hidden {
                    *from = span.end;
                }
            }
            CallbackEvent::EndTag { name } => {
                hidden = None;
                done = span.end;
                between(name, true, out);
            }
            CallbackEvent::String { value } => {
                done = span.end;
                // The tokenizer cuts its UTF-8 input at ASCII only, so nothing is ever replaced here.
                if hidden.is_none() {
                    out.push_str(&String::from_utf8_lossy(value));
                }
            }
            CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } => done = span.end,
            CallbackEvent::Error(Error::EofInTag) => unclosed = Some(Unclosed::Tag(done)),
            CallbackEvent::Error(Error::EofInComment) => unclosed = Some(Unclosed::Comment(done)),
            _ => {}
        }
        None
    };
    let mut emitter = CallbackEmitter::new(callback);
    emitter.naively_switch_states(true);
    let mut tokenizer = Tokenizer::new_with_emitter(Checked { text: text.to_reader(), steps: 0 }, emitter);
    tokenizer.set_state(state);
    let Ok(()) = tokenizer.finish();
    // A script's content is opened first, whatever it holds.
    if opening { unclosed } else { hidden.or(unclosed) }
}

/// The text as the tokenizer reads it, with a chance to cancel now and then.
struct Checked<'t> {
    text: StringReader<'t>,
    steps: u32,
}

impl Checked<'_> {
    #[inline]
    fn step(&mut self) {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(4096) {
            crate::interrupt::check();
        }
    }
}

impl Reader for Checked<'_> {
    type Error = Infallible;

    #[inline]
    fn read_byte(&mut self) -> Result<Option<u8>, Infallible> {
        self.step();
        self.text.read_byte()
    }

    #[inline]
    fn try_read_string(&mut self, wanted: &[u8], case_sensitive: bool) -> Result<bool, Infallible> {
        self.text.try_read_string(wanted, case_sensitive)
    }

    #[inline]
    fn read_until<'b>(&'b mut self, needle: &[u8], room: &'b mut [u8; 4]) -> Result<Option<&'b [u8]>, Infallible> {
        self.step();
        self.text.read_until(needle, room)
    }
}

/// A copy of the markup in which these openings, in any case, open nothing in particular.
fn without(text: &str, opening: &str) -> String {
    let mut copy = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        copy.push_str(before);
        let opens = tag.get(..opening.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(opening));
        copy.push_str(if !opens {
            "<"
        } else if opening == "<!--" {
            "<!x"
        } else {
            "<x"
        });
        rest = tag.get(if opens { opening.len() } else { 1 }..).unwrap_or_default();
    }
    copy.push_str(rest);
    copy
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
    }

    #[test]
    fn what_is_never_closed_swallows_nothing() {
        for (text, expected) in [
            ("若a <b 则 &lt;c 后文", "若a <b 则 <c 后文"),
            ("<p>前</p>若a <b 后文", " 前 若a <b 后文"),
            ("<p>前<a href=\"x>中</a>后", " 前中后"),
            ("<a x='1>中<b y=\"2>后</b>", "中后"),
            ("<a x=\">\" y=\"1>中</a>后", "中后"),
            ("<a x=\">\" y=\"1", "\" y=\"1"),
            ("</a x=\"1>中", "中"),
            ("前<!-- 注 > 中 <!-- 再 > 后 <b>", "前 中  后 "),
            ("前<!-- 注 后", "前<!-- 注 后"),
            ("前<? 注 后", "前<? 注 后"),
            ("前<!doctype 后", "前<!doctype 后"),
            ("前<script>中<p>后</p><SCRIPT x>完", "前中 后 完"),
            ("前<style>中</script>后", "前中后"),
            ("前<script x=\"1>中</p>后", "前中 后"),
            ("前<script>中<!-- 后 </b>完", "前中完"),
            ("<title>前 <b>后", " 前 <b>后"),
            ("前\r\n&amp;é<b x=\"1>后\r\n</b>完", "前\n&é后\n完"),
            ("<", "<"),
            ("中<b", "中<b"),
            ("中</", "中</"),
            (">", ">"),
        ] {
            assert_eq!(html(text), expected, "{text}");
        }
    }

    proptest! {
        /// Words that are nowhere near a sign of markup are never lost, but in comments, scripts and styles that are closed.
        #[test]
        fn words_survive(pieces in prop::collection::vec(prop::sample::select(vec![
            "<b", "<a x=", "\"", "'", ">", "</p", "<", "<!", "<br/>", " ", "&lt;", "&", "=", "/", "\r\n", "é",
        ]), 0..20), tail in 0..3_usize) {
            let text = pieces.concat() + ["末尾", ">末尾", "\">末尾"][tail];
            prop_assert!(html(&text).ends_with("末尾"), "{} gives {}", text, html(&text));
        }

        #[test]
        fn closed_markup_is_read_as_ever(pieces in prop::collection::vec(prop::sample::select(vec![
            "<b>", "</b>", "<p x=\"1\">", "</p>", "<!-- x -->", "<script>a<b>c</script>", "中", "é\r\n", "&amp;", "<br/>", "<i y='\"'>",
        ]), 0..20)) {
            // Text without any markup is left as it is, line ends included.
            let text = pieces.concat() + "<b>";
            let mut plain = String::new();
            let unclosed = super::read(&text, html5gum::State::Data, &mut plain, &mut super::separate);
            prop_assert!(unclosed.is_none());
            prop_assert_eq!(html(&text), plain);
        }
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
        let unclosed = "<a ".to_owned() + &"x=y ".repeat(200_000);
        assert_eq!(html(&unclosed), unclosed);
        assert_eq!(html(&"<!--".repeat(200_000)).len(), 800_000);
        // Each of these is read to its end a few times, not once for each tag.
        for piece in
            ["<!-- >", "<a x=\">", "<a x='\">", "<script>", "<style><script>", "<a x=\">\" y='", "<!--<a x=\"<script>"]
        {
            html(&piece.repeat(200_000));
        }
    }
}
