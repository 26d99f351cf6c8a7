-- Tables of forms: texts that share most of their words with hundreds of others and differ in the facts that are filled in, so the index
-- gives each row many candidates and the verdict rejects nearly all. Lists of such tables, and single inserts through their guard.
SET work_mem = '64MB';
CREATE TABLE bench.forms (name text, rows float8, characters float8, listed float8, copies float8, by_overlap float8, overlapping float8, bare_median float8, bare_p99 float8,
                          median float8, p99 float8, n int GENERATED ALWAYS AS IDENTITY);
-- Bulletins of one form: 40 sentences, of which each has two to four places to fill in. One in twenty is an edited copy of the one before it.
CREATE FUNCTION bench.bulletin(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(format((ARRAY[
        'Berth %s of the northern pier is closed to vessels longer than %s metres until the inspection of the %s lock has ended.',
        'Skippers of the %s line report to the harbour office on channel %s before they pass buoy %s, in fog also after it.',
        'The depth at gauge %s was %s centimetres on the morning of the survey; charts of the %s series show more and must not be used.',
        'Ships that carry the goods of class %s anchor east of light %s and keep a watch of %s persons by day and by night.',
        'The pilots of station %s recommend a speed of at most %s knots in the %s channel while the dredger works there.'])[1 + part % 5],
        substr(word, 1, 4), 1 + seed % 89, substr(word, 5, 5)), E'\n' ORDER BY part)
    FROM generate_series(1, 40) part,
         LATERAL (SELECT translate(md5(n || ' ' || part), '0123456789', 'ghijklmnop') AS word, abs(hashint8(n * 40 + part)::bigint) AS seed) AS filling
$$;
CREATE TABLE corpus AS
SELECT n AS id, CASE WHEN n % 20 = 0 THEN 'By the harbour office. ' || bench.bulletin(n - 1) ELSE bench.bulletin(n) END AS body FROM generate_series(1, :forms::bigint) n;
ALTER TABLE corpus ADD PRIMARY KEY (id);
\set corpus 'made-up bulletins'
\i bench/forms_table.sql
\if :has_folder
SELECT :corpus_rows AS most \gset
\set corpus tables/en_cisa_csaf
\i bench/corpus.sql
\i bench/forms_table.sql
\set corpus tables/ja_sakamichi
\i bench/corpus.sql
\i bench/forms_table.sql
\endif
SELECT bench.grid('Lists', '`neardup.duplicates` of the whole table, and the same with `verify => ''overlap''`, `threshold => 0.75`, which compares token sets and '
    'knows no facts; it calls fillings of a form copies. One backend, `work_mem` is 64 MB. The made-up bulletins have 40 sentences with blanks; the other tables, '
    'where they are at hand, are security advisories and Japanese notices.',
    '', 'rows', 'characters', 'list, s', 'ms a row', 'copies', 'by overlap, s', 'ms a row', 'copies');
SELECT bench.row(name, bench.grouped(rows), bench.grouped(characters), bench.figure(listed), bench.figure(1e3 * listed / rows), bench.grouped(copies), bench.figure(by_overlap),
                 bench.figure(1e3 * by_overlap / rows), bench.grouped(overlapping))
FROM bench.forms ORDER BY n;
SELECT bench.grid('Single rows', 'Further texts of the same tables, evenly spread, are inserted one by one: pgbench, one session, prepared statements, one commit per row, '
    '`fsync = off`. Times include the transfer to the client.',
    '', 'no guard: median, ms', 'p99, ms', 'guard: median, ms', 'p99, ms');
SELECT bench.row(name, bench.figure(1e3 * bare_median), bench.figure(1e3 * bare_p99), bench.figure(1e3 * median), bench.figure(1e3 * p99)) FROM bench.forms ORDER BY n;
SELECT bench.aim('list of ' || name || ', ms a row', 1e3 * listed / rows, at_most => CASE name WHEN 'tables/ja_sakamichi' THEN 1.0 ELSE 2.28 END),
       bench.aim(name || ', p99 of a single row through the guard, ms', 1e3 * p99, at_most => 20)
FROM bench.forms ORDER BY n;
DROP TABLE bench.forms;
DROP FUNCTION bench.bulletin;
RESET work_mem;
