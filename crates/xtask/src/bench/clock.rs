//! The clock: the server's own. Time between client and server is not in the figures, unless they say so.
//!
//! Statements take turns and each counts its best turn, so that what else the machine does weighs little and weighs on all
//! alike. Look-ups run inside a function, as prepared statements do, and are timed one by one.

use super::Bench;
use crate::error::Result;

/// Makes the functions that the tables share, in the schema `bench`.
pub const FUNCTIONS: &str = "
CREATE SCHEMA bench;
CREATE FUNCTION bench.seconds(statement text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    started timestamptz := clock_timestamp();
BEGIN
    EXECUTE statement;
    RETURN extract(epoch FROM clock_timestamp() - started);
END
$$;
CREATE TABLE bench.probe (number int PRIMARY KEY, signature simhash, minhash minhash);
CREATE TABLE bench.time (seconds float8);
-- A signature with this many of its bits changed.
CREATE FUNCTION bench.changed(signature simhash, bits int) RETURNS simhash LANGUAGE sql IMMUTABLE
    RETURN (signature::bigint # coalesce((SELECT bit_or(1::bigint << ((signature::bigint & 15)::int + 7 * i) % 64) FROM generate_series(1, bits) i), 0))::simhash;
-- Four pieces cut in sequence, each with its number: how recipes for smlar index a signature.
CREATE FUNCTION bench.pieces(signature simhash) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ARRAY['1_' || substr(signature::text, 1, 4), '2_' || substr(signature::text, 5, 4),
                 '3_' || substr(signature::text, 9, 4), '4_' || substr(signature::text, 13, 4)];
-- Drops all indexes but the primary key.
CREATE FUNCTION bench.drop_indexes(target regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    i regclass;
BEGIN
    FOR i IN SELECT indexrelid FROM pg_index WHERE indrelid = target AND NOT indisprimary LOOP
        EXECUTE format('DROP INDEX %s', i);
    END LOOP;
END
$$;
";

/// Look-ups of all probes, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Lookups {
    /// Half of them took at most as many seconds.
    pub median: f64,
    /// So did 95 in 100.
    pub p95: f64,
    /// What the first probes found together.
    pub found: f64,
}

impl Bench<'_> {
    /// Times a statement once, in seconds.
    pub fn seconds(&self, statement: &str) -> Result<f64> {
        self.number(&format!("SELECT bench.seconds({})", literal(statement)))
    }

    /// Times statements in turns: the best of each, in seconds.
    pub fn best(&self, statements: &[&str]) -> Result<Vec<f64>> {
        let mut best = vec![f64::INFINITY; statements.len()];
        for _ in 0..self.size.rounds {
            for (statement, best) in statements.iter().zip(&mut best) {
                *best = best.min(self.seconds(statement)?);
            }
        }
        Ok(best)
    }

    /// Times `query`, which gives a number and may use the probe `p`, for each row of `bench.probe`; twice, and the second time
    /// counts. `found` adds up the numbers of the first `checked` probes.
    pub fn lookups(&self, query: &str, probes: u64, checked: u64) -> Result<Lookups> {
        self.ask(&format!(
            "CREATE OR REPLACE FUNCTION bench.lookups() RETURNS bigint LANGUAGE plpgsql AS $lookups$
             DECLARE
                 p record;
                 n bigint;
                 hits bigint;
                 started timestamptz;
             BEGIN
                 FOR turn IN 1..2 LOOP
                     hits := 0;
                     TRUNCATE bench.time;
                     FOR p IN SELECT * FROM bench.probe WHERE number <= {probes} ORDER BY number LOOP
                         started := clock_timestamp();
                         n := ({query});
                         INSERT INTO bench.time VALUES (extract(epoch FROM clock_timestamp() - started));
                         hits := hits + CASE WHEN p.number <= {checked} THEN n ELSE 0 END;
                     END LOOP;
                 END LOOP;
                 RETURN hits;
             END
             $lookups$"
        ))?;
        let found = self.number("SELECT bench.lookups()")?;
        let percentile = |share| {
            self.number(&format!("SELECT percentile_cont({share}) WITHIN GROUP (ORDER BY seconds) FROM bench.time"))
        };
        Ok(Lookups { median: percentile(0.5)?, p95: percentile(0.95)?, found })
    }
}

/// A string constant.
pub fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
