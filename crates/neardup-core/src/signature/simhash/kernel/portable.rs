//! The portable kernel, and the oracle of the others: bit-sliced carry-save counters.

/// How many hashes one set of bit-sliced counters takes before it is added to the result.
const SLICE: usize = 1024;
/// Lanes of 64 bits worked on side by side: a 256-bit vector, or two of 128 bits.
const LANES: usize = 4;
/// Hashes to a step of the adder tree.
const STEP: usize = 16 * LANES;
/// Planes beyond the tree's four: they count the tree's carries, at most `SLICE / STEP` = 16 in a lane.
const CARRY_PLANES: usize = 5;

type Lanes = [u64; LANES];

/// Adds to `ones[i]` how many of the hashes have bit i set.
#[inline(always)]
pub(super) fn count_ones_sliced(hashes: &[u64], ones: &mut [u64; 64]) {
    for slice in hashes.chunks(SLICE) {
        let mut tree = [[0; LANES]; 4];
        let mut carries = [[0; LANES]; CARRY_PLANES];
        let (steps, rest) = slice.as_chunks::<STEP>();
        for step in steps {
            add_step(step, &mut tree, &mut carries);
        }
        if !rest.is_empty() {
            // A hash of 0 has no bit set and counts nowhere.
            let mut padded = [0; STEP];
            for (to, from) in padded.iter_mut().zip(rest) {
                *to = *from;
            }
            add_step(&padded, &mut tree, &mut carries);
        }
        for (plane, lanes) in tree.iter().chain(&carries).enumerate() {
            for lane in lanes {
                for (bit, count) in ones.iter_mut().enumerate() {
                    *count += ((lane >> bit) & 1) << plane;
                }
            }
        }
    }
}

/// Adds 16 hashes to each lane: fifteen full adders into the tree's planes of 1, 2, 4 and 8, and the carry of 16.
#[inline(always)]
fn add_step(step: &[u64; STEP], tree: &mut [Lanes; 4], carries: &mut [Lanes; CARRY_PLANES]) {
    let (rows, _) = step.as_chunks::<LANES>();
    let [ones, twos, fours, eights] = tree;
    let mut pending_eights = [[0; LANES]; 2];
    for (eight, eight_rows) in pending_eights.iter_mut().zip(rows.chunks_exact(8)) {
        let mut pending_fours = [[0; LANES]; 2];
        for (four, four_rows) in pending_fours.iter_mut().zip(eight_rows.chunks_exact(4)) {
            let [a, b, c, d] = four_rows else { continue };
            let first = full_add(ones, a, b);
            let second = full_add(ones, c, d);
            *four = full_add(twos, &first, &second);
        }
        *eight = full_add(fours, &pending_fours[0], &pending_fours[1]);
    }
    let mut carry = full_add(eights, &pending_eights[0], &pending_eights[1]);
    for plane in carries {
        for (bit, carry) in plane.iter_mut().zip(&mut carry) {
            (*bit, *carry) = (*bit ^ *carry, *bit & *carry);
        }
    }
}

/// Adds two planes to a third bit by bit; keeps the sum and returns the carry.
#[inline(always)]
fn full_add(sum: &mut Lanes, a: &Lanes, b: &Lanes) -> Lanes {
    let mut carry = [0; LANES];
    for lane in 0..LANES {
        let half = a[lane] ^ b[lane];
        carry[lane] = (a[lane] & b[lane]) | (half & sum[lane]);
        sum[lane] ^= half;
    }
    carry
}
