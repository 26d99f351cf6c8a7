-- mallory may write records of her own, and owns a table with a trigger that she has made by hand.
CREATE SCHEMA mallorys AUTHORIZATION mallory;
GRANT USAGE ON SCHEMA public TO mallory;
SET ROLE mallory;
CREATE TABLE mallorys.own (id int PRIMARY KEY, body text);
INSERT INTO mallorys.own SELECT i, md5((i / 2)::text) || md5((i / 2)::text || 'x') FROM generate_series(1, 9) i;
INSERT INTO mallorys.own VALUES (1000, 'It is silent.');
INSERT INTO neardup.runs (target, document, action, keep, verify, role) VALUES ('canary', 'body', 'archive', 'oldest', 'facts', 'mallory');
INSERT INTO neardup.removed (run_id, batch, key, duplicate_of, measure, value, columns, record, role) SELECT max(run_id), 1, '2', '1', 'facts', 0, '{id,body}', '(2,"put in")', 'mallory' FROM neardup.runs;
INSERT INTO neardup.runs (target, document, action, mark, keep, verify, role) VALUES ('canary', 'body', 'mark', 'body', 'oldest', 'facts', 'mallory');
INSERT INTO neardup.removed (run_id, batch, key, duplicate_of, measure, value, columns, record, role)
SELECT max(run_id), 1, '1', 'It sings as long as nothing has happened to it, in the morning and in the evening.', 'facts', 0, '{id,body}', NULL, 'mallory' FROM neardup.runs;
INSERT INTO neardup.runs (target, document, action, keep, verify, role) VALUES ('mallorys.own', 'body', 'archive', 'oldest', 'facts', 'mallory');
INSERT INTO neardup.removed (run_id, batch, key, duplicate_of, measure, value, columns, record, role) SELECT max(run_id), 1, '2000', '1', 'facts', 0, '{id,body}', '(2000,"put in")', 'mallory' FROM neardup.runs;
INSERT INTO neardup.repointed (run_id, batch, source, columns, target_columns, key_columns, key, old_values, new_values, role)
SELECT max(run_id), 1, 'canary', '{body}', '{body}', '{id}', '{1}', '{It is silent.}', '{"It sings as long as nothing has happened to it, in the morning and in the evening."}', 'mallory' FROM neardup.runs;
CREATE TRIGGER zz_neardup_body BEFORE INSERT OR UPDATE OF body ON mallorys.own FOR EACH ROW
    EXECUTE FUNCTION neardup.guard('{"distance": 7, "analyzer": "x''; SELECT public.ring(); --", "on_duplicate": "divert", "divert": "x\"; SELECT public.ring(); --", "verify": "none'' || public.ring() || ''", "within": "3 days'' || public.ring() || ''", "expression": "public.ring", "since": "''; SELECT public.ring(); --"}');
RESET ROLE;
