-- The note that a row was restored is the row's own: what is noted or answered of other rows, or of two texts, does not end it.
\set SHOW_CONTEXT never
CREATE FUNCTION body(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'Bicycle for sale, hardly used, with a basket, two lamps and a lock; can be collected at any time after six in the evening' || repeat('!', n)
$$;
CREATE PROCEDURE clean(target regclass, keep text DEFAULT 'oldest') LANGUAGE plpgsql AS $$
DECLARE
    run bigint;
    count bigint;
BEGIN
    CALL neardup.cleanup(target, keep => keep, dry_run => false, run_id => run, removed => count);
END $$;
CREATE PROCEDURE copy_past_guard(target regclass, id int, text text) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM neardup.let_through(target, false);
    EXECUTE format('INSERT INTO %s (id, body) VALUES ($1, $2)', target) USING id, text;
END $$;

-- rows of one text in several batches
CREATE TABLE many (id int PRIMARY KEY, body text);
INSERT INTO many SELECT n, body(CASE n WHEN 1 THEN 0 ELSE 2 END) FROM generate_series(1, 12) n;
SELECT neardup.protect('many', 'body');
SET client_min_messages = warning;
CALL neardup.cleanup('many', dry_run => false, batch => 4);
CALL neardup.restore('many', 1);
CALL neardup.cleanup('many', dry_run => false);
-- that two texts are no copies is kept once, not for each row that has one of them
SELECT note, count(*) FROM neardup.answers('many') GROUP BY note ORDER BY note;
RESET client_min_messages;

-- one after the other by their keys, and then another row would be kept
CREATE TABLE posts (id int PRIMARY KEY, body text);
INSERT INTO posts SELECT n, body(CASE n WHEN 1 THEN 0 ELSE 2 END) FROM generate_series(1, 3) n;
SELECT neardup.protect('posts', 'body');
CALL clean('posts');
CALL neardup.restore('posts', key => '3');
CALL neardup.restore('posts', key => '2');
SELECT key, other, is_copy, note, act FROM neardup.answers('posts') ORDER BY key, other, note;
CALL copy_past_guard('posts', 4, 'BREAKING: ' || body(0));
CALL neardup.cleanup('posts', rank => '{id desc}', dry_run => false);

-- answers that a row, or that another one with its text, is no copy
CREATE TABLE told (id int PRIMARY KEY, body text);
INSERT INTO told VALUES (2, body(0)), (3, body(2));
SELECT neardup.protect('told', 'body');
CALL clean('told');
CALL neardup.restore('told', 1);
SELECT neardup.answer('told', '3', '2', false, 'another bicycle');
CALL copy_past_guard('told', 1, 'BREAKING: ' || body(0));
CALL clean('told');
SELECT id FROM told ORDER BY id;
CREATE TABLE others (id int PRIMARY KEY, body text);
INSERT INTO others VALUES (1, body(0)), (2, body(2));
SELECT neardup.protect('others', 'body');
CALL clean('others');
CALL neardup.restore('others', 1);
CALL copy_past_guard('others', 11, body(0));
CALL copy_past_guard('others', 12, body(2));
SELECT neardup.answer('others', '12', '11', false);
CALL clean('others', 'newest');
SELECT id FROM others ORDER BY id;
-- that a row is a copy ends it
SELECT neardup.answer('others', '2', '12', true);
CALL clean('others');

-- but not for a row of which nothing was said, in a group of any size; through a row that is a copy of that one, it does
SET client_min_messages = error;
CREATE TABLE said (id int PRIMARY KEY, body text);
INSERT INTO said SELECT n, body(0) FROM generate_series(1, 102) n;
SELECT neardup.protect('said', 'body');
CALL clean('said');
CALL neardup.restore('said', 1);
SELECT neardup.answer('said', '50', '51', true);
CALL clean('said');
SELECT count(*) FROM said;
SELECT neardup.answer('said', '51', '1', true);
CALL clean('said');
SELECT count(*) FROM said;
SELECT array_agg(id ORDER BY id) FROM said_removed;
-- that a restored row is a copy of one row says nothing of others, nor does it once it is said to be none
CREATE TABLE asked (id int PRIMARY KEY, body text);
INSERT INTO asked SELECT n, body(n) FROM generate_series(1, 3) n;
SELECT neardup.protect('asked', 'body');
SELECT neardup.answer('asked', '2', '1', true), neardup.answer('asked', '3', '1', true);
CALL clean('asked');
RESET client_min_messages;
CALL neardup.restore('asked', 1);
SELECT neardup.answer('asked', '3', '1', false);
CALL copy_past_guard('asked', 9, 'BREAKING: ' || body(0));
CALL neardup.cleanup('asked', rank => '{id desc}', dry_run => false);
SELECT id FROM asked ORDER BY id;

-- rows of one text: few are noted as no copies of each other, in whichever calls they come back
CREATE TABLE equals (id int PRIMARY KEY, body text);
INSERT INTO equals SELECT n, body(0) FROM generate_series(1, 25) n;
SELECT neardup.protect('equals', 'body');
SET client_min_messages = error;
CALL clean('equals');
CREATE PROCEDURE restore_all() LANGUAGE plpgsql AS $$
DECLARE
    next text;
    count bigint;
BEGIN
    FOR next IN SELECT neardup_key FROM equals_removed ORDER BY id DESC LIMIT 20 LOOP
        CALL neardup.restore('equals', key => next, restored => count);
    END LOOP;
END $$;
CALL restore_all();
CALL neardup.restore('equals', 1);
SELECT note, count(*) FROM neardup.answers('equals') GROUP BY note ORDER BY note;
SELECT count(*) FROM neardup.duplicates('equals');
CALL clean('equals', 'newest');
SELECT count(*) FROM equals;
RESET client_min_messages;

-- what the hint of a restore withdraws are the notes of that call
CREATE TABLE calls (id int PRIMARY KEY, body text);
INSERT INTO calls SELECT n, body(n) FROM generate_series(1, 4) n;
SELECT neardup.protect('calls', 'body');
CALL clean('calls');
CALL neardup.restore('calls', key => '3');
CALL copy_past_guard('calls', 11, 'The harbour bridge will close for repairs from Monday until the end of the month, the city said.');
CALL copy_past_guard('calls', 12, 'The harbour bridge will close for repairs from Monday until the end of the month, the city said!');
CALL copy_past_guard('calls', 13, 'The harbour bridge will close for repairs from Monday until the end of the month, the city said!!');
CALL neardup.cleanup('calls', dry_run => false, batch => 1);
CALL neardup.restore('calls', 2);
SELECT neardup.withdraw('calls', act => 'restore', since => max(at)) FROM neardup.answers('calls') WHERE act = 'restore' AND key = '13' GROUP BY key;
SELECT neardup.withdraw('calls', act => 'restore', since => max(at)) FROM neardup.answers('calls') WHERE act = 'restore' AND key = '13' GROUP BY key;
SELECT key, note FROM neardup.answers('calls') ORDER BY key, note;
SELECT neardup.withdraw('calls', '3', act => 'restore');

-- it is withdrawn by the key of the row, and not by that of the row that was kept, or of another one of the group
CREATE TABLE groups (id int PRIMARY KEY, body text);
INSERT INTO groups SELECT n, body(n) FROM generate_series(1, 3) n;
SELECT neardup.protect('groups', 'body');
CALL clean('groups');
CALL neardup.restore('groups', 1);
SELECT neardup.withdraw('groups', '3', act => 'restore');
SELECT neardup.withdraw('groups', '1', act => 'restore');
SELECT key, other, note, holds FROM neardup.answers('groups');
CALL clean('groups');
SELECT id FROM groups ORDER BY id;
SELECT neardup.withdraw('groups', '2', '1');
CALL clean('groups');

-- with two guards, it is known to both
CREATE TABLE double (id int PRIMARY KEY, body text, summary text);
INSERT INTO double SELECT n, body(n), 'In short: ' || body(n) FROM generate_series(1, 3) n;
SELECT neardup.protect('double', 'body'), neardup.protect('double', 'summary');
CALL neardup.cleanup('double', document => 'body', dry_run => false);
CALL neardup.restore('double', 1);
CALL neardup.cleanup('double', document => 'summary', dry_run => false);

-- if nothing is noted, a restore says so: without a guard, or if keys are written in another way by now
SELECT neardup.unprotect('groups');
CALL neardup.restore('groups', key => '3');
ALTER TABLE groups ALTER id TYPE numeric(10, 2);
ALTER TABLE groups_removed ALTER id TYPE numeric(10, 2);
SELECT neardup.protect('groups', 'body');
CALL neardup.restore('groups', key => '2');
DROP TABLE many, many_removed, many_answers, posts, posts_removed, posts_answers, told, told_removed, told_answers, others, others_removed, others_answers,
    groups, groups_removed, groups_answers, double, double_removed, double_answers, said, said_removed, said_answers, asked, asked_removed, asked_answers,
    equals, equals_removed, equals_answers, calls, calls_removed, calls_answers;
