-- questions, what the answers say of errors, and learning from them
CREATE TABLE jobs (id int PRIMARY KEY, body text);
SELECT neardup.protect('jobs', 'body', on_duplicate => 'warn');
SET client_min_messages = error;
-- of each advertisement: one with other words, one for another time of day, one for another month
INSERT INTO jobs
SELECT p.i * 10 + v.v, CASE v.v WHEN 0 THEN t WHEN 1 THEN replace(t, 'Apply', 'Please apply') WHEN 2 THEN replace(t, 'four in the morning', 'six in the evening') ELSE replace(t, 'May', 'June') END
FROM (SELECT i, 'The bakery ' || md5(i::text) || ' looks for a baker who starts at four in the morning, works five days a week and lives near the ' || md5((-i)::text) || ' street. Apply at the counter until the end of May.' FROM generate_series(1, 12) i) p(i, t),
     generate_series(0, 3) v(v);
RESET client_min_messages;
-- nothing is known, and nothing learned
SELECT item, share, answers FROM neardup.estimate('jobs');
SELECT answers, copies, changed FROM neardup.learn('jobs');
SELECT neardup.forget('jobs');
-- the same seed draws the same questions
CREATE TABLE first AS SELECT * FROM neardup.questions('jobs', 20);
CREATE TABLE again AS SELECT * FROM neardup.questions('jobs', 20);
SELECT count(*) AS questions, count(*) FILTER (WHERE why <> 'the answer teaches most') > 3 AS some_at_random FROM first;
SELECT count(*) FROM (TABLE first EXCEPT TABLE again) x;
SELECT bool_and(f.text = j.body AND f.other_text = o.body AND cardinality(f.differs) > 0) AS whole
FROM first f JOIN jobs j ON j.id::text = f.key JOIN jobs o ON o.id::text = f.other;
-- open questions are no answers
SELECT count(*) FROM neardup.answers('jobs');
SELECT neardup.report_html('jobs') LIKE '%<h2>Questions: are the two copies?</h2>%SELECT neardup.answer(%true);%' AS page;
-- the owner keeps another time and another month apart
CREATE FUNCTION answer_all() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE q record; n bigint := 0;
BEGIN
    FOR q IN SELECT key, other FROM jobs_answers WHERE is_copy IS NULL ORDER BY key, other LOOP
        PERFORM neardup.answer('jobs', q.key, q.other, q.key::int % 10 < 2 AND q.other::int % 10 < 2);
        n := n + 1;
    END LOOP;
    RETURN n;
END $$;
SELECT answer_all();
SELECT count(*) FROM neardup.answers('jobs') WHERE holds;
SELECT item, share BETWEEN low AND high AS within, high - low < 1 AS bounded FROM neardup.estimate('jobs') WHERE item LIKE 'wrong%' AND answers > 0 ORDER BY item;
-- those that were answered are not asked about again
SELECT count(*) FROM neardup.questions('jobs', 20, 1) q JOIN neardup.answers('jobs') a ON (a.key, a.other) IN ((q.key, q.other), (q.other, q.key));
SELECT answer_all() > 0;
-- learning is deterministic, kept by the guard, through protect, and forgotten
SELECT answers > 20 AS enough, after < before AS better, changed FROM neardup.learn('jobs');
CREATE TABLE learned AS SELECT neardup_internal.guard_correction(p) AS correction FROM neardup.protected p WHERE target = 'jobs'::regclass;
SELECT changed FROM neardup.learn('jobs');
SELECT neardup_internal.guard_correction(p) = l.correction AS same, p.learned FROM neardup.protected p, learned l WHERE p.target = 'jobs'::regclass;
SELECT neardup.protect('jobs', 'body', on_duplicate => 'warn');
SELECT neardup_internal.guard_correction(p) = l.correction AS same FROM neardup.protected p, learned l WHERE p.target = 'jobs'::regclass;
SELECT neardup.forget('jobs'), neardup.forget('jobs');
SELECT learned FROM neardup.protected WHERE target = 'jobs'::regclass;
-- what cannot be shown is not learned
DELETE FROM jobs_answers;
SELECT count(*) FROM (SELECT neardup.answer('jobs', (i * 10)::text, (i * 10 + 1)::text, i > 3) FROM generate_series(1, 12) i) x;
SELECT answers, copies, changed FROM neardup.learn('jobs');
-- of short texts nothing is said but the questions
CREATE TABLE titles (id int PRIMARY KEY, body text);
SELECT neardup.protect('titles', 'body', on_duplicate => 'skip');
INSERT INTO titles VALUES (1, 'The harbour bridge is closed'), (2, 'Rye bread and salt'), (3, '!');
SELECT count(*) FROM neardup.questions('titles', 4);
-- errors
SELECT count(*) FROM neardup.questions('jobs', 0);
SELECT count(*) FROM neardup.estimate('jobs', bears => 0);
CREATE TABLE essays (id int PRIMARY KEY, body text);
SELECT neardup.protect('essays', 'body', verify => 'overlap', threshold => 0.8);
SELECT count(*) FROM neardup.questions('essays');
