//! The step `simplified`: maps traditional Han characters to simplified ones, one by one.
//!
//! The table is made at build time from the dictionaries of OpenCC (through ferrous-opencc), so nothing is loaded at run time. It
//! maps single characters, not phrases. Both sides of every comparison are mapped in the same way, so a character with two readings
//! (乾 in 乾坤 and in 乾燥) only has to become the same character everywhere. Text for readers would need a converter of phrases.

mod table {
    include!(concat!(env!("OUT_DIR"), "/simplified_table.rs"));
}

/// First character of the dense table.
const DENSE_START: u32 = 0x3400;

/// Writes each traditional character of `text` simplified.
pub(super) fn apply(text: &str, out: &mut String) {
    let mut copied = 0;
    for (count, (at, c)) in text.char_indices().enumerate() {
        if count & 0xfff == 0xfff {
            crate::interrupt::check();
        }
        let becomes = simplified(c);
        if becomes != c {
            out.push_str(text.get(copied..at).unwrap_or_default());
            out.push(becomes);
            copied = at + c.len_utf8();
        }
    }
    out.push_str(text.get(copied..).unwrap_or_default());
}

/// Gives the simplified form of `c`, or `c`.
#[inline]
pub fn simplified(c: char) -> char {
    let code = u32::from(c);
    let Some(place) = code.checked_sub(DENSE_START) else { return c };
    let simplified = match table::DENSE.get(place as usize) {
        Some(0) => code,
        Some(&simplified) if simplified > 1 => u32::from(simplified),
        _ => {
            let place = table::SPARSE.binary_search_by_key(&code, |&(traditional, _)| traditional);
            place.ok().and_then(|place| table::SPARSE.get(place)).map_or(code, |&(_, simplified)| simplified)
        }
    };
    char::from_u32(simplified).unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::{apply, simplified, table};

    #[test]
    fn traditional_becomes_simplified() {
        let mut out = String::new();
        apply("後來裏裡麼隻餘於，臺灣台湾 ABC 𠁞", &mut out);
        assert_eq!(out, "后来里里么只余于，台湾台湾 ABC 𠀾");
    }

    /// Once is as good as twice, and the table holds the about 4,100 characters of OpenCC.
    #[test]
    fn the_table_is_sorted_and_closed() {
        assert!(table::SPARSE.is_sorted_by(|a, b| a.0 < b.0));
        let changed = ('\0'..=char::MAX).filter(|&c| simplified(c) != c).collect::<Vec<_>>();
        assert!((4_000..5_000).contains(&changed.len()), "{}", changed.len());
        for c in changed {
            assert_eq!(simplified(simplified(c)), simplified(c));
        }
        assert_eq!(simplified('薴'), '苎');
    }
}
