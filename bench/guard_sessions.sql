\set n random(1, 1000)
\set edit random(0, 399)
\set dropped random(1, 20)
INSERT INTO {table} (body) SELECT left(body, :edit::int) || substr(body, 1 + :edit::int + :dropped::int) FROM original WHERE n = :n;
