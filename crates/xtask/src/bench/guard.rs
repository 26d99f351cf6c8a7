//! Table `guard`: what the guard costs a writer, beside an index on a hash of the text and beside signing alone: single rows,
//! a load, and many sessions at once.

use super::Bench;
use super::chart::Who;
use super::clock::literal;
use super::report::{Bound, Comparison, Grid, Section, Shown, figure, grouped};
use super::sessions::{Inserts, Limit};
use crate::error::Result;
use crate::say;

/// Characters of a text.
const LENGTH: u64 = 500;
const SESSIONS: u32 = 16;
/// Articles of which the sessions insert edited copies.
const ORIGINALS: u64 = 1000;

const HASHED: &str = "B-tree on hashtextextended(body, 0)";
const SIGNED: &str = "signature alone, a generated column";
const GUARDED: &str = "guard";

/// Measures the table.
pub fn measure(bench: &Bench) -> Result<Section> {
    let mut section = Section::new(bench.key("guard"), "The guard");
    bench.ask(
        "CREATE TABLE signed (id bigint PRIMARY KEY, body text, signature simhash GENERATED ALWAYS AS (simhash(body, 'chars:3')) STORED);
         CREATE SEQUENCE next_id MINVALUE 0 START 0",
    )?;
    let sizes = bench.options.rows.map_or(bench.size.guarded.to_vec(), |rows| vec![rows]);
    for (place, rows) in sizes.iter().enumerate() {
        say::note(&format!("a table of {} rows", grouped(*rows as f64)));
        fill(bench, *rows)?;
        if bench.wants("single") {
            single(bench, &mut section, *rows)?;
        } else {
            protect(bench)?;
        }
        if place == 0 && bench.wants("load") {
            load(bench, &mut section, *rows)?;
        }
        bench.ask("DROP TABLE held")?;
    }
    if bench.wants("sessions") {
        sessions(bench, &mut section)?;
    }
    bench.ask("DROP TABLE signed; DROP SEQUENCE next_id")?;
    Ok(section)
}

/// Table `held` with this many texts, and `fresh (n, body)` with those that are to be inserted.
fn fill(bench: &Bench, rows: u64) -> Result {
    let mut writer = bench.writer(rows)?;
    let file = bench.server.directory().join("held");
    bench.ask("CREATE TABLE held (id bigint PRIMARY KEY, body text); DROP TABLE IF EXISTS fresh; CREATE TABLE fresh (n bigint PRIMARY KEY, body text)")?;
    writer.file(&file, 1..=rows, LENGTH, None)?;
    bench.ask(&format!("COPY held FROM {}", literal(&file.display().to_string())))?;
    writer.file(&file, 0..bench.size.inserts, LENGTH, None)?;
    bench.ask(&format!("COPY fresh FROM {}; VACUUM (ANALYZE) held, fresh", literal(&file.display().to_string())))?;
    std::fs::remove_file(&file).map_err(|error| error.to_string().into())
}

/// Puts up the guard and has it sign what is there.
fn protect(bench: &Bench) -> Result {
    bench.ask("SELECT neardup.protect('held', 'body')")?;
    bench.ask("CALL neardup.backfill('held')")?;
    bench.ask("VACUUM (ANALYZE) held").map(drop)
}

/// One session, one row at a time.
fn single(bench: &Bench, section: &mut Section, rows: u64) -> Result {
    let insert = |table: &str| -> Result<Inserts> {
        bench.ask("ALTER SEQUENCE next_id RESTART")?;
        let script = format!(
            "INSERT INTO {table} (id, body) SELECT 1000000000 + n, body FROM fresh WHERE n = (SELECT nextval('next_id'));\n"
        );
        let inserts = bench.sessions(&script, 1, Limit::Inserts(bench.size.inserts))?;
        bench.ask(&format!("DELETE FROM {table} WHERE id >= 1000000000; VACUUM {table}"))?;
        Ok(inserts)
    };
    bench.ask("CREATE INDEX hashed ON held (hashtextextended(body, 0))")?;
    let hashed = insert("held")?;
    bench.ask("DROP INDEX hashed")?;
    let signed = insert("signed")?;
    protect(bench)?;
    let guarded = insert("held")?;

    let inserts = grouped(bench.size.inserts as f64);
    let rows = grouped(rows as f64);
    let method = format!(
        "{inserts} rows of {LENGTH} characters, none a copy, into a table of {rows}: pgbench, one session, prepared statements, a \
         commit each, `fsync = off`. Mean of all inserts, the way to the client included; the remark has the median and the 95th percentile."
    );
    let mut comparison =
        Comparison::new(&format!("Single rows into {rows}"), &method, Shown::Rate("rows/s", 1.0), HASHED);
    for (who, name, inserts) in
        [(Who::Peer, HASHED, &hashed), (Who::Ours, SIGNED, &signed), (Who::Ours, GUARDED, &guarded)]
    {
        let remark =
            format!("median {} ms, 95 % within {} ms", figure(inserts.median * 1e3), figure(inserts.p95 * 1e3));
        comparison.add(who, name, 1.0 / inserts.rate, &remark);
    }
    section.comparison(&comparison)?;
    section.words(
        "The index on a hash finds exact copies only; it is the least that a table pays which looks for copies at all.",
    );
    section.aim(&format!("guarded single rows a second into {rows}"), Some(guarded.rate), Bound::AtLeast(2000.0));
    let added = (guarded.median - signed.median) * 1e3;
    section.aim(&format!("median latency over signing, {rows} rows, ms"), Some(added), Bound::AtMost(0.5));
    Ok(())
}

/// A COPY into the guarded table, one text in twenty a copy.
fn load(bench: &Bench, section: &mut Section, rows: u64) -> Result {
    let load = bench.size.load;
    say::note(&format!("COPY of {load} rows"));
    let file = bench.server.directory().join("load");
    bench.writer(3)?.file(&file, 2_000_000_000..2_000_000_000 + load, LENGTH, Some(20))?;
    let copy = |table: &str| format!("COPY {table} (id, body) FROM {}", literal(&file.display().to_string()));
    bench.ask("CREATE TABLE bare (id bigint PRIMARY KEY, body text); SELECT neardup.protect('held', 'body', on_duplicate => 'skip', verify => 'none')")?;
    let bare = bench.seconds(&copy("bare"))?;
    let signed = bench.seconds(&copy("signed"))?;
    let guarded = bench.seconds(&copy("held"))?;
    let let_in = bench.number("SELECT count(*) FROM held WHERE id >= 2000000000")?;
    let left = near(bench, "held", 2_000_000_000)?;
    bench.ask("DROP TABLE bare; TRUNCATE signed")?;
    std::fs::remove_file(&file).map_err(|error| error.to_string())?;

    let method = format!(
        "COPY of {} rows of {LENGTH} characters in one transaction, one in twenty an edited copy; the guard leaves copies out, into a \
         table of {} rows. It let {} in; afterwards {} of these lie within its distance of another row.",
        grouped(load as f64),
        grouped(rows as f64),
        grouped(let_in),
        grouped(left),
    );
    let mut comparison = Comparison::new("A load", &method, Shown::Rate("rows/s", 1.0), SIGNED);
    for (who, name, seconds) in
        [(Who::Floor, "neither", bare), (Who::Ours, SIGNED, signed), (Who::Ours, GUARDED, guarded)]
    {
        comparison.add(who, name, seconds / load as f64, "");
    }
    section.comparison(&comparison)?;
    section.aim("COPY with the guard, time of signing alone", comparison.ratio(GUARDED, SIGNED), Bound::AtMost(3.0));
    section.aim("pairs left after COPY", Some(left), Bound::AtMost(0.0));
    Ok(())
}

/// Many sessions insert edited copies of the same articles.
fn sessions(bench: &Bench, section: &mut Section) -> Result {
    let seconds = bench.options.seconds.unwrap_or(bench.size.seconds);
    say::note(&format!("{SESSIONS} sessions for {seconds} s, twice"));
    let file = bench.server.directory().join("original");
    bench.writer(4)?.file(&file, 1..=ORIGINALS, LENGTH, None)?;
    bench.ask(&format!(
        "CREATE TABLE original (n bigint PRIMARY KEY, body text); COPY original FROM {}; ANALYZE original;
         CREATE TABLE hashed (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
         CREATE INDEX ON hashed (hashtextextended(body, 0));
         CREATE TABLE guarded (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
         SELECT neardup.protect('guarded', 'body', on_duplicate => 'skip', verify => 'none')",
        literal(&file.display().to_string())
    ))?;
    std::fs::remove_file(&file).map_err(|error| error.to_string())?;
    let insert = |table: &str| {
        let script = format!(
            "\\set n random(1, {ORIGINALS})\n\\set edit random(1, 1000000)\n\
             INSERT INTO {table} (body) SELECT overlay(body PLACING chr((19968 + :edit % 4000)::int) FROM (1 + :edit % 400)::int FOR 1) || '（' || :edit || '）' \
             FROM original WHERE n = :n;\n"
        );
        bench.sessions(&script, SESSIONS, Limit::Seconds(seconds))
    };
    let hashed = insert("hashed")?;
    let guarded = insert("guarded")?;
    let survivors = bench.number("SELECT count(*) FROM guarded")?;
    let left = near(bench, "guarded", 0)?;
    bench.ask("DROP TABLE original, hashed, guarded")?;

    let mut grid = Grid::new(&["", "inserts/s", "median, ms", "95 % within, ms", "failed"]);
    for (name, inserts) in [(HASHED, &hashed), (GUARDED, &guarded)] {
        grid.row(&[
            name,
            &figure(inserts.rate),
            &figure(inserts.median * 1e3),
            &figure(inserts.p95 * 1e3),
            &grouped(inserts.failed),
        ]);
    }
    let method = format!(
        "Edited copies of {} articles for {seconds} s; the guard leaves copies out. It let {} rows in, and {} pairs of them lie within its distance.",
        grouped(ORIGINALS as f64),
        grouped(survivors),
        grouped(left)
    );
    section.grid(&format!("{SESSIONS} sessions"), &method, &grid);
    section.aim("pairs left after the sessions", Some(left), Bound::AtMost(0.0));
    section.aim("inserts of the sessions that failed", Some(guarded.failed), Bound::AtMost(0.0));
    Ok(())
}

/// How many rows from a key on are within the guard's distance of an earlier one. Those that a backfill has signed nobody has judged.
fn near(bench: &Bench, table: &str, first: u64) -> Result<f64> {
    bench.number(&format!(
        "SELECT count(*) FROM (SELECT id, row_number() OVER w AS place, near_duplicate_of(body_simhash, 7) OVER w AS first
                               FROM {table} WHERE body_simhash IS NOT NULL WINDOW w AS (ORDER BY id)) AS s WHERE place <> first AND id >= {first}"
    ))
}
