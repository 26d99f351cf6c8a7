-- golden vector: a change here is a new format version (docs/internals/signatures.md)
SELECT bloom_filter_agg(body, 10, 0.01) FROM (VALUES ('新闻'), ('近似'), ('重复')) v(body);

-- every text added is found, others hardly ever; texts are taken as they are
CREATE TABLE texts AS SELECT n, '第' || n || '条消息' AS body FROM generate_series(1, 20000) n;
CREATE TABLE filters AS SELECT bloom_filter_agg(body, 20000, 0.01) AS filter FROM texts;
SELECT bool_and(bloom_contains(filter, body)) AS all_found FROM texts, filters;
SELECT count(*) BETWEEN 100 AND 300 AS about_one_in_a_hundred FROM filters, generate_series(1000001, 1020000) n WHERE bloom_contains(filter, '第' || n || '条消息');
SELECT bloom_contains(filter, '第1条消息') AS held, bloom_contains(filter, '第１条消息') AS full_width FROM filters;
SELECT round(bloom_estimated_count(filter) / 200) AS hundredths, round(bloom_false_positive_rate(filter)::numeric, 2) AS rate, pg_column_size(filter) AS bytes FROM filters;
-- a large filter lies in the TOAST table, and gives the same answers in one piece
SELECT bool_and(bloom_contains(filter, body) = bloom_contains(whole, body)) AS same
FROM filters, (SELECT filter::text::bloom_filter AS whole FROM filters OFFSET 0) w, (SELECT '第' || n || '条消息' FROM generate_series(19950, 20050) n) v(body);

-- NULL is no text; no rows, no filter; other questions are NULL
SELECT bloom_filter_agg(body, 10, 0.01) = (SELECT bloom_filter_agg(body, 10, 0.01) FROM (VALUES ('新闻')) v(body)) AS same FROM (VALUES ('新闻'), (NULL)) v(body);
SELECT bloom_filter_agg(body, 10, 0.01) IS NULL AS no_rows, bloom_contains(NULL, 'text') IS NULL AS no_filter FROM texts WHERE false;
SELECT bloom_contains(bloom_filter_agg(NULL, 10, 0.01), '') AS nothing_held FROM texts WHERE n < 3;
SELECT body, bloom_filter_agg(body, 1, 0.5) FROM (VALUES ('a'), ('b'), ('a')) v(body) GROUP BY body ORDER BY body;

-- union: what either holds
SELECT bloom_union(a, b) = whole AS whole, bloom_union(a, b) = bloom_union(b, a) AS symmetric, bloom_union(a, a) = a AS itself
FROM (SELECT bloom_filter_agg(body, 100, 0.01) FILTER (WHERE n % 2 = 0), bloom_filter_agg(body, 100, 0.01) FILTER (WHERE n % 2 = 1), bloom_filter_agg(body, 100, 0.01) FROM texts WHERE n <= 100) v(a, b, whole);
SELECT bloom_union(bloom_filter_agg(body, 100, 0.01), bloom_filter_agg(body, 200, 0.01)) FROM texts WHERE n = 1;

-- parallel workers make the same filter
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT bloom_filter_agg(body, 20000, 0.01) FROM texts;
SELECT bloom_filter_agg(body, 20000, 0.01) = (SELECT filter FROM filters) AS same FROM texts;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- as a window function the filter grows
SELECT n, round(bloom_estimated_count(bloom_filter_agg(body, 100, 0.001) OVER (ORDER BY n))) AS texts FROM texts WHERE n <= 3;

-- arguments out of range
SELECT bloom_filter_agg(body, 0, 0.01) FROM texts;
SELECT bloom_filter_agg(body, -1, 0.01) FROM texts;
SELECT bloom_filter_agg(body, 10, 0) FROM texts;
SELECT bloom_filter_agg(body, 10, 1) FROM texts;
SELECT bloom_filter_agg(body, 10, 'NaN') FROM texts;
SELECT bloom_filter_agg(body, 1000000000000, 0.01) FROM texts;
SELECT bloom_filter_agg(body, NULL, 0.01) FROM texts;
SELECT bloom_filter_agg(body, n, 0.01) FROM texts;

-- text form
SELECT '01010000000000004000000000000000ff00000000000000'::bloom_filter;
SELECT ''::bloom_filter;
SELECT 'zz'::bloom_filter;
SELECT '02010000000000004000000000000000ff00000000000000'::bloom_filter;
SELECT '01210000000000004000000000000000ff00000000000000'::bloom_filter;
SELECT '01010000000000008000000000000000ff00000000000000'::bloom_filter;
-- binary form, by COPY both ways
\copy filters TO 'sent_bloom.bin' (FORMAT binary)
CREATE TABLE received (LIKE filters);
\copy received FROM 'sent_bloom.bin' (FORMAT binary)
SELECT count(*) FROM filters JOIN received USING (filter);
CREATE TABLE wrong (bytes bytea);
INSERT INTO wrong VALUES ('\x0101000000000000');
\copy wrong TO 'wrong_bloom.bin' (FORMAT binary)
\copy received FROM 'wrong_bloom.bin' (FORMAT binary)
DROP TABLE texts, filters, received, wrong;

-- digest: golden vectors of the text as it is
SELECT text_digest('', '{}'), text_digest('新闻', '{}'), text_digest('近似重复的新闻，改动几个字。', '{}');
SELECT text_digest(repeat('近似重复的新闻，改动几个字。', 20), '{}');
-- what normalisation takes away makes no difference, unless it is left out
SELECT text_digest('ＡＢＣ公司，业绩增长！') = text_digest('abc公司,业绩增长') AS normalised, text_digest('ＡＢＣ', '{}') = text_digest('abc', '{}') AS as_it_is, text_digest('ABC', '{casefold}') = text_digest('abc', '{casefold}') AS casefold;
SELECT text_digest(body) = text_digest(normalize_text(body), '{}') AS same FROM (VALUES ('昨日 下午，ＡＢＣ公司宣布：业绩增长！')) v(body);
SELECT text_digest('text', '{upside_down}');
SELECT text_digest('text', '{NULL}');
SELECT text_digest(NULL);
-- in a unique index
CREATE TABLE articles (body text);
CREATE UNIQUE INDEX ON articles (text_digest(body));
INSERT INTO articles VALUES ('本市新地铁线路昨日开通。'), (NULL), (NULL);
INSERT INTO articles VALUES ('本市新地铁线路昨日开通！');
INSERT INTO articles VALUES ('本市新地铁线路今日开通。') ON CONFLICT DO NOTHING;
INSERT INTO articles VALUES ('本市新地铁线路昨日开通') ON CONFLICT (text_digest(body)) DO NOTHING;
SELECT count(*) FROM articles;
DROP TABLE articles;
