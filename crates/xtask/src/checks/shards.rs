//! Three servers: one that asks, two that hold a half of the articles each, joined by postgres_fdw. The condition goes to the
//! servers that have the rows and uses their indexes there, and copies across them are found.

use crate::check::{Context, Tally, expect};
use crate::error::Result;
use crate::psql::{fresh_database, query};
use crate::server::Server;

const DATABASE: &str = "shards";

/// Sets them up and asks.
pub fn run(context: &Context) -> Result<Tally> {
    let coordinator = context.server()?;
    let shards = [Server::start(&context.postgres)?, Server::start(&context.postgres)?];
    fresh_database(coordinator, DATABASE)?;
    let mut set_up = String::from(
        "CREATE EXTENSION postgres_fdw;
         CREATE TABLE articles (id int, body text) PARTITION BY HASH (id);
         CREATE TABLE keys (key bigint, id int) PARTITION BY HASH (key);\n",
    );
    for (number, shard) in shards.iter().enumerate() {
        fresh_database(shard, DATABASE)?;
        query(
            shard,
            DATABASE,
            "CREATE TABLE articles (id int PRIMARY KEY, body text);
             SELECT neardup.protect('articles', 'body', on_duplicate => 'skip');
             CREATE TABLE keys (key bigint, id int);
             CREATE INDEX ON keys (key)",
        )?;
        set_up += &format!(
            "CREATE SERVER shard_{number} FOREIGN DATA WRAPPER postgres_fdw
                 OPTIONS (host '{}', port '5432', dbname '{DATABASE}', extensions 'pg_neardup', use_remote_estimate 'true');
             CREATE USER MAPPING FOR CURRENT_USER SERVER shard_{number} OPTIONS (user 'postgres');
             CREATE FOREIGN TABLE articles_{number} PARTITION OF articles FOR VALUES WITH (MODULUS 2, REMAINDER {number})
                 SERVER shard_{number} OPTIONS (table_name 'articles');
             CREATE FOREIGN TABLE keys_{number} PARTITION OF keys FOR VALUES WITH (MODULUS 2, REMAINDER {number})
                 SERVER shard_{number} OPTIONS (table_name 'keys');\n",
            shard.directory().display()
        );
    }
    query(coordinator, DATABASE, &set_up)?;
    query(
        coordinator,
        DATABASE,
        "INSERT INTO articles SELECT i, (SELECT string_agg(chr(19968 + abs(hashint8((i % 500) * 1000 + c)::bigint % 9000)::int), '' ORDER BY c) FROM generate_series(1, 60) c)
         FROM generate_series(0, 499) i",
    )?;
    let mut tally = Tally::default();
    let asked = "SELECT id FROM articles WHERE near_duplicate(body, (SELECT body FROM articles WHERE id = 7))";
    tally += expect("the article found across the servers", &query(coordinator, DATABASE, asked)?, "7");
    let constant =
        "EXPLAIN (VERBOSE, COSTS off) SELECT id FROM articles WHERE near_duplicate(body, '渡口的灯塔换下了旧灯')";
    let plan = query(coordinator, DATABASE, constant)?;
    let shipped =
        plan.lines().filter(|l| l.contains("Remote SQL") && l.contains("sketch(") && l.contains("says_the_same"));
    tally += expect("servers to which the whole condition goes", &shipped.count().to_string(), "2");
    let local = plan.lines().any(|line| line.trim_start().starts_with("Filter"));
    tally += expect("conditions left here", &local.to_string(), "false");
    // A copy that comes to the other server than its original gets in there; the coordinator sees both.
    query(
        coordinator,
        DATABASE,
        "INSERT INTO articles SELECT 500 + id, body FROM articles WHERE id < 100;
         INSERT INTO keys SELECT key, id FROM articles CROSS JOIN LATERAL unnest(sketch_keys(sketch(body))) key",
    )?;
    for shard in &shards {
        query(shard, DATABASE, "ANALYZE")?;
    }
    // Distributed by key, each server finds its candidates among its own rows.
    let join = "SELECT DISTINCT a.id, b.id AS copy FROM keys a JOIN keys b USING (key) WHERE a.id < b.id";
    let plan = query(
        coordinator,
        DATABASE,
        &format!("SET enable_partitionwise_join = on; EXPLAIN (VERBOSE, COSTS off) {join}"),
    )?;
    let joined = plan.lines().filter(|l| l.contains("Remote SQL") && l.contains("INNER JOIN") && l.contains("key"));
    tally += expect("servers that join their own keys", &joined.count().to_string(), "2");
    let same = format!(
        "SELECT count(*) = (SELECT count(*) FROM articles WHERE id >= 500), count(*) > 20, bool_and(copy - c.id = 500), bool_and(near_duplicate(a.body, b.body))
         FROM ({join}) c JOIN articles a ON a.id = c.id JOIN articles b ON b.id = c.copy"
    );
    tally +=
        expect("copies across the servers, each of its original", &query(coordinator, DATABASE, &same)?, "t|t|t|t");
    Ok(tally)
}
