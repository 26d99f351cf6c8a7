//! Unsafe code: only in the allowed files, each block with a SAFETY comment. Clippy sees only what is compiled for one Postgres
//! version; this check reads all lines.

use crate::check::{Context, Tally};
use crate::command::root;
use crate::files::of_kind;
use anyhow::Result;

/// What a file says that may have unsafe code; the folder above it denies it.
const ALLOWANCE: &str = "\n#![allow(unsafe_code, reason = ";
/// Path prefixes of files that may have it without saying so: the layer between Postgres and the rest, the CPU kernels, and the
/// inner loop of pglz decompression.
const PLACES: [&str; 21] = [
    "src/pg/",
    "src/cleanup/list.rs",
    "src/cleanup/steps.rs",
    "src/cleanup/undo.rs",
    "src/evaluate/mod.rs",
    "src/grouping/",
    "src/selectivity/mod.rs",
    "src/simhash/ball.rs",
    "src/simhash/datum.rs",
    "src/guc.rs",
    "src/guard/",
    "crates/neardup-text/src/chars/neon.rs",
    "crates/neardup-text/src/chars/x86.rs",
    "crates/neardup-text/src/normalize/fused/x86.rs",
    "crates/neardup-core/src/grouping/near.rs",
    "crates/neardup-core/src/grouping/sweep.rs",
    "crates/neardup-core/src/pglz.rs",
    "crates/neardup-core/src/sketch/",
    "crates/xtask/src/interrupt.rs",
    "crates/xtask/src/command.rs",
    "crates/xtask/src/checks/unsafety.rs",
];
/// The files that may declare Postgres functions: those that may run user code, those for out-of-memory errors, and those called in a
/// critical section, where no error can jump.
const DECLARATIONS: [&str; 3] = ["src/pg/call/boundary.rs", "src/pg/call/memory.rs", "src/index/wal.rs"];
/// How many lines above an unsafe block its comment may begin; attributes and the rest of the comment lie between.
const REACH: usize = 12;

/// Reads all sources.
pub fn run(_: &Context) -> Result<Tally> {
    let mut sources = Vec::new();
    for directory in
        ["src", "crates/neardup-core/src", "crates/neardup-text/src", "crates/neardup-verdict/src", "crates/xtask/src"]
    {
        sources.extend(of_kind(&root().join(directory), "rs")?);
    }
    let mut tally = Tally::default();
    let mut total = 0;
    for file in &sources {
        let text = fs_err::read_to_string(file)?;
        let name = file.strip_prefix(root()).unwrap_or(file).display().to_string();
        let pieces = pieces(&text);
        total += pieces.len();
        let may = text.contains(ALLOWANCE) || PLACES.iter().any(|place| name.starts_with(place));
        let belongs = pieces.is_empty() || may;
        if !belongs {
            println!("{name}: unsafe code does not belong here; src/pg/ gives safe views");
        }
        let bare: Vec<usize> = pieces.iter().filter(|(_, argued)| !argued).map(|(line, _)| *line).collect();
        bare.iter().for_each(|line| println!("{name}:{line}: no SAFETY: above it says why this is sound"));
        let unguarded = unguarded(&name, &text);
        unguarded.iter().for_each(|(line, what)| println!("{name}:{line}: {what}"));
        tally += Tally::one(belongs && bare.is_empty() && unguarded.is_empty());
    }
    println!("    {total} unsafe pieces in {} files", sources.len());
    tally += Tally::one(total > 0);
    Ok(tally)
}

/// Gives the lines with an unsafe block, function or implementation, and whether each has a SAFETY comment above.
fn pieces(text: &str) -> Vec<(usize, bool)> {
    let lines: Vec<&str> = text.lines().collect();
    let is_piece = |line: &str| {
        let code = line.split("//").next().unwrap_or(line);
        ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"].iter().any(|piece| code.contains(piece))
            && !code.contains('"')
    };
    let argued = |at: usize| {
        let above = &lines[at.saturating_sub(REACH)..=at];
        above.iter().any(|line| line.contains("SAFETY:") || line.contains("# Safety"))
    };
    (0..lines.len()).filter(|&at| is_piece(lines[at])).map(|at| (at + 1, argued(at))).collect()
}

/// Gives the lines that call Postgres without a guard, or declare a function that could be called so. A Postgres error is a
/// longjmp, which must not pass over Rust frames: pgrx guards its own bindings, and `boundary::catch` guards the functions that
/// `boundary::raw` declares.
fn unguarded(name: &str, text: &str) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    if !name.starts_with("src/") {
        return found;
    }
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
    use super::{pieces, unguarded};

    #[test]
    fn unguarded_calls_are_found() {
        let text = "unsafe extern \"C-unwind\" {\n}\nlet a = boundary::catch(|| raw::f(g(1), 2));\nlet b = raw::f();\nlet c = straw::f();\n";
        let lines = |name| unguarded(name, text).into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        assert_eq!(lines("src/a.rs"), [1, 4]);
        assert_eq!(lines("src/pg/call/boundary.rs"), [4]);
        assert!(lines("crates/xtask/src/a.rs").is_empty());
    }

    #[test]
    fn arguments_are_looked_for() {
        let text = "// SAFETY: it is.\nlet a = unsafe { f() };\n// about unsafe {\n".to_owned()
            + &"\n".repeat(20)
            + "unsafe fn g() {}\n";
        assert_eq!(pieces(&text), [(2, true), (24, false)]);
    }
}
