//! Sets of Han characters that every character is looked up in.

/// The first Han character, and the one after the last.
const FIRST: u32 = 0x4e00;
const END: u32 = 0xa000;

/// A bit for each Han character.
pub(crate) struct HanSet([u64; (END - FIRST) as usize / 64]);

impl HanSet {
    /// Makes the set of the characters of `text`, all of them Han.
    pub(crate) const fn of(text: &str) -> Self {
        let mut set = Self([0; _]);
        let bytes = text.as_bytes();
        let mut at = 0;
        while at + 2 < bytes.len() {
            let [high, middle, low] =
                [bytes[at] as u32 & 0xf, bytes[at + 1] as u32 & 0x3f, bytes[at + 2] as u32 & 0x3f];
            let place = (high << 12 | middle << 6 | low) - FIRST;
            set.0[place as usize / 64] |= 1 << (place % 64);
            at += 3;
        }
        set
    }

    pub(crate) fn has(&self, c: char) -> bool {
        let place = u32::from(c).wrapping_sub(FIRST);
        self.0.get(place as usize / 64).is_some_and(|word| (word >> (place % 64)) & 1 == 1)
    }

    /// Says whether `word` is one of the characters.
    pub(crate) fn is(&self, word: &str) -> bool {
        let mut chars = word.chars();
        chars.next().is_some_and(|c| self.has(c)) && chars.as_str().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::HanSet;

    #[test]
    fn has_what_it_was_given() {
        const TEXT: &str = "一的鿿";
        static SET: HanSet = HanSet::of(TEXT);
        for c in '\0'..=char::MAX {
            assert_eq!(SET.has(c), TEXT.contains(c), "{c}");
        }
        assert!(SET.is("的") && !SET.is("一的") && !SET.is(""));
    }
}
