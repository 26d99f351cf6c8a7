-- What an upgraded database lacks beside a fresh one: `compared.fresh` and `compared.upgraded` are snapshots of both (snapshot.sql).
CREATE VIEW compared.both AS
SELECT object, aspect, f.object IS NOT NULL AS is_fresh, u.object IS NOT NULL AS is_upgraded, f.value AS new, u.value AS old,
       coalesce(f.part, u.part) AS part, f.addition, f.change, u.removal, coalesce(f.position, u.position) AS position
FROM compared.fresh f FULL JOIN compared.upgraded u USING (object, aspect)
WHERE f.object IS NULL OR u.object IS NULL OR f.value IS DISTINCT FROM u.value;

-- A line or more for each difference.
CREATE VIEW compared.differences AS
SELECT format(E'%s, %s\n  upgraded: %s\n  fresh:    %s', object, aspect, CASE WHEN is_upgraded THEN coalesce(old, 'NULL') ELSE '(is not there)' END,
              CASE WHEN is_fresh THEN coalesce(new, 'NULL') ELSE '(is not there)' END) AS difference
FROM compared.both ORDER BY object, aspect;

-- The statements that make the upgraded database like the fresh one, in an order that can be executed, each after what it may refer to.
-- `at_extschema` stands for `@extschema@`.
CREATE VIEW compared.draft AS
WITH step AS (
    -- What is new or otherwise; parts of what is new as a whole come with it.
    SELECT position::float8 AS a, CASE WHEN aspect = ' shell' THEN 0 WHEN aspect = 'definition' THEN 2 WHEN part THEN 1 ELSE 3 END AS b, position AS c,
           coalesce(CASE WHEN is_upgraded THEN change ELSE addition END,
                    format(E'-- BY HAND: %s, %s\n--   was:  %s\n--   is:   %s', object, aspect, replace(coalesce(old, 'nothing'), E'\n', E'\n--         '),
                           replace(coalesce(new, 'nothing'), E'\n', E'\n--         '))) AS statement
    FROM compared.both b WHERE is_fresh AND (is_upgraded OR NOT part OR EXISTS (SELECT FROM compared.upgraded u WHERE u.object = b.object))
    UNION ALL
    -- What is gone from an object that stays.
    SELECT (SELECT max(f.position) FROM compared.fresh f WHERE f.object = b.object), CASE WHEN part THEN 1 ELSE 3 END, position,
           coalesce(removal, format('-- BY HAND: %s, %s, is no more', object, aspect))
    FROM compared.both b WHERE NOT is_fresh AND EXISTS (SELECT FROM compared.fresh f WHERE f.object = b.object)
    UNION ALL
    -- What is gone as a whole goes last, the youngest first, and its comment and privileges with it.
    SELECT 'Infinity'::float8, 0, -position, coalesce(removal, format('-- BY HAND: %s, %s, is no more', object, aspect)) || ' -- by hand: is it to go, and what of those who use it?'
    FROM compared.both b WHERE NOT is_fresh AND aspect = 'definition' AND NOT EXISTS (SELECT FROM compared.fresh f WHERE f.object = b.object)
), first AS (
    SELECT DISTINCT ON (statement) * FROM step WHERE statement <> '' ORDER BY statement, a, b, c
)
SELECT replace(replace(statement, 'AS ''pg_neardup'', ', 'AS ''MODULE_PATHNAME'', '), 'at_extschema', '@extschema@') AS statement, statement ~* '-- by hand' AS by_hand
FROM first ORDER BY a, b, c, statement;
