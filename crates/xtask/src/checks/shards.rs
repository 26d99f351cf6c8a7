//! Three servers: one that asks, two that hold a half of the articles each, joined by postgres_fdw. The condition goes to the
//! servers that have the rows and uses their indexes there, and copies across them are found.

use super::{Tally, expect};
use crate::error::Result;
use crate::psql::{fresh_database, query};
use crate::server::Server;
use crate::test::Context;

const DATABASE: &str = "shards";

/// Sets them up and asks.
pub fn run(context: &Context) -> Result<Tally> {
    let coordinator = context.server()?;
    let shards = [Server::start(&context.postgres)?, Server::start(&context.postgres)?];
    fresh_database(coordinator, DATABASE)?;
    let mut set_up = String::from(
        "CREATE EXTENSION postgres_fdw;
         CREATE TABLE articles (id int, body text, body_simhash simhash) PARTITION BY HASH (id);
         CREATE TABLE bands (band int, id int, signature simhash) PARTITION BY HASH (band);\n",
    );
    for (number, shard) in shards.iter().enumerate() {
        fresh_database(shard, DATABASE)?;
        query(
            shard,
            DATABASE,
            "CREATE TABLE articles (id int PRIMARY KEY, body text);
             SELECT neardup.protect('articles', 'body', on_duplicate => 'skip');
             CREATE TABLE bands (band int, id int, signature simhash);
             CREATE INDEX ON bands (band)",
        )?;
        set_up += &format!(
            "CREATE SERVER shard_{number} FOREIGN DATA WRAPPER postgres_fdw
                 OPTIONS (host '{}', port '5432', dbname '{DATABASE}', extensions 'pg_neardup', use_remote_estimate 'true');
             CREATE USER MAPPING FOR CURRENT_USER SERVER shard_{number} OPTIONS (user 'postgres');
             CREATE FOREIGN TABLE articles_{number} PARTITION OF articles FOR VALUES WITH (MODULUS 2, REMAINDER {number})
                 SERVER shard_{number} OPTIONS (table_name 'articles');
             CREATE FOREIGN TABLE bands_{number} PARTITION OF bands FOR VALUES WITH (MODULUS 2, REMAINDER {number})
                 SERVER shard_{number} OPTIONS (table_name 'bands');\n",
            shard.directory().display()
        );
    }
    query(coordinator, DATABASE, &set_up)?;
    query(
        coordinator,
        DATABASE,
        "INSERT INTO articles (id, body) SELECT i, (SELECT string_agg(chr(19968 + abs(hashint8((i % 500) * 1000 + c)::bigint % 9000)::int), '' ORDER BY c) FROM generate_series(1, 60) c)
         FROM generate_series(0, 499) i",
    )?;
    let mut tally = Tally::default();
    // The signature comes back from the shard that made it.
    let asked = "SELECT a.id FROM articles a WHERE simhash_within(a.body_simhash, simhash((SELECT body FROM articles WHERE id = 7), 'chars:3'), 3)";
    tally += expect("the article found across the servers", &query(coordinator, DATABASE, asked)?, "7");
    let constant = "EXPLAIN (VERBOSE, COSTS off) SELECT id FROM articles WHERE simhash_within(body_simhash, '00ff00ff00ff00ff', 3)";
    let plan = query(coordinator, DATABASE, constant)?;
    let shipped = plan
        .lines()
        .filter(|line| line.contains("Remote SQL") && line.contains("simhash_bands") && line.contains("hamming"));
    tally += expect("servers to which the whole condition goes", &shipped.count().to_string(), "2");
    let local = plan.lines().any(|line| line.trim_start().starts_with("Filter"));
    tally += expect("conditions left here", &local.to_string(), "false");
    // A copy that comes to the other server than its original gets in there; the coordinator sees both.
    query(
        coordinator,
        DATABASE,
        "INSERT INTO articles (id, body) SELECT 500 + id, body FROM articles WHERE id < 100;
         INSERT INTO bands SELECT b, id, body_simhash FROM articles CROSS JOIN LATERAL unnest(simhash_bands(body_simhash)) b",
    )?;
    let across = "SELECT count(*) > 0, bool_and(b.id - a.id = 500) FROM (SELECT id, near_duplicate_of(body_simhash, 3) OVER w AS first, row_number() OVER w AS place FROM articles WINDOW w AS (ORDER BY id)) b
         JOIN (SELECT id, row_number() OVER (ORDER BY id) AS place FROM articles) a ON a.place = b.first WHERE b.first <> b.place";
    tally += expect("copies across the servers, each of its original", &query(coordinator, DATABASE, across)?, "t|t");
    for shard in &shards {
        query(shard, DATABASE, "ANALYZE")?;
    }
    // Distributed by band, each server finds its copies among its own rows.
    let join = "SELECT DISTINCT a.id, b.id AS copy FROM bands a JOIN bands b USING (band) WHERE a.id < b.id AND hamming_distance(a.signature, b.signature) <= 3";
    let plan = query(
        coordinator,
        DATABASE,
        &format!("SET enable_partitionwise_join = on; EXPLAIN (VERBOSE, COSTS off) {join}"),
    )?;
    let joined =
        plan.lines().filter(|l| l.contains("Remote SQL") && l.contains("INNER JOIN") && l.contains("hamming_distance"));
    tally += expect("servers that join their own bands", &joined.count().to_string(), "2");
    let same = format!(
        "SELECT count(*) = (SELECT count(*) FROM articles WHERE id >= 500), count(*) > 20, bool_and(copy - id = 500) FROM ({join}) d"
    );
    tally += expect("copies by the join of bands", &query(coordinator, DATABASE, &same)?, "t|t|t");
    Ok(tally)
}
