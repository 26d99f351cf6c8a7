//! What is compared of a row besides its document: its title, the columns that no two copies give otherwise, and those in which copies agree.
//!
//! A guard reads them from rows, a list by a statement as the caller. So values are compared by their text form, which every type has and
//! which runs no operator or cast of a stranger's. Spaces at its ends do not count. NULL and a blank say nothing.

use neardup_core::signature::digest::text_hash;
use pgrx::pg_sys;

use super::guard::{Guard, Part};
use super::statement;
use crate::pg::catalog;
use crate::pg::table::rows::Table;
use crate::verdict::columns::{Columns, shown};

/// Last words of the names of columns that hold titles.
#[rustfmt::skip]
const TITLES: [&str; 31] = [
    "title", "headline", "heading", "subject", "标题", "標題", "题目", "題目", "タイトル", "件名", "見出し", "제목", "titel", "betreff",
    "überschrift", "titre", "sujet", "titulo", "título", "asunto", "assunto", "titular", "titolo", "oggetto", "заголовок", "тема",
    "tytuł", "otsikko", "başlık", "judul", "العنوان",
];

/// Says whether a column of this name and type holds titles: `title`, `article_title`, `新闻标题`.
pub fn is_title(name: &str, kind: pg_sys::Oid) -> bool {
    [pg_sys::TEXTOID, pg_sys::VARCHAROID].contains(&catalog::base_type(kind)) && ends_in_title(name)
}

fn ends_in_title(name: &str) -> bool {
    let name = name.to_lowercase();
    let last = name.rsplit(['_', ' ', '-', '.']).next().unwrap_or(&name);
    TITLES.iter().any(|title| if title.starts_with(is_han) { last.ends_with(title) } else { last == *title })
}

/// Says whether a name in this script has no spaces or hyphens between its words.
fn is_han(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

/// The title of a row, and its values in the columns that must not differ and in those in which copies agree; each blank if the row has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    pub title: String,
    differ: Vec<String>,
    agree: Vec<String>,
}

fn trimmed(value: impl AsRef<str>) -> String {
    value.as_ref().trim().to_owned()
}

impl Beside {
    /// Takes the values as they are read: the title, and those of the columns, of which the first `differ` must not differ.
    pub fn new(title: Option<&str>, differ: usize, columns: impl Iterator<Item = Option<String>>) -> Self {
        let mut columns = columns.map(|value| value.map(trimmed).unwrap_or_default());
        let differ = columns.by_ref().take(differ).collect();
        Self { title: title.map(trimmed).unwrap_or_default(), differ, agree: columns.collect() }
    }

    /// Takes them as [`expression`] makes them.
    pub fn read(values: Vec<Option<String>>, differ: usize) -> Self {
        let mut values = values.into_iter();
        let title = values.next().flatten();
        Self::new(title.as_deref(), differ, values)
    }

    /// Reads those of a candidate.
    pub fn of_candidate(guard: &Guard, part: &Part, table: &Table) -> Self {
        let title = guard.roles.title.and_then(|role| table.text(part.columns[role]));
        let roles = &guard.roles;
        Self::new(title, roles.differ.len(), roles.compared().map(|role| table.output(part.columns[*role])))
    }

    /// Returns what two rows say in the columns with these names, in which copies agree.
    pub fn columns<'a>(&'a self, other: &'a Self, names: &'a [String]) -> Columns<'a> {
        Columns { names, values: [&self.agree, &other.agree] }
    }

    /// Says in which column two rows have values that differ, as a reason; `names` are those of the columns.
    pub fn difference(&self, other: &Self, names: &[String]) -> Option<String> {
        let mut values = names.iter().zip(self.differ.iter().zip(&other.differ));
        let (name, (ours, theirs)) = values.find(|(_, (a, b))| !a.is_empty() && !b.is_empty() && a != b)?;
        Some(format!("column {name} differs: {} / {}", shown(ours), shown(theirs)))
    }

    /// Returns how many bytes the values have.
    pub fn bytes(&self) -> usize {
        [&self.title].into_iter().chain(&self.differ).chain(&self.agree).map(String::len).sum()
    }

    /// Returns a hash of all that is compared of a row with this document: that of the document, if nothing else says anything.
    pub fn hash(&self, document: &str) -> u64 {
        let values = [&self.title].into_iter().chain(&self.differ).chain(&self.agree);
        (1..).zip(values).filter(|(_, value)| !value.is_empty()).fold(text_hash(document), |hash, (place, value)| {
            (hash.rotate_left(5) ^ text_hash(value)).wrapping_add(place).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    }
}

/// Makes the expression that reads the title and the values of a row: an array of text; `None` if neither is compared. `columns` are those that
/// must not differ, then those in which copies agree.
pub fn expression(alias: &str, title: Option<&String>, columns: [&[String]; 2]) -> Option<String> {
    if title.is_none() && columns.iter().all(|columns| columns.is_empty()) {
        return None;
    }
    let column = |name: &String| statement::column(alias, name);
    let title = title.map_or_else(|| "NULL::pg_catalog.text".to_owned(), |name| statement::as_text(&column(name)));
    // A cast to text may be a function of any role; concat calls the output function of the type.
    let values = columns.into_iter().flatten().map(|name| format!("pg_catalog.concat({})", column(name)));
    Some(format!("ARRAY[{}]", [title].into_iter().chain(values).collect::<Vec<_>>().join(", ")))
}

/// Makes the expression for [`Beside::hash`] of a row with this document.
pub fn hash(document: &str, beside: Option<&str>) -> String {
    match beside {
        Some(beside) => format!("neardup_internal.row_hash({document}, {beside})"),
        None => format!("neardup_internal.text_hash({document})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(title: &str, columns: &[Option<&str>]) -> Beside {
        Beside::new(Some(title), 2, columns.iter().map(|value| value.map(str::to_owned)))
    }

    #[test]
    fn titles_are_known_by_the_last_word() {
        for name in ["title", "Article_Title", "mail subject", "新闻标题", "標題", "TÍTULO", "Başlık"] {
            assert!(ends_in_title(name), "{name}");
        }
        for name in ["title_id", "subtitle", "entitled", "标题编号", "body", "_", ""] {
            assert!(!ends_in_title(name), "{name}");
        }
    }

    #[test]
    fn only_two_values_can_differ() {
        let names = ["city".to_owned(), "number".to_owned()];
        let arlington = row("", &[Some("Arlington "), None]);
        assert_eq!(arlington.difference(&row("", &[Some("Arlington"), Some("7")]), &names), None);
        assert_eq!(arlington.difference(&row("", &[None, Some("7")]), &names), None);
        assert_eq!(arlington.difference(&row("", &[Some("  "), Some("7")]), &names), None);
        let reason = arlington.difference(&row("", &[Some("Tampa"), Some("7")]), &names);
        assert_eq!(reason.as_deref(), Some("column city differs: Arlington / Tampa"));
        let two = [row("", &[None, None, Some("Acme")]), row("", &[None, None, Some("Bolt")])];
        assert_eq!(two[0].difference(&two[1], &names), None);
        assert_eq!(two[0].columns(&two[1], &["employer".to_owned()]).agreement(), Some(0.0));
    }

    #[test]
    fn the_hash_is_the_stated_one() {
        let page = include_str!("../../docs/internals/formats.md");
        let golden = |name: &str| page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
        let hash = |beside: Beside| beside.hash("近似重复的新闻").cast_signed().to_string();
        assert_eq!(golden("hash of a document"), Some(hash(Beside::default()).as_str()));
        assert_eq!(golden("hash of a document with a title"), Some(hash(row(" Title ", &[])).as_str()));
        let columns = hash(row("", &[Some("Tampa"), Some("7")]));
        assert_eq!(golden("hash of a document with two columns and no title"), Some(columns.as_str()));
    }

    #[test]
    fn the_hash_is_that_of_all() {
        let hash = |title, differ: &[Option<&str>]| row(title, differ).hash("a text");
        assert_eq!(hash("x ", &[None]), hash("x", &[Some(" ")]));
        assert_ne!(hash("x", &[None]), hash("y", &[None]));
        assert_ne!(hash("", &[Some("x")]), hash("x", &[Some("")]));
        assert_ne!(hash("", &[None, None, Some("x")]), hash("", &[None, None, Some("y")]));
    }
}
