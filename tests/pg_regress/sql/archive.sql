-- a dump in GB18030 (tests/data/archive.gb18030.txt), loaded line by line
\getenv abs_srcdir PG_ABS_SRCDIR
\cd :abs_srcdir
CREATE TABLE raw (line_number bigint GENERATED ALWAYS AS IDENTITY, line text);
\copy raw (line) FROM '../data/archive.gb18030.txt' WITH (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02', ENCODING 'GB18030')
SELECT count(*) AS lines, count(*) FILTER (WHERE line = '<doc>') AS documents FROM raw;

-- its fields
CREATE TABLE documents AS
WITH numbered AS (
    SELECT line_number, line, count(*) FILTER (WHERE line = '<doc>') OVER (ORDER BY line_number) AS document FROM raw
), blocks AS (
    SELECT string_agg(line, E'\n' ORDER BY line_number) AS block FROM numbered GROUP BY document
)
SELECT substring(block FROM '<docno>(.*)</docno>') AS docno,
       substring(block FROM '<url>(.*)</url>') AS url,
       substring(block FROM '<contenttitle>(.*)</contenttitle>') AS title,
       substring(block FROM '<content>(.*)</content>') AS content
FROM blocks;
SELECT docno, length(content) AS characters, url, title FROM documents ORDER BY docno;

-- long enough, cleaned, signed
CREATE TABLE articles (
    docno text PRIMARY KEY, url text, title text, body text NOT NULL,
    sig simhash GENERATED ALWAYS AS (simhash(body, '{"tokenizer": "jieba", "stop_words": "chinese"}')) STORED
);
INSERT INTO articles (docno, url, title, body)
SELECT docno, url, title, regexp_replace(content, '[\r\n\t\u3000"＂]', '', 'g') FROM documents WHERE length(content) > 100;
CREATE INDEX ON articles USING gin (simhash_bands(sig));
SELECT docno, sig, length(body) AS characters, left(body, 12) AS beginning FROM articles ORDER BY docno;
SELECT docno FROM articles WHERE body ~ '[\r\n\t\u3000"＂]';
SELECT body ~ '^𠮷野精机.*㳇口镇.*裂纹，项目负责人说' AS beyond_gbk FROM articles WHERE docno = 'a0004';
SELECT body ~ '六成' AND body ~ '连超四人。组委会' AS both_lines FROM articles WHERE docno = 'a0005';
SELECT strpos(body, '在\\archive\photos目录，编号用逗号分隔，如 1963,017 。') > 0 AS as_it_was FROM articles WHERE docno = 'a0007';
SELECT body LIKE '%渡船“柳汀七号”将%' AS quotation_stays FROM articles WHERE docno = 'a0001';

-- nearest of a sample, as CSV
CREATE TABLE nearest AS
SELECT q.docno AS sample, p.docno AS article, p.distance
FROM (SELECT docno, sig FROM articles WHERE sig IS NOT NULL ORDER BY md5(docno) LIMIT 3) q
CROSS JOIN LATERAL (
    SELECT docno, sig <~> q.sig AS distance FROM articles
    WHERE docno <> q.docno AND sig IS NOT NULL
    ORDER BY sig <~> q.sig, docno LIMIT 4
) p;
\copy (SELECT sample, article, distance FROM nearest ORDER BY sample, distance, article) TO STDOUT WITH (FORMAT csv, HEADER)

-- similar at 3 and at 7
SELECT a.docno, b.docno AS copy, a.sig <~> b.sig AS distance
FROM articles a JOIN articles b ON simhash_within(b.sig, a.sig, 3) AND a.docno < b.docno;
SELECT a.docno, b.docno AS copy, a.sig <~> b.sig AS distance
FROM articles a JOIN articles b ON simhash_within(b.sig, a.sig, 7) AND a.docno < b.docno ORDER BY 1, 2;

-- the wrong encoding is refused, not guessed
\copy raw (line) FROM '../data/archive.gb18030.txt' WITH (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02', ENCODING 'UTF8')
\copy raw (line) FROM '../data/archive.gb18030.txt' WITH (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02', ENCODING 'GBK')
