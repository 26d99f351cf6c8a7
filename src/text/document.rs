//! The document of several texts: one per line, without those that are NULL; NULL if the first is. `neardup.document` and guards form it so.

use std::borrow::Cow;

/// Joins the parts of a document; `None` if there is none, or the first is `None`.
pub fn joined<'t>(mut parts: impl Iterator<Item = Option<&'t str>>) -> Option<Cow<'t, str>> {
    let mut whole = Cow::Borrowed(parts.next()??);
    for part in parts.flatten() {
        let whole = whole.to_mut();
        whole.push('\n');
        whole.push_str(part);
    }
    Some(whole)
}
