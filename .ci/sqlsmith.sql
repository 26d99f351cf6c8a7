-- The tables of .ci/sqlsmith: a guard with each action and method, columns of every type, rows of made-up text.
SET statement_timeout = 0;
SET client_min_messages = error;
CREATE EXTENSION pg_neardup;
CREATE TABLE rejected (id int PRIMARY KEY, title text, city text, day date, body text);
CREATE TABLE marked (id bigint PRIMARY KEY, site int, at timestamptz, body text);
CREATE TABLE skipped (a int, b text, body varchar(400), PRIMARY KEY (a, b));
CREATE TABLE diverted (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), body text);
CREATE TABLE near (id int PRIMARY KEY, body text);
CREATE TABLE merged (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, seen int NOT NULL DEFAULT 1, body text);
CREATE TABLE parted (id int, day date, body text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (MINVALUE) TO ('2031-06-01');
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM ('2031-06-01') TO (MAXVALUE);
CREATE TABLE signed (
    id int PRIMARY KEY, near simhash, sketched minhash, hashed minhash, tokens tokenset, seen bloom_filter, keys int[], words tsvector);
CREATE FUNCTION both_rows(existing merged, new merged) RETURNS merged LANGUAGE plpgsql AS
    $$ BEGIN existing.seen := existing.seen + 1; RETURN existing; END $$;

SELECT neardup.protect('rejected', 'body', title => 'title', differ => '{city}', time_column => 'day'),
       neardup.protect('marked', 'body', on_duplicate => 'mark', scope => '{site}', time_column => 'at', within => '30 days'),
       neardup.protect('skipped', 'body', on_duplicate => 'skip', verify => 'overlap', threshold => 0.8, log => true),
       neardup.protect('diverted', 'body', on_duplicate => 'divert', excerpts => 'keep'),
       neardup.protect('near', 'body', method => 'simhash', verify => 'none', on_duplicate => 'warn'),
       neardup.protect('merged', 'body', on_duplicate => 'merge', merge => 'both_rows'),
       neardup.protect('parted', 'body', on_duplicate => 'skip');

CREATE TEMPORARY TABLE made AS
SELECT n, string_agg((ARRAY['harbour', 'bridge', 'closed', 'until', 'Monday', 'city', 'council', '三百余名', '医护人员', 'ferry', '12', '2.5 %', 'islands', 'twice', 'a day', 'summer'])
                     [1 + (hashint4(n / 2 * 31 + w)::bigint & 15)], ' ' ORDER BY w) AS body
FROM generate_series(1, 300) n, generate_series(1, 25) w GROUP BY n;
INSERT INTO marked SELECT n, n % 3, '2031-01-01'::timestamptz + n * interval '1 day', body FROM made;
INSERT INTO skipped SELECT n, n::text, body FROM made;
INSERT INTO diverted (body) SELECT body FROM made;
INSERT INTO near SELECT n, body FROM made;
INSERT INTO merged (body) SELECT body FROM made;
INSERT INTO parted SELECT n, '2031-01-01'::date + n, body FROM made;
INSERT INTO rejected SELECT n, 'Title ' || n, 'City', '2031-01-01'::date + n, body FROM made WHERE n % 2 = 0;
INSERT INTO signed
SELECT n, simhash(body), sketch(body), minhash(body), tokenset(body), (SELECT bloom_filter_agg(m.body, 100, 0.01) FROM made m WHERE m.n % 7 = 0), token_keys(body), to_tsvector('simple', body)
FROM made;
ANALYZE;
