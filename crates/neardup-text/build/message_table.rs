//! The words and names of `data/message_words.tsv` and `data/links.tsv`, sorted by role, for the parts of a message.
//!
//! A line of the first has a role, the language (ISO 639) and the words; a line of the second a role and a name. The roles of words:
//!
//! | role | what the words are | where they count |
//! |---|---|---|
//! | from, date, to, subject, field | the name of a field in the head of a mail | before a colon |
//! | verb, ending | says that somebody wrote: a word anywhere, or the end of a line | in a line before a quotation |
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

/// Writes an array of phrases for each role, in lower case and sorted.
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
    Ok(phrases.iter().map(|(role, words)| array(&role.to_uppercase(), "&str", &Vec::from_iter(words))).collect())
}
