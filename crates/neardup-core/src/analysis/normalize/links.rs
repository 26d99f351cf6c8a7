//! The step `links`: addresses of pages become a space.
//!
//! A link begins with `http://`, `https://` or `ftp://` (in any case, colon and slashes also fullwidth), with `www.`, or with
//! the host of a well-known shortener and a slash. It reaches as far as the ASCII characters of addresses do, and stops before
//! white space, before any other script, before a closing bracket it did not open, before final punctuation, and before a
//! repost mark `//@`.

/// Hosts of shorteners that people write without a scheme.
const SHORTENERS: [&str; 7] = ["t.cn/", "t.co/", "url.cn/", "dwz.cn/", "suo.im/", "bit.ly/", "goo.gl/"];

/// Appends `text` to `out`, with a space in place of each link.
pub(super) fn apply(text: &str, out: &mut String) {
    let bytes = text.as_bytes();
    let mut kept = 0;
    let mut at = 0;
    while at < bytes.len() {
        if at.is_multiple_of(4096) {
            crate::interrupt::check();
        }
        match link_end(bytes, at) {
            Some(end) => {
                out.push_str(text.get(kept..at).unwrap_or_default());
                out.push(' ');
                kept = end;
                at = end;
            }
            None => at += 1,
        }
    }
    out.push_str(text.get(kept..).unwrap_or_default());
}

/// Gives the end of the link that starts at `at`, if one does.
fn link_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    // The first letters of all beginnings.
    if !matches!(rest.first()?.to_ascii_lowercase(), b'h' | b'f' | b'w' | b't' | b'u' | b'd' | b's' | b'b' | b'g') {
        return None;
    }
    let body = scheme(rest).or_else(|| bare_host(bytes, at, rest))?;
    let end = address_end(bytes, at + body);
    (end > at + body).then_some(end)
}

/// Gives the length of a scheme with its colon and slashes at the start of `rest`.
fn scheme(rest: &[u8]) -> Option<usize> {
    let name = ["https", "http", "ftp"].into_iter().find(|name| starts_with(rest, name))?.len();
    let colon = width_of(rest.get(name..)?, b':', "：")?;
    let slash = width_of(rest.get(name + colon..)?, b'/', "／")?;
    let second = width_of(rest.get(name + colon + slash..)?, b'/', "／")?;
    Some(name + colon + slash + second)
}

/// Gives the length of `narrow` or of its fullwidth form at the start of `rest`.
fn width_of(rest: &[u8], narrow: u8, wide: &str) -> Option<usize> {
    if rest.first() == Some(&narrow) { Some(1) } else { rest.starts_with(wide.as_bytes()).then_some(wide.len()) }
}

/// Gives the length of `www.` or of a shortener's host at `at`, where no longer name runs into it.
fn bare_host(bytes: &[u8], at: usize, rest: &[u8]) -> Option<usize> {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    if before.is_some_and(|&b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'@' | b'/')) {
        return None;
    }
    let host = SHORTENERS.into_iter().chain(["www."]).find(|host| starts_with(rest, host))?.len();
    rest.get(host)?.is_ascii_alphanumeric().then_some(host)
}

fn starts_with(rest: &[u8], prefix: &str) -> bool {
    rest.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix.as_bytes()))
}

/// Gives the end of the run of address characters that starts at `start`.
fn address_end(bytes: &[u8], start: usize) -> usize {
    let mut open = [0_usize; 2];
    let mut end = start;
    while let Some(&byte) = bytes.get(end) {
        match byte {
            b'(' => open[0] += 1,
            b'[' => open[1] += 1,
            b')' | b']' => {
                let count = &mut open[usize::from(byte == b']')];
                if *count == 0 {
                    break;
                }
                *count -= 1;
            }
            b'/' if bytes.get(end..).is_some_and(|rest| rest.starts_with(b"//@")) => break,
            b'<' | b'>' | b'"' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => break,
            b'!'..=b'~' => {}
            _ => break,
        }
        end += 1;
    }
    while end > start
        && bytes
            .get(end - 1)
            .is_some_and(|b| matches!(b, b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'*' | b'~'))
    {
        end -= 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::apply;

    fn links(text: &str) -> String {
        let mut out = String::new();
        apply(text, &mut out);
        out
    }

    #[test]
    fn links_become_a_space() {
        assert_eq!(links("看这里http://t.cn/RxYz12真好"), "看这里 真好");
        assert_eq!(links("HTTPS://Example.com/a?b=c&d=%E4#e, next"), " , next");
        assert_eq!(links("ftp://h/x。www.example.com/y，t.cn/Abc；"), " 。 ， ；");
        assert_eq!(links("http：／／example.com/a 全角"), "  全角");
        assert_eq!(links("http://a.bhttp://c.d"), " ");
    }

    #[test]
    fn closing_punctuation_is_not_part_of_a_link() {
        assert_eq!(links("(http://a.b/c_(d)) [http://a.b/e]."), "( ) [ ].");
        assert_eq!(links("“http://a.b/c”，http://a.b!? <http://a.b>"), "“ ”， !? < >");
        assert_eq!(links("http://t.cn/abc//@某人:转"), " //@某人:转");
    }

    #[test]
    fn what_only_looks_like_a_link_stays() {
        for text in [
            "http://",
            "http:// x",
            "www.",
            "www. x",
            "awww.b.c",
            "at.cn/x",
            "not.t.cn/x",
            "https",
            "见t.cn",
            "h",
            "t.cn/",
        ] {
            assert_eq!(links(text), text);
        }
    }

    #[test]
    fn hostile_text_ends() {
        assert_eq!(links(&"http://".repeat(100_000)), " ");
        assert_eq!(links(&("http://".to_owned() + &"(".repeat(500_000))), " ");
        let dots = "http://".to_owned() + &".".repeat(500_000);
        assert_eq!(links(&dots), dots);
        let colons = "h".repeat(500_000);
        assert_eq!(links(&colons), colons);
    }
}
