INSERT INTO {table} (id, body) SELECT id, body FROM fresh WHERE number = (SELECT nextval('next_number'));
