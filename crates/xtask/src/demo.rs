//! `cargo xtask demo` and `cargo xtask run`: the extension at work on a throwaway server, on the sample that comes with
//! the project or on articles of one's own.

use crate::build::{Profile, build_and_install};
use crate::command::root;
use crate::error::{Doing, Result};
use crate::postgres::Choice;
use crate::psql::{Session, interactive, psql};
use crate::say;
use crate::script::{Announced, Piece, pieces, wrapped};
use crate::server::Server;
use crate::setup;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const DATABASE: &str = "demo";
/// What the scripts read, and what `--input` puts in its place.
const SAMPLE: &str = "'demo/sample.jsonl'";

/// Articles of the user's own.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Input {
    /// Your own articles: JSON lines with id and text, and title, date and url if you have them; .xz is read as it is
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// Only the first N of them
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
}

/// Shows, step by step, what the extension does.
pub fn demo(choice: &Choice, input: &Input) -> Result {
    let script = script(input)?;
    let server = ready_server(choice)?;
    let mut session = session(&server)?;
    let mut times: Vec<(String, Duration)> = Vec::new();
    for piece in script {
        match piece {
            Piece::Step(title) => {
                println!("\n---- {}. {title} {}\n", times.len() + 1, "-".repeat(70_usize.saturating_sub(title.len())));
                times.push((title, Duration::ZERO));
            }
            Piece::Words(words) => println!("{}\n", wrapped(&words, 100)),
            Piece::Sql(sql, error) => {
                println!("{}", with_prompts(&sql));
                let start = Instant::now();
                let answer = session.ask(&sql)?;
                let time = start.elapsed();
                println!("{answer}\n[{}]\n", say::seconds(time));
                check(&answer, error.as_ref())?;
                if let Some((_, total)) = times.last_mut() {
                    *total += time;
                }
            }
        }
    }
    drop(session);
    println!("---- Time of each step {}\n", "-".repeat(55));
    for (number, (title, time)) in times.iter().enumerate() {
        println!("{:>12}  {}. {title}", say::seconds(*time), number + 1);
    }
    println!("\nThe server and all its files are gone again. To try things yourself: cargo xtask run");
    Ok(())
}

/// Opens a psql on a throwaway server that has the extension and the sample.
pub fn open(choice: &Choice) -> Result {
    let server = ready_server(choice)?;
    let mut session = session(&server)?;
    let first_step =
        script(&Input::default())?.into_iter().skip(1).take_while(|piece| !matches!(piece, Piece::Step(_)));
    act(&mut session, first_step)?;
    drop(session);
    say::step("psql on a throwaway server, with the extension and the sample in table articles; \\q ends both");
    interactive(&server, DATABASE)
}

/// Does all that the demo does, in a database that has just been made, and shows nothing; how many statements there were.
pub fn rehearse(server: &Server, database: &str, input: &Input) -> Result<usize> {
    act(&mut Session::with(psql(server, database).current_dir(root()))?, script(input)?.into_iter())
}

/// Executes the statements among the pieces, and counts them.
fn act(session: &mut Session, pieces: impl Iterator<Item = Piece>) -> Result<usize> {
    let mut statements = 0;
    for piece in pieces {
        if let Piece::Sql(sql, error) = piece {
            check(&session.ask(&sql)?, error.as_ref())?;
            statements += 1;
        }
    }
    Ok(statements)
}

fn ready_server(choice: &Choice) -> Result<Server> {
    let postgres = setup::ensure(choice)?;
    build_and_install(&postgres, Profile::Demo)?;
    let what = format!("starting a throwaway server, Postgres {} (a few seconds)", postgres.major);
    let server = say::during(&what, |_| Server::start(&postgres))?;
    crate::psql::query(&server, "postgres", &format!("CREATE DATABASE {DATABASE}"))?;
    Ok(server)
}

fn session(server: &Server) -> Result<Session> {
    Session::with(psql(server, DATABASE).current_dir(root()))
}

fn script(input: &Input) -> Result<Vec<Piece>> {
    let name = if input.input.is_some() { "demo/input.sql" } else { "demo/demo.sql" };
    let path = root().join(name);
    let text = std::fs::read_to_string(&path).doing("read", &path)?;
    Ok(pieces(&text.replace(SAMPLE, &source(input)?)))
}

/// What stands after `FROM` in the script's `\copy`.
pub fn source(input: &Input) -> Result<String> {
    let Some(file) = &input.input else { return Ok(SAMPLE.to_owned()) };
    let path = file.canonicalize().doing("read", file)?;
    let reader = if path.extension().is_some_and(|extension| extension == "xz") { "xz -dc" } else { "cat" };
    let limit = input.limit.map(|lines| format!(" | head -n {lines}")).unwrap_or_default();
    let path = path.to_string_lossy().replace('\'', r"'\''");
    let program = format!("{reader} '{path}'{limit}");
    Ok(format!("PROGRAM '{}'", program.replace('\'', "''")))
}

/// The statements as psql shows them while they are typed.
fn with_prompts(sql: &str) -> String {
    let mut shown = Vec::new();
    let mut prompt = "=#";
    for line in sql.lines() {
        shown.push(format!("{DATABASE}{prompt} {line}"));
        prompt = if line.ends_with(';') || line.starts_with('\\') { "=#" } else { "-#" };
    }
    shown.join("\n")
}

/// Fails if the answer has an error that was not announced, or lacks the one that was.
fn check(answer: &str, announced: Option<&Announced>) -> Result {
    let error = answer.lines().find_map(|line| line.strip_prefix("ERROR:")).map(str::trim);
    match (error, announced) {
        (None, None) => Ok(()),
        (None, Some(announced)) if !announced.certain => Ok(()),
        (Some(error), Some(announced)) if error.starts_with(&announced.message) => Ok(()),
        (Some(error), _) => Err(format!("the demo met an error that it does not expect: {error}").into()),
        (None, Some(missing)) => {
            Err(format!("the demo expected an error that did not come: {}", missing.message).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_must_be_the_announced_ones() {
        let refused = "ERROR:  near-duplicate of row 7\nDETAIL:  ...";
        let announced = |message: &str, certain| Announced { message: message.into(), certain };
        assert!(check(refused, Some(&announced("near-duplicate", true))).is_ok());
        assert!(check(refused, Some(&announced("syntax error", false))).is_err());
        assert!(check(refused, None).is_err());
        assert!(check("INSERT 0 1", Some(&announced("near-duplicate", true))).is_err());
        assert!(check("INSERT 0 1", Some(&announced("near-duplicate", false))).is_ok());
        assert!(check("INSERT 0 1", None).is_ok());
    }
}
