-- Computing signatures of a table's rows, beside the floor (reading the rows) and other programs; two workers beside one; comparing
-- signatures.
SELECT bench.wants('shingles') AS shingles, bench.wants('words') OR bench.wants('compare') AS words, bench.wants('exact') AS exact,
       bench.wants('parallel') AS parallel \gset
\if :shingles
SELECT bench.comparison('Signing, character 5-grams', 'All texts of a table, character 5-grams, one backend without parallel workers. '
    '`sum(hashtext(body))` is the floor: it reads and decompresses the same rows and hashes each once, and every signature needs that reading, too. '
    'The other programs hold their texts uncompressed in memory, so ours are also signed from a table that stores them uncompressed (`SET STORAGE '
    'EXTERNAL`). The lines `in the core` sign an excerpt in memory, without a server; signing from a table cannot be faster. rensa, datasketch and '
    'simhash get shingles that were computed before the timing; chdb (ClickHouse in the process) computes its own, from a table in memory, with one '
    'thread, after session and table were created. datasketch and simhash sign an excerpt.', 'sum(hashtext(body))', 'MB/s', 1e6);
\set names '''{"sum(hashtext(body))","minhash(body, ''''chars:5''''), 128 values","simhash(body, ''''chars:5'''')","simhash(body, ''''chars:3'''')"}''::text[]'
\set calls '''{"sum(hashtext(body))","count(minhash(body, ''''chars:5''''))","count(simhash(body, ''''chars:5''''))","count(simhash(body, ''''chars:3''''))"}''::text[]'
SELECT bench.race(:bytes, '{floor,ours,ours,ours}', :names, ARRAY(SELECT format('SELECT %s FROM article', call) FROM unnest(:calls) call));
CREATE TABLE plain (body text);
ALTER TABLE plain ALTER body SET STORAGE EXTERNAL;
INSERT INTO plain SELECT body || '' FROM article;
VACUUM (FREEZE, ANALYZE) plain;
SELECT bench.race(:bytes, '{floor,ours,ours,ours}', ARRAY(SELECT name || ', stored uncompressed' FROM unnest(:names) name),
                  ARRAY(SELECT format('SELECT %s FROM plain', call) FROM unnest(:calls) call));
DROP TABLE plain;
\i bench/core.sql
SELECT bench.add('ours', substr(name, 6) || ', in the core', seconds / amount, 'in the core, reads no table')
FROM bench.core WHERE name LIKE 'sign %' ORDER BY line;
\echo '    peers from PyPI, in a temporary environment'
\copy bench.measured (name, amount, seconds) FROM PROGRAM 'sh bench/outside.sh peer rensa "$ARTICLES"'
SELECT bench.peer('rensa', 'for Python pipelines without a database; has an LSH index in memory');
\copy bench.measured (name, amount, seconds) FROM PROGRAM 'sh bench/outside.sh peer chdb "$ARTICLES"'
SELECT bench.peer('chdb', 'reads files of many formats with one command and all cores') AS chdb \gset
\copy bench.measured (name, amount, seconds) FROM PROGRAM 'sh bench/outside.sh peer datasketch "$EXCERPT"'
SELECT bench.peer('datasketch', 'has the most kinds of sketches and of storage: Redis, Cassandra, LSH forests');
\copy bench.measured (name, amount, seconds) FROM PROGRAM 'sh bench/outside.sh peer simhash "$EXCERPT"'
SELECT bench.peer('simhash', 'a page of Python, easy to change');
SELECT bench.aim('MinHash, multiple of the floor', bench.ratio('minhash(body, ''chars:5''), 128 values', 'sum(hashtext(body))'), at_most => 1.3),
       bench.aim(:'chdb' || ' ngramSimHashUTF8, time of simhash(body, ''chars:5'')',
                 bench.ratio(:'chdb' || ' ngramSimHashUTF8', 'simhash(body, ''chars:5'')'), at_least => 1.5);
\endif

\if :words
\i bench/core.sql
SELECT bench.comparison('Signing, jieba''s words', 'An excerpt in a table, beside jieba-rs''s `cut` over the same texts in the core.', 'jieba-rs cut', 'MB/s', 1e6);
SELECT bench.add('peer', name, seconds / amount, 'in the core, reads no table') FROM bench.core WHERE name = 'jieba-rs cut';
-- Loads the dictionary.
SELECT simhash('江口镇', 'jieba');
SELECT bench.race(:excerpt_bytes, '{floor,ours}', ARRAY['sum(hashtext(body))', 'simhash(body, ''jieba'')'],
                  ARRAY['SELECT sum(hashtext(body)) FROM excerpt', 'SELECT count(simhash(body, ''jieba'')) FROM excerpt']);
SELECT bench.aim('SimHash over jieba words, time of `cut` alone', bench.ratio('simhash(body, ''jieba'')', 'jieba-rs cut'), at_most => 1.2);

SELECT bench.comparison('Comparing', 'Each of 1,000 signatures is compared with each, in the core (`crates/neardup-core/examples/throughput.rs`).',
                        'bit_count alone', 'M pairs/s', 1e6);
SELECT bench.add(CASE name WHEN 'compare with bit_count alone' THEN 'floor' ELSE 'ours' END, regexp_replace(name, '^compare (with )?', ''), seconds / amount)
FROM bench.core WHERE name LIKE 'compare %' ORDER BY line;
SELECT bench.aim('MinHash of 128 values, M pairs/s', 1e-6 / bench.cost('minhash(128), 32 bits'), at_least => 50),
       bench.aim('Hamming, multiple of bit_count alone', bench.ratio('simhash', 'bit_count alone'), at_most => 1.5);
\endif

\if :exact
-- The exact stage: texts that already exist, word for word.
\echo '   ' :short_texts short texts
CREATE TABLE short (id bigint, body text);
\setenv ROWS :short_texts
\copy short FROM PROGRAM '"$XTASK" articles "$SENTENCES" 6 "$ROWS" 30'
UPDATE short SET body = (SELECT body FROM short s WHERE s.id = 1) WHERE id % 10 = 0;
VACUUM (FREEZE, ANALYZE) short;
SELECT bench.comparison('Exact copies among short texts', format('%s texts of 30 characters, one in ten a copy; each statement reads the whole table.',
                        bench.grouped(:short_texts)), 'sum(hashtext(body))');
SELECT bench.race(1, '{floor,ours,ours,peer}',
    ARRAY['sum(hashtext(body))', 'bloom_filter_agg(body, n, 0.01)', 'count(DISTINCT text_digest(body, ''{}''))', 'count(DISTINCT body)'],
    ARRAY['SELECT sum(hashtext(body)) FROM short', format('SELECT bloom_estimated_count(bloom_filter_agg(body, %s, 0.01)) FROM short', :short_texts),
          'SELECT count(DISTINCT text_digest(body, ''{}'')) FROM short', 'SELECT count(DISTINCT body) FROM short']);
DROP TABLE short;
SELECT bench.aim(format('Bloom filter of %s texts, s', bench.grouped(:short_texts)), bench.cost('bloom_filter_agg(body, n, 0.01)'), at_most => 2);
\endif

\if :parallel
-- One worker and two; the leader only waits. The gain of the floor from a second worker is the machine's limit.
SELECT bench.comparison('Parallel workers', 'The same statement with one and with two parallel workers, `parallel_leader_participation = off`. Each '
    'row is processed sixteen times, so that starting the workers matters little; LATERAL gives both the same plan. The floor is measured in the '
    'same way.',
    'simhash(body, ''chars:5''), two workers');
SET parallel_leader_participation = off; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
ALTER TABLE article SET (parallel_workers = 2);
-- A statement in a function gets a parallel plan only if it does nothing else, so the setting is part of the turn.
CREATE FUNCTION pg_temp.with_workers(workers int, statement text) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('max_parallel_workers_per_gather', workers::text, false);
    RETURN bench.seconds(statement);
END
$$;
SELECT bench.add(who, format('%s, %s', name, CASE workers WHEN 1 THEN 'one worker' ELSE 'two workers' END), best)
FROM (VALUES (1, 'ours', 'simhash(body, ''chars:5'')', 'count(simhash(body, ''chars:5''))'), (2, 'floor', 'sum(hashtext(body))', 'sum(hashtext(body))')) v(n, who, name, call),
     generate_series(1, 2) workers,
     LATERAL (SELECT min(pg_temp.with_workers(workers, format('SELECT %s FROM article, LATERAL generate_series(1, 16 + 0 * id)', call)) + 0 * turn) AS best
              FROM generate_series(1, :rounds) turn) AS turns
ORDER BY n, workers;
ALTER TABLE article RESET (parallel_workers);
RESET ALL;
SELECT bench.aim('two workers, times as fast as one', bench.ratio('simhash(body, ''chars:5''), one worker', 'simhash(body, ''chars:5''), two workers'), at_least => 1.8);
SELECT bench.words(format('For the floor, which reads the table, two workers are %s times as fast as one.',
                          bench.figure(bench.ratio('sum(hashtext(body)), one worker', 'sum(hashtext(body)), two workers'))));
\endif
