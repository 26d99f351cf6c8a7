-- pgvector's HNSW beside our indexes, on the same signatures: time, recall, size. Debian packages pgvector for Postgres 17 and later.
CREATE EXTENSION IF NOT EXISTS vector;
SELECT greatest(:probes / 5, 20) AS probes, extversion AS version FROM pg_extension WHERE extname = 'vector' \gset
\echo '    signing, and the truth about the probes by brute force'
CREATE TABLE signed AS
SELECT id, body, signature, signature::bit(64) AS bits, simhash_totals(body, 'chars:3')::vector(64) AS totals
FROM (SELECT id, body, simhash(body, 'chars:3') AS signature FROM article) AS articles
WHERE signature IS NOT NULL LIMIT :vectors;
ALTER TABLE signed ADD PRIMARY KEY (id);
VACUUM (FREEZE, ANALYZE) signed;
ALTER TABLE bench.probe ADD bits bit(64), ADD totals vector(64), ADD tenth_bits float8, ADD tenth_totals float8, ADD near int;
TRUNCATE bench.probe;
INSERT INTO bench.probe (number, signature, bits, totals)
SELECT place, simhash(cut, 'chars:3'), simhash(cut, 'chars:3')::bit(64), simhash_totals(cut, 'chars:3')::vector(64)
FROM (SELECT row_number() OVER (ORDER BY md5(id::text))::int AS place, substr(body, 1 + length(body) / 10) AS cut
      FROM signed WHERE length(body) >= 20) AS shuffled
WHERE place <= :probes;
-- Rows within 7 bits count as near.
UPDATE bench.probe p SET
    (tenth_bits, near) = (SELECT max(d), count(*) FILTER (WHERE d <= 7) FROM (SELECT t.bits <~> p.bits AS d FROM signed t ORDER BY 1 LIMIT 10) AS nearest),
    tenth_totals = (SELECT max(d) FROM (SELECT t.totals <=> p.totals AS d FROM signed t ORDER BY 1 LIMIT 10) AS nearest);
SELECT count(*) AS rows FROM signed \gset
SELECT sum(near) AS near FROM bench.probe \gset

CREATE TABLE bench.ways (n int GENERATED ALWAYS AS IDENTITY, shown text, create_index text, name text, operator text, build float8, megabytes float8);
INSERT INTO bench.ways (shown, create_index, name, operator) VALUES
    ('neardup on the signature', 'CREATE INDEX ON signed USING neardup (signature)', NULL, NULL),
    ('HNSW on bit(64)', 'CREATE INDEX ON signed USING hnsw (bits bit_hamming_ops)', 'bits', '<~>'),
    ('HNSW on simhash_totals, cosine', 'CREATE INDEX ON signed USING hnsw (totals vector_cosine_ops)', 'totals', '<=>');
SELECT bench.comparison('Nearest rows, beside pgvector', format('pgvector %s; %s texts signed with `chars:3`. Median of %s probes, which are texts of '
    'the table without their first tenth. Recall is the share of the ten returned rows that are no further away than the tenth nearest by brute '
    'force. Near rows is the share of the rows within 7 bits, at most ten, that are returned.', :'version', bench.grouped(:rows), :probes), 'neardup, 10 rows');

-- Builds an index and searches for the ten nearest rows. Ours also searches for all rows within a distance; HNSW runs with increasing
-- ef_search (default 40).
CREATE FUNCTION pg_temp.try_way(w bench.ways, probes int, near float8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    built float8 := bench.seconds(w.create_index);
    measured record;
    effort int;
BEGIN
    UPDATE bench.ways SET build = built, megabytes = bench.megabytes('signed') WHERE n = w.n;
    IF w.name IS NULL THEN
        measured := bench.lookups('SELECT count(*) FROM (SELECT s.bits FROM signed s ORDER BY s.signature <~> p.signature LIMIT 10) t WHERE t.bits <~> p.bits <= p.tenth_bits', probes, probes);
        PERFORM bench.add('ours', 'neardup, 10 rows', measured.median, 'recall ' || bench.figure(measured.hits / (10 * probes)));
        measured := bench.lookups('SELECT least(10, count(*)) FROM (SELECT * FROM signed s WHERE simhash_within(s.signature, p.signature, 7)) t WHERE t.bits <~> p.bits <= 7', probes, probes);
        PERFORM bench.add('ours', 'simhash_within, distance 7', measured.median, 'near rows ' || bench.figure(measured.hits / near));
    ELSE
        FOREACH effort IN ARRAY '{40,100,400}'::int[] LOOP
            PERFORM set_config('hnsw.ef_search', effort::text, false);
            measured := bench.lookups(format('SELECT count(*) FROM (SELECT t.%1$s %2$s p.%1$s AS d FROM signed t ORDER BY t.%1$s %2$s p.%1$s LIMIT 10) g WHERE d <= p.tenth_%1$s + 1e-9', w.name, w.operator), probes, probes);
            PERFORM bench.add('peer', format('%s, ef_search %s', w.shown, effort), measured.median,
                format('recall %s, near rows %s', bench.figure(measured.hits / (10 * probes)), bench.figure((bench.lookups(format(
                    'SELECT count(*) FROM (SELECT t.bits <~> p.bits AS bits FROM signed t ORDER BY t.%1$s %2$s p.%1$s LIMIT 10) g WHERE bits <= 7', w.name, w.operator), probes, probes)).hits / near)));
        END LOOP;
    END IF;
    PERFORM bench.drop_indexes('signed');
END
$$;
SELECT pg_temp.try_way(w, :probes, :near) FROM bench.ways w ORDER BY n;
SELECT bench.grid('Indexes beside pgvector''s', 'Built on the table of the look-ups, one backend.', '', 'build, s per million rows', 'MB per million rows');
SELECT bench.row(shown, bench.figure(build * 1e6 / :rows), bench.figure(megabytes * 1e6 / :rows)) FROM bench.ways ORDER BY n;
SELECT bench.words('pgvector is the better choice for the embeddings of a model, and for finding the nearest row at any distance.');
DROP TABLE signed, bench.ways;
ALTER TABLE bench.probe DROP bits, DROP totals, DROP tenth_bits, DROP tenth_totals, DROP near;
