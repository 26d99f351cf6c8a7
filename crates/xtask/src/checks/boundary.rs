//! Calls of Postgres functions that may run user code: only inside the error boundary. The compiler cannot see this, because the
//! declarations are the same as pgrx's. It does see unsafe code: the workspace denies it, and a file that has it says so.

use crate::check::{Context, Tally};
use crate::command::root;
use crate::files::of_kind;
use anyhow::Result;

/// The files that may declare Postgres functions: those that may run user code, those for out-of-memory errors, and those that write
/// WAL, which are called in a critical section.
const DECLARATIONS: [&str; 3] = ["src/pg/call/boundary.rs", "src/pg/call/memory.rs", "src/index/wal.rs"];

/// Reads all sources of the extension.
pub fn run(_: &Context) -> Result<Tally> {
    let mut tally = Tally::default();
    for file in &of_kind(&root().join("src"), "rs")? {
        let text = fs_err::read_to_string(file)?;
        let name = file.strip_prefix(root()).unwrap_or(file).display().to_string();
        let unguarded = unguarded(&name, &text);
        unguarded.iter().for_each(|(line, what)| println!("{name}:{line}: {what}"));
        tally += Tally::one(unguarded.is_empty());
    }
    Ok(tally)
}

/// Returns the lines that call Postgres without a guard, or declare a function that could be called so. A Postgres error is a
/// longjmp, which must not pass over Rust frames: pgrx guards its own bindings, and `boundary::catch` guards the functions that
/// `boundary::raw` declares.
fn unguarded(name: &str, text: &str) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or(line)).collect();
    for (i, line) in code.iter().enumerate() {
        let declares = line.contains("extern \"C") && line.trim_end().ends_with('{') && !line.contains("fn ");
        if declares && !DECLARATIONS.contains(&name) {
            found.push((i + 1, "Postgres functions are declared in boundary::raw"));
        }
    }
    // Text inside the parentheses of a call of `catch` is guarded; other text is not. In its own file, `raw` is the module.
    let whole = code.join("\n");
    let mut guarded = Vec::new();
    for (start, call) in whole.match_indices("catch(").filter(|(start, _)| !whole[..*start].ends_with("fn ")) {
        let mut depth = 1;
        let inside = whole[start + call.len()..].find(|character| {
            depth += match character {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth == 0
        });
        guarded.push(start..start + call.len() + inside.unwrap_or(0));
    }
    for (at, _) in whole.match_indices("raw::") {
        // Skips a path that only ends in these letters, and the one call that rethrows an error at the outermost frame.
        let before = whole[..at].chars().next_back();
        let is_other =
            before.is_some_and(|c| c.is_alphanumeric() || c == '_') || whole[at..].starts_with("raw::ReThrowError");
        if !is_other && !guarded.iter().any(|range| range.contains(&at)) {
            let line = whole[..at].lines().count();
            found.push((line, "a function of boundary::raw is called outside of boundary::catch"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::unguarded;

    #[test]
    fn unguarded_calls_are_found() {
        let text = "unsafe extern \"C-unwind\" {\n}\nlet a = boundary::catch(|| raw::f(g(1), 2));\nlet b = raw::f();\nlet c = straw::f();\n";
        let lines = |name| unguarded(name, text).into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        assert_eq!(lines("src/a.rs"), [1, 4]);
        assert_eq!(lines("src/pg/call/boundary.rs"), [4]);
    }
}
