//! Sessions that insert as applications do: pgbench over the socket, prepared statements, a commit for each row, latencies from
//! its log.

use super::{Bench, DATABASE};
use crate::command::text;
use crate::error::{Doing, Result};
use std::path::Path;

/// How long the sessions go on.
#[derive(Clone, Copy)]
pub enum Limit {
    /// As many inserts in each session.
    Inserts(u64),
    /// As many seconds.
    Seconds(u64),
}

/// What the sessions did.
pub struct Inserts {
    /// Inserts a second, of all sessions together.
    pub rate: f64,
    /// Seconds that half of the inserts took at most.
    pub median: f64,
    /// Seconds that 99 in 100 took at most.
    pub p99: f64,
    /// Inserts that ended in a deadlock or a serialization failure.
    pub failed: f64,
}

impl Bench<'_> {
    /// Runs a script of pgbench in so many sessions.
    pub fn sessions(&self, script: &str, sessions: u32, limit: Limit) -> Result<Inserts> {
        let place = self.server.directory().join("pgbench");
        std::fs::create_dir(&place).doing("create", &place)?;
        let file = place.join("script.sql");
        std::fs::write(&file, script).doing("write", &file)?;
        let mut pgbench = self.server.client("pgbench", DATABASE);
        pgbench.args(["-n", "-M", "prepared", "-j", "2", "-l", "-c"]).arg(sessions.to_string());
        match limit {
            Limit::Inserts(count) => pgbench.args(["-t", &count.to_string()]),
            Limit::Seconds(seconds) => pgbench.args(["-T", &seconds.to_string()]),
        };
        let said = text(pgbench.arg("-f").arg(&file).current_dir(&place))?;
        let after = |label: &str| -> Result<f64> {
            let rest = said.lines().find_map(|line| line.strip_prefix(label));
            let number = rest.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
            number.ok_or_else(|| format!("pgbench did not say \"{label}\": {said}").into())
        };
        let times = latencies(&place)?;
        std::fs::remove_dir_all(&place).doing("remove", &place)?;
        let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN);
        Ok(Inserts {
            rate: after("tps = ")?,
            median: at(0.5),
            p99: at(0.99),
            failed: after("number of failed transactions: ")?,
        })
    }
}

/// The latencies in pgbench's logs, in seconds, in ascending order.
fn latencies(place: &Path) -> Result<Vec<f64>> {
    let mut times = Vec::new();
    for entry in std::fs::read_dir(place).doing("list", place)? {
        let path = entry.doing("list", place)?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("pgbench_log")) {
            let log = std::fs::read_to_string(&path).doing("read", &path)?;
            times.extend(log.lines().filter_map(latency));
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(times)
}

/// The third field of a line of the log, microseconds; a failed transaction has a word there.
fn latency(line: &str) -> Option<f64> {
    let microseconds: f64 = line.split(' ').nth(2)?.parse().ok()?;
    Some(microseconds / 1e6)
}

#[cfg(test)]
mod tests {
    use super::latency;

    #[test]
    fn latencies_are_microseconds() {
        assert_eq!(latency("0 1 250 0 1700000000 5"), Some(0.00025));
        assert_eq!(latency("0 1 failed 0 1700000000 5"), None);
    }
}
