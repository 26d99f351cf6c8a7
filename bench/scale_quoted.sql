-- Articles quoted whole in a text three times as long, searched with an index on all texts. Skipped if too few texts are long enough.
\echo '    articles quoted whole, among all texts'
CREATE TABLE stored AS SELECT id, fingerprints(body) AS prints FROM article;
CREATE TABLE bench.quoting AS
SELECT row_number() OVER (ORDER BY md5(id::text))::int AS number, id, before || body || behind AS body
FROM (SELECT id, body, rpad(lag(body) OVER w, length(body), '，') AS before, rpad(lead(body) OVER w, length(body), '，') AS behind
      FROM article WHERE length(body) BETWEEN 300 AND 3000 WINDOW w AS (ORDER BY id)) AS neighbours
WHERE before || behind IS NOT NULL ORDER BY number LIMIT :probes / 10;
TRUNCATE bench.probe;
INSERT INTO bench.probe (number) SELECT number FROM bench.quoting;
SELECT count(*) AS rows FROM stored \gset
SELECT count(*) AS quoted, count(*) > 0 AS any_quoted FROM bench.quoting \gset
\if :any_quoted
SELECT bench.comparison('Articles quoted whole', format('%s articles of 300 to 3,000 characters, each quoted between pieces of two others that are as '
    'long as the article. Each look-up searches all %s texts for a quoted article. Median time of a look-up, including the fingerprints of the long '
    'text, and the share of look-ups that found the article.', :quoted, bench.grouped(:rows)), 'fingerprints, &&');
CREATE FUNCTION pg_temp.try_index(name text, expression text, condition text, quoted int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    build float8 := bench.seconds(format('CREATE INDEX ON stored USING gin (%s) WITH (fastupdate = off)', expression));
    measured record;
BEGIN
    ANALYZE stored;
    measured := bench.lookups('SELECT count(*) FILTER (WHERE t.id = q.id) FROM (SELECT e.id, fingerprints(e.body) AS made FROM bench.quoting e '
        'WHERE e.number = p.number OFFSET 0) AS q, stored t WHERE ' || condition, quoted, quoted);
    PERFORM bench.add('ours', name, measured.median, format('finds %s %%; index %s MB, built in %s s', bench.figure(100 * measured.hits / quoted),
        bench.figure(bench.megabytes('stored')), bench.figure(build)));
    PERFORM bench.drop_indexes('stored');
END
$$;
SELECT pg_temp.try_index('fingerprints, &&', 'prints', 't.prints && q.made AND overlap_similarity(t.prints, q.made) >= 0.8', :quoted);
SELECT pg_temp.try_index('overlap_within(fingerprints, 0.8)', 'overlap_keys(prints, 0.8)', 'overlap_within(t.prints, q.made, 0.8)', :quoted);
\endif
DROP TABLE stored, bench.quoting;
