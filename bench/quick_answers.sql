-- Measures a guard on table corpus (id, body) beside a million answers about other texts, against one without: what acts leave ("no copy").
CREATE TABLE unanswered (id bigint PRIMARY KEY, body text);
CREATE TABLE answered (LIKE unanswered INCLUDING ALL);
SELECT neardup.protect(name, 'body', on_duplicate => 'skip') FROM unnest('{unanswered,answered}'::regclass[]) name;
SELECT neardup.keep_answers('answered');
INSERT INTO answered_answers (key, other, is_copy, act, role, at, document, hash, other_hash)
SELECT n, n + 1, false, 'restore', current_user, now(), 'body', hashint8extended(n, 1), hashint8extended(n, 2) FROM generate_series(1, 1000000) n;
VACUUM (ANALYZE) answered_answers;
SELECT best[1] AS without, best[2] AS beside
FROM bench.best('TRUNCATE unanswered; INSERT INTO unanswered SELECT id, body FROM corpus ORDER BY id',
    'TRUNCATE answered; INSERT INTO answered SELECT id, body FROM corpus ORDER BY id') best \gset
INSERT INTO bench.quick (name, ratio) VALUES (:'corpus' || ': guarded insert beside a million answers / without', :beside / :without);
DROP TABLE unanswered, answered, answered_answers;
