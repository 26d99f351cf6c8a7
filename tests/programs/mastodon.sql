-- The columns of Mastodon's statuses that the page uses.
CREATE TABLE statuses (id bigint PRIMARY KEY, account_id bigint NOT NULL, text text NOT NULL DEFAULT '', created_at timestamp NOT NULL, deleted_at timestamp);
