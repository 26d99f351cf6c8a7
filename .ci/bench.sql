-- The five figures of .ci/bench: a line each, the name and the least of five times in milliseconds. Made-up texts of 1,200 characters, each tenth a
-- copy with an edit.
CREATE EXTENSION pg_neardup;
CREATE SCHEMA bench;
SET client_min_messages = error;
CREATE UNLOGGED TABLE bench.text AS
SELECT n, string_agg('w' || (hashint8(CASE WHEN n % 10 = 0 THEN n - 1 ELSE n END * 1000 + w)::bigint & 8191) || CASE WHEN w % 12 = 0 THEN '.' ELSE '' END,
                     ' ' ORDER BY w) || CASE WHEN n % 10 = 0 THEN ' As we reported.' ELSE '' END AS body
FROM generate_series(1::bigint, 4000) n, generate_series(1, 210) w GROUP BY n;
ANALYZE bench.text;
CREATE TABLE bench.guarded (n bigint PRIMARY KEY, body text);
SELECT neardup.protect('bench.guarded', 'body', on_duplicate => 'skip') \gset
CREATE TABLE bench.listed (n bigint PRIMARY KEY, body text);
INSERT INTO bench.listed SELECT * FROM bench.text;
SELECT neardup.protect('bench.listed', 'body') \gset
ANALYZE bench.listed;

CREATE PROCEDURE bench.measure(name text, statement text, before text DEFAULT NULL) LANGUAGE plpgsql AS $$
DECLARE
    began timestamptz;
    least double precision;
BEGIN
    FOR round IN 0..5 LOOP
        IF before IS NOT NULL THEN
            EXECUTE before;
        END IF;
        began := clock_timestamp();
        EXECUTE statement;
        -- The first round only warms up.
        IF round > 0 THEN
            least := least(least, 1000 * extract(epoch FROM clock_timestamp() - began));
        END IF;
        COMMIT;
    END LOOP;
    INSERT INTO bench.figures VALUES (name, least);
END $$;
CREATE TABLE bench.figures (name text, milliseconds double precision);

CALL bench.measure('sketch of 4,000 texts', 'SELECT count(sketch(body)) FROM bench.text');
CALL bench.measure('verdict on 400 pairs', 'SELECT count((same_message(a.body, b.body)).verdict) FROM bench.text a JOIN bench.text b ON b.n = a.n + 1 WHERE b.n % 10 = 0');
CALL bench.measure('insert of 4,000 rows under a guard', 'INSERT INTO bench.guarded SELECT * FROM bench.text', 'TRUNCATE bench.guarded');
CALL bench.measure('list of the copies among 4,000 rows', 'SELECT count(*) FROM neardup.duplicates(''bench.listed'')');
CALL bench.measure('400 searches', 'SELECT count(*) FROM bench.text q CROSS JOIN LATERAL (SELECT FROM bench.listed l WHERE near_duplicate(l.body, q.body)) f WHERE q.n % 10 = 0');
SELECT name || E'\t' || round(milliseconds::numeric, 1) FROM bench.figures;
