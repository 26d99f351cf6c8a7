//! Groups of near-duplicates among all rows: by the window function, by a self-join in SQL, by a program outside.

use super::super::Bench;
use super::super::chart::Who;
use super::super::peers::{Measured, last_line};
use super::super::report::{Bound, Comparison, Section, Shown, grouped};
use crate::command::text;
use crate::error::{Doing, Result};
use crate::say;
use std::process::Command;

const PLAIN: &str = "sum(id) OVER (ORDER BY id)";
/// The program around simhash-cpp, the C++ library of the Python package simhash-py.
const PROGRAM: &str = include_str!("find_all.cpp");

/// Bytes of `work_mem` a row of the window, so that none of the statements writes its rows to a file: Postgres takes about 56.
const KEPT: f64 = 128.0;

/// A self-join of more rows than these takes longer than all the rest.
const JOINED: f64 = 2e6;

/// Measures grouping of a table.
pub fn measure(bench: &Bench, section: &mut Section, table: &str, what: &str) -> Result {
    say::note(&format!("{table}: groups"));
    let rows = bench.number(&format!("SELECT count(*) FROM {table}"))?;
    let memory = (rows * KEPT / 1_048_576.0).ceil();
    let method = format!(
        "{} rows: {what}. Each window statement reads all rows in the order of their key and adds up the answers, with `work_mem = \
         '{memory}MB'`. The self-join and simhash-cpp give pairs; to make groups of them is more work.",
        grouped(rows)
    );
    bench.ask(&format!("SET work_mem = '{memory}MB'"))?;
    let mut comparison = Comparison::new(&format!("Grouping, {table}"), &method, Shown::Time, PLAIN);
    let window = |call: &str| format!("SELECT sum(answer) FROM (SELECT {call} AS answer FROM {table}) AS s");
    let ours = |distance| format!("near_duplicate_of(signature, {distance}) OVER (ORDER BY id)");
    // The plain aggregate takes an index-only scan; this one reads the signatures, too.
    let reading = "count(signature) OVER (ORDER BY id)";
    let names = [PLAIN.to_owned(), reading.to_owned(), ours(3), ours(7)];
    let statements: Vec<String> = names.iter().map(|call| window(call)).collect();
    let seconds = bench.best(&statements.iter().map(String::as_str).collect::<Vec<_>>())?;
    for (name, seconds) in names.iter().zip(seconds) {
        comparison.add(if name == PLAIN || name == reading { Who::Floor } else { Who::Ours }, name, seconds, "");
    }
    bench.ask("RESET work_mem")?;
    const JOIN: &str = "self-join over bands, distance 3";
    if rows > JOINED {
        comparison.missing(JOIN, "left out: its work grows with the square of the rows");
    } else {
        let join = format!(
            "SELECT count(*) FROM (WITH band AS MATERIALIZED (SELECT id, signature, unnest(simhash_bands(signature)) AS key FROM {table})
                 SELECT DISTINCT a.id, b.id FROM band a JOIN band b ON a.key = b.key AND a.id < b.id
                 WHERE hamming_distance(a.signature, b.signature) <= 3) AS pairs"
        );
        comparison.add(Who::Peer, JOIN, bench.seconds(&join)?, "pairs");
    }
    match find_all(bench, table) {
        Ok(measured) => {
            let better = "in C++ and Python outside a database; pairs";
            comparison.add(Who::Peer, "simhash-cpp find_all, distance 3", measured.seconds, better);
        }
        Err(error) => comparison.missing("simhash-cpp (of simhash-py)", &last_line(&error.to_string())),
    }
    section.comparison(&comparison)?;
    for (distance, most) in [(3, 1.3), (7, 3.0)] {
        let what = format!("{table}, groups at distance {distance}, multiple of a plain window");
        section.aim(&what, comparison.ratio(&ours(distance), PLAIN), Bound::AtMost(most));
    }
    Ok(())
}

/// Compiles the library with a program of ours around it, since the Python module does not build on current Pythons.
fn find_all(bench: &Bench, table: &str) -> Result<Measured> {
    let place = bench.server.directory().join("simhash-py");
    let program = place.join("find_all");
    if !program.exists() {
        std::fs::create_dir_all(&place).doing("create", &place)?;
        let mut download = Command::new(bench.python()?);
        download.args([
            "-m",
            "pip",
            "download",
            "-q",
            "--disable-pip-version-check",
            "--no-deps",
            "--no-binary",
            ":all:",
        ]);
        text(download.args(["simhash-py==0.4.0", "-d"]).arg(&place))?;
        let source = place.join("find_all.cpp");
        std::fs::write(&source, PROGRAM).doing("write", &source)?;
        let build = "tar -xzf simhash-py-*.tar.gz --strip-components=1 && \
                     g++ -O3 -std=c++11 -I simhash/simhash-cpp/include find_all.cpp simhash/simhash-cpp/src/*.cpp -o find_all";
        text(Command::new("sh").args(["-c", build]).current_dir(&place))?;
    }
    let file = place.join(table);
    bench.ask(&format!(r"\copy (SELECT signature::bigint FROM {table}) TO '{}'", file.display()))?;
    let said = text(Command::new(program).arg(&file).arg(bench.size.rounds.to_string()))?;
    Measured::read(&said).pop().ok_or_else(|| format!("no figures: {said}").into())
}
