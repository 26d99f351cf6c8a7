//! Covers: sets of bit masks chosen so that two near words agree on all bits of at least one mask.
//!
//! Bands are the simplest cover: of distance + 1 blocks, `distance` differing bits spoil all but one. Manku 2007 puts several
//! blocks into each mask: fewer words agree by chance, but there are many masks. The covers built here lie between these two.
//!
//! Cut the word into blocks and distribute them over p parts. Part i has e(i) + q - 1 blocks, and the e(i) add up to distance + 1.
//! If every part had e(i) or more spoilt blocks, at least distance + 1 bits would differ. So some part has at least q unspoilt
//! blocks. The masks are all ways to choose q blocks of one part, so one of them contains no differing bit.
//!
//! With q = 1 and p = distance + 1 this gives bands; with one part it gives Manku's tables. For pairs (q = 2) these are Turán's
//! graphs, which have the fewest possible masks.

/// The shape of a cover; which one is best depends on how many words there are to tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cover {
    /// How many blocks a mask keeps (q).
    pub kept: u32,
    /// How many parts the blocks are shared out to (p), at most distance + 1.
    pub parts: u32,
}

impl Cover {
    /// Says into how many blocks the bits are cut.
    pub(crate) fn blocks(self, distance: u32) -> u32 {
        self.parts * (self.kept - 1) + distance + 1
    }

    /// Says how many masks there are.
    pub(crate) fn masks_count(self, distance: u32) -> u32 {
        (0..self.parts).map(|part| choose(self.part_blocks(part, distance), self.kept)).sum()
    }

    /// Sums, over all masks, the chance that two random words agree on a mask's share of `bits` bits.
    pub(crate) fn chances(self, distance: u32, bits: u32) -> f64 {
        let blocks = self.blocks(distance);
        let kept = self.kept as usize;
        let mut block = 0;
        let mut total = 0.0;
        for part in 0..self.parts {
            // sums[q]: over all ways to take q of the part's blocks so far, the product of their chances.
            let mut sums = vec![0.0; kept + 1];
            sums[0] = 1.0;
            for _ in 0..self.part_blocks(part, distance) {
                let chance = 0.5f64.powi((bits / blocks + u32::from(block < bits % blocks)) as i32);
                for q in (1..=kept).rev() {
                    sums[q] += sums[q - 1] * chance;
                }
                block += 1;
            }
            total += sums[kept];
        }
        total
    }

    /// Lists the masks over the set bits of `bits`; the blocks are interleaved.
    pub(crate) fn masks(self, distance: u32, bits: u64) -> Vec<u64> {
        let mut blocks = vec![0u64; self.blocks(distance) as usize];
        let count = blocks.len();
        let mut rest = bits;
        for place in (0..count).cycle().take(bits.count_ones() as usize) {
            blocks[place] |= rest & rest.wrapping_neg();
            rest &= rest - 1;
        }
        let mut masks = Vec::with_capacity(self.masks_count(distance) as usize);
        let mut of_part = &blocks[..];
        for part in 0..self.parts {
            let (own, others) = of_part.split_at(self.part_blocks(part, distance) as usize);
            combine(own, self.kept, 0, &mut masks);
            of_part = others;
        }
        masks
    }

    fn part_blocks(self, part: u32, distance: u32) -> u32 {
        let tolerated = (distance + 1) / self.parts + u32::from(part < (distance + 1) % self.parts);
        tolerated + self.kept - 1
    }
}

/// Adds to `masks` each union of `count` of the blocks with `mask`.
fn combine(blocks: &[u64], count: u32, mask: u64, masks: &mut Vec<u64>) {
    if count == 0 {
        masks.push(mask);
        return;
    }
    for (i, block) in blocks.iter().enumerate() {
        combine(&blocks[i + 1..], count - 1, mask | block, masks);
    }
}

fn choose(n: u32, k: u32) -> u32 {
    (0..k).fold(1, |product, i| product * (n - i) / (i + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks every set of spoilt blocks, which is all that matters of a difference.
    #[test]
    fn some_mask_escapes_every_difference() {
        for distance in 0..=7 {
            for (kept, parts) in (1..=4).flat_map(|kept| (1..=distance + 1).map(move |parts| (kept, parts))) {
                let cover = Cover { kept, parts };
                let blocks = cover.blocks(distance);
                if blocks > 16 {
                    continue;
                }
                let masks = cover.masks(distance, (1 << blocks) - 1);
                assert_eq!(masks.len(), cover.masks_count(distance) as usize);
                assert!(masks.iter().all(|mask| mask.count_ones() == kept));
                for difference in (0u64..1 << blocks).filter(|word| word.count_ones() == distance) {
                    assert!(masks.iter().any(|mask| mask & difference == 0), "{cover:?} {distance} {difference:b}");
                }
            }
        }
    }

    #[test]
    fn known_covers_come_out() {
        let count = |kept, parts, distance| Cover { kept, parts }.masks_count(distance);
        assert_eq!(count(1, 4, 3), 4);
        assert_eq!(count(3, 1, 3), 20);
        assert_eq!(count(2, 2, 3), 6);
        assert_eq!(count(2, 2, 7), 20);
        assert_eq!(count(3, 2, 7), 40);
    }

    #[test]
    fn chances_are_those_of_the_masks() {
        for (kept, parts, distance, bits) in [(1, 4, 3, 64), (2, 2, 7, 64), (5, 3, 11, 64), (3, 2, 7, 29), (2, 3, 4, 8)]
        {
            let cover = Cover { kept, parts };
            let masks = cover.masks(distance, (u128::MAX >> (128 - bits)) as u64);
            let sum: f64 = masks.iter().map(|mask| 0.5f64.powi(mask.count_ones() as i32)).sum();
            assert!((cover.chances(distance, bits) / sum - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn masks_share_out_all_bits() {
        let bits = 0xffff_0000_ffff_00ff;
        let masks = Cover { kept: 2, parts: 2 }.masks(3, bits);
        assert_eq!(masks.iter().fold(0, |all, mask| all | mask), bits);
        assert!(masks.iter().all(|mask| (12..=15).contains(&mask.count_ones())));
    }
}
