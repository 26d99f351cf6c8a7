-- evaluation: the word cloud of a text

CREATE FUNCTION neardup.evaluate(query text, measures text[] DEFAULT '{}', analyzers text[] DEFAULT '{chars:3,jieba}', weighting text DEFAULT 'count') RETURNS TABLE (measure text, analyzer text, threshold double precision, called bigint, correct bigint, "precision" double precision, recall double precision, f1 double precision, milliseconds double precision)
    LANGUAGE c VOLATILE STRICT ROWS 300 AS 'MODULE_PATHNAME', 'evaluate_wrapper';
COMMENT ON FUNCTION neardup.evaluate(text, text[], text[], text) IS 'precision, recall and F1 of measures at every threshold, on the labelled pairs that a query returns: a text, another text, whether they are duplicates';

CREATE FUNCTION neardup.suggest(query text, "precision" double precision DEFAULT 0.97, sample integer DEFAULT 1000, measures text[] DEFAULT '{}', analyzers text[] DEFAULT '{chars:3,chars:5,jieba}', weighting text DEFAULT 'count') RETURNS TABLE (measure text, analyzer text, threshold double precision, "precision" double precision, recall double precision, f1 double precision, milliseconds double precision, basis text)
    LANGUAGE c VOLATILE STRICT ROWS 20 AS 'MODULE_PATHNAME', 'suggest_wrapper';
COMMENT ON FUNCTION neardup.suggest(text, double precision, integer, text[], text[], text) IS 'the threshold that reaches a wanted precision (0 to 1), best recall first; from labelled pairs, or from documents alone with a substitute for labels, which column basis names';

CREATE FUNCTION neardup.curves_svg(query text, measures text[] DEFAULT '{jaccard,overlap,cosine,minhash,same_message}', analyzers text[] DEFAULT '{chars:3}', weighting text DEFAULT 'count') RETURNS text
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'curves_svg_wrapper';
COMMENT ON FUNCTION neardup.curves_svg(text, text[], text[], text) IS 'precision and recall against the threshold as an SVG picture, on the labelled pairs that a query returns';

CREATE FUNCTION histogram_svg("values" double precision[], title text DEFAULT '', bins integer DEFAULT 20) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'histogram_svg_wrapper';
COMMENT ON FUNCTION histogram_svg(double precision[], text, integer) IS 'a histogram of values as an SVG picture; whole numbers get a bar each';

CREATE FUNCTION word_cloud_svg(words text[], weights double precision[]) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'word_cloud_svg_wrapper';
COMMENT ON FUNCTION word_cloud_svg(text[], double precision[]) IS 'a word cloud of words and their weights as an SVG picture';

CREATE FUNCTION word_cloud_svg(document text, n integer DEFAULT 60) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 30000
    RETURN (
        SELECT @extschema@.word_cloud_svg(pg_catalog.array_agg(k.token ORDER BY k.weight DESC, k.token), pg_catalog.array_agg(k.weight ORDER BY k.weight DESC, k.token))
        FROM @extschema@.keywords(document, n) k
    );

COMMENT ON FUNCTION word_cloud_svg(text, integer) IS 'a word cloud of a document''s n heaviest keywords as an SVG picture';
