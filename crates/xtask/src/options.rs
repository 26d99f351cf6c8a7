//! The command line: one command word and a handful of options.

use crate::error::{Error, Result};
use std::path::PathBuf;

/// Every option of every command; a command refuses those it has no use for.
#[derive(Debug, Default, PartialEq)]
pub struct Options {
    /// `--pg`: the major version of Postgres whose Debian packages are used.
    pub pg: Option<u32>,
    /// `--pg-config`: a Postgres of the user's own, instead of Debian's.
    pub pg_config: Option<PathBuf>,
    /// `--input`: articles of the user's own for the demo.
    pub input: Option<PathBuf>,
    /// `--limit`: how many of them to take.
    pub limit: Option<u64>,
    /// `--filter`: the only checks to run.
    pub filter: Option<String>,
    /// `--accept`: take today's output of the regression tests and of the documentation's examples for the expected one.
    pub accept: bool,
    /// `--from`: the release that an upgrade script starts from.
    pub from: Option<String>,
    /// `--only`: the only measurements to make.
    pub only: Option<String>,
    /// `--out`: the file for the benchmarks' report.
    pub out: Option<PathBuf>,
    /// `--rows`: rows of the benchmarks' large tables.
    pub rows: Option<u64>,
    /// `--seconds`: how long the benchmarks' sessions insert.
    pub seconds: Option<u64>,
    /// Options without a value, by name: which benchmarks to run, and `--quick`.
    pub flags: Vec<&'static str>,
}

/// Options without a value that only the benchmarks have.
pub const BENCH_FLAGS: [&str; 9] =
    ["--quick", "--accuracy", "--text", "--signatures", "--scale", "--guard", "--cleanup", "--facts", "--vectors"];

/// Reads the options after the command word. `allowed` names those the command knows, with their dashes.
pub fn parse(command: &str, allowed: &[&str], arguments: impl Iterator<Item = String>) -> Result<Options> {
    let mut options = Options::default();
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        let (name, attached) = match argument.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (argument, None),
        };
        if !allowed.contains(&name.as_str()) {
            return Err(refusal(command, allowed, &name));
        }
        if name == "--accept" {
            options.accept = true;
            continue;
        }
        if let Some(flag) = BENCH_FLAGS.iter().find(|flag| **flag == name) {
            options.flags.push(flag);
            continue;
        }
        let value = attached.or_else(|| arguments.next()).ok_or_else(|| format!("{name} wants a value"))?;
        match name.as_str() {
            "--pg" => options.pg = Some(number(&name, &value)?),
            "--pg-config" => options.pg_config = Some(value.into()),
            "--input" => options.input = Some(value.into()),
            "--limit" => options.limit = Some(number(&name, &value)?),
            "--rows" => options.rows = Some(number(&name, &value)?),
            "--seconds" => options.seconds = Some(number(&name, &value)?),
            "--from" => options.from = Some(value),
            "--only" => options.only = Some(value),
            "--out" => options.out = Some(value.into()),
            _ => options.filter = Some(value),
        }
    }
    Ok(options)
}

fn number<T: std::str::FromStr>(name: &str, value: &str) -> Result<T> {
    value.parse().map_err(|_| format!("{name} wants a number, not \"{value}\"").into())
}

fn refusal(command: &str, allowed: &[&str], name: &str) -> Error {
    let known = if allowed.is_empty() { "it takes none".into() } else { format!("it takes {}", allowed.join(", ")) };
    format!("cargo xtask {command} has no option \"{name}\"; {known}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Options> {
        parse("demo", &["--input", "--limit", "--accept"], arguments.iter().map(|s| (*s).to_owned()))
    }

    #[test]
    fn values_may_be_attached_or_follow() {
        let expected = Options { input: Some("a.jsonl".into()), limit: Some(5), ..Options::default() };
        for line in [&["--input=a.jsonl", "--limit", "5"][..], &["--input", "a.jsonl", "--limit=5"]] {
            assert_eq!(parsed(line).expect("the line is right"), expected);
        }
        assert!(parsed(&["--accept"]).expect("the line is right").accept);
    }

    #[test]
    fn flags_stand_alone() {
        let line = ["--guard", "--input", "a.jsonl", "--quick"].map(str::to_owned);
        let options = parse("bench", &[&BENCH_FLAGS[..], &["--input"]].concat(), line.into_iter());
        let options = options.expect("the line is right");
        assert_eq!((options.flags, options.input), (vec!["--guard", "--quick"], Some("a.jsonl".into())));
    }

    #[test]
    fn mistakes_are_named() {
        for (line, part) in [
            (&["--filter", "x"][..], "has no option \"--filter\""),
            (&["--limit", "many"], "wants a number, not \"many\""),
            (&["--input"], "--input wants a value"),
        ] {
            let message = parsed(line).expect_err("the line is wrong").to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
