//! The step `links`: replaces web addresses by a space.
//!
//! A link begins with `http://`, `https://` or `ftp://` (in any case, colon and slashes also fullwidth), with `www.`, or with the
//! host of a well-known shortener and a slash. It continues through the ASCII characters of addresses. It ends before white space,
//! before any other script, before a closing bracket it did not open, before final punctuation, and before a repost mark `//@`.

use super::scan::find_sign;

/// Beginnings of links that people write without a scheme, cut at the first point: `www.`, and hosts of shorteners.
const HOSTS: [(&str, &str); 8] = [
    ("www", "."),
    ("t", ".cn/"),
    ("t", ".co/"),
    ("url", ".cn/"),
    ("dwz", ".cn/"),
    ("suo", ".im/"),
    ("bit", ".ly/"),
    ("goo", ".gl/"),
];

/// Appends `text` to `out`, with a space in place of each link.
pub(super) fn apply(text: &str, out: &mut String) {
    let bytes = text.as_bytes();
    let mut kept = 0;
    // A link shows by the colon of its scheme or by the first point of its host.
    for sign in find_sign(bytes, |byte| (byte == b':') | (byte == b'.')) {
        let Some((before, after)) = bytes.split_at_checked(sign).filter(|_| sign >= kept) else { continue };
        if let Some((start, body)) = scheme(before, after).or_else(|| bare_host(before, after)) {
            let end = address_end(bytes, body);
            if end > body && start >= kept {
                out.push_str(text.get(kept..start).unwrap_or_default());
                out.push(' ');
                kept = end;
            }
        }
    }
    out.push_str(text.get(kept..).unwrap_or_default());
}

/// Returns where a link starts and where what its scheme announces does, if a scheme is before the colon that `after` begins with.
fn scheme(before: &[u8], after: &[u8]) -> Option<(usize, usize)> {
    let colon = width_of(after, b':', "：")?;
    let slash = width_of(after.get(colon..)?, b'/', "／")?;
    let second = width_of(after.get(colon + slash..)?, b'/', "／")?;
    let name = ["https", "http", "ftp"].into_iter().find(|name| ends_with(before, name))?;
    Some((before.len() - name.len(), before.len() + colon + slash + second))
}

/// Returns the length of `narrow` or of its fullwidth form at the start of `rest`.
fn width_of(rest: &[u8], narrow: u8, wide: &str) -> Option<usize> {
    if rest.first() == Some(&narrow) { Some(1) } else { rest.starts_with(wide.as_bytes()).then_some(wide.len()) }
}

/// Returns where a link starts and where it goes on after `www.` or after a shortener's host, if its first point begins `after`.
fn bare_host(before: &[u8], after: &[u8]) -> Option<(usize, usize)> {
    let starts = |rest: &str| after.get(..rest.len()).is_some_and(|head| head.eq_ignore_ascii_case(rest.as_bytes()));
    let (name, rest) = HOSTS.into_iter().find(|(name, rest)| ends_with(before, name) && starts(rest))?;
    let start = before.len() - name.len();
    let runs_in = |&b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'@' | b'/');
    let body = before.len() + rest.len();
    let goes_on = after.get(rest.len()).is_some_and(u8::is_ascii_alphanumeric);
    (goes_on && !before.get(..start)?.last().is_some_and(runs_in)).then_some((start, body))
}

fn ends_with(text: &[u8], name: &str) -> bool {
    let tail = text.len().checked_sub(name.len()).and_then(|start| text.get(start..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(name.as_bytes()))
}

/// Returns the end of the run of address characters that starts at `start`.
pub(crate) fn address_end(bytes: &[u8], start: usize) -> usize {
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
