-- Damaged values.

-- A type, valid values, a comparison of two, and whether `bytea` casts to it.
CREATE TABLE subject (type text, comparison text, from_bytea boolean, expressions text[]);
INSERT INTO subject VALUES
    ('hamming_ball', 'hamming_ball_send(v) = hamming_ball_send(w)', false, ARRAY[
        $q$'0123456789abcdef/7'$q$,
        $q$'ffffffffffffffff/64'$q$]),
    ('simhash', 'hamming_distance(v, w)', false, ARRAY[
        $q$'0123456789abcdef'$q$,
        $q$'ffffffffffffffff'$q$,
        $q$simhash('灯塔换下了玻璃灯')$q$]),
    ('minhash', 'jaccard_similarity(v, w)', true, ARRAY[
        $q$minhash('灯塔换下了玻璃灯，儿童来看海', 'chars:2', 8)$q$,
        $q$minhash('灯塔换下了玻璃灯，儿童来看海', 'chars:2', 16, 'bottom_k')$q$,
        $q$minhash('灯塔换下了玻璃灯，儿童来看海', 'chars:2', 64, bits => 16)$q$]),
    ('tokenset', 'cosine_similarity(v, w)', true, ARRAY[
        $q$tokenset('灯塔换下了玻璃灯，儿童来看海', 'chars:2')$q$,
        $q$tokenset('灯塔换下了玻璃灯，儿童来看海', 'chars:2', 'count')$q$,
        $q$tokenset('', 'chars:2')$q$]),
    ('bloom_filter', 'bloom_union(v, w)', true, ARRAY[
        $q$(SELECT bloom_filter_agg(i::text, 20, 0.1) FROM generate_series(1, 10) i)$q$,
        $q$(SELECT bloom_filter_agg(i::text, 1, 0.5) FROM generate_series(1, 9) i)$q$]);

-- Tries one way in, catches what it says, and checks what is taken.
CREATE TABLE mutant (place int, text text, bytes bytea);
CREATE TABLE outcome (type text, way text, place int, state text, message text, given text);
-- A simhash is received by Postgres's own function for bigint, which says of too few bytes what it says of a broken message.
CREATE VIEW harm AS
SELECT DISTINCT ON (type, way, state) type, concat_ws(' ', way, state, left(message, 100), left(given, 200)) AS what FROM outcome
WHERE state NOT IN ('taken', '22P02', '22P03', '22023') AND NOT (type = 'simhash' AND way = 'binary' AND state = '08P01') ORDER BY type, way, state;

-- The valid values of a type, as text and as bytes.
CREATE FUNCTION valid(of_type text) RETURNS TABLE (text text, bytes text) LANGUAGE plpgsql AS $$
DECLARE
    expression text;
BEGIN
    FOREACH expression IN ARRAY (SELECT expressions FROM subject WHERE type = of_type) LOOP
        RETURN QUERY EXECUTE format('SELECT v::text, encode(%1$s_send(v), ''hex'') FROM (SELECT %2$s::%1$s AS v) s', of_type, expression);
    END LOOP;
END $$;

CREATE FUNCTION try_all(of_type text, directory text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    m record;
    s subject := (SELECT s FROM subject s WHERE type = of_type);
    again text := format('SELECT %1$s_send(v) = %1$s_send(v::text::%1$s) AND (SELECT count(%2$s) FROM (SELECT %3$s::%1$s AS w) valid) >= 0, %1$s_send(v) FROM taken', of_type, s.comparison, s.expressions[1]);
    same boolean;
    sent bytea;
BEGIN
    EXECUTE format('CREATE TEMP TABLE taken (v %I)', of_type);
    FOR m IN SELECT * FROM mutant, unnest(CASE WHEN s.from_bytea THEN '{binary,bytea,text}' ELSE '{binary,text}' END::text[]) way ORDER BY way, place LOOP
        BEGIN
            DELETE FROM taken;
            CASE m.way
                WHEN 'text' THEN EXECUTE format('INSERT INTO taken VALUES (%L)', m.text);
                WHEN 'bytea' THEN EXECUTE format('INSERT INTO taken VALUES ($1::%I)', of_type) USING m.bytes;
                WHEN 'binary' THEN EXECUTE format('COPY taken FROM %L (FORMAT binary)', directory || '/mutant-' || m.place);
            END CASE;
        EXCEPTION WHEN OTHERS THEN
            INSERT INTO outcome VALUES (of_type, m.way, m.place, SQLSTATE, SQLERRM, CASE m.way WHEN 'text' THEN m.text ELSE m.bytes::text END);
            CONTINUE;
        END;
        BEGIN
            EXECUTE again INTO STRICT same, sent;
            INSERT INTO outcome VALUES (of_type, m.way, m.place, CASE WHEN same AND (m.way = 'text' OR sent = m.bytes) THEN 'taken' ELSE 'changed' END, NULL, CASE m.way WHEN 'text' THEN m.text ELSE m.bytes::text END);
        EXCEPTION WHEN OTHERS THEN
            -- Two values that were made differently cannot be compared; all else that is taken can be used.
            INSERT INTO outcome VALUES (of_type, m.way, m.place, CASE SQLSTATE WHEN '22023' THEN 'taken' ELSE 'used: ' || SQLSTATE END, SQLERRM, CASE m.way WHEN 'text' THEN m.text ELSE m.bytes::text END);
        END;
    END LOOP;
    DROP TABLE taken;
END $$;

-- By each way in, whether some values of a type are taken and some refused; and how many came to what.
CREATE VIEW ways AS SELECT type, bool_and(some_taken AND some_refused) AS are_mixed
FROM (SELECT type, bool_or(state = 'taken') AS some_taken, bool_or(state <> 'taken') AS some_refused FROM outcome GROUP BY type, way) w GROUP BY type;
CREATE VIEW counts AS SELECT type, string_agg(way || ' ' || state || ' ' || n, ', ' ORDER BY way, state) AS outcomes
FROM (SELECT type, way, state, count(*) AS n FROM outcome GROUP BY 1, 2, 3) c GROUP BY type;
