-- What the tables of `cargo xtask bench` share: the timer, and the tables for figures. Each script of this directory, run by psql,
-- measures one table of the report.
--
-- The timer uses the server's clock, so times do not include the transfer to the client, unless stated. Statements take turns and the
-- best turn of each counts, so other load on the machine has little effect and affects all alike.
--
-- Figures go into the tables below; bench.result() returns them as one JSON document for the report.
CREATE SCHEMA bench;

-- A part of the report: a comparison of costs, shown as multiples of one line's cost, because multiples carry over to another machine; or
-- a grid of words and figures; or a paragraph.
CREATE TABLE bench.part (
    part int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, title text, method text, baseline text, unit text, size float8, header text[]
);
CREATE TABLE bench.line (
    part int, line int GENERATED ALWAYS AS IDENTITY, who text, name text, cost float8, remark text NOT NULL DEFAULT '', cells text[]
);
CREATE TABLE bench.aims (line int GENERATED ALWAYS AS IDENTITY, what text, measured float8, at_most float8, at_least float8);
-- Measurements of a program outside the server: an amount of work, bytes or pairs, and seconds. If seconds is NULL, the name states the
-- reason.
CREATE TABLE bench.measured (line int GENERATED ALWAYS AS IDENTITY, name text, amount float8, seconds float8);
CREATE TABLE bench.core (LIKE bench.measured INCLUDING ALL);

CREATE TABLE bench.probe (number int PRIMARY KEY, signature simhash, minhash minhash);
CREATE TABLE bench.time (seconds float8);

-- Formats a number with three significant figures: 0.123, 1.23, 123, 12,300.
CREATE FUNCTION bench.figure(v float8) RETURNS text LANGUAGE sql IMMUTABLE RETURN
    CASE WHEN v IS NULL OR v IN ('NaN', 'Infinity') THEN '–' WHEN v = 0 THEN '0'
         WHEN abs(v) < 1000 THEN round(v::numeric, greatest(2 - floor(log(greatest(abs(v), 1e-9)))::int, 0))::text
         ELSE to_char(round(v::numeric, 2 - floor(log(abs(v)))::int), 'FM999,999,999,999,990') END;
-- Formats a whole number with a comma at each thousand.
CREATE FUNCTION bench.grouped(v float8) RETURNS text LANGUAGE sql IMMUTABLE RETURN to_char(v::numeric, 'FM999,999,999,999,990');
-- Formats a cost, in seconds per unit of work: as a rate if the part names a unit, otherwise as a time.
CREATE FUNCTION bench.shown(cost float8, unit text, size float8) RETURNS text LANGUAGE sql IMMUTABLE RETURN
    CASE WHEN cost IS NULL THEN '–' WHEN unit <> '' THEN concat(bench.figure(1 / (cost * size)), ' ', unit) WHEN cost < 1e-3 THEN bench.figure(cost * 1e6) || ' µs'
         WHEN cost < 1 THEN bench.figure(cost * 1e3) || ' ms' ELSE bench.figure(cost) || ' s' END;

-- Begins a comparison. With a unit, costs are shown as units per second, where `size` of the work is one unit.
CREATE FUNCTION bench.comparison(title text, method text, baseline text, unit text DEFAULT '', size float8 DEFAULT 1) RETURNS void LANGUAGE sql
BEGIN ATOMIC
    INSERT INTO bench.part (title, method, baseline, unit, size) VALUES (title, method, baseline, unit, size);
END;
CREATE FUNCTION bench.current() RETURNS int LANGUAGE sql STABLE RETURN (SELECT max(part) FROM bench.part);
-- Adds a line to it: its group ('ours', 'peer', 'floor'), and the seconds per unit of work.
CREATE FUNCTION bench.add(who text, name text, cost float8, remark text DEFAULT '') RETURNS void LANGUAGE sql
BEGIN ATOMIC
    INSERT INTO bench.line (part, who, name, cost, remark) VALUES (bench.current(), who, name, cost, remark);
END;
CREATE FUNCTION bench.cost(of_line text) RETURNS float8 LANGUAGE sql STABLE
    RETURN (SELECT cost FROM bench.line WHERE part = bench.current() AND name = of_line LIMIT 1);
CREATE FUNCTION bench.ratio(name text, other text) RETURNS float8 LANGUAGE sql STABLE RETURN bench.cost(name) / bench.cost(other);
-- Begins a grid, and adds a row to it.
CREATE FUNCTION bench.grid(title text, method text, VARIADIC header text[]) RETURNS void LANGUAGE sql
BEGIN ATOMIC
    INSERT INTO bench.part (title, method, header) VALUES (title, method, header);
END;
CREATE FUNCTION bench.row(VARIADIC cells text[]) RETURNS void LANGUAGE sql
BEGIN ATOMIC
    INSERT INTO bench.line (part, cells) VALUES (bench.current(), cells);
END;
CREATE FUNCTION bench.words(words text) RETURNS void LANGUAGE sql
BEGIN ATOMIC
    INSERT INTO bench.part (method) VALUES (words);
END;
-- A figure with an aim; if it could not be measured, nothing is recorded.
CREATE FUNCTION bench.aim(what text, measured float8, at_most float8 DEFAULT NULL, at_least float8 DEFAULT NULL) RETURNS void LANGUAGE sql
BEGIN ATOMIC
    INSERT INTO bench.aims (what, measured, at_most, at_least) SELECT what, measured, at_most, at_least WHERE measured IS NOT NULL;
END;
CREATE FUNCTION bench.begin() RETURNS void LANGUAGE sql
BEGIN ATOMIC
    DELETE FROM bench.part; DELETE FROM bench.line; DELETE FROM bench.aims;
END;

-- Returns the result of a table.
CREATE FUNCTION bench.result() RETURNS json LANGUAGE sql STABLE RETURN json_build_object(
    'parts', (SELECT json_agg(json_build_object('title', title, 'method', method, 'baseline', baseline, 'header', header, 'lines',
                  (SELECT coalesce(json_agg(json_build_object('who', who, 'name', name, 'cost', cost, 'remark', remark, 'cells', cells,
                       'shown', bench.shown(cost, unit, size), 'multiple', bench.figure(cost / base), 'ratio', cost / base) ORDER BY line), '[]')
                   FROM bench.line l, LATERAL (SELECT cost AS base FROM bench.line b WHERE b.part = p.part AND b.name = p.baseline
                                               UNION ALL SELECT NULL LIMIT 1) AS b
                   WHERE l.part = p.part)) ORDER BY part) FROM bench.part p),
    'aims', (SELECT coalesce(json_agg(json_build_object('what', what, 'measured', bench.figure(measured),
                  'bound', CASE WHEN at_most IS NULL THEN 'at least ' ELSE 'at most ' END || bench.figure(coalesce(at_most, at_least)),
                  'kept', coalesce(measured <= at_most, measured >= at_least)) ORDER BY line), '[]') FROM bench.aims));

-- Adds the measurements of a program outside the server under its name and version, and returns these.
CREATE FUNCTION bench.peer(peer text, better text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    version text := (SELECT peer || ' ' || substr(name, 9) FROM bench.measured WHERE name LIKE 'version %');
BEGIN
    PERFORM bench.add('peer', CASE WHEN seconds IS NULL THEN peer ELSE replace(name, peer, version) END, seconds / amount,
                      CASE WHEN seconds IS NULL THEN name ELSE better END)
    FROM bench.measured WHERE name NOT LIKE 'version %' ORDER BY line;
    DELETE FROM bench.measured;
    RETURN version;
END
$$;

-- Whether a measurement of this name was requested.
CREATE FUNCTION bench.wants(name text) RETURNS boolean LANGUAGE sql STABLE RETURN position(current_setting('bench.only') IN name) > 0;

-- Times a statement once, in seconds.
CREATE FUNCTION bench.seconds(statement text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    started timestamptz := clock_timestamp();
BEGIN
    EXECUTE statement;
    RETURN extract(epoch FROM clock_timestamp() - started);
END
$$;

-- Times statements in turns; returns the best time of each, in seconds.
CREATE FUNCTION bench.best(VARIADIC statements text[]) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
    best float8[] := array_fill('Infinity'::float8, ARRAY[cardinality(statements)]);
BEGIN
    FOR round IN 1..current_setting('bench.rounds')::int LOOP
        FOR i IN 1..cardinality(statements) LOOP
            best[i] := least(best[i], bench.seconds(statements[i]));
        END LOOP;
    END LOOP;
    RETURN best;
END
$$;

-- Times statements in turns and adds a line for each, its cost divided by an amount of work.
CREATE FUNCTION bench.race(amount float8, whose text[], names text[], statements text[], remarks text[] DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    best float8[] := bench.best(VARIADIC statements);
BEGIN
    FOR i IN 1..cardinality(names) LOOP
        PERFORM bench.add(whose[i], names[i], best[i] / amount, coalesce(remarks[i], ''));
    END LOOP;
END
$$;

-- Times `query`, which returns a number and may use the probe `p`, for each of a number of rows of bench.probe. It runs inside a function, as
-- a prepared statement, probe by probe, twice, and the second time counts. `hits` is the sum of the numbers for the first `checked`
-- probes.
CREATE FUNCTION bench.lookups(query text, probes int, checked int, OUT median float8, OUT p95 float8, OUT hits float8) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format($f$
        CREATE OR REPLACE FUNCTION bench.lookups() RETURNS bigint LANGUAGE plpgsql AS $lookups$
        DECLARE
            p record;
            n bigint;
            hits bigint;
            started timestamptz;
        BEGIN
            FOR turn IN 1..2 LOOP
                hits := 0;
                TRUNCATE bench.time;
                FOR p IN SELECT * FROM bench.probe WHERE number <= %s ORDER BY number LOOP
                    started := clock_timestamp();
                    n := (%s);
                    INSERT INTO bench.time VALUES (extract(epoch FROM clock_timestamp() - started));
                    hits := hits + CASE WHEN p.number <= %s THEN n ELSE 0 END;
                END LOOP;
            END LOOP;
            RETURN hits;
        END
        $lookups$ $f$, probes, query, checked);
    hits := bench.lookups();
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds), percentile_cont(0.95) WITHIN GROUP (ORDER BY seconds)
    INTO median, p95 FROM bench.time;
END
$$;
-- `95 % within 1.2 ms`
CREATE FUNCTION bench.within(p95 float8) RETURNS text LANGUAGE sql IMMUTABLE RETURN format('95 %% within %s ms', bench.figure(p95 * 1e3));

-- A signature with this many of its bits changed.
CREATE FUNCTION bench.changed(signature simhash, bits int) RETURNS simhash LANGUAGE sql IMMUTABLE
    RETURN (signature::bigint # coalesce((SELECT bit_or(1::bigint << ((signature::bigint & 15)::int + 7 * i) % 64) FROM generate_series(1, bits) i), 0))::simhash;
-- Four consecutive pieces, each with its number, as recipes for smlar index a signature.
CREATE FUNCTION bench.pieces(signature simhash) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ARRAY['1_' || substr(signature::text, 1, 4), '2_' || substr(signature::text, 5, 4),
                 '3_' || substr(signature::text, 9, 4), '4_' || substr(signature::text, 13, 4)];
-- Drops all indexes except the primary key.
CREATE FUNCTION bench.drop_indexes(target regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    i regclass;
BEGIN
    FOR i IN SELECT indexrelid FROM pg_index WHERE indrelid = target AND NOT indisprimary LOOP
        EXECUTE format('DROP INDEX %s', i);
    END LOOP;
END
$$;
-- The size of these indexes in megabytes.
CREATE FUNCTION bench.megabytes(target regclass) RETURNS float8 LANGUAGE sql
    RETURN (pg_indexes_size(target) - (SELECT coalesce(sum(pg_relation_size(indexrelid)), 0) FROM pg_index WHERE indrelid = target AND indisprimary)) / 1e6;
CREATE FUNCTION bench.count(target regclass) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    rows bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM %s', target) INTO rows;
    RETURN rows;
END
$$;
