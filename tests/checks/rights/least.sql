-- What each role may do, as documented.

-- ## roles
-- Owner of a protected table, and roles with one task each.
CREATE ROLE reader;
CREATE ROLE writer;
CREATE ROLE signer;
CREATE ROLE cleaner;
CREATE ROLE crawler;
ALTER TABLE article OWNER TO keeper;
CREATE TABLE kept (id int PRIMARY KEY, body text);
ALTER TABLE kept OWNER TO keeper;
INSERT INTO kept SELECT id, body FROM article;
CREATE TABLE crawled (id int PRIMARY KEY, body text);
SELECT neardup.protect('crawled', 'body', on_duplicate => 'skip');
ALTER TABLE crawled OWNER TO keeper;
INSERT INTO crawled SELECT id, body FROM article WHERE id < 9;
GRANT SELECT, UPDATE, DELETE ON crawled TO crawler;
GRANT SELECT ON article TO crawler;
GRANT INSERT ON article TO writer;
CREATE ROLE merger;
CREATE TABLE merging (id int PRIMARY KEY, seen int DEFAULT 1, body text);
CREATE FUNCTION merge_rows(existing merging, new merging) RETURNS merging LANGUAGE plpgsql AS 'BEGIN existing.seen := existing.seen + 1; RETURN existing; END';
SELECT neardup.protect('merging', 'body', on_duplicate => 'merge', merge => 'merge_rows');
ALTER TABLE merging OWNER TO keeper;
INSERT INTO merging SELECT id, 1, body FROM article WHERE id < 3;
GRANT INSERT ON merging TO writer;
GRANT INSERT, SELECT, UPDATE (seen) ON merging TO merger;
CREATE TABLE marking (id int PRIMARY KEY, rank int, note text, body text);
SELECT neardup.protect('marking', 'body', on_duplicate => 'mark');
ALTER TABLE marking OWNER TO keeper;
INSERT INTO marking SELECT a.id + n, 9 - n, '', a.body || repeat('.', n) FROM article a, generate_series(0, 2) n WHERE a.id = 1;
GRANT SELECT (id, duplicate_of, rank), UPDATE (duplicate_of) ON marking TO merger;
GRANT SELECT (id, duplicate_of), UPDATE (duplicate_of) ON marking TO signer;
GRANT SELECT ON marking TO writer;
GRANT SELECT ON article TO reader;
GRANT SELECT, UPDATE ON article TO signer;
GRANT SELECT, UPDATE, DELETE ON article TO cleaner;

-- ## cases
-- role|SQLSTATE|statement: 00000 where it is allowed
mallory|00000|SELECT simhash('The harbour bridge is closed.'::text, 'chars:3') <~> '0123456789abcdef'
mallory|42501|SELECT neardup.protect('kept', 'body')
mallory|42501|SELECT neardup.unprotect('article')
mallory|42501|SELECT count(*) FROM neardup.duplicates('article')
mallory|42501|CALL neardup.cleanup('article')
mallory|42501|SELECT neardup.let_through('article')
keeper|00000|SELECT neardup.protect('kept', 'body')
writer|23505|INSERT INTO article VALUES (200, md5('1') || md5('1x'))
writer|00000|INSERT INTO article VALUES (201, 'A lamp of glass was taken down, and stays in the hut below.')
writer|42501|SELECT count(*) FROM neardup.duplicates('article')
writer|42501|INSERT INTO merging VALUES (100, 1, md5('0') || md5('0x'))
merger|00000|INSERT INTO merging VALUES (100, 1, md5('0') || md5('0x'))
merger|22012|SELECT 1 / (max(seen) - 2) FROM merging
writer|42501|SELECT neardup.make_first('marking', '2')
signer|42501|SELECT neardup.make_first('marking', '2', rank => '{rank}')
signer|00000|SELECT neardup.make_first('marking', '2')
merger|00000|SELECT neardup.make_first('marking', '3', rank => '{rank}')
merger|22012|SELECT 1 / (count(*) - 1) FROM marking WHERE id = 3 AND duplicate_of IS NULL
reader|00000|SELECT count(*) FROM neardup.duplicates('article')
reader|00000|SELECT count(*) FROM neardup.report('article')
cleaner|42501|CALL neardup.cleanup('article', dry_run => false)
cleaner|42501|SELECT neardup.keep_removed('article')
keeper|00000|SELECT neardup.keep_removed('article')
cleaner|00000|CALL neardup.cleanup('article', dry_run => false)
cleaner|42501|SELECT count(*) FROM article_removed
cleaner|42501|INSERT INTO article_removed (neardup_run) VALUES (1)
cleaner|22012|SELECT 1 / (count(*) - 1) FROM neardup.runs WHERE removed > 0
mallory|22012|SELECT 1 / count(*) FROM neardup.runs
cleaner|42501|CALL neardup.restore('article', 1)
mallory|42501|CALL neardup.restore('article', 1)
cleaner|42501|CALL neardup.purge('article', '0 s')
keeper|00000|CALL neardup.restore('article', 1, answer => false)
postgres|00000|CALL neardup.restore('article', 1, answer => false)
mallory|42501|SELECT neardup.answer('article', '1', '2', false)
reader|42501|SELECT neardup.answer('article', '1', '2', false)
keeper|00000|SELECT neardup.answer('article', '1', '2', false)
mallory|42501|SELECT neardup.withdraw('article', '1', '2')
reader|42501|SELECT neardup.withdraw('article', '1', '2')
cleaner|42501|SELECT count(*) FROM neardup.answers('article')
reader|42501|SELECT count(*) FROM neardup.questions('article')
signer|42501|SELECT neardup.learn('article')
mallory|42501|SELECT count(*) FROM neardup_internal.kept_apart('article', 'body')
reader|00000|SELECT count(*) FROM neardup.groups('article')
keeper|00000|SELECT count(*) FROM neardup.questions('article', 5)
keeper|00000|SELECT count(*) FROM neardup.estimate('article')
keeper|00000|SELECT neardup.learn('article')
keeper|22012|SELECT 1 / (neardup.withdraw('article', '1', '2') - 1)
reader|42501|CALL neardup.cleanup('article', dry_run => false)
signer|42501|CALL neardup.cleanup('article', dry_run => false)
mallory|42501|SELECT count(*) FROM neardup.duplicates('crawled', against => 'article')
reader|42501|SELECT count(*) FROM neardup.duplicates('crawled', against => 'article')
crawler|42501|SELECT count(*) FROM neardup.duplicates('crawled', against => 'kept')
crawler|42501|CALL neardup.cleanup('crawled', against => 'kept', dry_run => false)
crawler|42501|CALL neardup.cleanup('crawled', dry_run => false, action => 'mark', against => 'article')
keeper|00000|SELECT neardup.keep_removed('crawled')
crawler|00000|CALL neardup.cleanup('crawled', against => 'article', dry_run => false)
crawler|22012|SELECT 1 / count(*) FROM crawled
keeper|00000|SELECT neardup.unprotect('kept')
