-- mallory may clean article, and owns a table of which she has made the trigger and the removed rows by hand.
CREATE SCHEMA mallorys AUTHORIZATION mallory;
GRANT USAGE ON SCHEMA public TO mallory;
GRANT SELECT, UPDATE, DELETE ON article TO mallory;
ALTER TABLE article OWNER TO keeper;
SELECT neardup.keep_removed('article');
SET ROLE mallory;
CREATE TABLE mallorys.own (id int PRIMARY KEY, body text);
INSERT INTO mallorys.own SELECT i, md5((i / 2)::text) || md5((i / 2)::text || 'x') FROM generate_series(1, 9) i;
INSERT INTO mallorys.own VALUES (1000, 'It is silent.');
SELECT neardup.keep_removed('mallorys.own');
INSERT INTO mallorys.own_removed VALUES (1, 1, now(), 'postgres', 'x''; SELECT public.ring(); --', '"; SELECT public.ring(); --', 'copy', 'facts', 1, 2000, 'put in');
CREATE TRIGGER zz_neardup_body BEFORE INSERT OR UPDATE OF body ON mallorys.own FOR EACH ROW
    EXECUTE FUNCTION neardup.guard('{"distance": 7, "analyzer": "x''; SELECT public.ring(); --", "on_duplicate": "divert", "divert": "x\"; SELECT public.ring(); --", "verify": "none'' || public.ring() || ''", "within": "3 days'' || public.ring() || ''", "expression": "public.ring", "since": "''; SELECT public.ring(); --"}');

-- A list and a choice of her own making: what she removes is kept as it was, and what she forges is not.
SELECT jsonb_build_object('target', 'article'::regclass::oid::bigint) AS arguments \gset
CREATE TEMP TABLE neardup_chosen AS SELECT 1::bigint AS place, 2 AS k1, 3 AS r1, 'forged'::text AS verdict, 'facts'::text AS measure, 1::float8 AS value, neardup_internal.text_hash(a.body) AS document_hash, neardup_internal.text_hash(a.body) AS stays_hash, NULL::text AS reason FROM article a WHERE a.id = 2;
-- The run with the greatest number would be the last one of the table.
SELECT neardup_internal.cleanup_batch(:'arguments', 'archive', 9223372036854775807, 1, 0, 1);
SELECT neardup_internal.begin_run(:'arguments', 'archive', 'oldest', 1) AS run \gset
SELECT neardup_internal.cleanup_batch(:'arguments', 'archive', :run, 1, 0, 1);
SELECT neardup_internal.cleanup_batch(:'arguments'::jsonb || '{"document": "body\") OR public.ring() = (\"", "scope": ["id\" OR public.ring() = \""], "keep": "; SELECT public.ring()"}', 'archive', 1, 1, 0, 1);
RESET ROLE;
