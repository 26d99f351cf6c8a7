-- Searches for edited copies of texts and for excerpts, with our indexes and pg_trgm; and direct comparisons of two texts, also with
-- pg_similarity.
\echo '    edited copies, by signature and by pg_trgm'
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE TABLE held AS SELECT id, body, simhash(body, 'chars:3') AS signature FROM excerpt WHERE length(body) >= 100;
CREATE INDEX ON held USING gin (signature) WITH (fastupdate = off);
CREATE INDEX ON held USING gin (sketch(body)) WITH (fastupdate = off);
CREATE INDEX ON held USING gin (body gin_trgm_ops);
ANALYZE held;
TRUNCATE bench.probe;
CREATE TABLE bench.edited AS
SELECT row_number() OVER ()::int AS number, id, '（记者报道）' || left(body, length(body) / 2) || substr(body, length(body) / 2 + 20) AS body
FROM (SELECT id, body FROM held ORDER BY md5(id::text) LIMIT 100) AS chosen;
INSERT INTO bench.probe SELECT number, simhash(body, 'chars:3') FROM bench.edited;
SELECT count(*) AS rows FROM held \gset
SELECT greatest(count(*), 1) AS edited FROM bench.edited \gset
SET pg_trgm.similarity_threshold = 0.6;
SELECT bench.comparison('Edited copies', format('%s texts of 100 characters or more. Each look-up searches for the original of one of %s edited '
    'copies (a byline added at the front, 19 characters removed in the middle). Median time of a look-up, and the share of look-ups that found the '
    'original.', bench.grouped(:rows), :edited), 'near_duplicate(body, text)');
SELECT bench.add(who, name, (m).median, concat_ws('; ', format('finds %s %%', bench.figure(100 * (m).hits / :edited)), remark))
FROM (SELECT n, who, name, remark, bench.lookups(format('SELECT count(*) FILTER (WHERE t.id = (SELECT e.id FROM bench.edited e WHERE e.number = p.number)) FROM %s',
             replace(query, '{text}', '(SELECT e.body FROM bench.edited e WHERE e.number = p.number)')), 100, 100) AS m
      FROM (VALUES (1, 'ours', 'near_duplicate(body, text)', 'held t WHERE near_duplicate(t.body, {text})', 'reads the texts of candidates; needs no column'),
                   (2, 'ours', 'simhash_within, distance 7', 'held t WHERE simhash_within(t.signature, p.signature, 7)', 'the signature is precomputed'),
                   (3, 'ours', 'the same, signing included',
                    '(SELECT simhash({text}, ''chars:3'') AS signature OFFSET 0) AS s, held t WHERE simhash_within(t.signature, s.signature, 7)', NULL),
                   (4, 'peer', 'pg_trgm, body % text, threshold 0.6', 'held t WHERE t.body % {text}',
                    'also finds texts that share only a part, tolerates misspelt words, and serves LIKE and regular expressions')) v(n, who, name, query, remark)
      ORDER BY n OFFSET 0) AS looked_up;

\echo '    texts that hold an excerpt'
ALTER TABLE held ADD COLUMN prints int[], ADD COLUMN keys int[];
UPDATE held SET prints = fingerprints(body), keys = token_keys(body, 'chars:5');
CREATE INDEX ON held USING gin (prints) WITH (fastupdate = off);
CREATE INDEX ON held USING gin (overlap_keys(keys, 0.8)) WITH (fastupdate = off);
VACUUM (ANALYZE) held;
ALTER TABLE bench.edited ADD COLUMN quote text;
UPDATE bench.edited e SET quote = substr(h.body, 20, length(h.body) / 3) FROM held h WHERE h.id = e.id AND length(h.body) >= 300;
SELECT count(quote) AS quotes, count(quote) > 0 AS any_quotes FROM bench.edited \gset
\if :any_quotes
SELECT bench.comparison('Texts that hold an excerpt', format('The same %s texts. Each look-up searches for the source of one of %s excerpts, the '
    'middle thirds of texts. Median time of a look-up, including the keys of the excerpt, and the share of look-ups that found the source.', bench.grouped(:rows), :quotes), 'fingerprints, GIN');
SELECT bench.add(who, name, (m).median, format('finds %s %%; %s', bench.figure(100 * (m).hits / :quotes), remark))
FROM (SELECT n, who, name, remark, bench.lookups(format('SELECT count(*) FILTER (WHERE t.id = q.id) FROM (SELECT e.id, %s AS made FROM bench.edited e WHERE e.number = p.number OFFSET 0) AS q, held t WHERE %s',
             made, condition), 100, 100) AS m
      FROM (VALUES (1, 'ours', 'fingerprints, GIN', 'fingerprints(e.quote)', 't.prints && q.made AND overlap_similarity(t.prints, q.made) >= 0.5',
                    'any shared passage of 50 characters'),
                   (2, 'ours', 'overlap_within(keys, 0.8), 5-grams', 'token_keys(e.quote, ''chars:5'')', 'overlap_within(t.keys, q.made, 0.8)',
                    'exact for the overlap coefficient; intended for short texts'),
                   (3, 'peer', 'pg_trgm, body %> text', 'e.quote', 't.body %> q.made', 'word similarity 0.6; order of words counts'))
           v(n, who, name, made, condition, remark)
      ORDER BY n OFFSET 0) AS looked_up;
\endif

-- Two texts, with nothing precomputed. The library of pg_similarity is loaded from its unpacked package.
SELECT bench.comparison('Two texts compared directly', 'The first 300 characters of original and edited copy from the table above (pg_similarity '
    'accepts 1,024 bytes). Nothing is precomputed; time for one pair.', 'hamming_distance of two simhash calls');
CREATE TABLE bench.lines (n int, who text, name text, call text, remark text DEFAULT '');
INSERT INTO bench.lines VALUES
    (1, 'ours', 'hamming_distance of two simhash calls', 'hamming_distance(simhash(a, ''chars:3''), simhash(b, ''chars:3''))'),
    (2, 'ours', 'jaccard_similarity(a, b, ''chars:5'')', 'jaccard_similarity(a, b, ''chars:5'')'),
    (3, 'ours', 'overlap_similarity(a, b, ''chars:5'')', 'overlap_similarity(a, b, ''chars:5'')'),
    (4, 'peer', 'pg_trgm similarity', 'similarity(a, b)');
\copy bench.measured (name, amount, seconds) FROM PROGRAM 'sh bench/outside.sh package "postgresql-$MAJOR-similarity"'
SELECT NOT EXISTS (SELECT FROM bench.measured) AS unpacked \gset
\if :unpacked
LOAD :'similarity';
SET pg_similarity.jaccard_tokenizer = 'gram';
CREATE FUNCTION bench.jaccard(text, text) RETURNS float8 LANGUAGE c IMMUTABLE STRICT AS :'similarity', 'jaccard';
INSERT INTO bench.lines VALUES (5, 'peer', 'pg_similarity jaccard, grams', 'bench.jaccard(a, b)', 'has sixteen measures, edit distances among them');
\endif
CREATE TABLE pair AS SELECT left(a.body, 300) AS a, left(b.body, 300) AS b FROM bench.edited a JOIN held b USING (id);
SELECT bench.race(greatest(bench.count('pair'), 1), array_agg(who ORDER BY n), array_agg(name ORDER BY n),
                  array_agg(format('SELECT sum(%s) FROM pair', call) ORDER BY n), array_agg(remark ORDER BY n)) FROM bench.lines;
SELECT bench.add('peer', 'pg_similarity', NULL, name) FROM bench.measured;
DELETE FROM bench.measured;
DROP TABLE held, pair, bench.edited, bench.lines;
