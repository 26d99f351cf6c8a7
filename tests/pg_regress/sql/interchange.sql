-- simhash: bits and numbers, the sign kept
SELECT sig::bigint AS number, sig::bit(64) AS bits, sig::bigint::simhash = sig AND sig::bit(64)::simhash = sig AS back, simhash_send(sig) AS bytes FROM (VALUES ('8000000000000001'::simhash)) v(sig);

-- minhash: the stored bytes, and the raw values
SELECT sig::bytea = minhash_send(sig) AS bytes, sig::bytea::minhash = sig AS back, minhash_values(sig) AS raw FROM (SELECT minhash(ARRAY['新闻'], 8)) v(sig);
SELECT minhash_values(minhash(ARRAY['新闻'], 8, bits => 16)) AS narrow, minhash_values(minhash(ARRAY['新闻'], 8, 'bottom_k')) AS bottom_k;
-- values made elsewhere compare among themselves
SELECT jaccard_similarity(minhash_from_values('\x0100000002000000030000000400000005000000060000000700000008000000'), minhash_from_values('\x0100000002000000030000000400000005000000060000000900000000000000')) AS three_quarters;
SELECT jaccard_similarity(minhash_from_values('\x0100000002000000', 'bottom_k', hashes => 8), minhash_from_values('\x0200000003000000', 'bottom_k', hashes => 8)) AS a_third;
SELECT minhash_from_values(minhash_values(sig), label => 'values') <%> minhash_from_values(minhash_values(sig), label => 'values') AS zero, minhash_values(minhash_from_values(minhash_values(sig), bits => 16)) = minhash_values(sig) AS back
FROM (SELECT minhash('北京欢迎你', hashes => 16, bits => 16)) v(sig);
SELECT minhash_from_values(minhash_values(sig)) <%> sig FROM (SELECT minhash('北京欢迎你', hashes => 16)) v(sig);
SELECT minhash_from_values('\x01');
SELECT minhash_from_values('');
SELECT minhash_from_values('\x0100000002000000', hashes => 8);
SELECT minhash_from_values('\x0200000001000000', 'bottom_k', hashes => 8);
SELECT minhash_from_values('\x0100ff00', 'bottom_k', 16, 8);
SELECT minhash_from_values(decode(repeat('00', 4 * 1025), 'hex'));
SELECT '\x0102200008000100efcdab89674523013a07d7'::bytea::minhash;

-- tokenset: the stored bytes, hashes and weights
SELECT set::bytea::tokenset = set AS back, tokenset_hashes(set) AS hashes, tokenset_weights(set) AS weights FROM (SELECT tokenset(ARRAY['新闻', '近似', '甲'], ARRAY[0.5, 1, 2])) v(set);
SELECT tokenset_hashes(tokenset('')), tokenset_weights(tokenset(ARRAY['甲', '乙']));
SELECT '\x01'::bytea::tokenset;

-- bloom_filter: the stored bytes
SELECT filter::bytea::bloom_filter = filter AS back, length(filter::bytea) AS bytes FROM (SELECT bloom_filter_agg('新闻', 10, 0.01)) v(filter);
SELECT '\x01'::bytea::bloom_filter;

-- no cast is implicit
SELECT minhash(ARRAY['新闻'], 8) || '\x00'::bytea;
