-- Tokenizers and normalisation beside jieba-rs alone, in the core without a server; and the dictionary's cost for a backend.
SELECT bench.wants('tokenizers') AS tokenizers, bench.wants('dictionary') AS dictionary \gset
\if :tokenizers
\i bench/core.sql
SELECT bench.comparison('Tokenizers', 'Normalisation and segmentation; the tokens go to a counter. One thread, in the core without a server '
    '(`crates/neardup-core/examples/throughput.rs`). `jieba-rs cut` is the crate alone with its HMM; it neither normalises nor drops punctuation.', 'jieba-rs cut', 'MB/s', 1e6);
SELECT bench.add(CASE name WHEN 'jieba-rs cut' THEN 'peer' WHEN 'std::str::from_utf8' THEN 'floor' ELSE 'ours' END, name, seconds / amount,
                 CASE name WHEN 'std::str::from_utf8' THEN 'reads each byte once' ELSE '' END)
FROM bench.core WHERE name !~ '^(load|compare|sign)' ORDER BY line;
SELECT bench.aim('`jieba`, time of `cut` alone', bench.ratio('jieba', 'jieba-rs cut'), at_most => 1.15),
       bench.aim('`chars:5`, MB/s', 1e-6 / bench.cost('chars:5'), at_least => 300);
SELECT bench.words('jieba-rs is the better choice for Rust code that needs only tokens: it has no second pass for normalisation, and it returns '
    'offsets and tags.');
\endif

\if :dictionary
\echo '    the dictionary, loaded by a backend and preloaded'
\copy bench.measured (name, amount, seconds) FROM PROGRAM '"$PGBIN/psql" -XAtq -v ON_ERROR_STOP=1 -F "$(printf "\\t")" -f bench/dictionary.sql'
\copy bench.measured (name, amount, seconds) FROM PROGRAM 'sh bench/outside.sh connecting'
CREATE TEMP TABLE usual AS TABLE bench.measured;
DELETE FROM bench.measured;
\copy bench.measured (name, amount, seconds) FROM PROGRAM 'PGHOST=$PRELOADED "$PGBIN/psql" -XAtq -v ON_ERROR_STOP=1 -F "$(printf "\\t")" -f bench/dictionary.sql'
\copy bench.measured (name, amount, seconds) FROM PROGRAM 'PGHOST=$PRELOADED sh bench/outside.sh connecting'
SELECT bench.grid('The dictionary', 'Of one backend: `simhash(''...'', ''jieba'')` by the server''s clock, memory as `Private_Dirty` and '
    '`Private_Clean` in `/proc/self/smaps_rollup`; connecting is pgbench''s average over ' || :connections || ' connections. Preloading is '
    '`shared_preload_libraries = ''pg_neardup''` with `pg_neardup.preload = on`. Analyzers without jieba never load it.',
    '', 'loaded by the backend', 'preloaded');
SELECT bench.row(u.name, bench.figure(u.seconds), bench.figure(m.seconds)) FROM usual u JOIN bench.measured m USING (name) ORDER BY u.line;
DELETE FROM bench.measured;
\endif
