-- MinHash signatures: look-ups and groups by bands. Both find a pair with the probability of the S-curve: with 16 bands of 8 rows, 0.77
-- for a pair of similarity 0.8, and 0.9999 for one of 0.9. A signature of 128 values takes half a kilobyte, and as many keys in its
-- index.
SELECT least(:signatures_wanted, 200000) AS rows, greatest(:probes / 50, 1) AS scanned \gset
\echo '    making' :rows minhash signatures
-- A text of 160 characters; every tenth has 16 characters more than its predecessor, which gives Jaccard similarity 0.9.
CREATE TABLE sketched AS
SELECT i AS id, minhash(repeated.text || CASE WHEN i % 10 = 0 THEN left(md5(i::text), 16) ELSE '' END, 'chars:5') AS signature
FROM generate_series(1, :rows) i,
     LATERAL (SELECT string_agg(md5(n || ' ' || i - (i % 10 = 0)::int), '') AS text FROM generate_series(1, 5) n) AS repeated;
ALTER TABLE sketched ADD PRIMARY KEY (id);
VACUUM (FREEZE, ANALYZE) sketched;
TRUNCATE bench.probe;
INSERT INTO bench.probe (number, minhash)
SELECT row_number() OVER (ORDER BY id), signature FROM sketched WHERE id % 10 = 9 ORDER BY id LIMIT :probes;
ANALYZE bench.probe;
SELECT median AS scan, hits AS truth FROM bench.lookups('SELECT count(*) FROM sketched t WHERE jaccard_similarity(t.signature, p.minhash) >= 0.8', :scanned, :scanned) \gset
SELECT bench.comparison('Look-ups, MinHash', format('%s signatures of 128 values of 32 bits, every tenth with Jaccard similarity 0.9 to another. The '
    'look-ups find rows with 0.8 or more; median of %s probes, or of %s for the scan.', bench.grouped(:rows), :probes, :scanned), 'minhash_within, GIN on the signature');
CREATE FUNCTION pg_temp.try_index(name text, expression text, condition text, rows float8, probes int, scanned int, truth float8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    build float8 := bench.seconds(format('CREATE INDEX ON sketched USING gin (%s) WITH (fastupdate = off)', expression));
    measured record;
BEGIN
    ANALYZE sketched;
    measured := bench.lookups('SELECT count(*) FROM sketched t WHERE ' || condition, probes, scanned);
    PERFORM bench.add('ours', name, measured.median, format('recall %s, %s; %s s and %s MB per million rows', bench.figure(measured.hits / greatest(truth, 1)),
        bench.within(measured.p95), bench.figure(build * 1e6 / rows), bench.figure(bench.megabytes('sketched') * 1e6 / rows)));
    PERFORM bench.drop_indexes('sketched');
END
$$;
SELECT pg_temp.try_index('minhash_within, GIN on the signature', 'signature', 'minhash_within(t.signature, p.minhash, 0.8)', :rows, :probes, :scanned, :truth);
SELECT pg_temp.try_index('minhash_bands(signature, 16, 8), a helper column''s GIN', 'minhash_bands(signature, 16, 8)',
    'minhash_bands(t.signature, 16, 8) && minhash_bands(p.minhash, 16, 8) AND jaccard_similarity(t.signature, p.minhash) >= 0.8', :rows, :probes, :scanned, :truth);
SELECT bench.add('ours', 'scan, jaccard_similarity', :scan);

SELECT bench.comparison('Grouping, MinHash', 'All rows of the same table.', 'count(signature) OVER (ORDER BY id)');
\set calls '''{count(signature) OVER (ORDER BY id),"near_duplicate_of(signature, 0.8, ''''chain'''', 16, 8) OVER (ORDER BY id)"}''::text[]'
SELECT bench.race(1, '{floor,ours}', :calls, ARRAY(SELECT format('SELECT sum(answer) FROM (SELECT %s AS answer FROM sketched) AS s', call) FROM unnest(:calls) call));
-- The aim is 3 s for a million rows.
SELECT bench.aim(format('groups of %s minhashes, s', bench.grouped(:rows)), bench.cost((:calls)[2]), at_most => 3.0 * :rows / 1e6);
DROP TABLE sketched;
