\set SHOW_CONTEXT never
-- a guarded row written by a CHECK or a policy of another guarded table does not release the keys of the outer row
CREATE FUNCTION keys_held(of regclass) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 5 AND pid = pg_backend_pid() AND classid = of
$$;
CREATE TABLE audit (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
SELECT neardup.protect('audit', 'body', on_duplicate => 'skip');
CREATE TABLE outer_rows (id int PRIMARY KEY, body text);
CREATE FUNCTION noted(id int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit (body) SELECT 'note ' || md5(noted.id::text || i) || ' ' || md5(noted.id::text || i || 'x') FROM generate_series(1, 2) i;
    -- a row without a document takes no keys, and one that is a copy is not stored
    INSERT INTO audit (body) VALUES (NULL);
    INSERT INTO audit (body) SELECT body FROM audit WHERE audit.id = 1;
    RAISE NOTICE 'row %: % of the outer row, % of the inner ones', id, keys_held('outer_rows') > 0, keys_held('audit') > 0;
    RETURN true;
END $$;
ALTER TABLE outer_rows ADD CHECK (noted(id));
SELECT neardup.protect('outer_rows', 'body', on_duplicate => 'skip');
INSERT INTO outer_rows SELECT i, md5(i::text) || ' ' || md5((i * 7)::text) FROM generate_series(1, 3) i;
\copy outer_rows FROM PROGRAM 'printf "4\tA lamp of glass was taken down, and stays in the hut below.\n5\tA solar lamp shines in its place and reaches farther out.\n"'
UPDATE outer_rows SET body = body || ' changed' WHERE id < 3;
-- nothing is held afterwards, also where rows were not stored or their statement failed
BEGIN;
INSERT INTO outer_rows VALUES (1, 'A row whose key is in use, which is not stored after the guard has seen it.') ON CONFLICT DO NOTHING;
SELECT keys_held('outer_rows') AS held, keys_held('audit') AS held_inside;
SAVEPOINT s;
INSERT INTO outer_rows VALUES (1, 'A row whose key is in use, which is refused after the guard has seen it.');
ROLLBACK TO s;
SELECT keys_held('outer_rows') AS held, keys_held('audit') AS held_inside;
COMMIT;

-- what a refusal tells: of the constraint, everybody; of the row, who may read it
CREATE FUNCTION refused(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    s text; t text; c text; d text;
BEGIN
    EXECUTE statement;
    RETURN 'stored';
EXCEPTION WHEN unique_violation THEN
    GET STACKED DIAGNOSTICS s = SCHEMA_NAME, t = TABLE_NAME, c = CONSTRAINT_NAME, d = PG_EXCEPTION_DETAIL;
    RETURN concat_ws(' | ', s, t, c, d);
END $$;
CREATE TABLE notes (id int PRIMARY KEY, body text);
SELECT neardup.protect('notes', 'body', verify => 'overlap', threshold => 0.1);
INSERT INTO notes VALUES (1, 'Patient number four hundred and twelve was admitted on Tuesday evening to ward seven of the hospital with a diagnosis of leukaemia and will be treated there until further notice by Dr Miller');
CREATE ROLE regress_writer;
GRANT INSERT ON notes TO regress_writer;
SELECT refused($$INSERT INTO notes SELECT 2, replace(body, 'leukaemia', 'influenza') FROM notes$$);
SET ROLE regress_writer;
SELECT refused($$INSERT INTO notes VALUES (2, 'Patient number four hundred and twelve was admitted on Tuesday evening to ward seven of the hospital with a diagnosis of influenza and will be treated there until further notice by Dr Miller')$$);
SELECT refused($$INSERT INTO notes VALUES (2, 'Patient number four hundred and twelve was admitted on Tuesday evening to ward seven of the hospital with a diagnosis of leukaemia and will be treated there until further notice by Dr Miller')$$);
RESET ROLE;
DROP TABLE notes, outer_rows, audit;
DROP ROLE regress_writer;
