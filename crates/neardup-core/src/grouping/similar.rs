//! Stars among rows that only a function of two rows can compare; for MinHash.

use super::star::by_component;
use neardup_text::interrupt;

/// The most representatives of a component with which a row is compared.
const MOST_REPRESENTATIVES: usize = 256;

/// Refines components, given as the first position of each row's component, to stars: returns for each row its representative.
///
/// Within a component, in order, each row joins the representative with the greatest `similarity`, the earliest of equals, if
/// that is at least `least`; otherwise it becomes one itself. In a component with many representatives, a row is compared with
/// the 256 that rows joined last, so that the work stays linear. No row joins a representative to which it is not similar.
pub fn stars_of(components: &[u32], least: f64, mut similarity: impl FnMut(u32, u32) -> f64) -> Vec<u32> {
    let members = by_component(components);
    let mut representatives = components.to_vec();
    let mut stars: Vec<u32> = Vec::new();
    for component in members.chunk_by(|&a, &b| components[a as usize] == components[b as usize]) {
        stars.clear();
        for &row in component {
            interrupt::check();
            let mut nearest: Option<(f64, u32, usize)> = None;
            for (place, &star) in stars.iter().enumerate() {
                let found = similarity(star, row);
                let better =
                    |&(best, earliest, _): &(f64, u32, usize)| found > best || (found == best && star < earliest);
                if found >= least && nearest.as_ref().is_none_or(better) {
                    nearest = Some((found, star, place));
                }
            }
            match nearest {
                Some((_, star, place)) => {
                    representatives[row as usize] = star;
                    stars[place..].rotate_left(1);
                }
                None => {
                    representatives[row as usize] = row;
                    if stars.len() == MOST_REPRESENTATIVES {
                        stars.remove(0);
                    }
                    stars.push(row);
                }
            }
        }
    }
    representatives
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_chain_becomes_stars() {
        let place = [0.0f64, 0.8, 1.6, 2.4, 10.0];
        let similarity = |a: u32, b: u32| 1.0 - (place[a as usize] - place[b as usize]).abs() / 2.0;
        assert_eq!(stars_of(&[0, 0, 0, 0, 4], 0.5, similarity), [0, 0, 2, 2, 4]);
        // The nearest, not the first.
        let place = [0.0f64, 1.5, 0.9];
        let similarity = |a: u32, b: u32| 1.0 - (place[a as usize] - place[b as usize]).abs() / 2.0;
        assert_eq!(stars_of(&[0, 0, 0], 0.5, similarity), [0, 1, 1]);
    }

    proptest! {
        #[test]
        fn every_row_is_similar_to_its_representative(
            places in prop::collection::vec(0u32..100, 1..60),
            least in 1u32..20,
        ) {
            let apart = |a: u32, b: u32| places[a as usize].abs_diff(places[b as usize]);
            let limit = 1.0 - f64::from(least) / 100.0;
            let similarity = |a: u32, b: u32| 1.0 - f64::from(apart(a, b)) / 100.0;
            let groups = stars_of(&vec![0; places.len()], limit, similarity);
            for (row, &star) in (0..).zip(&groups) {
                prop_assert!(star <= row && groups[star as usize] == star);
                prop_assert!(similarity(star, row) >= limit);
                // No representative is nearer; none is near at all where the row became one.
                for earlier in (0..row).filter(|&earlier| groups[earlier as usize] == earlier) {
                    let here = similarity(earlier, row);
                    let bound = if star == row { limit - 0.001 } else { similarity(star, row) };
                    prop_assert!(here <= bound);
                }
            }
        }
    }

    #[test]
    fn many_representatives_cost_no_square() {
        let mut comparisons = 0u64;
        let groups = stars_of(&[0; 20_000], 0.5, |_, _| {
            comparisons += 1;
            0.0
        });
        assert!(groups.iter().copied().eq(0..20_000));
        assert!(comparisons <= 20_000 * 256);
    }
}
