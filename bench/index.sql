-- Indexes of signatures compared: ours, GIN and, for SimHash, four B-trees. One table for sketches and one for SimHash grow by a fifth
-- under each index in turn: time of the build, size before and after, time and WAL of an insert, look-ups.
SELECT bench.wants('sketch') AS sketch, bench.wants('simhash') AS simhash, :signatures_wanted AS rows, :signatures_wanted / 5 AS more \gset

-- The measurements of an index; `look_up` uses the probe `p`, and `distances` are filled in.
CREATE TABLE bench.ways (n int PRIMARY KEY, who text, name text, statements text, look_up text, distances int[] DEFAULT '{0}',
    build float8, fresh float8, grown float8, inserted float8, wal float8, wal_after_checkpoint float8);
CREATE TABLE bench.found (n int, distance int, median float8, p95 float8, hits float8);

-- Inserts rows; returns seconds and bytes of WAL per row.
CREATE FUNCTION bench.grow(target regclass, condition text, OUT seconds float8, OUT wal float8) LANGUAGE plpgsql AS $$
DECLARE
    before pg_lsn := pg_current_wal_insert_lsn();
    amount bigint;
BEGIN
    seconds := bench.seconds(format('INSERT INTO %s SELECT * FROM more WHERE %s', target, condition));
    EXECUTE 'SELECT count(*) FROM more WHERE ' || condition INTO amount;
    wal := (pg_current_wal_insert_lsn() - before) / amount::float8;
    seconds := seconds / amount;
END
$$;
-- Builds an index and looks up, then grows the table: 19 of 20 rows at once, the others after a checkpoint.
CREATE PROCEDURE bench.try_way(way int, target regclass, probes int) LANGUAGE plpgsql AS $$
DECLARE
    w bench.ways := (SELECT w FROM bench.ways w WHERE n = way);
    most int;
    by_insert record;
BEGIN
    UPDATE bench.ways SET build = bench.seconds(w.statements) WHERE n = w.n;
    EXECUTE format('ANALYZE %s', target);
    UPDATE bench.ways SET fresh = bench.megabytes(target) WHERE n = w.n;
    FOREACH most IN ARRAY w.distances LOOP
        CONTINUE WHEN w.look_up IS NULL;
        INSERT INTO bench.found SELECT w.n, most, l.* FROM bench.lookups(format(w.look_up, most), probes, probes) l;
    END LOOP;
    COMMIT;
    by_insert := bench.grow(target, 'id % 20 > 0');
    UPDATE bench.ways SET inserted = by_insert.seconds, wal = by_insert.wal, grown = bench.megabytes(target) WHERE n = w.n;
    COMMIT;
    CHECKPOINT;
    by_insert := bench.grow(target, 'id % 20 = 0');
    UPDATE bench.ways SET wal_after_checkpoint = by_insert.wal WHERE n = w.n;
    PERFORM bench.drop_indexes(target);
END
$$;
CREATE FUNCTION bench.of_way(name text) RETURNS bench.ways LANGUAGE sql STABLE AS 'SELECT * FROM bench.ways w WHERE w.name = $1';
-- The cost beyond that of the heap and the primary key, which is line 1.
CREATE FUNCTION bench.beside(w bench.ways) RETURNS bench.ways LANGUAGE sql STABLE AS $$
    SELECT w.n, w.who, w.name, w.statements, w.look_up, w.distances, w.build, w.fresh, w.grown, w.inserted - b.inserted, w.wal - b.wal,
           w.wal_after_checkpoint - b.wal_after_checkpoint FROM bench.ways b WHERE b.n = 1 $$;
CREATE FUNCTION bench.show_ways(title text, method text, rows bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM bench.grid(title, method, '', 'build, s', 'MB', 'MB, a fifth more rows', 'insert, µs a row', 'WAL, bytes a row', 'WAL after a checkpoint');
    PERFORM bench.row(b.name, bench.figure(b.build), bench.figure(b.fresh), bench.figure(b.grown), bench.figure(b.inserted * 1e6), bench.figure(b.wal),
                      bench.figure(b.wal_after_checkpoint)) FROM bench.ways w, bench.beside(w) b WHERE w.n > 1 ORDER BY w.n;
END
$$;
-- The aims for both kinds of signature.
CREATE FUNCTION bench.aim_ways(kind text, ours text, gin text, insert_at_most float8) RETURNS void LANGUAGE sql AS $$
    SELECT bench.aim(kind || ': build, part of GIN''s', o.build / g.build, at_most => 0.1), bench.aim(kind || ': size, part of GIN''s', o.fresh / g.fresh, at_most => 0.33),
           bench.aim(kind || ': size after a fifth more, part of GIN''s', o.grown / g.grown, at_most => 0.5),
           bench.aim(kind || ': insert, part of GIN''s', o.inserted / g.inserted, at_most => insert_at_most), bench.aim(kind || ': WAL, part of GIN''s', o.wal / g.wal, at_most => 0.7)
    FROM bench.beside(bench.of_way(ours)) o, bench.beside(bench.of_way(gin)) g $$;

\if :sketch
\echo '    making' :rows sketches of ten keys
-- Every fiftieth shares four keys with its predecessor.
CREATE FUNCTION pg_temp.keyed(i bigint) RETURNS minhash LANGUAGE sql IMMUTABLE AS
    $$SELECT sketch(ARRAY(SELECT ((i - (i % 50 = 0 AND k < 4)::int) * 10 + k)::text FROM generate_series(0, 9) k), 10)$$;
CREATE TABLE keyed AS SELECT i AS id, pg_temp.keyed(i) AS sketch FROM generate_series(1, :rows::bigint) i;
CREATE TABLE more AS SELECT i AS id, pg_temp.keyed(i) AS sketch FROM generate_series(:rows::bigint + 1, :rows::bigint + :more) i;
ALTER TABLE keyed ADD PRIMARY KEY (id);
VACUUM (FREEZE, ANALYZE) keyed, more;
TRUNCATE bench.probe;
INSERT INTO bench.probe (number, minhash) SELECT row_number() OVER ()::int, k.sketch FROM generate_series(1, :probes) p, keyed k WHERE k.id = 1 + hashint8(p)::bigint % (:rows / 2) + :rows / 2;
INSERT INTO bench.ways (n, who, name, statements, look_up) VALUES
    (1, NULL, 'no index but the primary key', 'SELECT', NULL),
    (2, 'ours', 'neardup on the sketch', 'CREATE INDEX ON keyed USING neardup (sketch)', 'SELECT count(*) FROM keyed t WHERE t.sketch && p.minhash'),
    (3, 'ours', 'GIN on the sketch', 'CREATE INDEX ON keyed USING gin (sketch) WITH (fastupdate = off)', 'SELECT count(*) FROM keyed t WHERE t.sketch && p.minhash');
SELECT format('CALL bench.try_way(%s, ''keyed'', %s)', n, :probes),
       format('DELETE FROM keyed WHERE id > %s', :rows), 'VACUUM keyed' FROM bench.ways ORDER BY n \gexec
SELECT bench.show_ways('Indexes of sketches', format('%s sketches of ten keys; every fiftieth row shares four keys with the one before. The table '
    'grows by a fifth under each index. Insert and WAL are those of the index alone: the cost of the same inserts without an index is subtracted.', bench.grouped(:rows)), :rows);
SELECT bench.comparison('Look-ups by sketch', format('The same table before it grows; median of %s probes, run one after the other in a PL/pgSQL '
    'function.', :probes), 'GIN on the sketch');
SELECT bench.add(w.who, w.name, f.median, format('finds %s rows; %s', f.hits, bench.within(f.p95))) FROM bench.ways w JOIN bench.found f USING (n) ORDER BY n;
SELECT bench.aim_ways('sketches', 'neardup on the sketch', 'GIN on the sketch', insert_at_most => 0.6);
SELECT bench.aim('sketches: look-up, part of GIN''s', bench.ratio('neardup on the sketch', 'GIN on the sketch'), at_most => 0.7);
DROP TABLE keyed, more;
TRUNCATE bench.ways, bench.found;
\endif

\if :simhash
\echo '    making' :rows signatures
-- Every tenth is its predecessor with 0 to 7 bits changed.
CREATE FUNCTION pg_temp.signed(i bigint) RETURNS simhash LANGUAGE sql IMMUTABLE AS
    $$SELECT CASE WHEN i % 10 = 0 THEN bench.changed(left(md5((i - 1)::text), 16)::simhash, (i / 10 % 8)::int) ELSE left(md5(i::text), 16)::simhash END$$;
CREATE TABLE keyed AS SELECT i AS id, pg_temp.signed(i) AS signature FROM generate_series(1, :rows::bigint) i;
CREATE TABLE more AS SELECT i AS id, pg_temp.signed(i) AS signature FROM generate_series(:rows::bigint + 1, :rows::bigint + :more) i;
ALTER TABLE keyed ADD PRIMARY KEY (id);
VACUUM (FREEZE, ANALYZE) keyed, more;
TRUNCATE bench.probe;
INSERT INTO bench.probe (number, signature) SELECT p, bench.changed(k.signature, p % 12) FROM generate_series(1, :probes) p, keyed k
WHERE k.id = 1 + hashint8(p)::bigint % (:rows / 2) + :rows / 2;
INSERT INTO bench.ways (n, who, name, statements, look_up, distances) VALUES
    (1, NULL, 'no index but the primary key', 'SELECT', NULL, '{}'),
    (2, 'ours', 'neardup on the signature', 'CREATE INDEX ON keyed USING neardup (signature)',
     'SELECT count(*) FROM keyed t WHERE simhash_within(t.signature, p.signature, %s)', '{3,7,11}'),
    (3, 'ours', 'GIN on the signature', 'CREATE INDEX ON keyed USING gin (signature) WITH (fastupdate = off)',
     'SELECT count(*) FROM keyed t WHERE simhash_within(t.signature, p.signature, %s)', '{3,7,11}'),
    (4, 'ours', 'four B-trees on simhash_band',
     'CREATE INDEX ON keyed (simhash_band(signature, 0)); CREATE INDEX ON keyed (simhash_band(signature, 1)); CREATE INDEX ON keyed (simhash_band(signature, 2)); CREATE INDEX ON keyed (simhash_band(signature, 3))',
     'SELECT count(*) FROM keyed t WHERE (simhash_band(t.signature, 0) = simhash_band(p.signature, 0) OR simhash_band(t.signature, 1) = simhash_band(p.signature, 1)
      OR simhash_band(t.signature, 2) = simhash_band(p.signature, 2) OR simhash_band(t.signature, 3) = simhash_band(p.signature, 3))
      AND hamming_distance(t.signature, p.signature) <= %s', '{3}');
SELECT format('CALL bench.try_way(%s, ''keyed'', %s)', n, :probes),
       format('DELETE FROM keyed WHERE id > %s', :rows), 'VACUUM keyed' FROM bench.ways ORDER BY n \gexec
SELECT bench.show_ways('Indexes of SimHash', format('%s random signatures, one in ten a near-duplicate of the one before; as above.', bench.grouped(:rows)), :rows);
SELECT bench.comparison('Look-ups by SimHash', format('The same table before it grows; median of %s probes, which are signatures of rows with 0 to 11 '
    'bits changed.', :probes),
    'GIN on the signature, distance 3');
SELECT bench.add(w.who, format('%s, distance %s', w.name, f.distance), f.median, format('finds %s rows; %s', f.hits, bench.within(f.p95)))
FROM bench.ways w JOIN bench.found f USING (n) ORDER BY f.distance, n;
SELECT bench.aim_ways('SimHash', 'neardup on the signature', 'GIN on the signature', insert_at_most => 0.8);
SELECT bench.aim(format('neardup on the signature, distance %s, ms', distance), 1e3 * bench.cost('neardup on the signature, distance ' || distance), at_most => most)
FROM (VALUES (7, 0.3), (11, 2.0)) v(distance, most);
DROP TABLE keyed, more;
\endif
DROP PROCEDURE bench.try_way;
DROP FUNCTION bench.of_way, bench.show_ways, bench.aim_ways, bench.grow, bench.beside;
DROP TABLE bench.ways, bench.found;
