-- Two authors and two communities.
INSERT INTO instance (id, domain) VALUES (1, 'example.org');
INSERT INTO person (id, name, public_key, instance_id) SELECT n, 'author ' || n, 'x', 1 FROM generate_series(1, 2) AS n;
INSERT INTO community (id, name, title, public_key, instance_id) SELECT n, 'c' || n, 'C', 'x', 1 FROM generate_series(1, 2) AS n;
