//! The words and names of `data/message_words.tsv` and `data/links.tsv`, sorted by role, for the parts of a message.
//!
//! A line of the first has a role, the language (ISO 639) and the words; a line of the second a role and a name. The roles of words:
//!
//! | role | what the words are | where they count |
//! |---|---|---|
//! | from, date, to, subject, field | the name of a field in the head of a mail | before a colon |
//! | verb, ending | says that a person wrote: a word anywhere, or the end of a line | in a line before a quotation |
//! | start | what such a line begins with | |
//! | original, original_end | announces a message that is quoted whole, and ends it | a line between dashes, or before a colon |
//! | forum | announces a quotation | at the beginning of a line |
//! | signature, disclaimer | is added by a program or an office | at the beginning of a line near the end |
//! | footer | belongs to a mailing list or a newsletter | anywhere below a long rule near the end |
//! | greeting, closing | addresses the reader, takes leave | at the beginning of the first line, of one of the last lines |
//! | opening | comes before a message that is passed on | at the beginning of the text |
//! | prompt | waits for a command, and is no initials | before `>` |

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::{Result, array};

#[path = "../src/message/words/starts.rs"]
mod starts;

const ROLES: [&str; 21] = [
    "from",
    "date",
    "to",
    "subject",
    "field",
    "verb",
    "ending",
    "start",
    "original",
    "original_end",
    "forum",
    "signature",
    "disclaimer",
    "footer",
    "greeting",
    "closing",
    "opening",
    "prompt",
    "tracking",
    "mirror",
    "shortener",
];

/// The filters of the beginnings of lines, each for some roles.
const FILTERS: [(&str, &[&str]); 6] = [
    ("ORIGINAL_STARTS", &["original"]),
    ("ANNOUNCING_STARTS", &["from", "date", "to", "subject", "field", "forum"]),
    ("FIRST_STARTS", &["opening", "greeting"]),
    ("LAST_STARTS", &["signature", "disclaimer"]),
    ("CLOSING_STARTS", &["closing"]),
    ("END_STARTS", &["signature", "disclaimer", "closing"]),
];

/// Writes an array of phrases for each role, in lower case and sorted, and the filters.
pub fn make() -> Result<String> {
    let mut phrases: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (file, columns) in [("data/message_words.tsv", 3), ("data/links.tsv", 2)] {
        println!("cargo::rerun-if-changed={file}");
        for line in fs::read_to_string(file)?.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split('\t').collect();
            let (Some(role), Some(words)) = (fields.first(), fields.last().filter(|_| fields.len() == columns)) else {
                return Err(format!("not {columns} columns: {line:?}").into());
            };
            let role = ROLES.into_iter().find(|known| known == role).ok_or_else(|| format!("unknown role: {role}"))?;
            phrases.entry(role).or_default().insert(words.to_lowercase());
        }
    }
    let arrays = phrases.iter().map(|(role, words)| array(&role.to_uppercase(), "&str", &Vec::from_iter(words)));
    let filters = FILTERS.iter().map(|(name, roles)| {
        let of_roles = phrases.iter().filter(|(role, _)| roles.contains(role));
        array(name, "u64", &filter(of_roles.flat_map(|(_, words)| words)))
    });
    Ok(arrays.chain(filters).collect())
}

/// Returns the filter of some phrases in lower case.
fn filter<'p>(phrases: impl Iterator<Item = &'p String>) -> [u64; starts::WORDS] {
    let mut filter = [0; starts::WORDS];
    let mut set = |first: char, second: char| {
        let bit = starts::bit(first, second);
        filter[bit / 64] |= 1 << (bit % 64);
    };
    for phrase in phrases {
        let mut chars = phrase.chars();
        let Some(first) = chars.next() else { continue };
        for first in first.to_uppercase().chain([first]) {
            match chars.clone().next() {
                Some(second) => second.to_uppercase().chain([second]).for_each(|second| set(first, second)),
                None => " :：*,.!-\0".chars().for_each(|after| set(first, after)),
            }
        }
    }
    filter
}
