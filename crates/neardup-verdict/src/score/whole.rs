//! What two texts look like as wholes: how much of each is quoted, and where their links lead.

use super::context::UNKNOWN;
use super::features::define_features;
use crate::compare::prepared::Prepared;
use neardup_text::message::{LinkKind, links};

define_features! {
    /// Two texts as wholes.
    Whole;
    /// Share of a text that quotes another one, the lesser and the greater of the two.
    quoted_least: 0,
    quoted_most: 0,
    /// If either quotes: the overlap of the two with what they quote.
    overlap_with_quotation: 0,
    /// If both have links: the share of them that both have.
    links_shared: 0,
    /// Whether both have links that lead elsewhere, none of them shortened.
    links_differ: -1,
    /// Whether only one has a link.
    link_of_one: 0,
}

/// Computes what two texts look like as wholes.
pub(crate) fn whole(texts: [&Prepared<'_>; 2]) -> Whole {
    let quoted = texts.map(Prepared::quoted);
    let [a, b] = texts.map(Prepared::links);
    let leads = |links: &[(LinkKind, u64)]| -> Vec<u64> {
        let mut keys: Vec<u64> = links.iter().filter(|(kind, _)| *kind == LinkKind::Web).map(|(_, key)| *key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    };
    let (keys_a, keys_b) = (leads(a), leads(b));
    let shared = keys_a.iter().filter(|key| keys_b.binary_search(key).is_ok()).count();
    let all = keys_a.len() + keys_b.len() - shared;
    let have = |links: &[(LinkKind, u64)]| links.iter().any(|(kind, _)| *kind != LinkKind::Address);
    let is_short = |links: &[(LinkKind, u64)]| links.iter().any(|(kind, _)| *kind == LinkKind::Short);
    Whole {
        quoted_least: quoted[0].min(quoted[1]),
        quoted_most: quoted[0].max(quoted[1]),
        overlap_with_quotation: if quoted == [0.0; 2] { UNKNOWN } else { texts[0].overlap(texts[1]) },
        links_shared: if keys_a.is_empty() || keys_b.is_empty() { UNKNOWN } else { shared as f64 / all as f64 },
        links_differ: flag(shared == 0 && !keys_a.is_empty() && !keys_b.is_empty() && !is_short(a) && !is_short(b)),
        link_of_one: flag(have(a) != have(b)),
    }
}

/// Says whether both have links, and none that the other has, shortened or not.
pub(crate) fn link_apart(texts: [&Prepared<'_>; 2]) -> bool {
    let [a, b] = texts.map(|text| text.links().iter().filter(|(kind, _)| *kind != LinkKind::Address));
    let is_shared = |link: &(LinkKind, u64)| b.clone().any(|other| other == link);
    a.clone().next().is_some() && b.clone().next().is_some() && !a.clone().any(is_shared)
}

/// The least number of digits of what names one comment or post of many on a page: #issuecomment-1387305073, #post12345.
const DIGITS: usize = 4;

/// Says whether links of both lead to places of pages by their numbers, and these are not the same.
pub(crate) fn lead_to_other_places(texts: [&Prepared<'_>; 2]) -> bool {
    let [a, b] = texts.map(|text| {
        let mut places: Vec<&str> = links(text.text()).filter_map(|link| place(text.text().get(link.range)?)).collect();
        places.sort_unstable();
        places
    });
    !a.is_empty() && !b.is_empty() && a != b
}

/// Returns what names a place of a page in a link; what is given a value, as #xtor=RSS-123, is said by whoever passes the link on.
fn place(link: &str) -> Option<&str> {
    let (_, place) = link.split_once('#')?;
    let is_number = place.bytes().filter(u8::is_ascii_digit).count() >= DIGITS;
    (is_number && !place.contains('=')).then(|| place.trim_end_matches(|c: char| !c.is_alphanumeric()))
}

fn flag(is_so: bool) -> f64 {
    f64::from(u8::from(is_so))
}
