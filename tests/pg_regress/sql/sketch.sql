-- sketch: the smallest hashes of a document's shingles
SELECT sketch('江口镇今日举办龙舟赛'), pg_column_size(sketch('江口镇今日举办龙舟赛，二十四支队伍参加，最终上游村队夺得冠军'));
SELECT sketch('') IS NULL AS nothing, sketch('，。！') IS NULL AS no_token, sketch('龙舟') IS NOT NULL AS shorter_than_a_shingle;
SELECT cardinality(sketch_keys(sketch('江口镇今日举办龙舟赛'))) AS shingles, cardinality(sketch_keys(sketch('the quick brown fox jumps over the lazy dog', keys => 3))) AS keys;
SELECT sketch('江口镇今日举办龙舟赛', keys => 0);
SELECT sketch('江口镇今日举办龙舟赛', keys => 1025);
SELECT sketch('江口镇今日举办龙舟赛', 'shingles:17');
SELECT sketch('江口镇今日举办龙舟赛', 'profile:news');
SELECT sketch(ARRAY['a', 'b', NULL]) = sketch(ARRAY['b', 'a', 'a']) AS a_set, sketch('a b'::tsvector) IS NOT NULL AS of_lexemes;

-- sharing a key
SELECT sketch('江口镇今日举办龙舟赛，二十四支队伍参加') && sketch('昨日消息：江口镇今日举办龙舟赛，二十四支队伍参加') AS shared,
       sketch('江口镇今日举办龙舟赛') && sketch('渡口的灯塔换下了旧灯，新灯明天起亮') AS nothing_shared,
       sketch('江口镇今日举办龙舟赛') && sketch('江口镇今日举办龙舟赛', 'shingles:4') AS made_differently,
       sketch('江口镇今日举办龙舟赛') && NULL AS unknown;
SELECT minhash('江口镇今日举办龙舟赛', 'chars:2') && minhash('江口镇今日举办龙舟大赛', 'chars:2') AS of_many_hashes;

-- near_duplicate
SELECT near_duplicate('江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军。', '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得了冠军！') AS copy,
       near_duplicate('江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军。', '江口镇今日举办第十一届龙舟赛，三十支队伍参加，最终下游村队夺得冠军。') AS update,
       near_duplicate('江口镇今日举办第十届龙舟赛', NULL) AS unknown, near_duplicate('', '') AS empty;

-- the same answer by index and by scan, in WHERE, in joins and in prepared statements
CREATE TABLE notes (id int PRIMARY KEY, body text, short varchar(200) COLLATE "C");
INSERT INTO notes
SELECT i, v.body, v.body FROM generate_series(0, 199) i
     CROSS JOIN LATERAL (SELECT '渡口第' || i / 4 || '号灯塔于' || i / 4 % 28 + 1 || '日换下了旧灯，守塔人说新灯能照见' || i / 4 * 3 || '里外的船' || repeat('，船上的人都看见了', i % 4)) v(body);
INSERT INTO notes VALUES (1000, NULL, NULL), (1001, '', '');
CREATE INDEX notes_sketch ON notes USING gin (sketch(body));
CREATE INDEX notes_short ON notes USING gin (sketch(short));
ANALYZE notes;
CREATE TABLE by_scan AS SELECT a.id AS a, b.id AS b FROM notes a JOIN notes b ON neardup_internal.is_near_duplicate(a.body, b.body) AND sketch(a.body) OPERATOR(public.&&) sketch(b.body);
SET enable_seqscan = off;
CREATE TABLE by_index AS SELECT a.id AS a, b.id AS b FROM notes a JOIN notes b ON near_duplicate(a.body, b.body);
SELECT (SELECT count(*) FROM by_scan) > 200 AS some, (SELECT count(*) FROM (TABLE by_scan EXCEPT TABLE by_index) d) AS missed, (SELECT count(*) FROM (TABLE by_index EXCEPT TABLE by_scan) d) AS invented;
SELECT plan_of($$SELECT id FROM notes WHERE near_duplicate(body, '渡口第7号灯塔')$$);
SELECT plan_of($$SELECT id FROM notes WHERE near_duplicate(short, '渡口第7号灯塔')$$);
SELECT plan_of($$SELECT id FROM notes WHERE near_duplicate(body, (SELECT body FROM notes WHERE id = 7))$$);
SELECT plan_of($$SELECT a.id, b.id FROM notes b JOIN notes a ON near_duplicate(b.body, a.body) WHERE b.id = 7$$);
SET plan_cache_mode = force_generic_plan;
PREPARE near(text) AS SELECT id FROM notes WHERE near_duplicate(body, $1);
SELECT plan_of($$EXECUTE near('渡口第7号灯塔')$$);
EXECUTE near('渡口第7号灯塔于8日换下了旧灯，守塔人说新灯能照见21里外的船');
DEALLOCATE near;
RESET plan_cache_mode;
SELECT plan_of($$SELECT id FROM notes WHERE near_duplicate(body, random()::text)$$);
RESET enable_seqscan;
DROP TABLE notes, by_scan, by_index;

-- the operator classes are complete
SELECT c.opcname, amvalidate(c.oid) FROM pg_opclass c WHERE c.opcname IN ('minhash_gin_ops', 'simhash_gin_ops') ORDER BY 1;
-- documents of several columns
SELECT neardup.document('a', NULL, 'b'), neardup.document(NULL, 'b') IS NULL AS nothing;
