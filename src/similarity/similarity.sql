-- tokenset distances

CREATE FUNCTION jaccard_similarity(a tokenset, b tokenset) RETURNS double precision
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 50 AS 'MODULE_PATHNAME', 'tokenset_jaccard_similarity_wrapper';
COMMENT ON FUNCTION jaccard_similarity(tokenset, tokenset) IS 'shared tokens over all tokens, 0 to 1; 0 if either set is empty';

CREATE FUNCTION overlap_similarity(a tokenset, b tokenset) RETURNS double precision
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 50 AS 'MODULE_PATHNAME', 'tokenset_overlap_similarity_wrapper';
COMMENT ON FUNCTION overlap_similarity(tokenset, tokenset) IS 'shared tokens over those of the smaller set (short-text Jaccard), 0 to 1: 1 if one set contains the other; 0 if either is empty';

CREATE FUNCTION cosine_similarity(a tokenset, b tokenset) RETURNS double precision
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 50 AS 'MODULE_PATHNAME', 'tokenset_cosine_similarity_wrapper';
COMMENT ON FUNCTION cosine_similarity(tokenset, tokenset) IS 'cosine of the weighted tokens, 0 to 1; 0 if either set is empty';

CREATE FUNCTION jaccard_distance(a tokenset, b tokenset) RETURNS double precision
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 50 AS 'MODULE_PATHNAME', 'tokenset_jaccard_distance_wrapper';
COMMENT ON FUNCTION jaccard_distance(tokenset, tokenset) IS '1 - jaccard_similarity, 0 to 1';

CREATE FUNCTION overlap_distance(a tokenset, b tokenset) RETURNS double precision
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 50 AS 'MODULE_PATHNAME', 'tokenset_overlap_distance_wrapper';
COMMENT ON FUNCTION overlap_distance(tokenset, tokenset) IS '1 - overlap_similarity, 0 to 1';

CREATE FUNCTION cosine_distance(a tokenset, b tokenset) RETURNS double precision
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 50 AS 'MODULE_PATHNAME', 'tokenset_cosine_distance_wrapper';
COMMENT ON FUNCTION cosine_distance(tokenset, tokenset) IS '1 - cosine_similarity, 0 to 1';

CREATE FUNCTION jaccard_similarity(a text, b text, analyzer text DEFAULT 'jieba') RETURNS double precision
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20000 AS 'MODULE_PATHNAME', 'text_jaccard_similarity_wrapper';
COMMENT ON FUNCTION jaccard_similarity(text, text, text) IS 'Jaccard similarity of the token sets of two texts under an analyzer, 0 to 1: jaccard_similarity(a, b, ''chars:3'')';

CREATE FUNCTION overlap_similarity(a text, b text, analyzer text DEFAULT 'jieba') RETURNS double precision
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20000 AS 'MODULE_PATHNAME', 'text_overlap_similarity_wrapper';
COMMENT ON FUNCTION overlap_similarity(text, text, text) IS 'overlap similarity (short-text Jaccard) of the token sets of two texts under an analyzer, 0 to 1';

CREATE FUNCTION cosine_similarity(a text, b text, analyzer text DEFAULT 'jieba', weighting text DEFAULT 'count') RETURNS double precision
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20000 AS 'MODULE_PATHNAME', 'text_cosine_similarity_wrapper';
COMMENT ON FUNCTION cosine_similarity(text, text, text, text) IS 'cosine similarity of the weighted tokens of two texts under an analyzer and a weighting, 0 to 1';

CREATE FUNCTION cosine_similarity(a real[], b real[]) RETURNS double precision
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10 AS 'MODULE_PATHNAME', 'vector_cosine_similarity_wrapper';
COMMENT ON FUNCTION cosine_similarity(real[], real[]) IS 'cosine similarity of two vectors such as simhash_totals, -1 to 1; 0 if either is all zeros';

CREATE OPERATOR <%> (
    LEFTARG = tokenset, RIGHTARG = tokenset, FUNCTION = jaccard_distance, COMMUTATOR = <%>
);
CREATE OPERATOR <&> (
    LEFTARG = tokenset, RIGHTARG = tokenset, FUNCTION = overlap_distance, COMMUTATOR = <&>
);
CREATE OPERATOR <=> (
    LEFTARG = tokenset, RIGHTARG = tokenset, FUNCTION = cosine_distance, COMMUTATOR = <=>
);

-- comments

COMMENT ON OPERATOR <%> (tokenset, tokenset) IS 'Jaccard distance, 1 - jaccard_similarity';
COMMENT ON OPERATOR <&> (tokenset, tokenset) IS 'overlap distance, 1 - overlap_similarity';
COMMENT ON OPERATOR <=> (tokenset, tokenset) IS 'cosine distance, 1 - cosine_similarity';
