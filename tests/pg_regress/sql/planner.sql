-- What the planner makes of the functions that an index serves: plans, estimates, index predicates, and the rights of the role that asks.
\set VERBOSITY terse
CREATE TABLE planned AS
SELECT n AS id, 'a text about bridge number ' || n || ' and its ' || n % 7 || ' piers' AS body FROM generate_series(1, 3000) AS n;
ALTER TABLE planned ADD COLUMN sig simhash, ADD COLUMN mh minhash;
UPDATE planned SET sig = simhash(body, 'chars:3'), mh = minhash(body, 'chars:5');
CREATE INDEX planned_sig ON planned USING neardup (sig);
CREATE INDEX planned_mh ON planned USING neardup (mh);
CREATE INDEX planned_body ON planned USING neardup (sketch(body));
VACUUM ANALYZE planned;
SET max_parallel_workers_per_gather = 0;

-- With LIMIT 1, too: a few rows of any table are near a signature, and not a third of it.
EXPLAIN (COSTS OFF) SELECT id FROM planned WHERE simhash_within(sig, '0123456789abcdef', 3) LIMIT 1;
EXPLAIN (COSTS OFF) SELECT p.id, (SELECT t.id FROM planned t WHERE simhash_within(t.sig, p.sig, 3) LIMIT 1) FROM planned p WHERE p.id = 7;
EXPLAIN (COSTS OFF) SELECT p.id, (SELECT t.id FROM planned t WHERE minhash_within(t.mh, p.mh, 0.9) LIMIT 1) FROM planned p WHERE p.id = 7;

-- Never NULL, whatever the plan: of texts without a token.
CREATE TABLE marks (a text, b text);
INSERT INTO marks VALUES ('!!!', '!!!'), ('', ''), ('!!!', 'a text'), ('the mayor opened the new bridge', 'The mayor opened the new bridge.');
SELECT a, near_duplicate(a, b), NOT near_duplicate(a, b) AS "not" FROM marks;
SELECT near_duplicate('!!!', '!!!') AS constants;
PREPARE pair (text, text) AS SELECT near_duplicate($1, $2);
SET plan_cache_mode = force_generic_plan;
EXECUTE pair ('!!!', '!!!');
RESET plan_cache_mode;

-- A condition of a query is what the predicate of an index becomes.
CREATE UNIQUE INDEX planned_some ON planned (id) WHERE near_duplicate(body, 'a text about bridge number 7 and its 0 piers');
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM planned WHERE near_duplicate(body, 'a text about bridge number 7 and its 0 piers') AND id = 7;
RESET enable_seqscan;
INSERT INTO planned VALUES (7, 'a text about bridge number 7 and its 0 piers')
    ON CONFLICT (id) WHERE near_duplicate(body, 'a text about bridge number 7 and its 0 piers') DO NOTHING;

-- Who may read a view needs no right on the schemas of what it calls.
CREATE SCHEMA app;
CREATE VIEW app.seen AS SELECT p.id FROM planned p WHERE simhash_within(p.sig, (SELECT o.sig FROM planned o WHERE o.id = 7), 0);
CREATE VIEW app.seen_texts AS SELECT p.id FROM planned p WHERE near_duplicate(p.body, 'a text about bridge number 7 and its 0 piers');
CREATE ROLE planner_reader;
GRANT USAGE ON SCHEMA app TO planner_reader;
GRANT SELECT ON app.seen, app.seen_texts TO planner_reader;
REVOKE USAGE ON SCHEMA public FROM PUBLIC;
SET ROLE planner_reader;
SELECT count(*) > 0 AS by_signature FROM app.seen;
SELECT count(*) > 0 AS by_text FROM app.seen_texts;
SELECT simhash('refused', 'words');
RESET ROLE;
GRANT USAGE ON SCHEMA public TO PUBLIC;

-- A table may be called what a part of a statement is.
CREATE TABLE x (id int PRIMARY KEY, body text);
INSERT INTO x VALUES (1, 'the mayor opened the new bridge yesterday'), (2, 'the mayor opened the new bridge yesterday');
SELECT neardup.protect('x', 'body', on_duplicate => 'warn');
SELECT key, group_key, size FROM neardup.groups('x');

DROP SCHEMA app CASCADE;
DROP TABLE planned, marks, x;
DROP ROLE planner_reader;
