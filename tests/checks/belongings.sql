-- What users of the extension have in their databases, for the checks `upgrade` and `pg_upgrade`: made in one version, it must say and do the
-- same in another.

-- ## made
-- Three hundred articles in one to three copies, all kinds of signatures and indexes, five guards, a profile, a run of a clean-up.

CREATE FUNCTION article(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(chr(19968 + abs(hashint8(n * 1000 + i)::bigint % 9000)::int), '' ORDER BY i) FROM generate_series(1, 60) i
$$;
CREATE TABLE articles (id int PRIMARY KEY, body text);
INSERT INTO articles SELECT n * 4 + c, article(n) FROM generate_series(1, 300) n, generate_series(0, n % 3) c;
SELECT neardup.protect('articles', 'body');

CALL neardup.cleanup('articles', dry_run => false, keep => 'newest');

CREATE TABLE sketches AS SELECT id, body, simhash(body) AS s, minhash(body, 'chars:2') AS m, tokenset(body, 'chars:2') AS t, token_keys(body) AS k FROM articles;
ALTER TABLE sketches ADD generated simhash GENERATED ALWAYS AS (simhash(body, 'words')) STORED;
CREATE INDEX ON sketches USING gin (simhash_bands(s)) WITH (fastupdate = off);
CREATE INDEX ON sketches USING gin (minhash_bands(m, 25, 5));
CREATE INDEX ON sketches USING gin (overlap_keys(k, 0.8));
CREATE INDEX ON sketches USING gin (fingerprints(body));
CREATE INDEX ON sketches USING gin (s);
CREATE INDEX ON sketches USING gin (sketch(body));
CREATE INDEX ON sketches (s);
CREATE INDEX ON sketches USING hash (m);
CREATE VIEW pairs AS SELECT a.id AS one, b.id AS other, a.s <~> b.s AS distance FROM sketches a JOIN sketches b ON simhash_within(a.s, b.s, 7);
CREATE TABLE entries AS SELECT id, body FROM articles;
ALTER TABLE entries ADD PRIMARY KEY (id);
CREATE INDEX entries_sketch ON entries USING neardup (sketch(body));
SELECT neardup.protect('entries', 'body');
CREATE TABLE signed AS TABLE entries;
ALTER TABLE signed ADD PRIMARY KEY (id);
CREATE INDEX signed_signature ON signed USING neardup (simhash(body, 'chars:3'));
SELECT neardup.protect('signed', 'body', method => 'simhash', distance => 3, verify => 'none');
CREATE TABLE filters AS SELECT bloom_filter_agg(body, 300, 0.01) AS f FROM articles;
CREATE TABLE logged (id int PRIMARY KEY, body text);
SELECT neardup.protect('logged', 'body', on_duplicate => 'skip', verify => 'facts', log => true);
INSERT INTO logged VALUES (1, article(1)), (2, article(2)), (3, article(1) || '完');
CREATE TABLE scoped (id int PRIMARY KEY, body text, site text, at timestamptz);
SELECT neardup.protect('scoped', 'body', on_duplicate => 'mark', scope => '{site}', within => '1 day', time_column => 'at');
INSERT INTO scoped VALUES (1, article(1), 'a', '2031-01-01'), (2, article(1), 'a', '2031-01-01'), (3, article(1), 'b', '2031-01-01');
SELECT neardup.create_profile('house', words => '{上游村队}');

CALL neardup.train_profile('house', 'SELECT body FROM articles');

-- ## state
-- What must be as it was.

-- articles
SELECT md5(string_agg(a::text, ' ' ORDER BY id)) FROM articles a;

-- sketches
SELECT md5(string_agg(s::text, ' ' ORDER BY id)) FROM sketches s;

-- filters
SELECT md5(f::text) FROM filters;

-- scoped
SELECT string_agg(s::text, ' ' ORDER BY id) FROM scoped s;

-- signatures made anew
SELECT count(*) FROM sketches WHERE (simhash(body), minhash(body, 'chars:2')::text, tokenset(body, 'chars:2')::text, simhash(body, 'words'))
IS DISTINCT FROM (s, m::text, t::text, generated);

-- indexes
SELECT string_agg(indexdef, E'\n' ORDER BY indexdef) FROM pg_indexes WHERE schemaname = 'public';

-- guards
SELECT string_agg(concat_ws(' ', target, document, method, distance, on_duplicate, analyzer, enabled, verify, scope, time_column, within, log), E'\n' ORDER BY target::text) FROM neardup.protected;

-- counters
SELECT string_agg(concat_ws(' ', target, action, count), E'\n' ORDER BY target::text, action) FROM neardup.counters;

-- verdicts
SELECT string_agg(concat_ws(' ', target, action, key, duplicate_of, measure, value), E'\n' ORDER BY verdict_id) FROM neardup.verdicts;

-- runs
SELECT string_agg(concat_ws(' ', run_id, target, removed), E'\n' ORDER BY run_id) FROM (SELECT run_id, target, (SELECT count(*) FROM articles_removed d WHERE d.neardup_run = r.run_id) AS removed FROM neardup.runs r) r;

-- profiles
SELECT string_agg(concat_ws(' ', name, version, documents, md5(statistics)), E'\n' ORDER BY version) FROM neardup.profile_versions;

-- signatures with a profile
SELECT md5(string_agg(neardup.p_simhash(body, 'house')::text, ' ' ORDER BY id)) FROM articles;

-- a search by bands
SET enable_seqscan = off; SELECT md5(string_agg(p::text, ' ' ORDER BY one, other)) FROM pairs p;

-- a search by sketches
SET enable_seqscan = off; SELECT md5(string_agg(concat(a.id, ' ', b.id), ' ' ORDER BY a.id, b.id)) FROM sketches a JOIN sketches b ON near_duplicate(a.body, b.body);

-- a search by minhash bands
SET enable_seqscan = off; SELECT md5(string_agg(concat(a.id, ' ', b.id), ' ' ORDER BY a.id, b.id)) FROM sketches a JOIN sketches b ON minhash_bands(a.m, 25, 5) && minhash_bands(b.m, 25, 5) AND jaccard_similarity(a.m, b.m) >= 0.5;

-- a search by overlap
SET enable_seqscan = off; SELECT md5(string_agg(concat(a.id, ' ', b.id), ' ' ORDER BY a.id, b.id)) FROM sketches a JOIN sketches b ON overlap_within(b.k, a.k, 0.8);

-- a search by sketches of the access method neardup
SET enable_seqscan = off; SELECT md5(string_agg(concat(a.id, ' ', b.id), ' ' ORDER BY a.id, b.id)) FROM sketches a JOIN entries b ON near_duplicate(b.body, a.body);

-- a search by signatures of the access method neardup
SET enable_seqscan = off; SELECT md5(string_agg(concat(a.id, ' ', b.id), ' ' ORDER BY a.id, b.id)) FROM sketches a JOIN signed b ON simhash_within(simhash(b.body, 'chars:3'), simhash(a.body, 'chars:3'), 20);

-- the nearest signatures
SET enable_seqscan = off; SELECT string_agg(d::text, ' ') FROM (SELECT simhash(body, 'chars:3') <~> '0123456789abcdef' AS d FROM signed ORDER BY 1 LIMIT 50) n;

-- indexes of the access method neardup
SELECT neardup.check_index('entries_sketch'), neardup.check_index('signed_signature');

-- ## acts
-- What is tried at the end, and the answer.

-- a copy
INSERT INTO articles SELECT 0, body || '完' FROM articles LIMIT 1;
--= ERROR:  23505

-- news
INSERT INTO articles VALUES (0, article(1000)) RETURNING id;
--= 0

-- a copy of the news
INSERT INTO articles VALUES (1, article(1000));
--= ERROR:  23505

-- a copy, its index by the access method neardup
INSERT INTO entries SELECT 0, body || '完' FROM articles WHERE id > 0 LIMIT 1;
--= ERROR:  23505

-- news there
INSERT INTO entries VALUES (0, article(1000)) RETURNING id;
--= 0

-- a copy within a distance, its index by the access method neardup
INSERT INTO signed SELECT 0, body || '！' FROM articles WHERE id > 0 LIMIT 1;
--= ERROR:  23505

-- news there too
INSERT INTO signed VALUES (0, article(1000)) RETURNING id;
--= 0

-- indexes of the access method neardup after that
SELECT neardup.check_index('entries_sketch') > 0, neardup.check_index('signed_signature') > 0;
--= t|t

-- a copy that is skipped
INSERT INTO logged VALUES (4, article(2)) RETURNING id;
--=

-- its verdict
SELECT count(*) FROM neardup.verdicts WHERE key = '4';
--= 1

-- a copy that is marked
INSERT INTO scoped VALUES (4, article(1), 'b', '2031-01-01') RETURNING duplicate_of;
--= 3

-- restoring the run
CALL neardup.restore('articles', 1, answer => false);
--= 300

-- all rows
SELECT count(*) FROM articles;
--= 601

-- cleaning up again
CALL neardup.cleanup('articles', dry_run => false);
--= 2|300

-- training again
SELECT neardup.create_profile('house', words => '{江口镇}') > (SELECT min(version) FROM neardup.profile_versions);
--= t

-- a guard that goes
SELECT neardup.unprotect('articles', 'body');
--=

-- a copy without it
INSERT INTO articles VALUES (1, article(1000)) RETURNING id;
--= 1

-- a guard that comes back
SELECT neardup.protect('logged', 'body', on_duplicate => 'reject');
--=

-- a copy after that
INSERT INTO logged VALUES (5, article(2));
--= ERROR:  23505
