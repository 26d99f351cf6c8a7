-- near_duplicate_of over texts: which rows of a window repeat an earlier one
CREATE TABLE feed (id int PRIMARY KEY, source text, published date, body text);
INSERT INTO feed VALUES
(1, 'a', '2031-03-01', '青石镇的老水塔昨天改成了一座小型天文台，塔顶装了一台四十厘米口径的望远镜，每周五晚上免费开放，第一晚来了两百多人。'),
(2, 'b', '2031-03-02', '（记者 林禾）青石镇的老水塔昨天改成了一座小型天文台，塔顶装了一台四十厘米口径的望远镜，每周五晚上免费开放，第一晚来了两百多人。'),
(3, 'a', '2031-03-03', '青石镇的老水塔昨天改成了一座小型天文台，塔顶装了一台六十厘米口径的望远镜，每周六晚上免费开放，第一晚来了九百多人。'),
(4, 'b', '2031-03-04', '柳湾码头的夜班渡轮从下周一起停开，改由电动公交接驳，票价不变，末班车延长到晚上十一点半。'),
(5, 'b', '2031-03-05', '柳湾码头的夜班渡轮从下周一起停开，改由电动公交接驳，票价不变，末班车延长到晚上十一点半。'),
(6, 'a', '2031-03-06', '柳湾码头的夜班渡轮从下周一起停开，改由电动公交接驳，票价不变，末班车延长到晚上十一点半。镇长说，渡口的候船室会改成阅览室，老船工可以在那里给孩子们讲河上的故事，夏天之前完工。'),
(7, 'a', '2031-03-07', NULL),
(8, 'a', '2031-03-08', NULL),
(9, 'a', '2031-03-09', ''),
(10, 'b', '2031-03-10', ''),
(11, 'a', '2031-03-11', '……！'),
(12, 'b', '2031-03-12', '……！');

-- copies go; an update, a longer text and rows without a token stay
SELECT id, near_duplicate_of(body) OVER w AS of, near_duplicate_of(body) OVER w = row_number() OVER w AS shown
FROM feed WINDOW w AS (ORDER BY id) ORDER BY id;
-- the newest of each group; an excerpt of a newer text goes
SELECT id, near_duplicate_of(body) OVER w AS of, near_duplicate_of(body) OVER w = row_number() OVER w AS shown
FROM feed WINDOW w AS (ORDER BY published DESC, id) ORDER BY published DESC, id;
-- one source's own repeats
SELECT id FROM (SELECT *, near_duplicate_of(body) OVER w = row_number() OVER w AS shown FROM feed WINDOW w AS (PARTITION BY source ORDER BY id)) AS f
WHERE NOT shown ORDER BY id;
-- the first of equal rows is the one that Postgres sorts first: exactly one stays
SELECT count(*) FILTER (WHERE shown) AS shown, count(*) AS rows
FROM (SELECT near_duplicate_of(body) OVER w = row_number() OVER w AS shown FROM feed WHERE id IN (4, 5) WINDOW w AS (ORDER BY 1)) AS f;
-- without ORDER BY the whole result is one window; an empty one has no rows
SELECT count(DISTINCT of) FROM (SELECT near_duplicate_of(body) OVER () AS of FROM feed WHERE id IN (1, 2)) AS f;
SELECT near_duplicate_of(body) OVER () FROM feed WHERE false;
-- an expression as the document, and a type that is cast to text
SELECT id FROM (SELECT id, near_duplicate_of(neardup.document(source, body)) OVER w = row_number() OVER w AS shown FROM feed WHERE id < 7 WINDOW w AS (ORDER BY id)) AS f WHERE NOT shown;
SELECT near_duplicate_of(body::varchar) OVER (ORDER BY id) FROM feed WHERE id < 3;

-- the score that is required: identical texts have 1
SELECT id FROM (SELECT id, near_duplicate_of(body, 1) OVER w = row_number() OVER w AS shown FROM feed WINDOW w AS (ORDER BY id)) AS f WHERE NOT shown;

-- a longer text leaves its copies where they are: no chain leads from one to another message
SELECT near_duplicate_of(body) OVER (ORDER BY n)
FROM (VALUES (1, (SELECT body FROM feed WHERE id = 6)), (2, (SELECT body FROM feed WHERE id = 4)), (3, (SELECT body FROM feed WHERE id = 5))) AS t (n, body);

-- parameters
SELECT near_duplicate_of(body, NULL) OVER () FROM feed;
SELECT near_duplicate_of(body, 1.5) OVER () FROM feed;
SELECT near_duplicate_of(body, 'NaN') OVER () FROM feed;
SELECT near_duplicate_of(body) FROM feed;
SELECT near_duplicate_of(body) OVER () FROM (SELECT 3 AS body) AS t;

-- what a reader would write down: a row is shown unless one that is shown says the same and no less
CREATE FUNCTION shown_by_hand(texts text[]) RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE
    shown int[] := '{}';
    verdict record;
    repeats boolean;
BEGIN
    FOR i IN 1 .. cardinality(texts) LOOP
        repeats := false;
        FOR j IN 1 .. cardinality(shown) LOOP
            CONTINUE WHEN NOT near_duplicate(texts[shown[j]], texts[i]);
            SELECT * INTO verdict FROM same_message(texts[shown[j]], texts[i]);
            repeats := repeats OR texts[shown[j]] = texts[i] OR verdict.verdict = 'copy' OR length(texts[i]) <= length(texts[shown[j]]);
        END LOOP;
        IF NOT repeats THEN
            shown := shown || i;
        END IF;
    END LOOP;
    RETURN shown;
END $$;
-- four stories of a town, each in variants that are copies, excerpts, longer texts or updates
CREATE TABLE variants AS
SELECT n, CASE n % 3 WHEN 0 THEN '' WHEN 1 THEN '（本报讯）' ELSE '【快讯】' END
    || (ARRAY['云桥县的苹果合作社今年第一次把果子卖到了海外，首批二十吨，走冷链海运，路上要十八天，客户是三家连锁超市。',
              '白河体育馆的屋顶换成了光伏板，装机四百千瓦，白天够全馆用电，多余的送进电网，预计六年收回成本。',
              '南岭隧道今天凌晨贯通，全长七公里，两边的施工队在中间握手，通车后县城到省城只要五十分钟。',
              'The north lighthouse has a new lamp; the old one stays in the hut below, where children may turn it by hand.'])[1 + n * 7 % 4]
    || CASE WHEN n % 5 = 0 THEN '负责人说，下一步要看秋天的天气，也要看邻县的路什么时候修好，大家都等着听消息，谁也说不准会怎样。' ELSE '' END
    || CASE WHEN n % 11 = 0 THEN (n / 11 % 3)::text || '月举行仪式。' ELSE '' END AS body
FROM generate_series(1, 240) AS n;
SELECT (SELECT array_agg(n ORDER BY n) FROM (SELECT n, near_duplicate_of(body) OVER w = row_number() OVER w AS shown FROM variants WINDOW w AS (ORDER BY n)) AS f WHERE shown)
     = shown_by_hand((SELECT array_agg(body ORDER BY n) FROM variants)) AS same_as_by_hand;
SELECT bool_and(v.of = v.n OR near_duplicate(v.body, first.body)) AS names_a_near_duplicate
FROM (SELECT n, body, near_duplicate_of(body) OVER (ORDER BY n) AS of FROM variants) AS v JOIN variants AS first ON first.n = v.of::int;
-- the same with little memory, where texts are out of line and the window is on disk
CREATE TABLE long_texts AS
SELECT 240 * (again - 1) + n AS n, repeat(body, 1 + n % 2) || (SELECT string_agg(md5(i::text || n % 50), ' ') FROM generate_series(1, 100) AS i) AS body
FROM variants, generate_series(1, 3) AS again;
CREATE TABLE usual AS SELECT n, near_duplicate_of(body) OVER (ORDER BY n) AS of FROM long_texts;
SET work_mem = '64kB';
SELECT count(*) FILTER (WHERE f.of <> n) AS repeats, bool_and(f.of = usual.of) AS same FROM (SELECT n, near_duplicate_of(body) OVER (ORDER BY n) AS of FROM long_texts) AS f JOIN usual USING (n);
RESET work_mem;
DROP FUNCTION shown_by_hand;
DROP TABLE feed, variants, long_texts, usual;
