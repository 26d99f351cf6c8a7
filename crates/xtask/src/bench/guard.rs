//! Table `guard`: what a guard costs a writer, beside the same statement into the same table with the same index and no guard: whole
//! corpora in large INSERTs, single rows, and many sessions at once.

use super::Bench;
use super::clock::literal;
use super::corpora::{self, CORPORA};
use super::report::{Bound, Grid, Section, figure, grouped};
use super::sessions::{Inserts, Limit};
use crate::error::Result;
use crate::say;

/// Statements that a corpus is inserted in, so that the two tables take turns.
const TURNS: u64 = 10;
/// Characters of a made-up article.
const LENGTH: u64 = 500;
const SESSIONS: u32 = 16;
/// Articles of which the sessions insert edited copies.
const ORIGINALS: u64 = 1000;

const HASHED: &str = "B-tree on hashtextextended(body, 0), no guard";
const INDEXED: &str = "the guard's index, no guard";
const GUARDED: &str = "guard";

/// Measures the table.
pub fn measure(bench: &Bench) -> Result<Section> {
    let mut section = Section::new(bench.key("guard"), "The guard");
    if bench.wants("writers") {
        writers(bench, &mut section)?;
    }
    if bench.wants("sessions") {
        sessions(bench, &mut section)?;
    }
    Ok(section)
}

/// One corpus after the other: those of the folder of real texts, or the texts that all tables share.
fn writers(bench: &Bench, section: &mut Section) -> Result {
    let most = bench.options.rows.unwrap_or(bench.size.corpus);
    let mut loads = Grid::new(&["", "rows", "left out", "no guard, rows/s", "guard, rows/s", "times as long"]);
    let mut singles = Grid::new(&["", "rows there", "no guard: median, ms", "p99, ms", "guard: median, ms", "p99, ms"]);
    let mut aims = Vec::new();
    let own = bench.options.input.input.is_some() || corpora::folder().is_none();
    for (corpus, wanted) in CORPORA.into_iter().take(if own { 1 } else { CORPORA.len() }) {
        let name = if own { bench.texts.origin.as_str() } else { corpus };
        if own {
            bench
                .ask("CREATE TABLE corpus AS SELECT id, body FROM article; ALTER TABLE corpus ADD PRIMARY KEY (id)")?;
        } else {
            bench.corpus(corpus, wanted.min(most))?;
        }
        let rows = bench.number("SELECT count(*) FROM corpus")?;
        say::note(&format!("{name}: {} rows", grouped(rows)));
        let (inserted, seconds) = load(bench, rows)?;
        let left_out = inserted - bench.number("SELECT count(*) FROM guarded")?;
        let [bare, guarded] = seconds.map(|seconds| inserted / seconds);
        loads.row(&[
            name,
            &grouped(inserted),
            &grouped(left_out),
            &figure(bare),
            &figure(guarded),
            &figure(bare / guarded),
        ]);
        let there = grouped(bench.number("SELECT count(*) FROM guarded")?);
        let [plain, judged] = [single(bench, "bare")?, single(bench, "guarded")?];
        let milliseconds = [plain.median, plain.p99, judged.median, judged.p99].map(|seconds| figure(seconds * 1e3));
        singles.row(&[&[name.to_owned(), there][..], &milliseconds].concat());
        // Nearly all look-alikes among broadcasts are templates with other facts, which have to be read to be told apart.
        let least = if corpus == "broadcast" && !own { 0.2 } else { 1.0 / 3.0 };
        aims.push((format!("{name}, speed of the INSERT without guard"), guarded / bare, Bound::AtLeast(least)));
        aims.push((format!("{name}, p99 of a single row, ms"), judged.p99 * 1e3, Bound::AtMost(10.0)));
        bench.ask("DROP TABLE corpus, fresh, bare, guarded; DROP SEQUENCE next_number")?;
    }
    let method = format!(
        "Real texts in the order of their corpus, `INSERT INTO ... SELECT ... ORDER BY id` in {TURNS} statements, the two tables in turns. Both have \
         the index on `sketch(body)`; one has a guard with `on_duplicate => 'skip'`. By the server's clock."
    );
    section.grid("Loads", &method, &loads);
    let method = "Further texts of the same corpora, spread evenly over them, into the tables of the loads: pgbench, one session, prepared \
                  statements, a commit each, `fsync = off`, the way to the client included.";
    section.grid("Single rows", method, &singles);
    for (what, measured, bound) in aims {
        section.aim(&what, Some(measured), bound);
    }
    Ok(())
}

/// Inserts a corpus into `bare` and `guarded` but for some rows, which go into `fresh (number, id, body)`: the rows inserted, and the
/// seconds that each table took.
fn load(bench: &Bench, rows: f64) -> Result<(f64, [f64; 2])> {
    let stride = (rows / bench.size.inserts as f64).floor().max(2.0);
    bench.ask(&format!(
        "CREATE TABLE fresh AS SELECT row_number() OVER (ORDER BY id) AS number, id, body FROM corpus WHERE id % {stride} = 0 LIMIT {};
         ALTER TABLE fresh ADD PRIMARY KEY (number);
         DELETE FROM corpus USING fresh WHERE corpus.id = fresh.id;
         VACUUM (ANALYZE) corpus, fresh;
         CREATE SEQUENCE next_number;
         CREATE TABLE bare (id bigint PRIMARY KEY, body text);
         CREATE INDEX ON bare USING gin (sketch(body)) WITH (fastupdate = off);
         CREATE TABLE guarded (id bigint PRIMARY KEY, body text);
         SELECT neardup.protect('guarded', 'body', on_duplicate => 'skip')",
        bench.size.inserts
    ))?;
    let mut seconds = [0.0; 2];
    for turn in 0..TURNS {
        let (first, last) = (rows as u64 * turn / TURNS, rows as u64 * (turn + 1) / TURNS);
        let mut tables = [(0, "bare"), (1, "guarded")];
        if turn % 2 == 1 {
            tables.reverse();
        }
        for (place, table) in tables {
            seconds[place] += bench.seconds(&format!(
                "INSERT INTO {table} SELECT id, body FROM corpus WHERE id > {first} AND id <= {last} ORDER BY id"
            ))?;
        }
    }
    bench.ask("VACUUM (ANALYZE) bare, guarded")?;
    Ok((bench.number("SELECT count(*) FROM bare")?, seconds))
}

/// Inserts the rows of `fresh` one by one.
fn single(bench: &Bench, table: &str) -> Result<Inserts> {
    bench.ask("ALTER SEQUENCE next_number RESTART")?;
    let rows = bench.number("SELECT count(*) FROM fresh")?;
    let script = format!(
        "INSERT INTO {table} (id, body) SELECT id, body FROM fresh WHERE number = (SELECT nextval('next_number'));\n"
    );
    bench.sessions(&script, 1, Limit::Inserts(rows as u64))
}

/// Many sessions insert edited copies of the same articles.
fn sessions(bench: &Bench, section: &mut Section) -> Result {
    let seconds = bench.options.seconds.unwrap_or(bench.size.seconds);
    say::note(&format!("{SESSIONS} sessions for {seconds} s, three times"));
    let file = bench.server.directory().join("original");
    bench.writer(4)?.file(&file, 1..=ORIGINALS, LENGTH, None)?;
    bench.ask(&format!(
        "CREATE TABLE original (n bigint PRIMARY KEY, body text); COPY original FROM {}; ANALYZE original;
         CREATE TABLE hashed (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
         CREATE INDEX ON hashed (hashtextextended(body, 0));
         CREATE TABLE bare (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
         CREATE INDEX ON bare USING gin (sketch(body)) WITH (fastupdate = off);
         CREATE TABLE guarded (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
         SELECT neardup.protect('guarded', 'body', on_duplicate => 'skip')",
        literal(&file.display().to_string())
    ))?;
    std::fs::remove_file(&file).map_err(|error| error.to_string())?;
    let insert = |table: &str| {
        let script = format!(
            "\\set n random(1, {ORIGINALS})\n\\set edit random(0, 399)\n\\set dropped random(1, 20)\n\
             INSERT INTO {table} (body) SELECT left(body, :edit::int) || substr(body, 1 + :edit::int + :dropped::int) FROM original WHERE n = :n;\n"
        );
        bench.sessions(&script, SESSIONS, Limit::Seconds(seconds))
    };
    let lines = [(HASHED, insert("hashed")?), (INDEXED, insert("bare")?), (GUARDED, insert("guarded")?)];
    let stored = bench.number("SELECT count(*) FROM guarded")?;
    bench.ask("VACUUM (ANALYZE) guarded")?;
    let pairs = |verdict: &str| {
        bench.number(&format!(
            "SELECT count(*) FROM guarded a JOIN guarded b ON near_duplicate(a.body, b.body) AND a.id < b.id
             WHERE (same_message(a.body, b.body)).verdict = '{verdict}'"
        ))
    };
    let (left, excerpts) = (pairs("copy")?, pairs("excerpt")?);
    bench.ask("DROP TABLE original, hashed, bare, guarded")?;

    let mut grid = Grid::new(&["", "inserts/s", "median, ms", "p99, ms", "failed"]);
    for (name, inserts) in &lines {
        grid.row(&[
            name,
            figure(inserts.rate).as_str(),
            &figure(inserts.median * 1e3),
            &figure(inserts.p99 * 1e3),
            &grouped(inserts.failed),
        ]);
    }
    let method = format!(
        "Each insert is a made-up article of {LENGTH} characters, one of {}, without 1 to 20 characters somewhere in it; {seconds} s. The guard leaves \
         copies out. It stored {} rows; {} pairs of these are copies by its own rule, {} are excerpts, of which it keeps a longer text that comes later. The others lost a fact, such as a number, by the cut.",
        grouped(ORIGINALS as f64),
        grouped(stored),
        grouped(left),
        grouped(excerpts)
    );
    section.grid(&format!("{SESSIONS} sessions"), &method, &grid);
    section.aim("copies left after the sessions", Some(left), Bound::AtMost(0.0));
    section.aim(
        "inserts of the sessions that failed",
        lines.last().map(|(_, inserts)| inserts.failed),
        Bound::AtMost(0.0),
    );
    Ok(())
}
