-- Runs the core's measuring program on the excerpt, once.
SELECT NOT EXISTS (SELECT FROM bench.core) AS missing \gset
\if :missing
\echo '    building and running the core''s measuring program (about 2 minutes the first time)'
\copy bench.core (name, amount, seconds) FROM PROGRAM 'sh bench/outside.sh core'
\endif
