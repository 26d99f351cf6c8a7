-- tokenset distances

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

COMMENT ON FUNCTION jaccard_similarity(tokenset, tokenset) IS 'shared tokens over all tokens, 0 to 1; 0 if either set is empty';
COMMENT ON FUNCTION overlap_similarity(tokenset, tokenset) IS 'shared tokens over those of the smaller set (short-text Jaccard), 0 to 1: 1 if one set contains the other; 0 if either is empty';
COMMENT ON FUNCTION cosine_similarity(tokenset, tokenset) IS 'cosine of the weighted tokens, 0 to 1; 0 if either set is empty';
COMMENT ON FUNCTION jaccard_distance(tokenset, tokenset) IS '1 - jaccard_similarity, 0 to 1';
COMMENT ON FUNCTION overlap_distance(tokenset, tokenset) IS '1 - overlap_similarity, 0 to 1';
COMMENT ON FUNCTION cosine_distance(tokenset, tokenset) IS '1 - cosine_similarity, 0 to 1';
COMMENT ON FUNCTION jaccard_similarity(text, text, text) IS 'Jaccard similarity of the token sets of two texts under an analyzer, 0 to 1: jaccard_similarity(a, b, ''chars:3'')';
COMMENT ON FUNCTION overlap_similarity(text, text, text) IS 'overlap similarity (short-text Jaccard) of the token sets of two texts under an analyzer, 0 to 1';
COMMENT ON FUNCTION cosine_similarity(text, text, text, text) IS 'cosine similarity of the weighted tokens of two texts under an analyzer and a weighting, 0 to 1';
COMMENT ON FUNCTION cosine_similarity(real[], real[]) IS 'cosine similarity of two vectors such as simhash_totals, -1 to 1; 0 if either is all zeros';
COMMENT ON OPERATOR <%> (tokenset, tokenset) IS 'Jaccard distance, 1 - jaccard_similarity';
COMMENT ON OPERATOR <&> (tokenset, tokenset) IS 'overlap distance, 1 - overlap_similarity';
COMMENT ON OPERATOR <=> (tokenset, tokenset) IS 'cosine distance, 1 - cosine_similarity';
