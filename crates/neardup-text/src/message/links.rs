//! Web and mail addresses in a text, each with a key of what it leads to.
//!
//! A web address begins with a scheme, with `www.`, or is a host with a path: `example.org/news`. Its key is a hash of the address
//! without what does not lead elsewhere: the scheme, `www.` or `m.`, the case of the host, a slash at the end, the fragment, and the
//! parameters by which sites track readers (`data/links.tsv`). The other parameters count, in any order.

use std::ops::Range;

use memchr::memchr3_iter;

use super::words::{self, has};
use crate::hash::token_hash;
use crate::normalize::address_end;

/// The longest host or name of a mailbox, in bytes.
const HOST: usize = 128;

/// The longest host, and the shortest and longest path, of a shortener that is not known by name, in bytes.
const SHORT: (usize, usize, usize) = (12, 5, 10);

/// What a link leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// A page.
    Web,
    /// A page by the address of a shortener: two of them may lead to one page.
    Short,
    /// A mailbox.
    Address,
}

/// A link in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// In bytes, at character boundaries.
    pub range: Range<usize>,
    /// What it leads to.
    pub kind: LinkKind,
    /// Equal for links that differ only in what does not lead elsewhere.
    pub key: u64,
}

/// Returns the links of a text, in text order.
pub fn links(text: &str) -> impl Iterator<Item = Link> + '_ {
    let bytes = text.as_bytes();
    let mut done = 0;
    // The end of the last name that is no host: its other points are none either.
    let mut passed = 0;
    memchr3_iter(b':', b'.', b'@', bytes).filter_map(move |sign| {
        if sign < done {
            return None;
        }
        let (range, body) = match bytes.get(sign)? {
            b':' => scheme(bytes, sign)?,
            b'@' => mailbox(bytes, sign)?,
            _ if sign < passed => return None,
            _ => host(bytes, sign, &mut passed)?,
        };
        let address = text.get(body..range.end)?;
        let is_mail = bytes.get(sign) == Some(&b'@');
        let (kind, key) =
            if is_mail { (LinkKind::Address, token_hash(&address.to_ascii_lowercase())) } else { web(address) };
        if range.start < done {
            return None;
        }
        done = range.end;
        Some(Link { range, kind, key })
    })
}

/// Returns the address that begins with a scheme before the colon, and where its host begins.
fn scheme(bytes: &[u8], colon: usize) -> Option<(Range<usize>, usize)> {
    let before = bytes.get(..colon)?;
    let name = ["https", "http", "ftp"].into_iter().find(|name| ends_with(before, name))?;
    let body = colon + 3;
    let slashes = bytes.get(colon + 1..body)? == b"//";
    let end = address_end(bytes, body);
    (slashes && end > body).then(|| (colon - name.len()..end, body))
}

/// Returns the address around the first point of a host without a scheme, and sets the end of what may be its name.
fn host(bytes: &[u8], point: usize, passed: &mut usize) -> Option<(Range<usize>, usize)> {
    if !bytes.get(point + 1).is_some_and(u8::is_ascii_alphanumeric)
        || !bytes.get(point.checked_sub(1)?)?.is_ascii_alphanumeric()
    {
        return None;
    }
    let of_host = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    let start = point - bytes.get(..point)?.iter().rev().take(HOST).take_while(|byte| of_host(byte)).count();
    let before = start.checked_sub(1).and_then(|before| bytes.get(before));
    if before.is_some_and(|byte| matches!(byte, b'/' | b'@' | b'_' | b'=' | b'\\' | b'$')) {
        return None;
    }
    let len = bytes.get(start..)?.iter().take_while(|byte| of_host(byte)).count();
    let name = bytes.get(start..start + len)?;
    *passed = start + len;
    let top = name.rsplit(|byte| *byte == b'.').next()?;
    let named = (2..=24).contains(&top.len()) && top.iter().all(u8::is_ascii_alphabetic);
    let is_www = name.get(..4).is_some_and(|head| head.eq_ignore_ascii_case(b"www."));
    let path =
        bytes.get(start + len) == Some(&b'/') && bytes.get(start + len + 1).is_some_and(u8::is_ascii_alphanumeric);
    (is_www || named && path).then(|| (start..address_end(bytes, start), start))
}

/// Returns the mail address around an at sign.
fn mailbox(bytes: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
    let of_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+' | b'%' | b'=');
    let of_host = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    let body = at - bytes.get(..at)?.iter().rev().take(HOST).take_while(|byte| of_name(byte)).count();
    let host = bytes.get(at + 1..)?;
    let mut len = host.iter().take(HOST).take_while(|byte| of_host(byte)).count();
    while len > 0 && !host.get(len - 1)?.is_ascii_alphanumeric() {
        len -= 1;
    }
    let name = host.get(..len)?;
    let top = name.rsplit(|byte| *byte == b'.').next()?;
    let named = top.len() < len && top.len() >= 2 && top.iter().all(u8::is_ascii_alphabetic);
    let start = if ends_with(bytes.get(..body)?, "mailto:") { body - "mailto:".len() } else { body };
    (body < at && named).then(|| (start..at + 1 + len, body))
}

fn ends_with(text: &[u8], name: &str) -> bool {
    let tail = text.len().checked_sub(name.len()).and_then(|start| text.get(start..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(name.as_bytes()))
}

/// Returns the kind and the key of an address without its scheme.
fn web(address: &str) -> (LinkKind, u64) {
    let address = address.split_once('#').map_or(address, |(page, _)| page);
    let (place, query) = address.split_once('?').unwrap_or((address, ""));
    let (host, path) = place.split_at(place.find('/').unwrap_or(place.len()));
    let host = host.to_ascii_lowercase();
    let mirror = words::MIRROR.iter().filter_map(|mirror| host.strip_prefix(*mirror)).find(|rest| rest.contains('.'));
    let host = mirror.unwrap_or(&host);
    let path = path.trim_end_matches('/');
    let mut parameters: Vec<&str> = query.split('&').filter(|parameter| leads(parameter)).collect();
    parameters.sort_unstable();
    let mut canonical = format!("{host}{path}");
    for parameter in &parameters {
        canonical.push('?');
        canonical.push_str(parameter);
    }
    let kind = if parameters.is_empty() && is_short(host, path) { LinkKind::Short } else { LinkKind::Web };
    (kind, token_hash(&canonical))
}

/// Says whether a parameter may choose the page.
fn leads(parameter: &str) -> bool {
    let name = parameter.split_once('=').map_or(parameter, |(name, _)| name).to_ascii_lowercase();
    let name = name.strip_prefix("amp;").unwrap_or(&name);
    let families = || words::TRACKING.iter().filter_map(|word| word.strip_suffix('*'));
    !(name.is_empty() || has(&words::TRACKING, name) || families().any(|family| name.starts_with(family)))
}

fn is_short(host: &str, path: &str) -> bool {
    let code = path.get(1..).unwrap_or_default();
    let is_code = code.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && code.bytes().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
        && code.bytes().any(|byte| byte.is_ascii_alphabetic());
    let (longest, least, most) = SHORT;
    !code.is_empty() && has(&words::SHORTENER, host)
        || host.len() <= longest && is_code && (least..=most).contains(&code.len())
}
