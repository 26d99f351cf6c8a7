-- only rows of the same scope are compared
\set SHOW_CONTEXT never
CREATE TYPE regress_mood AS ENUM ('calm', 'loud');
CREATE TABLE wires (id int PRIMARY KEY, tenant text, mood regress_mood, published timestamptz, body text);
SELECT neardup.protect('wires', 'body', scope => ARRAY['tenant', 'mood']::name[]);
INSERT INTO wires VALUES (1, 'a', 'calm', now(), '清河市中心医院昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入。');
INSERT INTO wires SELECT 2, 'b', mood, published, body FROM wires WHERE id = 1;
INSERT INTO wires SELECT 3, tenant, 'loud', published, body FROM wires WHERE id = 1;
INSERT INTO wires SELECT 4, tenant, mood, published, body FROM wires WHERE id = 1;
-- NULL is a scope, too
INSERT INTO wires SELECT 5, NULL, mood, published, body FROM wires WHERE id = 1;
INSERT INTO wires SELECT 6, NULL, mood, published, body FROM wires WHERE id = 1;
-- a row that moves is judged, though its text stays
UPDATE wires SET tenant = 'b' WHERE id = 1;
UPDATE wires SET tenant = 'c' WHERE id = 1;

-- a window of time
SELECT neardup.protect('wires', 'body', scope => ARRAY['tenant']::name[], within => '2 days', time_column => 'published');
INSERT INTO wires SELECT 7, tenant, mood, published - interval '3 days', body FROM wires WHERE id = 1;
INSERT INTO wires SELECT 8, tenant, mood, published - interval '2 days', body FROM wires WHERE id = 1;
INSERT INTO wires SELECT 9, tenant, mood, 'infinity', body FROM wires WHERE id = 1;
INSERT INTO wires SELECT 10, tenant, mood, '-infinity', body FROM wires WHERE id = 1;
-- a row without a time is compared with all
INSERT INTO wires SELECT 11, tenant, mood, NULL, body FROM wires WHERE id = 1;
UPDATE wires SET published = published + interval '2 days' WHERE id = 7;
SELECT scope, time_column, within FROM neardup.protected;
SELECT id, tenant FROM wires ORDER BY id;
ALTER TABLE wires RENAME COLUMN tenant TO customer;
SELECT scope FROM neardup.protected;
ALTER TABLE wires DROP COLUMN customer;
-- days
CREATE TABLE daily (id int PRIMARY KEY, day date, body text);
SELECT neardup.protect('daily', 'body', within => '1 day', time_column => 'day');
INSERT INTO daily SELECT i, date '2031-03-01' + i * 2, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台。' FROM generate_series(1, 3) i;
INSERT INTO daily VALUES (4, '2031-03-04', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台。');

SELECT neardup.protect('wires', 'body', scope => ARRAY['nothing']::name[]);
SELECT neardup.protect('wires', 'body', within => '1 day', reset => '{time_column}');
SELECT neardup.protect('wires', 'body', within => '1 day', time_column => 'id');
SELECT neardup.protect('wires', 'body', within => '-1 day', time_column => 'published');
ALTER TABLE wires ADD COLUMN shape xml;
SELECT neardup.protect('wires', 'body', scope => ARRAY['shape']::name[]);
-- a collation that says that they are equal, numbers that are
CREATE COLLATION regress_folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE tenants (id int PRIMARY KEY, tenant text COLLATE regress_folded, price numeric, body text);
SELECT neardup.protect('tenants', 'body', scope => '{tenant,price}');
INSERT INTO tenants VALUES (1, 'Acme', 1.0, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台。');
INSERT INTO tenants VALUES (2, 'ACME', 1.00, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台。');
INSERT INTO tenants VALUES (3, 'ACME', 1.01, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台。');
-- one text in thousands of other scopes does not hide it in its own
INSERT INTO tenants SELECT i, 'tenant ' || i, 0, 'The harbour bridge stays closed until Monday, the city said on Friday.' FROM generate_series(10, 2500) i;
INSERT INTO tenants VALUES (5000, 'TENANT 10', 0.0, 'The harbour bridge stays closed until Monday, the city said on Friday.');
DROP TABLE tenants;
DROP COLLATION regress_folded;
DROP TABLE wires, daily;
DROP TYPE regress_mood;
