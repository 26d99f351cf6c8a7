-- Signatures are defined over UTF-8 text; in another encoding, the same article would have another signature.
DO $$
BEGIN
    IF pg_catalog.getdatabaseencoding() <> 'UTF8' THEN
        RAISE EXCEPTION 'pg_neardup requires a database with encoding UTF8, not %', pg_catalog.getdatabaseencoding()
            USING ERRCODE = 'feature_not_supported',
                  HINT = 'Create such a database: CREATE DATABASE name ENCODING ''UTF8'' TEMPLATE template0.';
    END IF;
END
$$;

CREATE SCHEMA neardup;
COMMENT ON SCHEMA neardup IS 'pg_neardup: guard tables against near-duplicates and clean them up';
GRANT USAGE ON SCHEMA neardup TO public;

CREATE SCHEMA neardup_internal;
COMMENT ON SCHEMA neardup_internal IS 'pg_neardup: internal functions, which may change with any version';
GRANT USAGE ON SCHEMA neardup_internal TO public;

CREATE TYPE simhash;
CREATE TYPE minhash;
CREATE TYPE tokenset;
CREATE TYPE bloom_filter;
CREATE TYPE hamming_ball;
