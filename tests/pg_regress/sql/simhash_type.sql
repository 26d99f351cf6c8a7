-- text form
SELECT '0123456789abcdef'::simhash, '0123456789ABCDEF'::simhash, 'ffffffffffffffff'::simhash;
SELECT 'zz'::simhash;
SELECT ''::simhash;
SELECT '0123456789abcde'::simhash;
SELECT '0123456789abcdef0'::simhash;
SELECT ' 123456789abcdef'::simhash;
SELECT '01234567中文'::simhash;

-- casts, all explicit
SELECT '8000000000000001'::simhash::bigint, (-1)::bigint::simhash, 255::bigint::simhash;
SELECT '8000000000000001'::simhash::bit(64);
SELECT '8000000000000001'::simhash::bit(64)::simhash;
SELECT B'101'::simhash;
SELECT ''::bit(0)::simhash;
SELECT '8000000000000001'::simhash + 1;

-- binary form, by COPY both ways
CREATE TABLE sent (sig simhash);
INSERT INTO sent VALUES ('0123456789abcdef'), (NULL), ('ffffffffffffffff');
SELECT encode(simhash_send(sig), 'hex') FROM sent;
\copy sent TO 'sent.bin' (FORMAT binary)
CREATE TABLE received (sig simhash);
\copy received FROM 'sent.bin' (FORMAT binary)
SELECT count(*) FROM sent FULL JOIN received USING (sig) WHERE sig IS NOT NULL;
-- bytes of another length
CREATE TABLE short (sig int);
INSERT INTO short VALUES (1);
\copy short TO 'short.bin' (FORMAT binary)
\copy received FROM 'short.bin' (FORMAT binary)

-- comparison, sorting, grouping, joins
SELECT a < b AS lt, a <= b AS le, a = b AS eq, a <> b AS ne, a >= b AS ge, a > b AS gt
FROM (VALUES ('0000000000000001'::simhash, '0000000000000002'::simhash), ('0000000000000002', '0000000000000002')) v(a, b);
SELECT sig FROM (VALUES ('00000000000000ff'::simhash), ('8000000000000000'), ('0000000000000001')) v(sig) ORDER BY sig;
SELECT sig, count(*) FROM (VALUES ('00000000000000ff'::simhash), ('00000000000000ff'), ('0000000000000001')) v(sig) GROUP BY sig ORDER BY sig;
CREATE INDEX ON sent USING btree (sig);
CREATE INDEX ON sent USING hash (sig);
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT FROM sent WHERE sig = '0123456789abcdef';
RESET enable_seqscan;
SELECT a.sig FROM sent a JOIN sent b USING (sig) ORDER BY 1;
SELECT opcname, amname, amvalidate(c.oid) FROM pg_opclass c JOIN pg_am a ON a.oid = c.opcmethod WHERE opcname = 'simhash_ops' ORDER BY 2;

-- Hamming distance
SELECT hamming_distance('0000000000000000', 'ffffffffffffffff'), '0123456789abcdef'::simhash <~> '0123456789abcdee', '0123456789abcdef'::simhash <~> NULL AS nothing;
SELECT '0123456789abcdef'::simhash <~> '0123456789abcdee' AS there, '0123456789abcdee'::simhash <~> '0123456789abcdef' AS back, NULL::simhash <~> '0123456789abcdef' AS nothing;
DROP TABLE sent, received, short;
