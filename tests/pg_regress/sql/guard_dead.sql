-- entries of rows that are gone do not push the other rows of a key out of a guard's sight, and do not wait for VACUUM
CREATE TABLE streams (id int PRIMARY KEY, seen int DEFAULT 1, body text) WITH (autovacuum_enabled = off);
-- an index on what a merge changes: each merge leaves a dead version, with entries of its own in every index
CREATE INDEX ON streams (seen);
CREATE FUNCTION seen_again(existing streams, new streams) RETURNS streams LANGUAGE plpgsql AS $$
BEGIN
    existing.seen := existing.seen + new.seen;
    RETURN existing;
END $$;
SELECT neardup.protect('streams', 'body', on_duplicate => 'merge', merge => 'seen_again');
INSERT INTO streams VALUES
    (1, 1, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。'),
    (2, 1, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，溜冰场的门票四元一张，学生半价，周末另有晚场。');
CREATE PROCEDURE repeat(which int, n int) LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..n LOOP
        INSERT INTO streams SELECT 100 + i, 1, body FROM streams WHERE id = which;
        COMMIT;
    END LOOP;
END $$;
-- row 2 is the first in the table, and shares keys with all versions of row 1
CALL repeat(1, 5000);
CALL repeat(2, 1);
SELECT id, seen FROM streams ORDER BY id;
-- no more entries are left than a table of two rows and a page or two of dead ones needs
SELECT neardup.check_index('streams_sketch_idx') < 4000 AS small;
-- rows of a transaction that is running, and of one that was rolled back
BEGIN;
DO $$ BEGIN
    FOR i IN 1..600 LOOP INSERT INTO streams SELECT 100 + i, 1, body FROM streams WHERE id = 1; END LOOP;
END $$;
INSERT INTO streams SELECT 3, 1, body FROM streams WHERE id = 2;
SELECT id, seen FROM streams ORDER BY id;
ROLLBACK;
CALL repeat(1, 1);
CALL repeat(2, 1);
SELECT id, seen FROM streams ORDER BY id;
SELECT neardup.check_index('streams_sketch_idx') < 4000 AS small;
-- an old snapshot still sees the rows that a search has passed over
SET enable_seqscan = off;
BEGIN ISOLATION LEVEL REPEATABLE READ;
DECLARE old CURSOR FOR SELECT id, seen FROM streams WHERE sketch(body) && (SELECT sketch(body) FROM streams WHERE id = 1) ORDER BY id;
DELETE FROM streams;
INSERT INTO streams SELECT 1000 + i, 1, '望岑县的苹果今年熟得早，果农在合作社门口排起长队，一筐筐过秤装车。' FROM generate_series(1, 2) i;
FETCH ALL FROM old;
COMMIT;
SELECT id, seen FROM streams ORDER BY id;
