-- Rows within a Hamming distance of a given signature: with our index, with other indexes, without one. Also time of the build, size, and
-- cost of an insert for each index.
SELECT count(*) AS rows FROM :table \gset
SELECT :probes / 10 AS checked, greatest(:probes / 50, 1) AS scanned \gset
-- Rows from the whole table, with 0 to 11 bits changed.
TRUNCATE bench.probe;
INSERT INTO bench.probe
SELECT place, bench.changed(signature, place % 12)
FROM (SELECT row_number() OVER (ORDER BY md5(id::text))::int AS place, signature FROM :table) AS shuffled WHERE place <= :probes;
ANALYZE bench.probe;
\echo '   ' :table: brute force over :checked probes
CREATE TABLE bench.truth AS
SELECT distance, sum((d <= distance)::int)::float8 AS rows
FROM (SELECT hamming_distance(t.signature, p.signature) AS d FROM :table t, bench.probe p
      WHERE p.number <= :checked AND hamming_distance(t.signature, p.signature) <= 11) AS near, generate_series(0, 11) distance GROUP BY 1;

-- A method to index signatures for look-ups, and the distances it serves: four equal bands find all rows up to distance 3.
CREATE TABLE bench.ways (n int GENERATED ALWAYS AS IDENTITY, who text, name text, create_index text, query text, distances int[], remark text,
                         build float8, megabytes float8, inserted float8);
INSERT INTO bench.ways (who, name, create_index, query, distances, remark) VALUES
    (NULL, 'no index but the primary key', 'SELECT', NULL, '{}', NULL),
    ('ours', 'GIN on the signature', 'CREATE INDEX ON %1$s USING gin (signature) WITH (fastupdate = off)',
     'SELECT count(*) FROM %1$s t WHERE simhash_within(t.signature, p.signature, %2$s)', '{3,7,11}', 'any distance up to 11, in any condition or join'),
    ('ours', 'GIN on simhash_bands, a helper column''s', 'CREATE INDEX ON %1$s USING gin (simhash_bands(signature)) WITH (fastupdate = off)',
     'SELECT count(*) FROM %1$s t WHERE simhash_bands(t.signature) && simhash_probes(p.signature, %2$s) AND hamming_distance(t.signature, p.signature) <= %2$s',
     '{3,7,11}', 'written out in SQL, with Postgres''s own operators'),
    ('ours', 'four B-trees on simhash_band',
     'CREATE INDEX ON %1$s (simhash_band(signature, 0)); CREATE INDEX ON %1$s (simhash_band(signature, 1)); CREATE INDEX ON %1$s (simhash_band(signature, 2)); CREATE INDEX ON %1$s (simhash_band(signature, 3))',
     'SELECT count(*) FROM %1$s t WHERE (simhash_band(t.signature, 0) = simhash_band(p.signature, 0) OR simhash_band(t.signature, 1) = simhash_band(p.signature, 1)
      OR simhash_band(t.signature, 2) = simhash_band(p.signature, 2) OR simhash_band(t.signature, 3) = simhash_band(p.signature, 3))
      AND hamming_distance(t.signature, p.signature) <= %2$s', '{3}', 'written out in SQL; to distance 3'),
    ('peer', 'smlar-style: GIN on four text pieces', 'CREATE INDEX ON %1$s USING gin (bench.pieces(signature)) WITH (fastupdate = off)',
     'SELECT count(*) FROM %1$s t WHERE bench.pieces(t.signature) && bench.pieces(p.signature) AND hamming_distance(t.signature, p.signature) <= %2$s',
     '{3}', 'needs only a text array; consecutive pieces, as in recipes for smlar; up to distance 3');

SELECT bench.comparison(format('Look-ups, %s', :'table'), format('%s rows: %s. Median of %s probes, run one after the other in a PL/pgSQL function '
    'with all data in memory; a probe is a row''s signature with 0 to 11 bits changed. Recall is relative to brute force on the first %s probes. '
    'Scans are timed on %s probes.',
    bench.grouped(:rows), :'what', :probes, :checked, :scanned), 'GIN on the signature, distance 3');

CREATE FUNCTION bench.look_up(w bench.ways, target regclass, probes int, checked int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    measured record;
    most int;
BEGIN
    FOREACH most IN ARRAY w.distances LOOP
        measured := bench.lookups(format(w.query, target, most), probes, checked);
        PERFORM bench.add(w.who, format('%s, distance %s', w.name, most), measured.median,
            format('recall %s, %s; %s', bench.figure(measured.hits / greatest((SELECT rows FROM bench.truth t WHERE t.distance = most), 1)),
                   bench.within(measured.p95), w.remark));
    END LOOP;
END
$$;
-- For each method: build the index, look up, insert rows and delete them again.
SELECT format('UPDATE bench.ways SET build = bench.seconds(%L) WHERE n = %s', format(create_index, :'table'), n), format('ANALYZE %s', :'table'),
       format('UPDATE bench.ways SET megabytes = bench.megabytes(%L) WHERE n = %s', :'table', n),
       format('UPDATE bench.ways SET inserted = bench.seconds(%L) / %s WHERE n = %s',
              format('INSERT INTO %s SELECT -i, left(md5((-i)::text), 16)::simhash FROM generate_series(1, %s) i', :'table', :probes * 20), :probes * 20, n),
       format('DELETE FROM %s WHERE id < 0', :'table'), format('VACUUM %s', :'table'),
       format('SELECT bench.look_up(w, %L, %s, %s) FROM bench.ways w WHERE n = %s', :'table', :probes, :checked, n),
       format('SELECT bench.drop_indexes(%L)', :'table')
FROM bench.ways ORDER BY n \gexec
SELECT bench.add(who, name, (bench.lookups(format('SELECT count(*) FROM %s', format(query, :'table')), :scanned, 0)).median, remark)
FROM (VALUES (1, 'ours', 'scan, hamming_distance', '%s t WHERE hamming_distance(t.signature, p.signature) <= 3', 'any distance'),
             (2, 'peer', 'scan, bit_count of bit(64)', '%s t WHERE bit_count(t.signature::bit(64) # p.signature::bit(64)) <= 3',
              'no extension needed on bit(64) columns'),
             (3, 'ours', 'nearest row, ORDER BY <~> LIMIT 1', '(SELECT id FROM %s t ORDER BY t.signature <~> p.signature LIMIT 1) AS nearest', 'a scan; any number of rows'))
     v(n, who, name, query, remark) ORDER BY n;
-- A BK-tree over all signatures, as one would hold it outside a database.
SELECT :rows <= 2000000 AS few \gset
\if :few
\setenv TABLE :table
\! "$PGBIN/psql" -XAtqc "SELECT signature::bigint FROM $TABLE" >"$PEERS.signatures"
\copy bench.measured (name, amount, seconds) FROM PROGRAM 'sh bench/outside.sh peer pybktree "$PEERS.signatures"'
SELECT bench.add('peer', 'BK-tree in Python (pybktree), distance 3', seconds / amount, CASE WHEN seconds IS NULL THEN name ELSE 'mean; supports any metric, needs no bands' END)
FROM bench.measured WHERE name NOT LIKE 'version %';
DELETE FROM bench.measured;
\else
SELECT bench.add('peer', 'BK-tree in Python (pybktree), distance 3', NULL, 'left out: building it takes minutes and gigabytes');
\endif
SELECT bench.aim(format('%s, GIN on the signature, distance %s, ms', :'table', distance), 1e3 * bench.cost('GIN on the signature, distance ' || distance), at_most => most)
FROM (VALUES (3, CASE WHEN :rows > 5000000 THEN 0.5 ELSE 0.15 END), (7, 2), (11, 10)) v(distance, most) WHERE distance = 3 OR :rows <= 5000000;
SELECT bench.grid(format('Indexes, %s', :'table'), 'Built on the table of the look-ups; rows are then inserted into it.', '', 'build, s per million rows', 'MB per million rows', 'µs per inserted row');
SELECT bench.row(name, CASE WHEN n = 1 THEN '–' ELSE bench.figure(build * 1e6 / :rows) END, CASE WHEN n = 1 THEN '–' ELSE bench.figure(megabytes * 1e6 / :rows) END,
                 bench.figure(1e6 * CASE WHEN n = 1 THEN inserted ELSE greatest(inserted - (SELECT inserted FROM bench.ways WHERE n = 1), 0) END))
FROM bench.ways ORDER BY n;
DROP FUNCTION bench.look_up;
DROP TABLE bench.ways, bench.truth;
