-- Verdicts on pairs of texts with near signatures: articles of 1,200 characters, and short texts; and two texts of one megabyte with
-- nothing in common.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Compares texts, an expression over `body` or over `three` of them joined, with edited copies of them.
CREATE PROCEDURE bench.pairs(title text, expression text, length int, aim float8 DEFAULT NULL) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format($f$
        CREATE TABLE pair AS
        SELECT text AS a, '（记者报道）' || left(text, length(text) / 2) || substr(text, length(text) / 2 + 1 + least(19, length(text) / 10)) AS b
        FROM (SELECT body, body || lead(body, 1, '') OVER w || lead(body, 2, '') OVER w AS three FROM excerpt WINDOW w AS (ORDER BY id)) AS e,
             LATERAL (SELECT %s AS text) AS t
        WHERE length(text) >= %s LIMIT 2000 $f$, expression, length);
    ANALYZE pair;
    PERFORM bench.comparison(title, format('%s texts of %s characters on average, each compared with an edited copy (a byline added at the front, a '
    'tenth in the middle or 19 characters removed). Nothing is precomputed; one backend.', count(*), round(coalesce(avg(length(a)), 0))),
        'same_message(a, b)', 'pairs/s') FROM pair;
    PERFORM bench.race(bench.count('pair'), '{ours,ours,peer}',
        '{"same_message(a, b)",distance of two simhash calls,"pg_trgm similarity(a, b)"}',
        ARRAY['SELECT sum((same_message(a, b)).score) FROM pair',
              $f$SELECT sum(hamming_distance(simhash(a, 'chars:3'), simhash(b, 'chars:3'))) FROM pair$f$,
              'SELECT sum(similarity(a, b)) FROM pair'],
        '{"","","a number, for any language; ignores facts"}') FROM pair HAVING count(*) > 0;
    PERFORM bench.aim(title || ', verdicts a second', 1 / bench.cost('same_message(a, b)'), at_least => aim) WHERE aim IS NOT NULL;
    DROP TABLE pair;
END
$$;
CALL bench.pairs('Pairs of texts', 'body', 100);
CALL bench.pairs('Articles of 1,200 characters', 'left(three, 1200)', 1200, 2000);
CALL bench.pairs('Short texts', 'left(body, 40)', 40, 20000);
DROP PROCEDURE bench.pairs;

CREATE TABLE pair AS
SELECT string_agg(chr(19968 + (n::bigint * 7919 % 6000)::int), '') AS a, string_agg(chr(26000 + (n::bigint * 7919 % 6000)::int), '') AS b
FROM generate_series(1, 350000) AS n;
SELECT bench.comparison('Two texts of 1 MB with no character in common', 'One pair.', 'same_message(a, b)');
SELECT bench.race(1, '{ours}', '{"same_message(a, b)"}', ARRAY['SELECT (same_message(a, b)).score FROM pair'], '{can be cancelled}');
SELECT bench.aim('Two texts of 1 MB, seconds', bench.cost('same_message(a, b)'), at_most => 5);
DROP TABLE pair;

-- Pages of a feed, of which each tenth text repeats the one before with a byline.
CREATE TABLE feed AS
SELECT row_number() OVER (ORDER BY id, part) AS id, text AS body
FROM excerpt, LATERAL (VALUES (1, body), (2, '（记者报道）' || body)) AS texts (part, text)
WHERE length(body) >= 100 AND (part = 1 OR id % 10 = 0);
ALTER TABLE feed ADD PRIMARY KEY (id);
ANALYZE feed;
CREATE FUNCTION pg_temp.page(rows int) RETURNS text LANGUAGE sql RETURN format(
    'SELECT count(*) FILTER (WHERE shown) FROM (SELECT near_duplicate_of(body) OVER w = row_number() OVER w AS shown
     FROM (SELECT * FROM feed ORDER BY id DESC LIMIT %s) AS newest WINDOW w AS (ORDER BY id DESC)) AS page', rows);
SELECT bench.comparison('A page without repeats', format('`near_duplicate_of(body) OVER (ORDER BY id DESC)` over the newest rows of %s, texts of %s characters on average, about a tenth of '
    'them copies. One statement, with reading the rows; one backend.', bench.grouped(count(*)), round(coalesce(avg(length(body)), 0))), '50 rows') FROM feed;
SELECT bench.race(1, '{ours,ours,ours}', '{50 rows,500 rows,"5,000 rows"}', ARRAY[pg_temp.page(50), pg_temp.page(500), pg_temp.page(5000)]);
SELECT bench.aim('A page of 500 rows, ms', 1000 * bench.cost('500 rows'), at_most => 50);
DROP TABLE feed;
