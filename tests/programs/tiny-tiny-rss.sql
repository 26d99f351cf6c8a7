-- Two readers; the first has both feeds.
INSERT INTO ttrss_users (login, pwd_hash) SELECT 'reader ' || n, 'x' FROM generate_series(1, 2) AS n;
INSERT INTO ttrss_feeds (owner_uid, title, feed_url)
SELECT u.id, f.url, f.url FROM ttrss_users u JOIN (VALUES ('reader 1', 'a.example'), ('reader 1', 'b.example'), ('reader 2', 'b.example')) AS f (login, url) USING (login);
