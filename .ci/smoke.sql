-- The first minutes of a user: install, guard, be refused, find, list, clean up, restore, drop.
\set ON_ERROR_STOP on
CREATE EXTENSION pg_neardup;
CREATE TABLE articles (id bigint PRIMARY KEY, body text);
INSERT INTO articles VALUES
(1, 'The central hospital of Clearwater opened its new wing yesterday afternoon before three hundred doctors and nurses. The wing has twelve floors and eight hundred beds.'),
(2, 'BREAKING: The central hospital of Clearwater opened its new wing yesterday afternoon before three hundred doctors and nurses. The wing has twelve floors and eight hundred beds!');
SELECT neardup.protect('articles', 'body');
DO $$
BEGIN
    INSERT INTO articles SELECT 3, body || ' (shared)' FROM articles WHERE id = 1;
    RAISE 'the guard let a copy in';
EXCEPTION WHEN unique_violation THEN NULL;
END $$;
CALL neardup.cleanup('articles', threshold => 0.5, dry_run => false);
DO $$ BEGIN ASSERT (SELECT count(*) FROM articles) = 1, 'the copy was not removed'; END $$;
CALL neardup.restore('articles', 1);
DO $$ BEGIN ASSERT (SELECT count(*) FROM articles) = 2, 'the copy was not restored'; END $$;
SELECT 'works: ' || extversion FROM pg_extension WHERE extname = 'pg_neardup';
DROP TABLE articles, articles_removed, articles_answers;
DROP EXTENSION pg_neardup;
