-- A reader and two feeds.
INSERT INTO users (id, username, password, is_admin) VALUES (1, 'reader', 'x', false);
INSERT INTO categories (id, user_id, title) VALUES (1, 1, 'All');
INSERT INTO feeds (id, user_id, category_id, title, feed_url, site_url) VALUES
    (1, 1, 1, 'A', 'https://a.example/feed', 'https://a.example'), (2, 1, 1, 'B', 'https://b.example/feed', 'https://b.example');
