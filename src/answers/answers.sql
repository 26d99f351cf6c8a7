-- answers: what the owner of a table says of pairs of its rows
--
-- Answers on table s.t lie in s.t_answers: a plain table of t's owner, on which no other role gets a right. It is written by ordinary
-- statements of the caller, so that Postgres's rights decide, and read by guard and list as a constraint is read (src/answers/table.rs). It is
-- no part of the extension: DROP EXTENSION leaves it, and the owner's pg_dump has it.

CREATE FUNCTION neardup_internal.answers_name(target regclass) RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'answers_name_wrapper';

-- The columns of a table of answers. Columns of other types could run casts of another role where they are read.
CREATE FUNCTION neardup_internal.answer_columns() RETURNS TABLE (place bigint, name name, type regtype, required boolean)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.place, c.name, c.type, c.required
    FROM ROWS FROM (pg_catalog.unnest('{key,other,is_copy,note,act,role,at,document,hash,other_hash,asked,stratum,pairs,score,numbers}'::name[]),
                    pg_catalog.unnest('{text,text,boolean,text,text,name,timestamptz,name,bigint,bigint,timestamptz,text,float8,float8,float8[]}'::regtype[]),
                    pg_catalog.unnest('{t,t,f,f,t,t,t,t,t,t,f,f,f,f,f}'::boolean[])) WITH ORDINALITY c(name, type, required, place);
END;

CREATE FUNCTION neardup_internal.have_one_owner("table" regclass, other regclass) RETURNS boolean
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'have_one_owner_wrapper';

-- The table of answers, if it is one: what another role put under that name, a view that runs its functions for one, is not the owner's answer.
CREATE FUNCTION neardup_internal.trusted_answers(target regclass) RETURNS regclass
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT r.oid::regclass
    FROM pg_catalog.pg_class r
    WHERE r.oid = pg_catalog.to_regclass(neardup_internal.answers_name(target))::oid AND r.relkind = 'r'
          AND neardup_internal.have_one_owner(target, r.oid::regclass)
          AND NOT EXISTS (
              SELECT FROM neardup_internal.answer_columns() c
              WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_attribute a
                                WHERE a.attrelid = r.oid AND a.attname = c.name AND a.atttypid = c.type::oid AND NOT a.attisdropped));
END;

CREATE FUNCTION neardup_internal.answers_table(target regclass) RETURNS regclass
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found regclass := to_regclass(neardup_internal.answers_name(target));
BEGIN
    IF found IS DISTINCT FROM neardup_internal.trusted_answers(target) THEN
        RAISE EXCEPTION 'table % does not hold answers on %', found, target USING ERRCODE = 'wrong_object_type',
            DETAIL = 'That must be a table of the same owner, made by neardup.keep_answers.',
            -- A stranger may have made it, with triggers of their own.
            HINT = (SELECT format('Rename it. Only if it kept the answers before the owner of %s changed: ALTER TABLE %s OWNER TO %I;',
                                  target, found, pg_get_userbyid(c.relowner))
                    FROM pg_class c WHERE c.oid = target::oid);
    END IF;
    RETURN found;
END
$$;

-- The same for who only shows answers: NULL, too, for who may not read them.
CREATE FUNCTION neardup_internal.shown_answers(target regclass) RETURNS regclass
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (SELECT t.a FROM (SELECT neardup_internal.trusted_answers(target) AS a) t WHERE pg_catalog.has_table_privilege(t.a::oid, 'SELECT'));

-- Takes from other roles what the default privileges of a schema give them on a table that keeps something beside another one.
CREATE FUNCTION neardup_internal.revoke_all(relation regclass) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    grantee text;
BEGIN
    FOR grantee IN
        SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
        FROM pg_class r CROSS JOIN LATERAL aclexplode(r.relacl) a WHERE r.oid = relation::oid AND a.grantee <> r.relowner
    LOOP
        EXECUTE format('REVOKE ALL ON TABLE %s FROM %s', relation, grantee);
    END LOOP;
END
$$;

CREATE FUNCTION neardup_internal.check_plain(target regclass, relation regclass) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'check_plain_wrapper';

CREATE FUNCTION neardup.keep_answers(target regclass) RETURNS regclass
    LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    answers regclass := neardup_internal.answers_table(target);
    owner name := (SELECT pg_get_userbyid(c.relowner) FROM pg_class c WHERE c.oid = target::oid);
BEGIN
    IF answers IS NOT NULL THEN
        PERFORM neardup_internal.check_plain(target, answers);
        RETURN answers;
    ELSIF owner IS NULL THEN
        RAISE EXCEPTION 'table with OID % does not exist', target::oid USING ERRCODE = 'undefined_table';
    ELSIF NOT pg_has_role(owner, 'USAGE') THEN
        RAISE EXCEPTION 'must be owner of table % to keep answers on it', target USING ERRCODE = 'insufficient_privilege',
            HINT = format('Its owner creates the table for them: SELECT neardup.keep_answers(%L);', target);
    END IF;
    PERFORM neardup_internal.tell_renamed(target);
    BEGIN
        EXECUTE format('CREATE TABLE %s (%s)', neardup_internal.answers_name(target), (
            SELECT string_agg(concat(a.name, ' ', a.type, CASE WHEN a.required THEN ' NOT NULL' END), ', ' ORDER BY a.place)
            FROM neardup_internal.answer_columns() a));
    EXCEPTION WHEN unique_violation OR duplicate_table THEN
        -- Another session has just created it.
        RETURN neardup_internal.answers_table(target);
    WHEN duplicate_object THEN
        RAISE EXCEPTION 'a type has the name of the table of answers on %: %', target, neardup_internal.answers_name(target) USING ERRCODE = 'wrong_object_type',
            DETAIL = 'A table has a type of its own name.',
            HINT = format('Rename it: ALTER TYPE %s RENAME TO ...;', neardup_internal.answers_name(target));
    END;
    answers := neardup_internal.answers_name(target);
    EXECUTE format('CREATE INDEX ON %s (hash, other_hash)', answers);
    EXECUTE format('CREATE INDEX ON %s (other_hash)', answers);
    -- A guard asks these for each row that has a candidate, and the others only for one that it would name.
    EXECUTE format('CREATE INDEX ON %s (hash) WHERE is_copy', answers);
    EXECUTE format('CREATE INDEX ON %s (other_hash) WHERE is_copy', answers);
    -- What has passed on from a row is taken back when that is restored, and the rows of its group that were restored before are looked up. A key may be
    -- longer than a B-tree takes. All rows of a group have one key of a kept row: the chain of a hash index would be walked for each.
    EXECUTE format('CREATE INDEX ON %s USING hash (note) WHERE act = ''cleanup''', answers);
    EXECUTE format('CREATE INDEX ON %s (hashtext(other)) WHERE act = ''restore''', answers);
    -- Answers have no key. Without this, Postgres refuses to change them where a publication is for all tables.
    EXECUTE format('ALTER TABLE %s REPLICA IDENTITY FULL', answers);
    EXECUTE format('COMMENT ON TABLE %s IS %L', answers, format('which pairs of rows of %s are copies, as people have answered', target));
    EXECUTE format('ALTER TABLE %s OWNER TO %I', answers, owner);
    PERFORM neardup_internal.revoke_all(answers);
    RETURN answers;
END
$$;

CREATE FUNCTION neardup_internal.answered_rows(target regclass, document name) RETURNS text
    LANGUAGE c STABLE PARALLEL RESTRICTED COST 1000 AS 'MODULE_PATHNAME', 'answered_rows_wrapper';

CREATE FUNCTION neardup_internal.plain_keys(type oid, keys text[]) RETURNS text[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'plain_keys_wrapper';

CREATE FUNCTION neardup_internal.answered_document(target regclass, document name) RETURNS name
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT p.document FROM neardup.protected p
            WHERE p.target::oid = answered_document.target::oid
                  AND (answered_document.document IS NULL OR p.document = answered_document.document) LIMIT 1);

-- Answers about pairs of rows, in place of what was answered about them before: about the same texts or, of one text, about the same keys. Of pairs with the same two texts, one is kept.
-- Pairs of which a row does not exist are left out. A role that acts with the rights of another one, as guards note, does not replace what
-- neardup.answer was told, and nor does anybody with keeps_told; with keeps_answers, nothing is replaced. Of pairs with one text, those whose other row is in `large` are left out, too:
-- each row with that text looks at all answers about it. Returns how many were answered. The settings make the text of a key the same for every
-- session. The rows are joined one side after the other: in one join, the planner may begin with all pairs of them.
CREATE FUNCTION neardup_internal.answer_pairs(
    target regclass, document name, keys text[], others text[], is_copy boolean, note text, act text, role name DEFAULT CURRENT_USER,
    keeps_answers boolean DEFAULT false, keeps_told boolean DEFAULT false, large text[] DEFAULT '{}'
) RETURNS bigint
    LANGUAGE plpgsql VOLATILE
    SET search_path = pg_catalog, pg_temp SET jit = off
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    answers regclass := neardup.keep_answers(target);
    answered bigint;
BEGIN
    EXECUTE format(
        'WITH r AS MATERIALIZED (%1$s), '
        'k AS MATERIALIZED (SELECT r.key, r.hash, u.other FROM unnest($2, $3) u(key, other) JOIN r ON r.asked = u.key), '
        'p AS MATERIALIZED ( '
        '    SELECT DISTINCT ON (k.key, o.key) k.key, o.key AS other, k.hash, o.hash AS other_hash FROM k JOIN r o ON o.asked = k.other '
        '    WHERE k.key <> o.key AND (k.hash <> o.hash OR k.other <> ALL ($11)) AND ($9 OR NOT EXISTS ( '
        '        SELECT FROM ONLY %2$s a '
        '        WHERE (a.act = ''answer'' OR $10 AND a.act <> ''cleanup'') AND a.is_copy IS NOT NULL '
        '              AND (a.hash = k.hash AND a.other_hash = o.hash OR a.hash = o.hash AND a.other_hash = k.hash) '
        '              AND (k.hash <> o.hash OR a.key = k.key AND a.other = o.key OR a.key = o.key AND a.other = k.key)))), '
        't AS MATERIALIZED ( '
        '    SELECT DISTINCT ON (p.hash, p.other_hash, s.key, s.other) p.* '
        '    FROM p CROSS JOIN LATERAL (SELECT CASE p.hash WHEN p.other_hash THEN p.key END AS key, CASE p.hash WHEN p.other_hash THEN p.other END AS other) s '
        '    ORDER BY p.hash, p.other_hash, s.key, s.other, p.key, p.other), '
        -- What is known of the question is kept.
        'before AS ( '
        '    DELETE FROM ONLY %2$s a USING t '
        '    WHERE (a.hash = t.hash AND a.other_hash = t.other_hash OR a.hash = t.other_hash AND a.other_hash = t.hash) '
        '          AND (t.hash <> t.other_hash OR a.key = t.key AND a.other = t.other OR a.key = t.other AND a.other = t.key) '
        '    RETURNING t.key, t.other, a.asked, a.stratum, a.pairs, a.score, a.numbers), '
        'i AS ( '
        '    INSERT INTO %2$s (key, other, is_copy, note, act, role, at, document, hash, other_hash, asked, stratum, pairs, score, numbers) '
        '    SELECT DISTINCT ON (t.key, t.other) t.key, t.other, $4, $5, $6, $8, CASE $6 WHEN ''restore'' THEN now() ELSE clock_timestamp() END, $7, t.hash, t.other_hash, '
        '           b.asked, b.stratum, b.pairs, b.score, b.numbers '
        '    FROM t LEFT JOIN before b ON b.key = t.key AND b.other = t.other ORDER BY t.key, t.other, b.asked DESC NULLS LAST) '
        'SELECT count(*) FROM p',
        neardup_internal.answered_rows(target, document), answers)
        INTO answered
        USING (SELECT array_agg(DISTINCT k) FROM unnest(keys || others) k), keys, others, is_copy, note, act,
              neardup_internal.answered_document(target, document), role, NOT (keeps_answers OR keeps_told) AND pg_has_role(role, CURRENT_USER, 'USAGE'), keeps_answers, large;
    RETURN answered;
END
$$;

-- Keeps with answers, or open questions, what the verdict makes of the two texts: it is learned from when the texts are gone, too. Of rows that
-- have other texts by now, nothing is learned.
CREATE FUNCTION neardup_internal.measure_answers(target regclass, document name, about text DEFAULT NULL, most integer DEFAULT 1000) RETURNS void
    LANGUAGE plpgsql VOLATILE
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    answers regclass := neardup_internal.answers_table(target);
    keys text[];
BEGIN
    EXECUTE format('SELECT array_agg(DISTINCT k.key) FROM ONLY %s a CROSS JOIN LATERAL (VALUES (a.key), (a.other)) k(key) '
        -- What has passed from a row to another one is nobody's opinion, and what is noted of a restored row alone is about no pair.
        'WHERE a.numbers IS NULL AND a.act <> ''cleanup'' AND a.other_hash <> 0 AND a.document = $1 AND ($2 IS NULL OR a.key = $2 OR a.other = $2)', answers) INTO keys USING document, about;
    EXECUTE format(
        'WITH r AS MATERIALIZED (%2$s), '
        'o AS MATERIALIZED ( '
        '    SELECT x.ctid AS place, x.key, x.other FROM ONLY %1$s x JOIN r a ON a.asked = x.key AND a.hash = x.hash JOIN r b ON b.asked = x.other AND b.hash = x.other_hash '
        '    WHERE x.numbers IS NULL AND x.act <> ''cleanup'' AND x.document = $3 AND ($4 IS NULL OR x.key = $4 OR x.other = $4) ORDER BY x.at DESC, x.key, x.other LIMIT greatest($5, 0)), '
        'm AS MATERIALIZED (SELECT o.place, neardup_internal.measured($2, ARRAY[o.key], ARRAY[o.other]) AS numbers FROM o) '
        'UPDATE ONLY %1$s a SET numbers = m.numbers FROM m WHERE a.ctid = m.place AND m.numbers IS NOT NULL',
        answers, neardup_internal.answered_rows(target, document))
        USING keys, jsonb_build_object('target', target::oid::bigint, 'document', document), document, about, most;
END
$$;

-- What guards note, with the rights of the table's owner. A row that is let through is not stored yet.
CREATE FUNCTION neardup_internal.note_let_through(
    target regclass, document text, key text, other text, hash bigint, other_hash bigint, role text
) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('INSERT INTO %s (key, other, is_copy, act, role, at, document, hash, other_hash) '
        'VALUES ($1, $2, false, ''let_through'', $3, clock_timestamp(), $4, $5, $6)', neardup.keep_answers(target))
        USING key, other, role, document, hash, other_hash;
    RAISE NOTICE '(%) is let through and noted as no copy of (%)', key, other
        USING HINT = format('Withdraw that: SELECT neardup.withdraw(%L, %L, %L);', target, key, other);
END
$$;

CREATE FUNCTION neardup_internal.note_unmarked(target regclass, document text, key text, mark text, role text, is_shown boolean) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM neardup_internal.answer_pairs(target, document::name, ARRAY[key], ARRAY[mark], false, NULL, 'unmark', role::name);
    PERFORM neardup_internal.disinherit(target, document::name, ARRAY[key], ARRAY[mark]);
-- The UPDATE is the writer's, who has nothing to do with the owner's rights.
EXCEPTION WHEN insufficient_privilege OR wrong_object_type OR feature_not_supported OR data_exception OR duplicate_object OR object_not_in_prerequisite_state THEN
    IF is_shown THEN
        RAISE NOTICE 'it is not noted that (%) is no copy of (%)', key, mark USING DETAIL = SQLERRM;
    ELSE
        RAISE NOTICE 'it is not noted that a row is no copy of the one that its mark named';
    END IF;
END
$$;

-- Takes back what has passed from rows to those that a clean-up kept in their place, which may have other keys or other texts by now. Without the
-- log of the clean-up, the document is that of the table's guard.
CREATE FUNCTION neardup_internal.disinherit(target regclass, document name, keys text[], kept text[]) RETURNS void
    LANGUAGE plpgsql VOLATILE
    SET search_path = pg_catalog, pg_temp SET jit = off
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    answers regclass := neardup_internal.trusted_answers(target);
    guarded name := neardup_internal.answered_document(target, document);
BEGIN
    IF answers IS NOT NULL AND guarded IS NOT NULL THEN
        EXECUTE format('WITH r AS MATERIALIZED (%2$s) DELETE FROM ONLY %1$s a WHERE a.act = ''cleanup'' AND a.document = $2 AND a.note = ANY ($3) '
            'AND (a.key = ANY ($1) OR EXISTS (SELECT FROM r WHERE r.hash = a.hash))',
            answers, neardup_internal.answered_rows(target, guarded)) USING kept, guarded, keys;
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'rows that were kept in place of these stay apart from what these are no copies of' USING DETAIL = SQLERRM,
        HINT = format('The owner of %s withdraws that: SELECT neardup.withdraw(%L, act => ''cleanup'');', target, target);
END
$$;

CREATE FUNCTION neardup_internal.restored_hash(hash bigint, key text) RETURNS bigint
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'restored_hash_wrapper';

-- The document column of the guard that notes of a restore are about: that of the clean-up, or if it has no guard any more, that of the only guard.
CREATE FUNCTION neardup_internal.noting_document(target regclass, document name) RETURNS name
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT CASE WHEN pg_catalog.bool_or(p.document = noting_document.document) THEN noting_document.document
                        WHEN pg_catalog.count(*) = 1 THEN pg_catalog.max(p.document::text)::name END
            FROM neardup.protected p WHERE p.target::oid = noting_document.target::oid);

-- What restored rows are no copies of: the row that was kept in their place, and each other, or lists would name one as a copy of the other.
-- Those of the group that other batches or calls have brought back, and that still have their texts, belong to it. Of a large group only the first is
-- noted, and not of rows with the same text; and of rows of one text, only the first ones are noted as no copies of each other. What a person has said of two restored rows stays: nobody has said anything of these two now; and with keeps_told, what neardup.answer was
-- told of a restored row, because a whole run that is undone says little of each row. Otherwise, that the row is a copy is withdrawn.
--
-- Clean-ups leave a row in place that has a note of its own (src/cleanup/batch.rs), one for each guard of the table; for a guard that is made later, any
-- of them counts. Its hash is one of the row's text and key, without its title and the like, and its other hash is 0, which no text has: what is answered about two texts, by this row or by others that have them, does not replace it, and who asks about a text
-- does not read the notes of all rows with it. It has the key of the row that was kept.
--
-- Notes have the time of the transaction: a call of neardup.restore can be withdrawn by that of its first ones.
--
-- Returns of how many rows it is noted that they are no copies of those that were kept, how many were told to be, of how many only that
-- they were restored, of how many nothing, how many are of groups of more than `large` rows, why a guard notes nothing, and the key of one noted row.
CREATE FUNCTION neardup_internal.note_restored(
    target regclass, document name, keys text[], kept text[], keeps_told boolean, against regclass DEFAULT NULL,
    OUT noted bigint, OUT told bigint, OUT alone bigint, OUT unnoted bigint, OUT of_large bigint, OUT large integer, OUT failed text[], OUT first_noted text
)
    LANGUAGE plpgsql VOLATILE
    SET search_path = pg_catalog, pg_temp SET jit = off
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    guarded name := neardup_internal.noting_document(target, document);
    answers regclass := neardup_internal.trusted_answers(target);
    statement text;
    -- Kept rows in whose place so many rows were restored that their group is large.
    of_many text[] := '{}';
    -- How many rows of one text are noted as no copies of each other.
    most constant integer := 16;
    before text[];
    before_kept text[];
    before_hashes bigint[];
    firsts text[];
    seconds text[];
    other_guard name;
    -- Whether a guard has noted anything.
    has_noted boolean := false;
    restored constant bigint := cardinality(keys);
    all_keys constant text[] := ARRAY(SELECT k FROM unnest(keys) k UNION SELECT k FROM unnest(kept) k);
    found record;
BEGIN
    noted := 0;
    told := 0;
    alone := 0;
    unnoted := 0;
    of_large := 0;
    large := 100;
    failed := '{}';
    IF restored = 0 THEN
        RETURN;
    ELSIF NOT EXISTS (SELECT FROM neardup.protected p WHERE p.target::oid = note_restored.target::oid) THEN
        unnoted := restored;
        RETURN;
    END IF;
    -- A guard that its caller cannot use keeps no other one from noting. The loop says why.
    BEGIN
        IF guarded IS NOT NULL THEN
            statement := neardup_internal.answered_rows(target, guarded);
        END IF;
        IF guarded IS NOT NULL AND answers IS NOT NULL AND NOT keeps_told THEN
            EXECUTE format(
                'WITH r AS MATERIALIZED (%2$s) DELETE FROM ONLY %1$s a USING r '
                'WHERE a.act = ''answer'' AND a.is_copy AND (a.hash = r.hash OR a.other_hash = r.hash) AND (a.hash <> a.other_hash OR r.key IN (a.key, a.other))',
                answers, statement) USING keys;
        END IF;
        IF guarded IS NOT NULL AND against IS NULL THEN
            IF answers IS NOT NULL THEN
                -- A row has two of these notes at most. Those of a large group are not read.
                EXECUTE format(
                    'SELECT coalesce(array_agg(k.kept), ''{}'') FROM (SELECT DISTINCT u.kept FROM unnest($2) u(kept)) k '
                    'WHERE (SELECT count(*) FROM (SELECT FROM ONLY %1$s a WHERE hashtext(a.other) = hashtext(k.kept) AND a.other = k.kept AND a.act = ''restore'' '
                    '           AND a.note IS DISTINCT FROM ''restored as well'' AND a.document = $1 LIMIT 2 * $3 + 1) n) > 2 * $3', answers)
                    INTO of_many USING guarded, kept, large;
                EXECUTE format(
                    'SELECT array_agg(e.key), array_agg(e.other), array_agg(e.hash) FROM ( '
                    '    SELECT DISTINCT a.key, a.other, a.hash FROM ONLY %s a '
                    '    WHERE hashtext(a.other) = ANY ($5) AND a.act = ''restore'' AND a.note IS DISTINCT FROM ''restored as well'' AND a.document = $1 '
                    '          AND a.other = ANY ($2) AND a.key <> ALL ($3) AND a.key <> ALL ($4)) e', answers)
                    INTO before, before_kept, before_hashes
                    USING guarded, ARRAY(SELECT DISTINCT u.kept FROM unnest(kept) u(kept) WHERE u.kept <> ALL (of_many)), kept, keys,
                          ARRAY(SELECT DISTINCT hashtext(u.kept) FROM unnest(kept) u(kept) WHERE u.kept <> ALL (of_many));
            END IF;
            -- Of two texts, one pair is noted. All rows with a text read all answers about it, so few of them are paired with each other.
            EXECUTE format(
                'WITH r AS MATERIALIZED (%s), '
                'e AS ( '
                '    SELECT DISTINCT u.key, u.kept, u.hash IS NULL AS is_new, r.hash FROM unnest($1, $2, $3) u(key, kept, hash) JOIN r ON r.asked = u.key '
                '    WHERE u.hash IS NULL OR u.hash IN (r.hash, neardup_internal.restored_hash(r.text_hash, r.key))), '
                'n AS MATERIALIZED ( '
                '    SELECT e.*, row_number() OVER (PARTITION BY e.kept, e.hash ORDER BY e.is_new, e.key) AS nth, '
                '        count(*) OVER (PARTITION BY e.kept) > $4 OR e.kept = ANY ($5) AS is_of_large FROM e), '
                'p AS ( '
                '    SELECT a.key, b.key AS other FROM n a JOIN n b ON b.kept = a.kept AND (NOT b.is_new OR b.key > a.key) '
                '    WHERE a.is_new AND NOT a.is_of_large AND greatest(a.nth, b.nth) <= CASE a.hash WHEN b.hash THEN $6 ELSE 1 END) '
                'SELECT array_agg(p.key), array_agg(p.other), (SELECT count(*) FROM n WHERE n.is_of_large AND n.is_new), '
                '    ARRAY(SELECT DISTINCT n.kept FROM n WHERE n.is_of_large) FROM p', statement)
                INTO firsts, seconds, of_large, of_many USING keys || before, kept || before_kept, array_fill(NULL::bigint, ARRAY[restored::integer]) || before_hashes, large, of_many, most;
            noted := neardup_internal.answer_pairs(target, guarded, keys, kept, false, NULL, 'restore', keeps_told => keeps_told, large => of_many);
            IF keeps_told AND answers IS NOT NULL THEN
                -- The row that was kept may have another key by now.
                EXECUTE format(
                    'WITH r AS MATERIALIZED (%2$s) '
                    'SELECT count(DISTINCT r.key) FROM r WHERE EXISTS ('
                    '    SELECT FROM ONLY %1$s a WHERE a.act = ''answer'' AND a.is_copy '
                    '        AND (a.hash = r.hash AND a.key = r.key OR a.other_hash = r.hash AND a.other = r.key))',
                    answers, statement) INTO told USING keys;
            END IF;
            PERFORM neardup_internal.answer_pairs(target, guarded, firsts, seconds, false, 'restored as well', 'restore', keeps_answers => true);
        END IF;
    EXCEPTION WHEN insufficient_privilege OR wrong_object_type OR feature_not_supported OR data_exception THEN
        noted := 0;
        told := 0;
        of_large := 0;
    END;
    answers := neardup.keep_answers(target);
    FOR other_guard IN SELECT p.document FROM neardup.protected p WHERE p.target::oid = note_restored.target::oid ORDER BY p.document IS DISTINCT FROM guarded, p.document LOOP
        BEGIN
            EXECUTE format(
                'WITH r AS MATERIALIZED (%2$s), '
                'n AS MATERIALIZED ( '
                '    SELECT DISTINCT ON (r.key) r.key, neardup_internal.restored_hash(r.text_hash, r.key) AS own, u.kept '
                '    FROM unnest($5, $2) u(key, kept) JOIN r ON r.asked = u.key ORDER BY r.key, u.kept), '
                'c AS MATERIALIZED ( '
                '    SELECT n.*, $4 IS NULL AND $6 IS NOT NULL AND o.asked IS NOT NULL AS has_kept FROM n LEFT JOIN (SELECT DISTINCT r.asked FROM r) o ON o.asked = n.kept), '
                -- Found one by one by the hash: a join may begin with all notes, and so may a scan of the index on the other hash alone, which has
                -- all of them under 0. The sum keeps the condition out of an index.
                'b AS (DELETE FROM ONLY %1$s a WHERE a.ctid = ANY (ARRAY( '
                '    SELECT o.ctid FROM n CROSS JOIN LATERAL ( '
                '        SELECT x.ctid FROM ONLY %1$s x WHERE x.hash = n.own AND x.other_hash + 0 = 0 AND x.key = n.key AND x.document = $3 OFFSET 0) o))), '
                'i AS ( '
                '    INSERT INTO %1$s (key, other, is_copy, note, act, role, at, document, hash, other_hash) '
                '    SELECT c.key, concat_ws('' of '', c.kept, $4), false, ''no clean-up removes it'', ''restore'', CURRENT_USER, now(), $3, c.own, 0 '
                '    FROM c) '
                'SELECT count(*) AS rows, count(*) FILTER (WHERE NOT c.has_kept) AS alone, min(c.key) AS first_noted FROM c',
                answers, neardup_internal.answered_rows(target, other_guard)) INTO found USING all_keys, kept, other_guard, against::text, keys, guarded;
        EXCEPTION WHEN insufficient_privilege OR wrong_object_type OR feature_not_supported OR data_exception THEN
            failed := array_append(failed, format('%s: %s', other_guard, SQLERRM));
            CONTINUE;
        END;
        -- Where the guard of the clean-up is gone, any of the others counts.
        IF other_guard = guarded OR guarded IS NULL AND NOT has_noted THEN
            alone := found.alone;
            unnoted := greatest(restored - found.rows, 0);
        ELSIF guarded IS NULL THEN
            alone := greatest(alone, found.alone);
            unnoted := least(unnoted, greatest(restored - found.rows, 0));
        END IF;
        has_noted := true;
        first_noted := coalesce(first_noted, found.first_noted);
    END LOOP;
EXCEPTION WHEN insufficient_privilege OR wrong_object_type OR feature_not_supported OR data_exception THEN
    failed := ARRAY[SQLERRM];
    noted := 0;
    told := 0;
    alone := 0;
    unnoted := 0;
    of_large := 0;
END
$$;

-- The numbers by which rows are kept apart from others in a group, and those that they must not be with.
CREATE FUNCTION neardup_internal.kept_apart(target regclass, document name) RETURNS TABLE (key text, own bigint, other bigint)
    LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 100 AS 'MODULE_PATHNAME', 'kept_apart_wrapper';

CREATE FUNCTION neardup.answer(
    target regclass, key text, other text, is_copy boolean, note text DEFAULT NULL, document name DEFAULT NULL
) RETURNS void
    LANGUAGE plpgsql VOLATILE
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    missing text;
BEGIN
    IF num_nulls(target, key, other, is_copy) > 0 THEN
        RAISE EXCEPTION 'target, key, other and is_copy must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF neardup_internal.answer_pairs(target, document, ARRAY[key], ARRAY[other], is_copy, note, 'answer') = 0 THEN
        EXECUTE format('SELECT string_agg(u.key, '' and '') FROM unnest($1) u(key) WHERE NOT EXISTS (SELECT FROM (%s) r WHERE r.asked = u.key)',
            neardup_internal.answered_rows(target, document)) INTO missing USING ARRAY[key, other];
        RAISE EXCEPTION 'no answer about (%) and (%)', key, other USING ERRCODE = 'no_data_found',
            DETAIL = CASE WHEN missing IS NULL THEN 'They are the same row.'
                          ELSE format('Table %s has no row with a text and the key %s.', target, missing) END;
    END IF;
    PERFORM neardup_internal.measure_answers(target, neardup_internal.answered_document(target, document), key);
END
$$;

-- Withdraws answers by the keys that they were given for, whatever the texts are by now. What a restore has noted of a row alone is not about the row that was kept.
CREATE FUNCTION neardup.withdraw(
    target regclass, key text DEFAULT NULL, other text DEFAULT NULL, act text DEFAULT NULL, since timestamptz DEFAULT NULL
) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    answers regclass := neardup_internal.answers_table(target);
    withdrawn bigint := 0;
BEGIN
    IF num_nonnulls(key, act, since) = 0 THEN
        RAISE EXCEPTION 'neardup.withdraw requires a key, an act or a time' USING ERRCODE = 'null_value_not_allowed',
            HINT = format('SELECT neardup.withdraw(%L, ''17'', ''3''), or neardup.withdraw(%L, act => ''restore'').', target, target);
    END IF;
    IF answers IS NOT NULL THEN
        EXECUTE format('DELETE FROM ONLY %s a WHERE ($1 IS NULL OR a.key = $1 AND ($2 IS NULL OR a.other = $2) OR a.other = $1 AND ($2 IS NULL AND a.other_hash <> 0 OR a.key = $2)) '
            'AND ($3 IS NULL OR a.act = $3) AND ($4 IS NULL OR a.at >= $4)', answers) USING key, other, act, since;
        GET DIAGNOSTICS withdrawn = ROW_COUNT;
    END IF;
    RETURN withdrawn;
END
$$;

-- Whether the rows under both keys still have the texts that were answered about, or of a restored row without a kept one, that row. NULL if the guard
-- that the answer is about is gone.
CREATE FUNCTION neardup.answers(target regclass)
    RETURNS TABLE (key text, other text, is_copy boolean, note text, act text, role name, at timestamptz, document name, holds boolean)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
#variable_conflict use_column
DECLARE
    answers regclass := neardup_internal.answers_table(target);
    guarded name;
    keys text[];
BEGIN
    IF answers IS NULL THEN
        RETURN;
    END IF;
    FOR guarded IN EXECUTE format('SELECT DISTINCT a.document FROM ONLY %s a WHERE a.is_copy IS NOT NULL ORDER BY 1', answers) LOOP
        -- Of a guard that is gone, nobody knows what it compared.
        IF neardup_internal.answered_document(target, guarded) IS NULL THEN
            RETURN QUERY EXECUTE format(
                'SELECT a.key, a.other, a.is_copy, a.note, a.act, a.role, a.at, a.document, NULL::boolean FROM ONLY %s a '
                'WHERE a.document = $1 AND a.is_copy IS NOT NULL ORDER BY a.at, a.key, a.other', answers) USING guarded;
            CONTINUE;
        END IF;
        EXECUTE format('SELECT array_agg(DISTINCT k.key) FROM ONLY %s a CROSS JOIN LATERAL (VALUES (a.key), (a.other)) k(key) '
            'WHERE a.document = $1 AND a.is_copy IS NOT NULL', answers) INTO keys USING guarded;
        RETURN QUERY EXECUTE format(
            'WITH a AS (SELECT * FROM ONLY %1$s WHERE document = $2 AND is_copy IS NOT NULL), r AS MATERIALIZED (%2$s) '
            'SELECT a.key, a.other, a.is_copy, a.note, a.act, a.role, a.at, a.document, coalesce( '
            '    CASE a.other_hash WHEN 0 THEN neardup_internal.restored_hash(k.text_hash, k.key) = a.hash ELSE k.hash = a.hash AND o.hash = a.other_hash END, false) '
            'FROM a LEFT JOIN r k ON k.asked = a.key LEFT JOIN r o ON o.asked = a.other ORDER BY a.at, a.key, a.other',
            answers, neardup_internal.answered_rows(target, guarded))
            USING keys, guarded;
    END LOOP;
END
$$;

COMMENT ON FUNCTION neardup_internal.have_one_owner(regclass, regclass) IS 'whether two tables have the same owner at this moment';
COMMENT ON FUNCTION neardup_internal.check_plain(regclass, regclass) IS 'raises an error if a table beside another one, which must be of the same owner, may run code when a row is written there';
COMMENT ON FUNCTION neardup_internal.revoke_all(regclass) IS 'takes all rights on a table from roles other than its owner';
COMMENT ON FUNCTION neardup_internal.answers_name(regclass) IS 'the name of the table of answers beside a table';
COMMENT ON FUNCTION neardup_internal.answer_columns() IS 'the columns of a table of answers';
COMMENT ON FUNCTION neardup_internal.trusted_answers(regclass) IS 'the table of answers beside a table; NULL if there is none, or what has its name is not one of the same owner';
COMMENT ON FUNCTION neardup_internal.shown_answers(regclass) IS 'the same; NULL, too, for who may not read it';
COMMENT ON FUNCTION neardup_internal.answers_table(regclass) IS 'the table of answers beside a table; NULL if there is none';
COMMENT ON FUNCTION neardup_internal.answered_rows(regclass, name) IS 'SQL statement that reads the rows whose keys are $1, an array of text: the key as asked, the key as lists write it, the document, the title, the hash of what is compared, the hash of the document';
COMMENT ON FUNCTION neardup_internal.plain_keys(oid, text[]) IS 'the texts that are values of a type';
COMMENT ON FUNCTION neardup_internal.answered_document(regclass, name) IS 'the document column of the guard that answers are about';
COMMENT ON FUNCTION neardup_internal.measure_answers(regclass, name, text, integer) IS 'keeps with answers and questions what the verdict makes of the two texts';
COMMENT ON FUNCTION neardup_internal.note_let_through(regclass, text, text, text, bigint, bigint, text) IS 'notes that a row which is let through is no copy of another one';
COMMENT ON FUNCTION neardup_internal.note_unmarked(regclass, text, text, text, text, boolean) IS 'notes that a row whose mark was taken off is no copy of the row that the mark named';
COMMENT ON FUNCTION neardup_internal.restored_hash(bigint, text) IS 'the hash under which it is noted that a row was restored whose text has this hash, and that has this key';
COMMENT ON FUNCTION neardup_internal.note_restored(regclass, name, text[], text[], boolean, regclass) IS 'notes that restored rows are no copies of the rows that were kept in their place, and of each that it was restored, and returns the numbers, that of the rows of which nothing is noted, too, and why a guard notes nothing; with keeps_told, not of those that neardup.answer was told to be copies, whose number it returns, too';
COMMENT ON FUNCTION neardup_internal.noting_document(regclass, name) IS 'the document column of the guard that notes of a restore are about';
COMMENT ON FUNCTION neardup_internal.disinherit(regclass, name, text[], text[]) IS 'takes back the answers that have passed from rows to those that a clean-up kept in their place';
COMMENT ON FUNCTION neardup_internal.kept_apart(regclass, name) IS 'the numbers by which answers keep rows apart, by their keys: those of the row, each with one that it must not be with';
COMMENT ON FUNCTION neardup_internal.answer_pairs(regclass, name, text[], text[], boolean, text, text, name, boolean, boolean, text[]) IS 'answers whether pairs of rows are copies, in place of earlier answers about them, and returns their number';
COMMENT ON FUNCTION neardup.keep_answers(regclass) IS 'creates the table in which answers on the rows of a table are kept, posts_answers for posts: SELECT neardup.keep_answers(''posts''). An answer by the table''s owner does so itself';
COMMENT ON FUNCTION neardup.answer(regclass, text, text, boolean, text, name) IS 'says whether two rows are copies of each other, whatever their score; guard, lists and clean-ups follow it as long as both texts are what they are now: SELECT neardup.answer(''articles'', ''17'', ''3'', false, ''another edition'')';
COMMENT ON FUNCTION neardup.withdraw(regclass, text, text, text, timestamptz) IS 'withdraws answers, and returns their number: those about a row, or about two rows, of an act (answer, restore, let_through, unmark, cleanup), since a time: SELECT neardup.withdraw(''articles'', ''17'', ''3'')';
COMMENT ON FUNCTION neardup.answers(regclass) IS 'the answers on the rows of a table: both keys, whether they are copies, note, the act that answered (answer, restore, let_through, unmark, cleanup), by whom and when, and whether the rows under both keys still have the texts that were answered about, NULL if no guard reads these any more: SELECT * FROM neardup.answers(''articles'')';
