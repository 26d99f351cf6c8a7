-- What the check `index` gives its sessions to do, and asks of the indexes (crates/xtask/src/checks/index.rs).

-- ## setup
-- A table with both kinds of index, and work for many sessions. Each row has the key of a template, five of its own and four of a few
-- thousand that others have too; its signature is one of a few clusters'.
CREATE TABLE doc (id bigint PRIMARY KEY, sketch minhash, signature simhash);
CREATE SEQUENCE doc_id;
CREATE FUNCTION tokens(number bigint) RETURNS text[] LANGUAGE sql AS $$
    SELECT array_agg(t) || 'template'::text FROM (SELECT md5(number::text || i) AS t FROM generate_series(1, 5) i
        UNION ALL SELECT 'common ' || (random() * 5000)::int FROM generate_series(1, 4)) t $$;
CREATE FUNCTION bits() RETURNS simhash LANGUAGE sql AS $$
    SELECT ((hashint8extended((random() * 200)::int, 1)) # (1::bigint << (random() * 62)::int) # (1::bigint << (random() * 62)::int))::simhash $$;
INSERT INTO doc SELECT nextval('doc_id'), CASE WHEN i % 50 > 0 THEN sketch(tokens(i)) END, CASE WHEN i % 40 > 0 THEN bits() END FROM generate_series(1, 20000) i;
CREATE INDEX doc_sketch ON doc USING neardup (sketch);
CREATE INDEX doc_signature ON doc USING neardup (signature);
ALTER TABLE doc SET (autovacuum_enabled = off);
CREATE PROCEDURE write() LANGUAGE plpgsql AS $$
DECLARE n int := 0; low bigint; high bigint;
BEGIN
    LOOP
        n := n + 1;
        INSERT INTO doc SELECT nextval('doc_id'), sketch(tokens(i)), bits() FROM generate_series(1, 1 + (random() * 30)::int) i;
        IF random() < 0.1 THEN ROLLBACK; ELSE COMMIT; END IF;
        low := (random() * currval('doc_id'))::bigint;
        high := low + (random() * 60)::int;
        IF n % 3 = 0 THEN
            DELETE FROM doc WHERE id BETWEEN low AND high;
        ELSE
            UPDATE doc SET sketch = sketch(tokens(id)), signature = bits() WHERE id IN (SELECT id FROM doc WHERE id BETWEEN low AND high FOR UPDATE SKIP LOCKED);
        END IF;
        COMMIT;
    END LOOP;
END $$;
CREATE PROCEDURE search() LANGUAGE plpgsql AS $$
DECLARE found bigint;
BEGIN
    LOOP
        SELECT count(*) INTO found FROM doc WHERE sketch && sketch(tokens(1));
        SELECT count(*) INTO found FROM doc WHERE signature <@ hamming_ball(bits(), (random() * 12)::int);
        SELECT count(*) INTO found FROM (SELECT FROM doc ORDER BY signature <~> bits() LIMIT 50) d;
        COMMIT;
    END LOOP;
END $$;
CREATE PROCEDURE inspect() LANGUAGE plpgsql AS $$
BEGIN
    LOOP
        PERFORM neardup.check_index('doc_sketch'), neardup.check_index('doc_signature');
        COMMIT;
    END LOOP;
END $$;
-- A row that is updated again and again: its guard removes the entries of dead versions.
CREATE TABLE report (id int PRIMARY KEY, body text) WITH (autovacuum_enabled = off);
SELECT neardup.protect('report', 'body');
INSERT INTO report VALUES (1, 'The winter market of Stonebridge opens today with more than two hundred stalls along the river.');
CREATE PROCEDURE revise() LANGUAGE plpgsql AS $$
DECLARE found bigint;
BEGIN
    LOOP
        UPDATE report SET body = left(body, 95) || ' ' || repeat(md5(random()::text) || ' ', 10) WHERE id = 1;
        IF random() < 0.1 THEN ROLLBACK; ELSE COMMIT; END IF;
        SELECT count(*) INTO found FROM report WHERE sketch(body) && sketch('The winter market of Stonebridge opens today with more than two hundred stalls along the river.');
        IF found <> 1 THEN RAISE 'lacks a key'; END IF;
    END LOOP;
END $$;

-- ## sound
SELECT neardup.check_index('doc_sketch') > 0, neardup.check_index('doc_signature') > 0 AND neardup.check_index('report_sketch_idx') > 0;

-- ## answers
-- Each search by index, and as the table answers: `f` where they differ.
CREATE OR REPLACE FUNCTION pg_temp.both(question text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE by_index text; by_scan text;
BEGIN
    SET LOCAL enable_seqscan = off;
    EXECUTE question INTO by_index;
    SET LOCAL enable_seqscan = on;
    SET LOCAL enable_indexscan = off;
    SET LOCAL enable_bitmapscan = off;
    EXECUTE question INTO by_scan;
    SET LOCAL enable_indexscan = on;
    SET LOCAL enable_bitmapscan = on;
    RETURN by_index IS NOT DISTINCT FROM by_scan;
END $$;
SELECT bool_and(pg_temp.both(format(q, d.id))) FROM (SELECT id FROM doc WHERE sketch IS NOT NULL AND signature IS NOT NULL ORDER BY md5(id::text) LIMIT 12) d, (VALUES
    ('SELECT count(*) || md5(string_agg(id::text, '','' ORDER BY id)) FROM doc WHERE sketch && (SELECT sketch FROM doc WHERE id = %s)'),
    ('SELECT string_agg(id::text, '','' ORDER BY id) FROM doc WHERE signature <@ hamming_ball((SELECT signature FROM doc WHERE id = %s), 3)'),
    ('SELECT string_agg(id::text, '','' ORDER BY id) FROM doc WHERE signature <@ hamming_ball((SELECT signature FROM doc WHERE id = %s), 9)'),
    ('SELECT string_agg(id::text, '','' ORDER BY id) FROM doc WHERE signature <@ hamming_ball((SELECT signature FROM doc WHERE id = %s), 24)'),
    ('SELECT string_agg(d::text, '','') FROM (SELECT signature <~> (SELECT signature FROM doc WHERE id = %1$s) AS d FROM doc ORDER BY 1 LIMIT 500) d')
) v(q);

-- ## beside
-- The work of the sessions beside the writers, a line each. A build that is cut off leaves an index that is not valid.
VACUUM doc;
CALL search();
CALL inspect();
CALL revise();
CREATE INDEX CONCURRENTLY doc_more ON doc USING neardup (sketch); DROP INDEX CONCURRENTLY doc_more;

-- ## reused
-- A table whose rows share a key, but for those at its end: a check reads them after the others.
CREATE TABLE again (sketch minhash) WITH (autovacuum_enabled = off);
INSERT INTO again SELECT sketch(ARRAY['same']) FROM generate_series(1, 100000);
INSERT INTO again SELECT sketch(ARRAY['other', i::text]) FROM generate_series(1, 50000) i;
CREATE INDEX again_sketch ON again USING neardup (sketch);

-- ## reusing
-- Rows whose addresses a vacuum frees at once, whatever snapshots there are.
BEGIN;
INSERT INTO again SELECT sketch(ARRAY['same']) FROM generate_series(1, 300);
ROLLBACK;
VACUUM again;

-- ## questions
-- Asked of a damaged index, a line each.
SELECT count(*) FROM doc a JOIN doc b ON a.sketch && b.sketch WHERE a.id % 20 = 0;
SELECT count(*) FROM doc WHERE signature <@ hamming_ball(bits(), 9);
SELECT count(*) FROM (SELECT FROM doc ORDER BY signature <~> bits()) d;
SELECT neardup.check_index('doc_sketch');
SELECT neardup.check_index('doc_signature');
INSERT INTO doc SELECT nextval('doc_id'), sketch(tokens(i)), bits() FROM generate_series(1, 300) i;
