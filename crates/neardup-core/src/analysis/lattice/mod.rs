//! Word lattices.

use super::lexicon::Walker;

/// Cost of the cheapest cut.
pub(super) fn cheapest(walker: &Walker<'_>, text: &str) -> u32 {
    let mut cost = vec![u32::MAX; text.len() + 1];
    if let Some(first) = cost.first_mut() {
        *first = 0;
    }
    for (at, c) in text.char_indices() {
        let so_far = cost[at];
        let mut reach = |length: usize, price: u32| {
            let end = &mut cost[at + length];
            *end = (*end).min(so_far.saturating_add(price));
        };
        reach(c.len_utf8(), walker.log_total());
        walker.prefixes(&text[at..], &mut |length, entry| {
            reach(length, walker.log_total().saturating_sub(entry.weight()));
        });
    }
    cost[text.len()]
}
