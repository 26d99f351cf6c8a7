CREATE FUNCTION text_digest(document text, steps text[] DEFAULT '{control,nfkc,casefold,punctuation,space}') RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'text_digest_wrapper';
COMMENT ON FUNCTION text_digest(text, text[]) IS '128-bit digest of a document after normalisation steps (none: ''{}''), for a unique index: equal documents have equal digests, different ones practically never: CREATE UNIQUE INDEX ON articles (text_digest(body))';
