//! Table `cleanup`: signing, listing and removing what is there, beside a plain scan and a bare DELETE; how long a writer beside
//! has to wait.

use super::chart::Who;
use super::clock::literal;
use super::report::{Bound, Comparison, Grid, Section, Shown, figure, grouped};
use super::{Bench, DATABASE};
use crate::error::Result;
use crate::psql::Session;
use crate::say;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Characters of an article: about a kilobyte of Chinese.
const LENGTH: u64 = 340;
/// Every tenth article is an edited copy.
const COPIES: usize = 10;
/// Pause between two inserts of the writer beside.
const PAUSE: Duration = Duration::from_millis(5);

/// What a DBA would write who wants the rows back some day: the same record, without a look at the row that stays.
const KEEP: &str = "WITH gone AS (DELETE FROM held t USING doomed d WHERE t.id = d.id
                                  RETURNING t.id::text AS key, d.duplicate_of, d.distance, d.verdict, (t.*)::text AS record)
     INSERT INTO kept (run_id, batch, key, duplicate_of, distance, verdict, record)
     SELECT 1, 1, key, duplicate_of, distance, verdict, record FROM gone";

/// Measures the table.
pub fn measure(bench: &Bench) -> Result<Section> {
    let rows = bench.options.rows.unwrap_or(bench.size.cleaned);
    let mut section = Section::new(bench.key("cleanup"), "Cleaning up");
    say::note(&format!("a table of {} rows", grouped(rows as f64)));
    let file = bench.server.directory().join("held");
    bench.writer(5)?.file(&file, 1..=rows, LENGTH, Some(COPIES))?;
    bench.ask(&format!(
        "CREATE TABLE held (id bigint PRIMARY KEY, body text); COPY held FROM {}; VACUUM (FREEZE, ANALYZE) held",
        literal(&file.display().to_string())
    ))?;
    std::fs::remove_file(&file).map_err(|error| error.to_string())?;
    bench.ask("CREATE TABLE beside (LIKE held); INSERT INTO beside SELECT * FROM held LIMIT 1000")?;
    let mut waits = Grid::new(&["", "inserts", "median wait, ms", "longest wait, ms"]);

    say::note("a scan that signs");
    let scan = bench.best(&["SELECT count(simhash(body, 'chars:3')) FROM held"])?[0];
    say::note("an UPDATE that signs nothing");
    bench.ask(
        "CREATE TABLE bare (LIKE held INCLUDING INDEXES); INSERT INTO bare SELECT * FROM held; ALTER TABLE bare ADD COLUMN signature simhash;
         VACUUM (FREEZE, ANALYZE) bare",
    )?;
    let update = bench.seconds("UPDATE bare SET signature = '0000000000000001'")?;
    bench.ask("DROP TABLE bare")?;
    say::note("an index on the signatures of the documents");
    let index = bench.seconds("CREATE INDEX expressed ON held USING gin (simhash_bands(simhash(body, 'chars:3')))")?;
    bench.ask("DROP INDEX expressed; SELECT neardup.protect('held', 'body')")?;
    say::note("backfill");
    let (backfill, waited) = with_writer(bench, || bench.called("CALL neardup.backfill('held')"))?;
    waits.row(&waited.row("neardup.backfill"));
    bench.ask("DELETE FROM held WHERE id < 0; VACUUM (ANALYZE) held")?;

    let list = |verify: &str| format!("SELECT count(*) FROM neardup.duplicates('held', verify => '{verify}')");
    say::note("duplicates without facts");
    let without_facts = bench.seconds(&list("none"))?.min(bench.seconds(&list("none"))?);
    say::note("duplicates with facts");
    let with_facts = bench.seconds(&list("facts"))?.min(bench.seconds(&list("facts"))?);
    // What the clean-up will remove; the DELETE is taken back.
    say::note("DELETE");
    bench.ask(
        "CREATE TABLE doomed AS SELECT key::bigint AS id, duplicate_of, distance, verdict FROM neardup.duplicates('held'); ANALYZE doomed; BEGIN",
    )?;
    let bare = bench.seconds("DELETE FROM held WHERE id IN (SELECT id FROM doomed)")?;
    bench.ask("ROLLBACK; VACUUM held")?;
    say::note("DELETE that keeps the rows");
    bench.ask("CREATE TABLE kept (LIKE neardup.removed INCLUDING ALL); BEGIN")?;
    let keeping = bench.seconds(KEEP)?;
    bench.ask("ROLLBACK; DROP TABLE kept; VACUUM held")?;
    say::note("cleanup");
    let (cleaned, waited) = with_writer(bench, || bench.called("CALL neardup.cleanup('held', dry_run => false)"))?;
    waits.row(&waited.row("neardup.cleanup"));
    let removed = bench.number("SELECT count(*) FROM neardup.removed")?;
    let removal = bench.number("SELECT extract(epoch FROM finished - started) FROM neardup.runs")?;
    say::note("restore");
    let (_, waited) = with_writer(bench, || bench.called("CALL neardup.restore(1)"))?;
    waits.row(&waited.row("neardup.restore"));
    say::note("cleanup without an archive");
    bench.ask("VACUUM (ANALYZE) held")?;
    bench.called("CALL neardup.cleanup('held', dry_run => false, action => 'delete')")?;
    let forgetting =
        bench.number("SELECT extract(epoch FROM finished - started) FROM neardup.runs ORDER BY run_id DESC LIMIT 1")?;
    bench.ask("DROP TABLE held, beside, doomed")?;

    let count = rows as f64;
    let method = format!(
        "{} articles of {LENGTH} characters, one in ten an edited copy. `backfill` commits every 1,000 rows while a writer inserts; by the \
         client's clock. Any way that writes a signature into each row takes at least as long as the UPDATE; the index on an expression writes to none.",
        grouped(count)
    );
    const SCAN: &str = "count(simhash(body, 'chars:3')), writes nothing";
    let mut comparison = Comparison::new("Signing what is there", &method, Shown::Rate("rows/s", 1.0), SCAN);
    comparison.add(Who::Floor, SCAN, scan / count, "");
    comparison.add(
        Who::Floor,
        "UPDATE to a constant",
        update / count,
        "signs nothing, and no index but the primary key",
    );
    comparison.add(
        Who::Ours,
        "GIN index on the expression",
        index / count,
        "signs each row, writes to none: enough to search",
    );
    comparison.add(Who::Ours, "neardup.backfill", backfill / count, "writes each row and its entries in five indexes");
    section.comparison(&comparison)?;
    section.aim(
        "backfill, speed of a scan that signs",
        comparison.ratio(SCAN, "neardup.backfill"),
        Bound::AtLeast(0.9),
    );

    let mut comparison = Comparison::new("Listing", "All groups of the same table.", Shown::Time, "without facts");
    comparison.add(Who::Ours, "without facts", without_facts, "`verify => 'none'`: by signature alone");
    comparison.add(Who::Ours, "with facts", with_facts, "`verify => 'facts'`: reads both texts of each pair");
    section.comparison(&comparison)?;
    section.aim("duplicates without facts, s", Some(without_facts), Bound::AtMost(5.0));
    section.aim("duplicates, s", Some(with_facts), Bound::AtMost(5.0));

    const DELETE: &str = "DELETE by key";
    const KEEPING: &str = "DELETE that keeps the rows";
    const FORGETTING: &str = "neardup.cleanup(action => 'delete')";
    let method = format!(
        "{} copies removed. `cleanup` keeps each removed row, checks each pair once more and commits every 1,000 rows, while a writer \
         inserts; before that it makes the list that is measured above. Both DELETEs are told the keys and are one statement; the second \
         puts what it returns into a table like `cleanup`'s own.",
        grouped(removed)
    );
    let mut comparison = Comparison::new("Removing", &method, Shown::Rate("copies/s", 1.0), DELETE);
    comparison.add(Who::Floor, DELETE, bare / removed.max(1.0), "");
    comparison.add(Who::Floor, KEEPING, keeping / removed.max(1.0), "`DELETE … RETURNING (t.*)::text`, inserted");
    comparison.add(Who::Ours, "neardup.cleanup", removal / removed.max(1.0), "from the list made to the last commit");
    comparison.add(
        Who::Ours,
        FORGETTING,
        forgetting / removed.max(1.0),
        "keeps nothing, as the DELETE; with facts, too",
    );
    comparison.add(Who::Ours, "neardup.cleanup, with its list", cleaned / removed.max(1.0), "");
    section.comparison(&comparison)?;
    section.aim(
        "cleanup without an archive, speed of a bare DELETE",
        comparison.ratio(DELETE, FORGETTING),
        Bound::AtLeast(0.5),
    );
    section.aim("cleanup, speed of a bare DELETE", comparison.ratio(DELETE, "neardup.cleanup"), Bound::AtLeast(0.5));

    let method = "One session inserts a row into the same table every 5 ms; what it waited, by the client's clock.";
    section.grid("A writer beside", method, &waits);
    Ok(section)
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
    session.ask("SET client_min_messages = error; SELECT 1 FROM simhash('江口镇', 'chars:3');")?;
    let done = AtomicBool::new(false);
    let write = || -> Result<Vec<f64>> {
        let mut waits = Vec::new();
        for number in 1_u32.. {
            if done.load(Ordering::Relaxed) {
                break;
            }
            // Mostly digits of a checksum, so that no two are near-duplicates.
            let insert = format!(
                "INSERT INTO held (id, body) SELECT -{number}, md5('{number}') || left(body, 30) || md5('-{number}') FROM beside OFFSET {} LIMIT 1;",
                number % 1000
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
