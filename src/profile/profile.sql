-- profiles: the table. A name belongs to one role. A version never changes, and its number is never reused.

CREATE TABLE neardup_internal.profile_names (
    name text PRIMARY KEY CHECK (name ~ '^[^@\s]+$'),
    role name NOT NULL DEFAULT CURRENT_USER,
    UNIQUE (name, role)
);

CREATE TABLE neardup_internal.profile_versions (
    version integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    role name NOT NULL,
    analyzer text NOT NULL,
    words text[] NOT NULL,
    -- The format is defined in the core's profile/statistics.rs.
    statistics bytea,
    documents bigint NOT NULL GENERATED ALWAYS AS (
        coalesce(pg_catalog.get_byte(statistics, 8) + 256::bigint * pg_catalog.get_byte(statistics, 9)
                 + 65536::bigint * pg_catalog.get_byte(statistics, 10) + 16777216::bigint * pg_catalog.get_byte(statistics, 11)
                 + 4294967296 * pg_catalog.get_byte(statistics, 12), 0)
    ) STORED,
    made timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    FOREIGN KEY (name, role) REFERENCES neardup_internal.profile_names (name, role)
);
CREATE INDEX ON neardup_internal.profile_versions (name, version);
-- Statistics do not compress.
ALTER TABLE neardup_internal.profile_versions ALTER COLUMN statistics SET STORAGE EXTERNAL;

SELECT pg_catalog.pg_extension_config_dump('neardup_internal.profile_names', '');
SELECT pg_catalog.pg_extension_config_dump('neardup_internal.profile_versions', '');
SELECT pg_catalog.pg_extension_config_dump('neardup_internal.profile_versions_version_seq', '');
GRANT SELECT, INSERT ON neardup_internal.profile_names, neardup_internal.profile_versions TO pg_database_owner;
GRANT SELECT, UPDATE ON neardup_internal.profile_versions_version_seq TO pg_database_owner;

-- Everybody may make profiles, and sees and uses those of roles they are members of. No role may change one.
CREATE VIEW neardup.profile_names WITH (security_barrier) AS
SELECT n.name, n.role FROM neardup_internal.profile_names n WHERE neardup_internal.is_member(n.role)
WITH CHECK OPTION;
CREATE VIEW neardup.profile_versions WITH (security_barrier) AS
SELECT v.version, v.name, v.role, v.analyzer, v.words, v.statistics, v.documents, v.made
FROM neardup_internal.profile_versions v WHERE neardup_internal.is_member(v.role)
WITH CHECK OPTION;
GRANT SELECT, DELETE ON neardup.profile_names, neardup.profile_versions TO public;
GRANT INSERT (name) ON neardup.profile_names TO public;
GRANT INSERT (name, role, analyzer, words, statistics) ON neardup.profile_versions TO public;

-- profiles: the list

CREATE VIEW neardup.profiles WITH (security_barrier) AS
SELECT v.name, v.version, v.analyzer, v.words, v.documents,
       (SELECT pg_catalog.array_agg(p.target ORDER BY p.target::text) FROM neardup.protected p
        WHERE p.verify = 'profile:' || v.name || '@' || v.version::text) AS guards,
       v.made, v.role
FROM neardup.profile_versions v;

GRANT SELECT ON neardup.profiles TO public;

-- profiles: create, train, drop

CREATE FUNCTION neardup_internal.profile_words(analyzer text, words text[]) RETURNS text[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'profile_words_wrapper';

CREATE FUNCTION neardup.create_profile(
    name text,
    analyzer text DEFAULT '{"tokenizer": "jieba", "stop_words": "chinese"}',
    words text[] DEFAULT '{}'
) RETURNS integer
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    kept text[] := neardup_internal.profile_words(analyzer, words);
    owner name;
    made integer;
BEGIN
    PERFORM neardup_internal.check_path();
    IF name IS NULL OR name !~ '^[^@\s]+$' THEN
        RAISE EXCEPTION 'invalid name of a profile: "%"', name USING ERRCODE = 'invalid_name',
            HINT = 'A name has at least one character, and neither white space nor "@".';
    END IF;
    IF kept IS NULL THEN
        RAISE EXCEPTION 'analyzer and words must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    SELECT n.role INTO owner FROM neardup.profile_names n WHERE n.name = create_profile.name;
    IF NOT FOUND THEN
        INSERT INTO neardup.profile_names AS n (name) VALUES (name) ON CONFLICT DO NOTHING RETURNING n.role INTO owner;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'profile "%" belongs to another role', name USING ERRCODE = 'insufficient_privilege';
        END IF;
    END IF;
    INSERT INTO neardup.profile_versions AS v (name, role, analyzer, words)
    VALUES (name, owner, @extschema@.analyzer_info(analyzer)::text, kept)
    RETURNING v.version INTO made;
    RETURN made;
END
$$;

CREATE FUNCTION neardup_internal.train_transition(internal, document text, profile text, keep integer) RETURNS internal
    LANGUAGE c STABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'train_transition_wrapper';
CREATE FUNCTION neardup_internal.train_final(internal) RETURNS bytea
    LANGUAGE c STABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'train_final_wrapper';
CREATE AGGREGATE neardup_internal.train_statistics(document text, profile text, keep integer) (
    SFUNC = neardup_internal.train_transition, STYPE = internal, FINALFUNC = neardup_internal.train_final, PARALLEL = SAFE
);

CREATE PROCEDURE neardup.train_profile(
    name text, query text, keep integer DEFAULT 100000, INOUT version integer DEFAULT NULL
)
    LANGUAGE plpgsql AS $$
DECLARE
    newest neardup.profile_versions;
    trained bytea;
BEGIN
    PERFORM neardup_internal.check_path();
    IF query IS NULL OR keep IS NULL THEN
        RAISE EXCEPTION 'query and keep must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    SELECT * INTO newest FROM neardup.profile_versions v WHERE v.name = train_profile.name ORDER BY v.version DESC LIMIT 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'profile "%" does not exist', name USING ERRCODE = 'undefined_object',
            HINT = pg_catalog.format('Create it first: SELECT neardup.create_profile(%L);', name);
    END IF;
    EXECUTE pg_catalog.format(
        E'SELECT neardup_internal.train_statistics(d.document::text, $1, $2) FROM (%s\n) d(document)',
        pg_catalog.rtrim(query, E'; \n\r\t')) INTO trained USING name || '@' || newest.version::text, keep;
    IF trained IS NULL THEN
        RAISE EXCEPTION 'the query returned no document with a token' USING ERRCODE = 'no_data_found';
    END IF;
    INSERT INTO neardup.profile_versions AS v (name, role, analyzer, words, statistics)
    VALUES (name, newest.role, newest.analyzer, newest.words, trained)
    RETURNING v.version INTO train_profile.version;
END
$$;

CREATE FUNCTION neardup.drop_profile(name text, version integer DEFAULT NULL) RETURNS void
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    used record;
BEGIN
    PERFORM neardup_internal.check_path();
    SELECT v.version, v.guards[1] AS target INTO used FROM neardup.profiles v
    WHERE v.name = drop_profile.name AND (drop_profile.version IS NULL OR v.version = drop_profile.version) AND v.guards IS NOT NULL
    ORDER BY v.version LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'version % of profile "%" is used by the guard of %', used.version, name, used.target
            USING ERRCODE = 'dependent_objects_still_exist', HINT = 'Remove the guard first: neardup.unprotect.';
    END IF;
    DELETE FROM neardup.profile_versions v
    WHERE v.name = drop_profile.name AND (drop_profile.version IS NULL OR v.version = drop_profile.version);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'profile "%"%', name, CASE WHEN version IS NULL THEN ' does not exist' ELSE ' has no version ' || version::text END
            USING ERRCODE = 'undefined_object';
    END IF;
    DELETE FROM neardup.profile_names n
    WHERE n.name = drop_profile.name AND NOT EXISTS (SELECT FROM neardup.profile_versions v WHERE v.name = n.name);
END
$$;

CREATE FUNCTION neardup.pinned_analyzer(analyzer text) RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pinned_analyzer_wrapper';

-- profiles: use

CREATE FUNCTION neardup.profile_tokens(document text, profile text) RETURNS text[]
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'profile_tokens_wrapper';
CREATE FUNCTION neardup.profile_keywords(document text, profile text, n integer DEFAULT 10, method text DEFAULT 'tfidf')
    RETURNS TABLE (token text, weight double precision)
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 20000 ROWS 10 AS 'MODULE_PATHNAME', 'profile_keywords_wrapper';
CREATE FUNCTION neardup.profile_simhash(document text, profile text, weighting text DEFAULT 'count', bits integer DEFAULT 64)
    RETURNS @extschema@.simhash
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'profile_simhash_wrapper';

CREATE FUNCTION neardup.analyzer_simhash(document text, analyzer text) RETURNS @extschema@.simhash
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'analyzer_simhash_wrapper';

CREATE FUNCTION neardup.p_simhash(
    document text, profile text, words integer DEFAULT 20, mu double precision DEFAULT 1.5, bits integer DEFAULT 64
) RETURNS @extschema@.simhash
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'profile_p_simhash_wrapper';
CREATE FUNCTION neardup.p_simhash(
    tokens text[], profile text, words integer DEFAULT 20, mu double precision DEFAULT 1.5, bits integer DEFAULT 64
) RETURNS @extschema@.simhash
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'profile_p_simhash_tokens_wrapper';
CREATE FUNCTION neardup.e_simhash(document text, profile text, bits integer DEFAULT 64) RETURNS @extschema@.simhash
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'profile_e_simhash_wrapper';
CREATE FUNCTION neardup.e_simhash(tokens text[], profile text, bits integer DEFAULT 64) RETURNS @extschema@.simhash
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'profile_e_simhash_tokens_wrapper';

-- profiles: verdicts without the collection's boilerplate

CREATE FUNCTION neardup.profile_boilerplate(document text, profile text) RETURNS text[]
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'profile_boilerplate_wrapper';
CREATE FUNCTION neardup.profile_same_message(
    a text, b text, profile text, OUT verdict text, OUT score double precision, OUT reasons text[]
)
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 40000 AS 'MODULE_PATHNAME', 'profile_same_message_wrapper';
CREATE FUNCTION neardup.profile_same_message(
    title_a text, a text, title_b text, b text, profile text, OUT verdict text, OUT score double precision, OUT reasons text[]
)
    LANGUAGE c STABLE PARALLEL SAFE COST 40000 AS 'MODULE_PATHNAME', 'profile_same_message_titled_wrapper';
CREATE FUNCTION neardup.profile_explain_similarity(a text, b text, profile text)
    RETURNS TABLE (section text, item text, in_a text, in_b text, value double precision)
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 70000 ROWS 50 AS 'MODULE_PATHNAME', 'profile_explain_similarity_wrapper';
CREATE FUNCTION neardup.profile_explain_similarity_text(a text, b text, profile text) RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 70000 AS 'MODULE_PATHNAME', 'profile_explain_similarity_text_wrapper';

-- P-Simhash without a profile: jieba's own table says how rare words are

CREATE FUNCTION p_simhash(
    document text, analyzer text DEFAULT '{"tokenizer": "jieba", "stop_words": "chinese"}',
    words integer DEFAULT 20, mu double precision DEFAULT 1.5, bits integer DEFAULT 64
) RETURNS simhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'p_simhash_document_wrapper';
CREATE FUNCTION p_simhash(
    tokens text[], words integer DEFAULT 20, mu double precision DEFAULT 1.5, bits integer DEFAULT 64
) RETURNS simhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'p_simhash_tokens_wrapper';

-- profiles: comments

COMMENT ON TABLE neardup_internal.profile_names IS 'behind neardup.profile_names: the names of all roles';
COMMENT ON TABLE neardup_internal.profile_versions IS 'behind neardup.profile_versions: the versions of all roles';
COMMENT ON VIEW neardup.profile_names IS 'names of profiles, each with the role that owns it';
COMMENT ON VIEW neardup.profile_versions IS 'versions of profiles: analyzer, house words, trained statistics; never changed, and kept until dropped';
COMMENT ON VIEW neardup.profiles IS 'profiles of the roles that the current user is a member of: analyzer, house words, documents trained on, and the tables whose guards use the version';
COMMENT ON FUNCTION neardup_internal.profile_words(text, text[]) IS 'checks house words against an analyzer, and gives them in the form in which a profile stores them';
COMMENT ON FUNCTION neardup.create_profile(text, text, text[]) IS 'creates a new version of a profile from an analyzer and house words (lines of a jieba user dictionary: word, frequency, tag), and returns its number';
COMMENT ON FUNCTION neardup_internal.train_transition(internal, text, text, integer) IS 'transition function of neardup_internal.train_statistics';
COMMENT ON FUNCTION neardup_internal.train_final(internal) IS 'final function of neardup_internal.train_statistics';
COMMENT ON AGGREGATE neardup_internal.train_statistics(text, text, integer) IS 'statistics of a collection under a profile, for the words that occur in most documents; implements neardup.train_profile';
COMMENT ON PROCEDURE neardup.train_profile(text, text, integer, integer) IS 'creates a new version of a profile with document frequencies, word co-occurrence and neighbour entropy of the documents that a query returns; keeps the keep words that occur in most documents';
COMMENT ON FUNCTION neardup.drop_profile(text, integer) IS 'drops a version of a profile, or all of them, unless a guard uses it';
COMMENT ON FUNCTION neardup.pinned_analyzer(text) IS 'profile:name@version, with the newest version, for an analyzer profile:name; other analyzers unchanged';
COMMENT ON FUNCTION neardup.profile_tokens(text, text) IS 'the tokens of a document under a profile (name, or name@version), in text order';
COMMENT ON FUNCTION neardup.profile_keywords(text, text, integer, text) IS 'the n (0 to 10000) heaviest words of a document under a profile, with their weights; tfidf by the profile''s document frequencies, or by jieba''s table if the profile is not trained';
COMMENT ON FUNCTION neardup.profile_simhash(text, text, text, integer) IS 'SimHash of a document under a profile; weighting none, count, tf, tfidf (by the profile''s document frequencies) or textrank';
COMMENT ON FUNCTION neardup.analyzer_simhash(text, text) IS 'SimHash of a document under an analyzer, or under a profile given as profile:name or profile:name@version; a guard signs rows with it';
COMMENT ON FUNCTION neardup.p_simhash(text, text, integer, double precision, integer) IS 'P-Simhash of a document under a profile: the heaviest words (1 to 256), mu (0 to 10) as the weight of a word''s own hash against that of its positions, bits 1 to 64';
COMMENT ON FUNCTION neardup.p_simhash(text[], text, integer, double precision, integer) IS 'P-Simhash of tokens from any other segmenter under a profile; words 1 to 256, mu 0 to 10, bits 1 to 64';
COMMENT ON FUNCTION neardup.e_simhash(text, text, integer) IS 'E-Simhash of a document under a trained profile: a word weighs more the more varied its neighbours are';
COMMENT ON FUNCTION neardup.e_simhash(text[], text, integer) IS 'E-Simhash of tokens from any other segmenter under a trained profile';
COMMENT ON FUNCTION neardup.profile_boilerplate(text, text) IS 'the sentences of a document that occur in at least one in 1,000 of the documents a profile was trained on, and in at least 20';
COMMENT ON FUNCTION neardup.profile_same_message(text, text, text) IS 'same_message by a trained profile: ignores the collection''s boilerplate where both texts have it';
COMMENT ON FUNCTION neardup.profile_same_message(text, text, text, text, text) IS 'neardup.profile_same_message for two texts with titles: title and text of the one, title and text of the other; a NULL title counts as none';
COMMENT ON FUNCTION neardup.profile_explain_similarity(text, text, text) IS 'explain_similarity by a trained profile: its tokens, and the boilerplate of both texts that was ignored';
COMMENT ON FUNCTION neardup.profile_explain_similarity_text(text, text, text) IS 'the rows of neardup.profile_explain_similarity as readable text';
COMMENT ON FUNCTION p_simhash(text, text, integer, double precision, integer) IS 'P-Simhash of a document by jieba''s own table of inverse document frequencies: the heaviest words (1 to 256), mu (0 to 10) as the weight of a word''s own hash against that of its positions, bits 1 to 64';
COMMENT ON FUNCTION p_simhash(text[], integer, double precision, integer) IS 'P-Simhash of tokens from any other segmenter, by jieba''s own table of inverse document frequencies; words 1 to 256, mu 0 to 10, bits 1 to 64';
