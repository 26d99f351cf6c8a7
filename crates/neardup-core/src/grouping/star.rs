//! Stars: groups in which every row is within the distance of the representative.
//!
//! A row and its representative are in one connected component, so components are found first. Most rows are alone in their
//! component and need no more work. The others are processed component by component: each row is compared with the representatives
//! so far.

use ahash::AHashMap;

use super::near::Near;
use crate::banding::{self, DEFAULT_BANDS};
use neardup_text::{Result, interrupt};

/// Lists the rows component by component, each in order; a component is given as the first position of each of its rows.
pub(super) fn by_component(components: &[u32]) -> Vec<u32> {
    let mut ends = vec![0u32; components.len()];
    components.iter().for_each(|&component| ends[component as usize] += 1);
    let mut sum = 0;
    for end in &mut ends {
        sum += std::mem::replace(end, sum);
    }
    let mut members = vec![0u32; components.len()];
    for (position, &component) in (0..).zip(components) {
        let end = &mut ends[component as usize];
        members[*end as usize] = position;
        *end += 1;
    }
    members
}

/// Refines components, given as the first position of each row's component, to stars.
pub(super) fn stars(signatures: &[u64], components: &[u32], distance: u32) -> Result<Vec<u32>> {
    let members = by_component(components);
    let mut representatives = components.to_vec();
    // Equal signatures are in one component, so one map serves all.
    let mut joined = AHashMap::new();
    for component in members.chunk_by(|&a, &b| components[a as usize] == components[b as usize]) {
        interrupt::check();
        // In a component of two, the second is within the distance of the first.
        if component.len() > 2 {
            refine(signatures, component, distance, &mut representatives, &mut joined)?;
        }
    }
    Ok(representatives)
}

/// Refines one component. `joined` records which representatives the other distinct signatures joined.
fn refine(
    signatures: &[u64],
    component: &[u32],
    distance: u32,
    representatives: &mut [u32],
    joined: &mut AHashMap<u64, u32>,
) -> Result<()> {
    let mut stars = Representatives::new(distance)?;
    for &position in component {
        let signature = signatures[position as usize];
        representatives[position as usize] = match joined.get(&signature) {
            Some(&representative) => representative,
            None => match stars.nearest(signature)? {
                Some(representative) => {
                    joined.insert(signature, representative);
                    representative
                }
                None => {
                    stars.push(signature, position)?;
                    position
                }
            },
        };
    }
    Ok(())
}

/// The representatives of one component, in order.
struct Representatives {
    signatures: Vec<u64>,
    positions: Vec<u32>,
    near: Near,
    /// Indexes of the representatives by band key, once there are enough of them that probing costs less than comparing with all.
    by_band: AHashMap<i32, Vec<u32>>,
    many: usize,
    comparisons: usize,
}

impl Representatives {
    fn new(distance: u32) -> Result<Self> {
        /// A probe costs about as much as this many comparisons in sequence (EPYC with AVX-512: 100 ns to 0.2 ns).
        const COMPARISONS_OF_A_PROBE: usize = 512;
        let mut probes = 0;
        banding::probes(0, distance, DEFAULT_BANDS, |_| probes += 1)?;
        Ok(Self {
            signatures: Vec::new(),
            positions: Vec::new(),
            near: Near::new(distance, u32::MAX),
            by_band: AHashMap::new(),
            many: probes * COMPARISONS_OF_A_PROBE,
            comparisons: 0,
        })
    }

    /// Finds the nearest representative within the distance, the earliest of equally near ones.
    fn nearest(&mut self, signature: u64) -> Result<Option<u32>> {
        self.comparisons += self.signatures.len().min(self.many);
        if self.comparisons > 100_000 {
            self.comparisons = 0;
            interrupt::check();
        }
        let apart = |place: u32| (self.signatures[place as usize] ^ signature).count_ones();
        let nearest = if self.signatures.len() <= self.many {
            self.near.compare_all(&self.signatures, signature);
            self.near.pairs.drain(..).map(|(place, _)| (apart(place), place)).min()
        } else {
            let mut nearest: Option<(u32, u32)> = None;
            banding::probes(signature, self.near.distance, DEFAULT_BANDS, |key| {
                for &place in self.by_band.get(&key).map_or(&[][..], Vec::as_slice) {
                    let found = (apart(place), place);
                    nearest = Some(nearest.map_or(found, |nearest| nearest.min(found)));
                }
            })?;
            nearest.filter(|&(apart, _)| apart <= self.near.distance)
        };
        Ok(nearest.map(|(_, place)| self.positions[place as usize]))
    }

    fn push(&mut self, signature: u64, position: u32) -> Result<()> {
        self.signatures.push(signature);
        self.positions.push(position);
        if self.signatures.len() <= self.many {
            return Ok(());
        }
        // The first time, all of them are added; later, only the last one.
        let first = if self.by_band.is_empty() { 0 } else { self.signatures.len() - 1 };
        for (place, &signature) in (0..).zip(&self.signatures).skip(first) {
            banding::bands(signature, DEFAULT_BANDS, |key| self.by_band.entry(key).or_default().push(place))?;
        }
        Ok(())
    }
}
