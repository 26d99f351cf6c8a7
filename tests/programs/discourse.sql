-- The columns of Discourse's posts that the page uses.
CREATE TABLE posts (id serial PRIMARY KEY, user_id integer, topic_id integer NOT NULL, raw text NOT NULL, created_at timestamp NOT NULL, deleted_at timestamp);
