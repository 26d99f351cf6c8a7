//! Characters of Chinese with a part in numbers, from `data/characters.tsv`.

include!(concat!(env!("OUT_DIR"), "/characters_lists.rs"));
