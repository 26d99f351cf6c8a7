//! Table `cleanup`: an index on what is there, listing and removing its copies, beside a plain scan and a bare DELETE; how long a writer
//! beside has to wait.

use super::chart::Who;
use super::clock::literal;
use super::corpora;
use super::report::{Bound, Comparison, Grid, Section, Shown, figure, grouped};
use super::{Bench, DATABASE};
use crate::error::Result;
use crate::psql::Session;
use crate::say;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Characters of a made-up article: about a kilobyte of Chinese.
const LENGTH: u64 = 340;
/// Every tenth text is an edited copy.
const COPIES: u64 = 10;
/// Pause between two inserts of the writer beside.
const PAUSE: Duration = Duration::from_millis(5);

const INDEX: &str = "CREATE INDEX ON held USING gin (sketch(body)) WITH (fastupdate = off)";

/// What a DBA would write who wants the rows back some day: the same record, without a look at the row that stays.
const KEEP: &str = "WITH gone AS (DELETE FROM held t USING doomed d WHERE t.id = d.id
                                  RETURNING t.id::text AS key, d.duplicate_of, d.verdict, d.measure, d.value, (t.*)::text AS record)
     INSERT INTO kept (run_id, batch, key, duplicate_of, verdict, measure, value, record)
     SELECT 1, 1, key, duplicate_of, verdict, measure, value, record FROM gone";

/// Seconds that each step took.
struct Steps {
    scan: f64,
    index: f64,
    protect: f64,
    list: f64,
    delete: f64,
    delete_and_keep: f64,
    /// The whole clean-up by the client's clock, and its part after the list.
    cleanup: f64,
    removing: f64,
    removing_for_good: f64,
}

/// Measures the table.
pub fn measure(bench: &Bench) -> Result<Section> {
    let mut section = Section::new(bench.key("cleanup"), "Cleaning up");
    let texts = fill(bench, bench.options.rows.unwrap_or(bench.size.cleaned))?;
    let rows = bench.number("SELECT count(*) FROM held")?;
    say::note(&format!("a table of {} rows", grouped(rows)));
    let mut waits = Grid::new(&["", "inserts", "median wait, ms", "longest wait, ms"]);
    let (steps, removed) = steps(bench, &mut waits)?;

    let method = format!("{} rows: {texts}, one in {COPIES} an edited copy.", grouped(rows));
    const SCAN: &str = "count(sketch(body)), writes nothing";
    let mut comparison = Comparison::new("Getting ready", &method, Shown::Time, SCAN);
    comparison.add(Who::Floor, SCAN, steps.scan, "");
    comparison.add(Who::Ours, "CREATE INDEX USING gin (sketch(body))", steps.index, "signs each row, writes to none");
    comparison.add(Who::Ours, "neardup.protect, the index being there", steps.protect, "reads no row");
    comparison.add(
        Who::Ours,
        "neardup.duplicates",
        steps.list,
        "the list of all copies: signs all rows, reads both texts of a pair",
    );
    section.comparison(&comparison)?;
    section.aim("duplicates, s a million rows", Some(steps.list * 1e6 / rows), Bound::AtMost(30.0));

    const DELETE: &str = "DELETE by key";
    const KEEPING: &str = "DELETE that keeps the rows";
    const CLEANUP: &str = "neardup.cleanup";
    const FORGETTING: &str = "neardup.cleanup(action => 'delete')";
    let method = format!(
        "{} copies removed. `cleanup` keeps each removed row, checks each pair once more and commits every 1,000 rows, while a writer \
         inserts; before that it makes the list that is measured above. Both DELETEs are told the keys and are one statement; the second \
         puts what it returns into a table like `cleanup`'s own.",
        grouped(removed)
    );
    let mut comparison = Comparison::new("Removing", &method, Shown::Rate("copies/s", 1.0), DELETE);
    for (who, name, seconds, remark) in [
        (Who::Floor, DELETE, steps.delete, ""),
        (Who::Floor, KEEPING, steps.delete_and_keep, "`DELETE … RETURNING (t.*)::text`, inserted"),
        (Who::Ours, CLEANUP, steps.removing, "from the list made to the last commit"),
        (Who::Ours, FORGETTING, steps.removing_for_good, "keeps nothing, as the DELETE"),
        (Who::Ours, "neardup.cleanup, with its list", steps.cleanup, ""),
    ] {
        comparison.add(who, name, seconds / removed.max(1.0), remark);
    }
    section.comparison(&comparison)?;
    section.aim(
        "cleanup without an archive, speed of a bare DELETE",
        comparison.ratio(DELETE, FORGETTING),
        Bound::AtLeast(0.5),
    );
    section.aim(
        "cleanup, speed of plain SQL that archives the same rows",
        comparison.ratio(KEEPING, CLEANUP),
        Bound::AtLeast(0.5),
    );

    let method = "One session inserts a row into the same table every 5 ms; what it waited, by the client's clock.";
    section.grid("A writer beside", method, &waits);
    Ok(section)
}

/// Table `held` with about so many rows, and what they are: real titles, or made-up articles.
fn fill(bench: &Bench, rows: u64) -> Result<&'static str> {
    if corpora::folder().is_some() {
        bench.corpus("titles", rows - rows / COPIES)?;
        bench.ask(&format!(
            "CREATE TABLE held (id bigint PRIMARY KEY, body text);
             INSERT INTO held SELECT id, body FROM corpus ORDER BY id;
             INSERT INTO held SELECT 1000000000 + id, '（转载）' || body FROM corpus WHERE id % ({COPIES} - 1) = 0 ORDER BY id;
             DROP TABLE corpus; VACUUM (FREEZE, ANALYZE) held"
        ))?;
        return Ok("titles");
    }
    let file = bench.server.directory().join("held");
    bench.writer(5)?.file(&file, 1..=rows, LENGTH, Some(COPIES as usize))?;
    bench.ask(&format!(
        "CREATE TABLE held (id bigint PRIMARY KEY, body text); COPY held FROM {}; VACUUM (FREEZE, ANALYZE) held",
        literal(&file.display().to_string())
    ))?;
    std::fs::remove_file(&file).map_err(|error| error.to_string())?;
    Ok("made-up articles of 340 characters")
}

/// Does all of it in turn: the times, and how many copies were removed.
fn steps(bench: &Bench, waits: &mut Grid) -> Result<(Steps, f64)> {
    say::note("a scan that signs, and the index");
    let scan = bench.best(&["SELECT count(sketch(body)) FROM held"])?[0];
    let index = bench.seconds(INDEX)?;
    let protect = bench.seconds("SELECT neardup.protect('held', 'body')")?;
    bench.ask("ANALYZE held")?;
    say::note("duplicates");
    let list = bench.seconds(
        "CREATE TABLE doomed AS SELECT key::bigint AS id, duplicate_of, verdict, measure, value FROM neardup.duplicates('held')",
    )?;
    // What the clean-up will remove; the DELETE is taken back.
    say::note("DELETE");
    bench.ask("ANALYZE doomed; BEGIN")?;
    let delete = bench.seconds("DELETE FROM held WHERE id IN (SELECT id FROM doomed)")?;
    bench.ask("ROLLBACK; VACUUM held")?;
    say::note("DELETE that keeps the rows");
    bench.ask("CREATE TABLE kept (LIKE neardup.removed INCLUDING ALL); BEGIN")?;
    let delete_and_keep = bench.seconds(KEEP)?;
    bench.ask("ROLLBACK; DROP TABLE kept; VACUUM held")?;
    say::note("cleanup");
    let (cleanup, waited) = with_writer(bench, || bench.called("CALL neardup.cleanup('held', dry_run => false)"))?;
    waits.row(&waited.row("neardup.cleanup"));
    let removed = bench.number("SELECT count(*) FROM neardup.removed")?;
    let last = "SELECT extract(epoch FROM finished - started) FROM neardup.runs ORDER BY run_id DESC LIMIT 1";
    let removing = bench.number(last)?;
    say::note("restore");
    let (_, waited) = with_writer(bench, || bench.called("CALL neardup.restore(1)"))?;
    waits.row(&waited.row("neardup.restore"));
    say::note("cleanup without an archive");
    bench.ask("VACUUM (ANALYZE) held")?;
    bench.called("CALL neardup.cleanup('held', dry_run => false, action => 'delete')")?;
    let removing_for_good = bench.number(last)?;
    bench.ask("DROP TABLE held, doomed")?;
    let steps = Steps { scan, index, protect, list, delete, delete_and_keep, cleanup, removing, removing_for_good };
    Ok((steps, removed))
}

impl Bench<'_> {
    /// Calls a procedure that commits, which cannot be timed by a function around it: seconds by our clock.
    fn called(&self, call: &str) -> Result<f64> {
        let start = Instant::now();
        self.ask(call)?;
        Ok(start.elapsed().as_secs_f64())
    }
}

/// What a writer waited for each of its inserts, in seconds.
struct Waits(Vec<f64>);

impl Waits {
    fn row(&self, beside: &str) -> [String; 4] {
        let median = self.0.get(self.0.len() / 2).copied().unwrap_or(f64::NAN);
        let longest = self.0.last().copied().unwrap_or(f64::NAN);
        [beside.to_owned(), grouped(self.0.len() as f64), figure(median * 1e3), figure(longest * 1e3)]
    }
}

/// Does `work` while a session inserts rows with negative keys into `held`.
fn with_writer<T>(bench: &Bench, work: impl FnOnce() -> Result<T>) -> Result<(T, Waits)> {
    let mut session = Session::open(&bench.server, DATABASE)?;
    session.ask("SET client_min_messages = error; SELECT 1 FROM sketch('江口镇');")?;
    let done = AtomicBool::new(false);
    let write = || -> Result<Vec<f64>> {
        let mut waits = Vec::new();
        for number in 1_u32.. {
            if done.load(Ordering::Relaxed) {
                break;
            }
            // Checksums, so that no two are near-duplicates.
            let insert = format!(
                "INSERT INTO held (id, body) SELECT -{number}, string_agg(md5(i || ' {number}'), ' ') FROM generate_series(1, 8) i;"
            );
            let start = Instant::now();
            session.ask(&insert)?;
            waits.push(start.elapsed().as_secs_f64());
            std::thread::sleep(PAUSE);
        }
        waits.sort_by(f64::total_cmp);
        Ok(waits)
    };
    std::thread::scope(|scope| {
        let writer = scope.spawn(write);
        let outcome = work();
        done.store(true, Ordering::Relaxed);
        let waits = writer.join().map_err(|_| "the writer beside has failed")??;
        Ok((outcome?, Waits(waits)))
    })
}
