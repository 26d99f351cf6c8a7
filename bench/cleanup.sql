-- Indexing a table, and listing and removing its copies, beside a plain scan and a bare DELETE; and how long a concurrent writer waits.
-- Every tenth text is an edited copy.
CREATE TABLE held (id bigint PRIMARY KEY, body text);
\if :has_folder
\set corpus titles
SELECT :cleaned - :cleaned / 10 AS most \gset
\i bench/corpus.sql
INSERT INTO held SELECT id, body FROM corpus ORDER BY id;
INSERT INTO held SELECT 1000000000 + id, '（转载）' || body FROM corpus WHERE id % 9 = 0 ORDER BY id;
DROP TABLE corpus;
\set texts titles
\else
\setenv ROWS :cleaned
\copy held FROM PROGRAM '"$XTASK" articles "$SENTENCES" 5 "$ROWS" 340 10'
\set texts 'made-up articles of 340 characters'
\endif
VACUUM (FREEZE, ANALYZE) held;
SELECT count(*) AS rows FROM held \gset
\echo '    a table of' :rows rows
-- The seconds of each step.
CREATE TABLE bench.steps (name text, seconds float8);
CREATE TABLE bench.waits (beside text, seconds float8);

-- A session that inserts a row every 5 ms, until a row of bench.steps tells it to stop. Its texts are checksums, so no two are
-- near-duplicates.
CREATE SEQUENCE bench.written;
CREATE PROCEDURE bench.write(beside text) LANGUAGE plpgsql AS $$
DECLARE
    number bigint;
    started timestamptz;
BEGIN
    PERFORM sketch('江口镇');
    WHILE NOT EXISTS (SELECT FROM bench.steps WHERE name = 'after ' || beside) LOOP
        number := nextval('bench.written');
        started := clock_timestamp();
        INSERT INTO held (id, body) SELECT -number, string_agg(md5(i || ' ' || number), ' ') FROM generate_series(1, 8) i;
        COMMIT;
        INSERT INTO bench.waits VALUES (beside, extract(epoch FROM clock_timestamp() - started));
        COMMIT;
        PERFORM pg_sleep(0.005);
    END LOOP;
END
$$;

\echo '    a scan that signs, and the index'
INSERT INTO bench.steps SELECT 'scan', (bench.best('SELECT count(sketch(body)) FROM held'))[1];
INSERT INTO bench.steps SELECT 'index', bench.seconds('CREATE INDEX ON held USING neardup (sketch(body))');
INSERT INTO bench.steps SELECT 'protect', bench.seconds('SELECT neardup.protect(''held'', ''body'')');
ANALYZE held;
\echo '    duplicates'
INSERT INTO bench.steps SELECT 'list', bench.seconds('CREATE TABLE doomed AS SELECT key::bigint AS id, duplicate_of, verdict, measure, value FROM neardup.duplicates(''held'')');
-- The rows that the clean-up will remove; each DELETE is rolled back.
ANALYZE doomed;
\echo '    DELETE'
BEGIN;
SELECT bench.seconds('DELETE FROM held WHERE id IN (SELECT id FROM doomed)') AS seconds \gset
ROLLBACK;
INSERT INTO bench.steps VALUES ('delete', :seconds);
VACUUM held;
\echo '    DELETE that keeps the rows'
SELECT neardup.keep_removed('held');
CREATE TABLE kept (LIKE held_removed INCLUDING ALL);
BEGIN;
-- The SQL of a DBA who wants to be able to restore the rows: the same record, without checking the row that stays.
SELECT bench.seconds($$WITH gone AS (DELETE FROM held t USING doomed d WHERE t.id = d.id
                                    RETURNING d.duplicate_of, d.verdict, d.measure, d.value, t.*)
    INSERT INTO kept SELECT 1, 1, clock_timestamp(), CURRENT_USER, id::text, g.* FROM gone g$$) AS seconds \gset
ROLLBACK;
INSERT INTO bench.steps VALUES ('delete and keep', :seconds);
DROP TABLE kept;
VACUUM held;
\echo '    cleanup'
\! "$PGBIN/psql" -Xq -c "CALL bench.write('neardup.cleanup')" >/dev/null 2>&1 &
SELECT clock_timestamp() AS started \gset
CALL neardup.cleanup('held', dry_run => false);
INSERT INTO bench.steps SELECT 'after neardup.cleanup', extract(epoch FROM clock_timestamp() - :'started');
SELECT count(*) AS removed FROM held_removed \gset
INSERT INTO bench.steps SELECT 'removing', extract(epoch FROM finished - started) FROM neardup.runs WHERE target = 'held'::regclass ORDER BY run_id DESC LIMIT 1;
\echo '    restore'
\! "$PGBIN/psql" -Xq -c "CALL bench.write('neardup.restore')" >/dev/null 2>&1 &
CALL neardup.restore('held', 1);
INSERT INTO bench.steps VALUES ('after neardup.restore', 0);
\echo '    cleanup without an archive'
VACUUM (ANALYZE) held;
CALL neardup.cleanup('held', dry_run => false, action => 'delete');
INSERT INTO bench.steps SELECT 'removing for good', extract(epoch FROM finished - started) FROM neardup.runs WHERE target = 'held'::regclass ORDER BY run_id DESC LIMIT 1;
DROP TABLE held, held_removed, doomed;

SELECT bench.comparison('Getting ready', format('%s rows: %s, one in 10 an edited copy.', bench.grouped(:rows), :'texts'), 'count(sketch(body)), writes nothing');
SELECT bench.add(who, line, seconds, remark)
FROM (VALUES (1, 'scan', 'floor', 'count(sketch(body)), writes nothing', ''),
             (2, 'index', 'ours', 'CREATE INDEX USING neardup (sketch(body))', 'signs each row, changes none'),
             (3, 'protect', 'ours', 'neardup.protect, the index being there', 'reads no row'),
             (4, 'list', 'ours', 'neardup.duplicates', 'the list of all copies: walks the index, reads the texts of candidates'))
     v(n, name, who, line, remark) JOIN bench.steps USING (name) ORDER BY n;
SELECT bench.aim('duplicates, s a million rows', bench.cost('neardup.duplicates') * 1e6 / :rows, at_most => 30);

SELECT bench.comparison('Removing', format('%s copies are removed. `cleanup` archives each removed row, verifies each pair again and commits every '
    '1,000 rows, while another session inserts; before that, it makes the list measured above. Both DELETEs get the keys and are one statement each; '
    'the second inserts the returned rows into a table like that of `cleanup`.', bench.grouped(:removed)), 'DELETE by key', 'copies/s');
SELECT bench.add(who, line, seconds / greatest(:removed, 1), remark)
FROM (VALUES (1, 'delete', 'floor', 'DELETE by key', ''),
             (2, 'delete and keep', 'floor', 'DELETE that keeps the rows', '`DELETE … RETURNING (t.*)::text`, inserted'),
             (3, 'removing', 'ours', 'neardup.cleanup', 'from the finished list to the last commit'),
             (4, 'removing for good', 'ours', 'neardup.cleanup(action => ''delete'')', 'archives nothing, like the DELETE'),
             (5, 'after neardup.cleanup', 'ours', 'neardup.cleanup, with its list', ''))
     v(n, name, who, line, remark) JOIN bench.steps USING (name) ORDER BY n;
SELECT bench.aim('cleanup without an archive, speed of a bare DELETE', bench.ratio('DELETE by key', 'neardup.cleanup(action => ''delete'')'), at_least => 0.5),
       bench.aim('cleanup, speed of plain SQL that archives the same rows', bench.ratio('DELETE that keeps the rows', 'neardup.cleanup'), at_least => 0.5);

SELECT bench.grid('A writer beside', 'One session inserts a row into the same table every 5 ms. The wait is the time for the row and its commit, by '
    'the server''s clock.',
                  '', 'inserts', 'median wait, ms', 'longest wait, ms');
SELECT bench.row(beside, bench.grouped(count(*)), bench.figure(1e3 * percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds)), bench.figure(1e3 * max(seconds)))
FROM bench.waits GROUP BY beside ORDER BY beside;
DROP TABLE bench.steps, bench.waits;
DROP PROCEDURE bench.write;
DROP SEQUENCE bench.written;
