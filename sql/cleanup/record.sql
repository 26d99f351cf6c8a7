-- clean-up: the record of rows that were removed or skipped, and of references that were moved

CREATE TABLE neardup.runs (
    run_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    target regclass NOT NULL,
    document name NOT NULL,
    action text NOT NULL,
    mark name,
    keep text NOT NULL,
    verify text NOT NULL,
    threshold double precision,
    removed bigint NOT NULL DEFAULT 0,
    skipped bigint NOT NULL DEFAULT 0,
    repointed bigint NOT NULL DEFAULT 0,
    restored bigint NOT NULL DEFAULT 0,
    started timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    finished timestamptz,
    role name NOT NULL DEFAULT CURRENT_USER,
    columns name[],
    against regclass
);

-- A row is stored as the text of its record, which restores every value of every type exactly. `columns` is NULL if they are those that
-- the table had when the run began, because each name takes 64 bytes. There is no foreign key to the run, because checking it for each
-- row took half of the time of a clean-up; only neardup.purge deletes runs, after their rows.
CREATE TABLE neardup.removed (
    run_id bigint NOT NULL,
    batch integer NOT NULL,
    key text NOT NULL,
    duplicate_of text NOT NULL,
    verdict text,
    measure text NOT NULL,
    value double precision NOT NULL,
    columns name[],
    record text,
    role name NOT NULL DEFAULT CURRENT_USER
);
CREATE INDEX ON neardup.removed (run_id, batch);

CREATE TABLE neardup.skipped (
    run_id bigint NOT NULL,
    key text NOT NULL,
    duplicate_of text NOT NULL,
    reason text NOT NULL,
    role name NOT NULL DEFAULT CURRENT_USER
);
CREATE INDEX ON neardup.skipped (run_id);

-- A row of another table is identified by its primary key or, if there is none, by the text of its whole record.
CREATE TABLE neardup.repointed (
    run_id bigint NOT NULL,
    batch integer NOT NULL,
    source regclass NOT NULL,
    columns name[] NOT NULL,
    target_columns name[] NOT NULL,
    key_columns name[],
    key text[] NOT NULL,
    old_values text[] NOT NULL,
    new_values text[] NOT NULL,
    role name NOT NULL DEFAULT CURRENT_USER
);
CREATE INDEX ON neardup.repointed (run_id, batch);

SELECT pg_catalog.pg_extension_config_dump('neardup.runs', '');
SELECT pg_catalog.pg_extension_config_dump('neardup.removed', '');
SELECT pg_catalog.pg_extension_config_dump('neardup.skipped', '');
SELECT pg_catalog.pg_extension_config_dump('neardup.repointed', '');
SELECT pg_catalog.pg_extension_config_dump('neardup.runs_run_id_seq', '');

-- A role that cleans a table records it here, and sees only what its roles removed.
GRANT SELECT, INSERT, UPDATE, DELETE ON neardup.runs TO public;
GRANT SELECT, INSERT, DELETE ON neardup.removed, neardup.skipped, neardup.repointed TO public;
ALTER TABLE neardup.runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE neardup.removed ENABLE ROW LEVEL SECURITY;
ALTER TABLE neardup.skipped ENABLE ROW LEVEL SECURITY;
ALTER TABLE neardup.repointed ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON neardup.runs USING (pg_catalog.pg_has_role(role, 'USAGE'));
CREATE POLICY own ON neardup.removed USING (
    pg_catalog.pg_has_role(role, 'USAGE') AND EXISTS (SELECT FROM neardup.runs r WHERE r.run_id = removed.run_id)
);
CREATE POLICY own ON neardup.skipped USING (
    pg_catalog.pg_has_role(role, 'USAGE') AND EXISTS (SELECT FROM neardup.runs r WHERE r.run_id = skipped.run_id)
);
CREATE POLICY own ON neardup.repointed USING (
    pg_catalog.pg_has_role(role, 'USAGE') AND EXISTS (SELECT FROM neardup.runs r WHERE r.run_id = repointed.run_id)
);

-- clean-up: pieces of statements; in the pattern, %1$I is the name and %2$s its position

CREATE FUNCTION neardup_internal.each(pattern text, names name[], separator text DEFAULT ', ') RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.string_agg(pg_catalog.format(pattern, n.name, n.place), separator ORDER BY n.place)
        FROM pg_catalog.unnest(names) WITH ORDINALITY n(name, place)
    );

CREATE FUNCTION neardup_internal.column_names(target regclass) RETURNS name[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.array_agg(a.attname ORDER BY a.attnum) FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = target AND a.attnum > 0 AND NOT a.attisdropped
    );

-- clean-up: the operator that compares values of a column, whatever the search path: that of the default operator class of their type.
-- Types without their own (enums, arrays, rows, ranges, varchar) use Postgres's. If it is for exactly this type and in pg_catalog, its
-- bare name is safe: no operator matches better, and pg_catalog comes first. Strategies are those of a B-tree: 3 is equality.

CREATE FUNCTION neardup_internal.comparison(relation oid, name name, strategy integer DEFAULT 3) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        WITH RECURSIVE kind AS (
            SELECT a.atttypid AS type, false AS is_base FROM pg_catalog.pg_attribute a WHERE a.attrelid = relation AND a.attname = name
            UNION ALL SELECT t.typbasetype, true FROM kind k JOIN pg_catalog.pg_type t ON t.oid = k.type WHERE t.typtype = 'd'
        ), own AS (
            SELECT CASE WHEN n.nspname = 'pg_catalog' AND NOT k.is_base THEN o.oprname::text
                        ELSE pg_catalog.format('OPERATOR(%I.%s)', n.nspname, o.oprname) END AS operator
            FROM kind k
                 JOIN pg_catalog.pg_opclass c ON c.opcintype = k.type AND c.opcdefault
                 JOIN pg_catalog.pg_am m ON m.oid = c.opcmethod
                 JOIN pg_catalog.pg_amop p ON p.amopfamily = c.opcfamily AND p.amoplefttype = c.opcintype AND p.amoprighttype = c.opcintype
                 JOIN pg_catalog.pg_operator o ON o.oid = p.amopopr
                 JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace
            WHERE (m.amname = 'btree' AND p.amopstrategy = strategy) OR (m.amname = 'hash' AND p.amopstrategy = 1 AND strategy = 3)
            ORDER BY m.amname LIMIT 1
        )
        SELECT coalesce(pg_catalog.max(w.operator), pg_catalog.format('OPERATOR(pg_catalog.%s)', ('{<,<=,=,>=,>}'::text[])[strategy])) FROM own w
    );

-- Patterns as above, for the left and the right side.
CREATE FUNCTION neardup_internal.equal(relation oid, names name[], a text, b text) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.string_agg(pg_catalog.concat_ws(' ', pg_catalog.format(a, n.name, n.place),
                   neardup_internal.comparison(relation, n.name), pg_catalog.format(b, n.name, n.place)), ' AND ' ORDER BY n.place)
        FROM pg_catalog.unnest(names) WITH ORDINALITY n(name, place)
    );

-- clean-up: a column's type; raises an error if the column does not exist

CREATE FUNCTION neardup_internal.column_type(target regclass, name name) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    type text;
BEGIN
    SELECT pg_catalog.format_type(a.atttypid, a.atttypmod) INTO type FROM pg_catalog.pg_attribute a
    WHERE a.attrelid = target::oid AND a.attname = name AND a.attnum > 0 AND NOT a.attisdropped;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', name, target USING ERRCODE = 'undefined_column';
    END IF;
    RETURN type;
END
$$;

-- clean-up: the same as a qualified name, for SQL that runs under any search_path

CREATE FUNCTION neardup_internal.cast_type(target regclass, name name) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.format('%I.%I', n.nspname, t.typname) FROM pg_catalog.pg_attribute a
            JOIN pg_catalog.pg_type t ON t.oid = a.atttypid JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
        WHERE a.attrelid = target AND a.attname = name AND a.attnum > 0 AND NOT a.attisdropped
    );

CREATE FUNCTION neardup_internal.row_type(target regclass) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.format('%I.%I', n.nspname, t.typname) FROM pg_catalog.pg_class c
            JOIN pg_catalog.pg_type t ON t.oid = c.reltype JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
        WHERE c.oid = target
    );

-- clean-up: a row's document as the guard forms it, its hash, and its beginning

CREATE FUNCTION neardup_internal.document_of(guarded neardup.protected, alias text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN neardup_internal.document_expression(guarded.target, guarded.columns, guarded.expression, alias);

CREATE FUNCTION neardup_internal.same_type(a regclass, b regclass, name name) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN EXISTS (
        SELECT FROM pg_catalog.pg_attribute x JOIN pg_catalog.pg_attribute y ON y.atttypid = x.atttypid AND y.attcollation = x.attcollation
        WHERE x.attrelid = a AND x.attname = name AND y.attrelid = b AND y.attname = name
    );

-- The document of a row of another table, from the columns of these names; a function gets a row with those that have the same type.
CREATE FUNCTION neardup_internal.document_in(guarded neardup.protected, relation regclass, alias text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN guarded.expression IS NULL OR relation::oid = guarded.target::oid THEN neardup_internal.document_of(guarded, alias)
                ELSE pg_catalog.format('%s(CAST(ROW(%s) AS %s))', guarded.expression,
                    (SELECT pg_catalog.string_agg(CASE WHEN neardup_internal.same_type(guarded.target, relation, n.name)
                        THEN pg_catalog.format('%s.%I', alias, n.name) ELSE 'NULL' END, ', ' ORDER BY n.place)
                     FROM pg_catalog.unnest(neardup_internal.column_names(guarded.target)) WITH ORDINALITY n(name, place)),
                    neardup_internal.row_type(guarded.target)) END;

CREATE FUNCTION neardup_internal.document_hash(guarded neardup.protected, relation regclass, alias text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN pg_catalog.format('neardup_internal.text_hash(%s)', neardup_internal.document_in(guarded, relation, alias));

CREATE FUNCTION neardup_internal.beginning(document text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN pg_catalog.length(l.line) > 40 THEN pg_catalog.left(l.line, 40) || '…' ELSE l.line END
    FROM (SELECT pg_catalog.btrim(pg_catalog.regexp_replace(pg_catalog.left(document, 400), '\s+', ' ', 'g')) AS line) l;
END;
