//! Names made of the name of a table or a column: of what lies beside a table, and of a guard's triggers.
//!
//! Postgres cuts a name at 63 bytes. One that would leave no room for its ending is replaced by its hash. The hash is XXH3, because
//! Postgres's md5() fails where the server's OpenSSL is in FIPS mode. Promised not to change: tables of removed rows and of answers
//! are found by such a name, which is stored nowhere.

use neardup_core::signature::digest;
use pgrx::prelude::*;

/// Returns a name that has at most `longest` bytes, which are at least 20.
pub fn shortened(name: &str, longest: usize) -> String {
    if name.len() <= longest {
        return name.to_owned();
    }
    let digest = digest::text_digest(name);
    let hex: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("neardup_{hex}")
}

/// The same for SQL.
#[pg_extern(sql = false)]
fn shortened_name(name: &str, longest: i32) -> String {
    shortened(name, usize::try_from(longest).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn a_long_name_becomes_its_hash() {
        let page = include_str!("../../docs/internals/formats.md");
        for (shown, name) in [
            ("posts", "posts".to_owned()),
            ("a * 55", "a".repeat(55)),
            ("a * 56", "a".repeat(56)),
            ("表 * 20", "表".repeat(20)),
        ] {
            let name = shortened(&name, 63 - "_removed".len());
            let vector = format!("tables beside {shown} = {name}_removed {name}_answers");
            assert!(page.lines().any(|line| line == vector), "{vector}");
        }
    }

    /// The first two lists in braces after a name: names of columns and their types.
    fn columns(source: &str, function: &str) -> Vec<String> {
        let (_, body) = source.split_once(function).unwrap_or_default();
        let mut lists =
            body.split("'{").skip(1).filter_map(|rest| rest.split_once("}'")).map(|(list, _)| list.split(','));
        let (names, kinds) = (lists.next(), lists.next());
        names
            .into_iter()
            .flatten()
            .zip(kinds.into_iter().flatten())
            .map(|(name, kind)| format!("{name} {kind}"))
            .collect()
    }

    #[test]
    fn tables_have_the_columns_that_were_promised() {
        let page = include_str!("../../docs/internals/formats.md");
        for (what, found) in [
            (
                "removed rows",
                columns(include_str!("../cleanup/removed.sql"), "FUNCTION neardup_internal.record_columns()"),
            ),
            ("answers", columns(include_str!("../answers/answers.sql"), "FUNCTION neardup_internal.answer_columns()")),
        ] {
            let named = format!("columns of {what} in 1.0 = ");
            let promised = page.lines().find_map(|line| line.strip_prefix(&named)).map(|list| list.split(", "));
            let promised: Vec<&str> = promised.into_iter().flatten().collect();
            assert!(promised.len() >= 9, "{what}");
            assert!(promised.iter().all(|column| found.iter().any(|has| has == column)), "{what}: {found:?}");
        }
    }
}
