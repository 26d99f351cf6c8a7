-- Every long loop can be cancelled: this is the list of them, each with much work. Loops over one text are in hostile.sql, with texts of 100 MB.

-- ## made
CREATE SEQUENCE finished;
CREATE TABLE dense AS SELECT i, ((i::bigint * 7919) & 65535)::simhash AS s FROM generate_series(1, 400000) i;
CREATE TABLE sketches AS SELECT i, minhash(md5((i % 1000)::text) || md5(i::text), 'chars:2') AS m, token_keys(md5(i::text) || md5((i % 100)::text), 'chars:1') AS k FROM generate_series(1, 20000) i;
CREATE TABLE news AS SELECT i AS id, string_agg(md5((i * j)::text), ' ') AS body FROM generate_series(1, 3000) i, generate_series(1, 12) j GROUP BY i;
CREATE TABLE pairs AS SELECT body AS a, reverse(body) AS b, id % 2 = 0 AS label FROM news;
CREATE TABLE long AS SELECT string_agg(md5(i::text) || '第' || i || '届龙舟赛。', '') AS body FROM generate_series(1, 100000) i;
CREATE TABLE guarded (id int PRIMARY KEY, body text);
INSERT INTO guarded SELECT i, string_agg(md5((i / 2 * j)::text), ' ') FROM generate_series(1, 60000) i, generate_series(1, 12) j GROUP BY i;
CREATE TABLE empty (id int PRIMARY KEY, body text);
CREATE TABLE signed (id int PRIMARY KEY, body text);
SELECT neardup.protect('guarded', 'body');
SELECT neardup.protect('empty', 'body');
SELECT neardup.protect('signed', 'body', method => 'simhash', distance => 11);
SELECT neardup.create_profile('house', 'words');

-- ## expressions

-- repeats in a window of texts
SELECT count(*) FROM (SELECT near_duplicate_of(body) OVER (ORDER BY id) AS first FROM guarded, generate_series(1, 3)) w

-- grouping, chains
SELECT max(g) FROM (SELECT near_duplicate_of(s, 11) OVER (ORDER BY i) AS g FROM dense) w

-- grouping, stars
SELECT max(g) FROM (SELECT near_duplicate_of(s, 7, 'star') OVER (ORDER BY i) AS g FROM dense) w

-- grouping of minhashes
SELECT max(g) FROM (SELECT near_duplicate_of(m, 0.1, 'chain', 64, 1) OVER (ORDER BY i) AS g FROM sketches) w

-- pairs of minhashes
SELECT count(*) FROM sketches a JOIN sketches b ON minhash_within(a.m, b.m, 0.9)

-- pairs of sets
SELECT count(*) FROM sketches a JOIN sketches b ON overlap_reaches(a.k, b.k, 0.9)

-- pairs of texts
SELECT count(*) FROM news a JOIN news b ON near_duplicate(a.body, b.body)

-- sketches
SELECT max(sketch(body || i)::text) FROM long, generate_series(1, 20) i

-- a verdict on two long texts
SELECT verdict FROM long, same_message(body, reverse(body))

-- facts of two long texts
SELECT count(*) FROM long, fact_conflicts(body, reverse(body))

-- sentences that two long texts share
SELECT count(*) FROM long, shared_sentences(body, reverse(body))

-- a token set
SELECT max(length(tokenset(body || i, 'chars:5')::text)) FROM long, generate_series(1, 20) i

-- a minhash
SELECT max(minhash(body || i, 'chars:5')::text) FROM long, generate_series(1, 20) i

-- fingerprints
SELECT max(cardinality(fingerprints(body || i, 'chars:5', 5))) FROM long, generate_series(1, 20) i

-- a Bloom filter
SELECT length(bloom_filter_agg(i::text, 100000000, 0.001)::text) FROM generate_series(1, 100000000) i

-- measures
SELECT count(*) FROM neardup.evaluate('SELECT a, b, label FROM pairs')

-- a suggestion
SELECT count(*) FROM neardup.suggest('SELECT a, b, label FROM pairs')

-- curves
SELECT length(neardup.curves_svg('SELECT a, b, label FROM pairs'))

-- a report
SELECT count(*) FROM neardup.report('guarded')

-- a report as HTML
SELECT length(neardup.report_html('guarded'))

-- a list of copies
SELECT count(*) FROM neardup.duplicates('guarded')

-- ## statements

-- a load through a guard
INSERT INTO empty SELECT i, md5(i::text) || md5((-i)::text) FROM generate_series(1, 1000000) i;

-- a load through a guard by SimHash
INSERT INTO signed SELECT i, md5(i::text) || md5((-i)::text) FROM generate_series(1, 1000000) i;

-- an index
CREATE INDEX ON dense USING gin (simhash_bands(s, 64));

-- signing a table
CREATE TABLE signatures AS SELECT simhash(body, 'jieba') FROM news, generate_series(1, 100);

-- training a profile
CALL neardup.train_profile('house', 'SELECT body FROM news, generate_series(1, 100)');

-- a clean-up
CALL neardup.cleanup('guarded', dry_run => false, throttle => '1 s', batch => 100);
