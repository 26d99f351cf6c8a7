//! Undoes pglz, the compression in which Postgres keeps long texts unless told otherwise.
//!
//! Reading a table of articles is mostly this: of the time of `sum(hashtext(body))` over Chinese news Postgres's own
//! `pglz_decompress` took 56 % (Postgres 15, `perf`). [`decompress`] gives the same bytes in half the time, by copying runs of
//! literals at once, in safe Rust. (Measured and slower: steps without any branch, which are too many instructions.)
//!
//! The form (`src/common/pg_lzcompress.c`, unchanged since Postgres 8): groups of a control byte and eight items, the first
//! one for its lowest bit. A clear bit is a literal byte; a set bit is a copy from what was written before, two bytes: the
//! low four bits of the first are the length less 3, its high four bits and the second byte the distance back. The length
//! 18 is followed by a byte to add. The last group ends where the text does.

/// Bytes beyond the text's length that [`decompress`] may write to.
pub const SLACK: usize = 16;

/// The longest copy that two bytes stand for; the next value announces a third.
const SHORT: usize = 17;
/// What is copied at once.
const WIDE: usize = 16;
/// A group is at most a control byte and eight copies of three bytes; the literals are read eight at once.
const GROUP_READ: usize = 1 + 8 * 3 + 8;

/// Decompresses a text of `length` bytes into the beginning of `text`, which has room for [`SLACK`] bytes more.
///
/// Gives `None` where Postgres would find the data corrupt, and for too little room; what is in `text` then is without
/// meaning.
#[must_use]
pub fn decompress(compressed: &[u8], text: &mut [u8], length: usize) -> Option<()> {
    let text = text.get_mut(..length.checked_add(SLACK)?)?;
    let (mut read, mut written) = (0, 0);
    while read < compressed.len() && written < length {
        let inside = compressed.len() - read >= GROUP_READ && length - written >= 8 * SHORT;
        if inside
            && let Some(after) = usual_group(compressed, text, read, written)
            && after.1 <= length
        {
            (read, written) = after;
        } else {
            (read, written) = any_group(compressed, text, length, read, written)?;
        }
    }
    (read == compressed.len() && written == length).then_some(())
}

/// Decompresses a group well inside the data, a run of literals and a copy at a time; gives where it ends, or `None` for one
/// that is corrupt or copies from less than [`WIDE`] bytes back what repeats itself.
///
/// More is written than counts, what follows overwrites it: so no literal needs a branch, and few copies do.
#[inline(always)]
fn usual_group(compressed: &[u8], text: &mut [u8], mut read: usize, mut written: usize) -> Option<(usize, usize)> {
    // The bit above the items ends the last run.
    let mut control = u32::from(*compressed.get(read)?) | 1 << 8;
    read += 1;
    loop {
        let run = control.trailing_zeros();
        put::<8>(text, written, *compressed.get(read..)?.first_chunk()?)?;
        read += run as usize;
        written += run as usize;
        control >>= run;
        if control == 1 {
            return Some((read, written));
        }
        control >>= 1;
        let [first, second, third] = *compressed.get(read..)?.first_chunk()?;
        let (mut length, distance) = item([first, second]);
        read += 2;
        let from = written.checked_sub(distance)?;
        if length <= WIDE && distance >= length {
            put::<WIDE>(text, written, *text.get(from..)?.first_chunk()?)?;
        } else {
            if length > SHORT {
                length += usize::from(third);
                read += 1;
            }
            copy_wide(text, from, written, written + length).filter(|()| distance >= WIDE)?;
        }
        written += length;
    }
}

/// Copies to the places from `at` to `end` what is from `from` on, at least [`WIDE`] bytes before; writes up to 15 bytes more.
fn copy_wide(text: &mut [u8], from: usize, at: usize, end: usize) -> Option<()> {
    for (at, from) in (at..end).step_by(WIDE).zip((from..).step_by(WIDE)) {
        put::<WIDE>(text, at, *text.get(from..)?.first_chunk()?)?;
    }
    Some(())
}

/// Decompresses any group item by item, up to the end of the data or of the text; gives where it ends, `None` if it is
/// corrupt.
#[inline(never)]
fn any_group(
    compressed: &[u8],
    text: &mut [u8],
    length: usize,
    mut read: usize,
    mut written: usize,
) -> Option<(usize, usize)> {
    let control = *compressed.get(read)?;
    read += 1;
    for bit in 0..8 {
        if read == compressed.len() || written == length {
            break;
        }
        if control >> bit & 1 == 0 {
            put::<1>(text, written, *compressed.get(read..)?.first_chunk()?)?;
            read += 1;
            written += 1;
            continue;
        }
        let (mut wanted, distance) = item(*compressed.get(read..)?.first_chunk()?);
        read += 2;
        if wanted > SHORT {
            wanted += usize::from(*compressed.get(read)?);
            read += 1;
        }
        let from = written.checked_sub(distance).filter(|_| distance > 0)?;
        // Postgres, too, cuts a copy that goes beyond the end of the text.
        let end = length.min(written + wanted);
        if distance >= WIDE {
            copy_wide(text, from, written, end)?;
        } else {
            // The copy repeats itself.
            for (at, from) in (written..end).zip(from..) {
                put::<1>(text, at, [*text.get(from)?])?;
            }
        }
        written = end;
    }
    Some((read, written))
}

/// Length and distance of a copy; the length 18 says that more follows.
#[inline(always)]
fn item([first, second]: [u8; 2]) -> (usize, usize) {
    (usize::from(first & 15) + 3, usize::from(first & 0xf0) << 4 | usize::from(second))
}

/// Writes bytes at a place of the text.
#[inline(always)]
fn put<const N: usize>(text: &mut [u8], at: usize, bytes: [u8; N]) -> Option<()> {
    *text.get_mut(at..)?.first_chunk_mut()? = bytes;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::{SLACK, decompress};
    use proptest::prelude::*;

    /// What Postgres does, a byte at a time.
    fn naive(compressed: &[u8], length: usize) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        let mut bytes = compressed.iter().copied().peekable();
        while text.len() < length
            && let Some(control) = bytes.next()
        {
            for bit in 0..8 {
                if bytes.peek().is_none() || text.len() == length {
                    break;
                }
                if control >> bit & 1 == 0 {
                    text.extend(bytes.next());
                    continue;
                }
                let (first, second) = (bytes.next()?, bytes.next()?);
                let mut copied = usize::from(first & 15) + 3;
                let distance = usize::from(first & 0xf0) * 16 + usize::from(second);
                if copied == 18 {
                    copied += usize::from(bytes.next()?);
                }
                if distance == 0 {
                    return None;
                }
                let from = text.len().checked_sub(distance)?;
                for at in from..from + copied.min(length - text.len()) {
                    text.push(text[at]);
                }
            }
        }
        (bytes.next().is_none() && text.len() == length).then_some(text)
    }

    /// The longest copy at each place, found by looking at all.
    fn compress(text: &[u8]) -> Vec<u8> {
        let mut compressed = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let control = compressed.len();
            compressed.push(0);
            for bit in 0..8 {
                if at == text.len() {
                    break;
                }
                let same = |distance: usize| {
                    (0..273.min(text.len() - at)).take_while(|i| text[at + i] == text[at + i - distance]).count()
                };
                let best = (1..at.min(4095) + 1).map(|distance| (same(distance), distance)).max();
                match best.filter(|&(length, _)| length >= 3) {
                    Some((length, distance)) => {
                        compressed[control] |= 1 << bit;
                        compressed.push((distance >> 4 & 0xf0) as u8 | (length - 3).min(15) as u8);
                        compressed.push(distance as u8);
                        if length >= 18 {
                            compressed.push((length - 18) as u8);
                        }
                        at += length;
                    }
                    None => {
                        compressed.push(text[at]);
                        at += 1;
                    }
                }
            }
        }
        compressed
    }

    fn fast(compressed: &[u8], length: usize) -> Option<Vec<u8>> {
        let mut text = vec![0x55; length + SLACK];
        decompress(compressed, &mut text, length)?;
        text.truncate(length);
        Some(text)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn texts_come_back(text in "([一二三四五六七八九十]{1,40}|[a-d]{1,30}|a{20,400}|[一-龥]{1,60}){0,12}") {
            let compressed = compress(text.as_bytes());
            let text = Some(text.into_bytes());
            let length = text.as_ref().map_or(0, Vec::len);
            prop_assert_eq!(&naive(&compressed, length), &text);
            prop_assert_eq!(&fast(&compressed, length), &text);
        }

        /// Whatever the bytes, the same text or the same refusal as Postgres's; also cut off and changed in one place.
        #[test]
        fn any_bytes_are_read_as_postgres_reads_them(
            text in "[一二三四五六a-f]{0,300}",
            noise in prop::collection::vec(prop_oneof![any::<u8>(), 0_u8..40], 0..400),
            place in any::<prop::sample::Index>(),
            byte: u8,
            longer in -3_isize..200,
        ) {
            let whole = compress(text.as_bytes());
            let mut changed = whole.clone();
            if !changed.is_empty() {
                let place = place.index(changed.len());
                changed[place] = byte;
            }
            let mut prefixed = whole.clone();
            prefixed.extend(&noise);
            for bytes in [&whole[..], &changed, &noise, &prefixed, &whole[..place.index(whole.len() + 1)]] {
                let length = text.len().saturating_add_signed(longer);
                prop_assert_eq!(fast(bytes, length), naive(bytes, length));
                prop_assert_eq!(fast(bytes, text.len()), naive(bytes, text.len()));
            }
        }

        /// Noise is nearly always refused early; made of items that fit, it is read to its end.
        #[test]
        fn any_items_are_read(items in prop::collection::vec((any::<bool>(), 0_usize..290, 1_usize..4096), 1..400)) {
            let mut compressed = Vec::new();
            let mut length = 0;
            for group in items.chunks(8) {
                let control = compressed.len();
                compressed.push(0);
                for (bit, &(copy, size, distance)) in group.iter().enumerate() {
                    if !copy || length == 0 {
                        compressed.push(size as u8);
                        length += 1;
                        continue;
                    }
                    let (size, distance) = (size.clamp(3, 273), (distance - 1) % length + 1);
                    compressed[control] |= 1 << bit;
                    compressed.push((distance >> 4 & 0xf0) as u8 | (size - 3).min(15) as u8);
                    compressed.push(distance as u8);
                    compressed.extend((size >= 18).then(|| (size - 18) as u8));
                    length += size;
                }
            }
            let expected = naive(&compressed, length);
            prop_assert!(expected.is_some());
            prop_assert_eq!(fast(&compressed, length), expected);
        }
    }

    /// What Postgres 15 has made of a text.
    #[test]
    fn bytes_of_postgres_are_read() {
        let text = "近似重复的新闻，".repeat(300) + "完";
        let mut compressed: Vec<u8> = Vec::new();
        for literals in text.as_bytes()[..24].chunks(8) {
            compressed.push(0);
            compressed.extend(literals);
        }
        for control in [0xff, 0xff, 0xff] {
            compressed.push(control);
            compressed.extend([0x0f, 24, 255].repeat(8));
        }
        compressed.push(0x07);
        compressed.extend([0x0f, 24, 255, 0x0f, 24, 255, 0x0f, 24, 60, 0xe5, 0xae, 0x8c]);
        assert_eq!(fast(&compressed, text.len()).as_deref(), Some(text.as_bytes()));
    }

    #[test]
    fn too_little_room_is_refused() {
        assert_eq!(decompress(&[0, b'a'], &mut [0; SLACK], 1), None);
        assert_eq!(decompress(&[0, b'a'], &mut [0; SLACK + 1], 1), Some(()));
        assert_eq!(decompress(&[], &mut [0; SLACK], 0), Some(()));
    }
}
