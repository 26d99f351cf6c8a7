-- evaluation: the word cloud of a text

CREATE FUNCTION word_cloud_svg(document text, n integer DEFAULT 60) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 30000
    RETURN (
        SELECT word_cloud_svg(pg_catalog.array_agg(k.token ORDER BY k.weight DESC, k.token), pg_catalog.array_agg(k.weight ORDER BY k.weight DESC, k.token))
        FROM keywords(document, n) k
    );

COMMENT ON FUNCTION neardup.evaluate(text, text[], text[], text) IS 'precision, recall and F1 of measures at every threshold, on the labelled pairs that a query returns: a text, another text, whether they are duplicates';
COMMENT ON FUNCTION neardup.suggest(text, double precision, integer, text[], text[], text) IS 'the threshold that reaches a wanted precision (0 to 1), best recall first; from labelled pairs, or from documents alone with a substitute for labels, which column basis names';
COMMENT ON FUNCTION neardup.curves_svg(text, text[], text[], text) IS 'precision and recall against the threshold as an SVG picture, on the labelled pairs that a query returns';
COMMENT ON FUNCTION histogram_svg(double precision[], text, integer) IS 'a histogram of values as an SVG picture; whole numbers get a bar each';
COMMENT ON FUNCTION word_cloud_svg(text[], double precision[]) IS 'a word cloud of words and their weights as an SVG picture';
COMMENT ON FUNCTION word_cloud_svg(text, integer) IS 'a word cloud of a document''s n heaviest keywords as an SVG picture';
