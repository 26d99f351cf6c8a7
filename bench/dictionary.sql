-- The first call and the memory of a backend. Prints lines for COPY: a name, 1, the figure.
SET jit = off;
CREATE TEMP TABLE told (line int GENERATED ALWAYS AS IDENTITY, name text, figure float8);
CREATE FUNCTION pg_temp.milliseconds(call text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    started timestamptz := clock_timestamp();
BEGIN
    EXECUTE call;
    RETURN 1e3 * extract(epoch FROM clock_timestamp() - started);
END
$$;
CREATE FUNCTION pg_temp.memory() RETURNS float8 LANGUAGE sql AS $$
    SELECT sum(m[1]::int) / 1024.0 FROM regexp_matches(pg_read_file('/proc/self/smaps_rollup'), 'Private_\w+:\s+(\d+)', 'g') m
$$;
\set call '$$SELECT simhash(''江口镇今日举办第十届龙舟赛'', ''jieba'')$$'
-- The library itself and the functions above are loaded first, because they are not part of the dictionary's cost.
DO $$ BEGIN PERFORM pg_temp.milliseconds('SELECT simhash(''江口镇'', ''chars:2'')'), pg_temp.memory(); END $$;
INSERT INTO told (name, figure) VALUES ('private memory before, MB', pg_temp.memory());
INSERT INTO told (name, figure) VALUES ('first call with jieba, ms', pg_temp.milliseconds(:call));
INSERT INTO told (name, figure) VALUES ('private memory after the first call, MB', pg_temp.memory());
INSERT INTO told (name, figure) VALUES ('second call, ms', pg_temp.milliseconds(:call));
DO $$ BEGIN PERFORM count(simhash('江口镇今日举办第十届龙舟赛' || i, 'jieba')) FROM generate_series(1, 20000) i; END $$;
INSERT INTO told (name, figure) VALUES ('private memory after 20,000 documents more, MB', pg_temp.memory());
SELECT name, 1, figure FROM told ORDER BY name LIKE 'private%', line;
