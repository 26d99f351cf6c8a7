//! The reference tables of README: every public object has its row, and every row an object, with the arguments it really has.

use super::{Tally, expect};
use crate::command::root;
use crate::error::{Doing, Result};
use crate::psql::{fresh_database, query};
use crate::test::Context;
use std::collections::BTreeSet;

const DATABASE: &str = "reference";

/// Functions as README writes them: name, arguments with defaults, no casts in these. Schema neardup_internal is nobody's business, and a
/// document that is text may be `varchar`, `char` or a literal as well.
const FUNCTIONS: &str = r"
SELECT CASE WHEN n.nspname = 'neardup' THEN 'neardup.' ELSE '' END || p.proname
       || '(' || regexp_replace(regexp_replace(regexp_replace(pg_get_function_arguments(p.oid),
           '::(character varying|double precision|[a-z_]+)(\[\])?', '', 'g'), '\mIN ', '', 'g'), '(INOUT [^,]*) DEFAULT NULL', '\1', 'g') || ')'
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
     JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'pg_neardup' AND n.nspname <> 'neardup_internal'
      AND pg_get_function_arguments(p.oid) !~ '^document (character|character varying|unknown)\M' ORDER BY 1";

/// Types, relations and operators by name.
const OTHERS: &str = "
SELECT t.typname
FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
     JOIN pg_depend d ON d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e'
     JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'pg_neardup' AND t.typelem = 0 AND t.typrelid = 0 AND n.nspname <> 'neardup_internal'
UNION
SELECT 'neardup.' || c.relname
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'neardup' JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
     JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'pg_neardup' AND c.relkind IN ('r', 'v', 'm', 'p')
UNION
SELECT o.oprname
FROM pg_operator o JOIN pg_depend d ON d.classid = 'pg_operator'::regclass AND d.objid = o.oid AND d.deptype = 'e'
     JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'pg_neardup' ORDER BY 1";

/// Compares the catalog with both READMEs.
pub fn run(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    fresh_database(server, DATABASE)?;
    let functions = query(server, DATABASE, FUNCTIONS)?;
    let functions: BTreeSet<&str> = functions.lines().collect();
    let others = query(server, DATABASE, OTHERS)?;
    let mut tally = Tally::default();
    for file in ["README.md", "README.zh-CN.md"] {
        let path = root().join(file);
        let text = std::fs::read_to_string(&path).doing("read", &path)?;
        let named: BTreeSet<&str> = spans(&text).collect();
        let rows: BTreeSet<&str> = rows(&text).collect();
        let invented: Vec<&str> = rows.difference(&functions).copied().collect();
        tally += expect(&format!("rows of {file} for functions that are not there"), &invented.join("\n"), "");
        // What no row describes must at least be named, as what is behind types and operators.
        let known: BTreeSet<&str> = rows.iter().filter_map(|row| row.split('(').next()).collect();
        let unnamed = |name: &&str| !known.contains(name) && !named.contains(name);
        let missing: Vec<&str> = functions.iter().filter_map(|f| f.split('(').next()).filter(unnamed).collect();
        tally += expect(&format!("functions that {file} does not name"), &missing.join("\n"), "");
        let overloads: Vec<&str> = functions
            .iter()
            .copied()
            .filter(|f| known.contains(f.split('(').next().unwrap_or(f)) && !rows.contains(f))
            .collect();
        tally += expect(&format!("forms of functions without a row in {file}"), &overloads.join("\n"), "");
        let said = |name: &str| {
            let mut words = named.iter().flat_map(|span| span.split_whitespace());
            words.any(|word| word == name || word.strip_prefix("neardup.") == Some(name))
        };
        let missing: Vec<&str> = others.lines().filter(|name| !said(name)).collect();
        tally +=
            expect(&format!("types, tables, views and operators that {file} does not name"), &missing.join("\n"), "");
    }
    Ok(tally)
}

/// What stands between backquotes outside code blocks.
fn spans(markdown: &str) -> impl Iterator<Item = &str> {
    markdown.lines().flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// The functions in the first column of tables: the code span up to the arrow, without CALL. A cell may list several forms.
fn rows(markdown: &str) -> impl Iterator<Item = &str> {
    let cells = markdown.lines().filter_map(|line| line.strip_prefix("| `").and_then(|line| line.split(" | ").next()));
    let forms = cells.flat_map(|cell| cell.split('`').step_by(2));
    forms.filter_map(|form| {
        let form = form.strip_prefix("CALL ").unwrap_or(form);
        let form = form.split(" → ").next()?;
        (form.contains('(') && form.ends_with(')')).then_some(form)
    })
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn rows_give_functions_with_their_arguments() {
        let table = "| `f(a text) → simhash` | the `g(x)` of it |\n| `CALL neardup.p(t regclass, INOUT n bigint)` | x |\n| `a` `h(i integer)` | two |\n| `a <~> b` | y |\n";
        let found: Vec<&str> = rows(table).collect();
        assert_eq!(found, ["f(a text)", "neardup.p(t regclass, INOUT n bigint)", "h(i integer)"]);
    }
}
