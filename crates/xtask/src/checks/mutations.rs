//! Damages values of every type and reads them as text, through a cast from `bytea`, and by COPY BINARY. Each is either refused
//! with the right SQLSTATE or accepted; an accepted value is the same after it is written and read back, and can be compared.
//!
//! Mutations flip bits, and cut, double, insert and move pieces. The random generator has a fixed seed.

use super::script::{fresh, text};
use crate::check::{Context, Tally, expect};
use crate::psql::{Session, query};
use crate::random::Random;
use crate::server::Server;
use anyhow::Result;
use std::fmt::Write;

const DATABASE: &str = "mutations";
/// How many damaged values of each type each input path gets.
const MUTANTS: usize = 3000;

/// Damages values of each type and tests them.
pub fn run(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    fresh(server, DATABASE, &text("mutations.sql")?)?;
    let ask = |sql: &str| query(server, DATABASE, sql);
    let mut canary = Session::open(server, DATABASE)?;
    let types = "SELECT typname FROM pg_type t JOIN pg_depend d ON d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e' WHERE typtype = 'b' AND typelem = 0 ORDER BY 1";
    let known = ask("SELECT type FROM subject ORDER BY type::name")?;
    let mut tally = expect("types of the extension that this check knows", &known, &ask(types)?);
    for name in known.lines().filter(|name| context.wants(name)) {
        damage(server, name)?;
        ask(&format!("SELECT try_all('{name}', '{}')", server.directory().display()))?;
        let of_it = |what| ask(&format!("SELECT {what} WHERE type = '{name}' ORDER BY 1"));
        tally += expect(&format!("damaged values of {name} that did harm"), &of_it("what FROM harm")?, "");
        let mixed = of_it("are_mixed FROM ways")?;
        tally += expect(&format!("by each way some values of {name} are taken and some refused"), &mixed, "t");
        println!("    {name}: {}", of_it("outcomes FROM counts")?);
    }
    tally += expect("a session beside them", &canary.ask("SELECT 1;")?, "1");
    Ok(tally)
}

/// Damages values of a type; writes them to table `mutant` and to files for COPY.
fn damage(server: &Server, name: &str) -> Result<()> {
    let valid = query(server, DATABASE, &format!("SELECT text, bytes FROM valid('{name}')"))?;
    let valid: Vec<(&str, Vec<u8>)> =
        valid.lines().filter_map(|line| line.rsplit_once('|')).map(|(text, hex)| (text, unhex(hex))).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut rows = String::new();
    for place in 0..MUTANTS {
        let (text, bytes) = &valid[place % valid.len()];
        let text = damaged(&mut random, text.as_bytes(), true);
        let text = String::from_utf8_lossy(&text).replace('\0', "");
        let binary = damaged(&mut random, bytes, false);
        let _ = writeln!(
            rows,
            "{place}\t{}\t\\\\x{}",
            copied(&text),
            binary.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        );
        let file = server.directory().join(format!("mutant-{place}"));
        fs_err::write(&file, copy_file(&binary))?;
    }
    let file = server.directory().join("mutants");
    fs_err::write(&file, rows)?;
    query(server, DATABASE, &format!("TRUNCATE mutant; COPY mutant FROM '{}'", file.display())).map(drop)
}

/// Damages a value at one to three positions, which are often in its header.
fn damaged(random: &mut Random, value: &[u8], text: bool) -> Vec<u8> {
    const TEXTS: [&str; 10] = ["0", "f", "G", " ", "'", "\\x", "é", "\u{feff}", "\n", "-1"];
    let mut value = value.to_vec();
    for _ in 0..=random.below(3) {
        let reach = if random.below(2) == 0 { value.len().min(20) } else { value.len() };
        let at = random.below(reach + 1);
        let end = at + random.below(value.len() - at + 1);
        match random.below(6) {
            0 if at < value.len() => value[at] ^= 1 << random.below(8),
            1 => value.truncate(at),
            2 => drop(value.drain(at..end)),
            3 => value.extend_from_within(at..end),
            4 if text => drop(value.splice(at..at, TEXTS[random.below(TEXTS.len())].bytes())),
            5 if at < value.len() => {
                value[at] = if text { b'0' + random.below(10) as u8 } else { [0, 1, 0x7f, 0x80, 0xff][random.below(5)] }
            }
            _ => value.insert(at, random.below(256) as u8),
        }
    }
    value
}

/// Makes a COPY BINARY file with one field.
fn copy_file(field: &[u8]) -> Vec<u8> {
    let length = i32::try_from(field.len()).unwrap_or(i32::MAX);
    [b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0\0\x01", &length.to_be_bytes()[..], field, b"\xff\xff"].concat()
}

/// Escapes text for COPY.
fn copied(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

fn unhex(text: &str) -> Vec<u8> {
    text.as_bytes().chunks(2).filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}
