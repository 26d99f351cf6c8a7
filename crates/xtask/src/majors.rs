//! `cargo xtask check-majors`: whether the extension compiles for the major versions of Postgres that no test runs on.
//!
//! It needs none of them installed: pgrx brings the bindings of each for docs.rs, and the script `docsrs` has the compiler take those.

use crate::build::target;
use crate::command::{cargo, root, run};
use crate::error::Result;
use crate::say;

/// Those without a suite of Debian of their own.
const MAJORS: [u32; 2] = [14, 16];

/// Compiles without linking.
pub fn check() -> Result {
    let place = target()?.join("majors");
    for major in MAJORS {
        let mut check = cargo();
        check.args(["check", "--package", "pg_neardup", "--no-default-features", "--features", &format!("pg{major}")]);
        check
            .env("DOCS_RS", "1")
            .env("RUSTC_WRAPPER", root().join("crates/xtask/docsrs"))
            .env("CARGO_TARGET_DIR", &place);
        let what = format!("checking that it compiles for PostgreSQL {major} (about 2 minutes the first time)");
        say::during(&what, |_| run(&mut check))?;
    }
    Ok(())
}
