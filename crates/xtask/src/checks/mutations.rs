//! Values of every type, damaged: read as text, through a cast from `bytea`, and as COPY BINARY receives them, each is either refused
//! with the SQLSTATE for it or taken, and what is taken is written and read back as the same value and can be compared.
//!
//! Bits are flipped, and pieces cut, doubled, put in and put elsewhere, by a generator that starts from the same number each time.

use crate::check::{Context, Tally, expect};
use crate::error::{Doing, Result};
use crate::psql::{fresh_database, query};
use crate::server::Server;
use std::fmt::Write;

const DATABASE: &str = "mutations";
/// How many damaged values each way in gets for each type.
const MUTANTS: usize = 3000;

/// A type, valid values, a comparison of two, and whether `bytea` casts to it.
struct Subject {
    name: &'static str,
    values: &'static [&'static str],
    comparison: &'static str,
    from_bytea: bool,
}

const SUBJECTS: [Subject; 5] = [
    Subject {
        name: "hamming_ball",
        values: &["'0123456789abcdef/7'", "'ffffffffffffffff/64'"],
        comparison: "hamming_ball_send(v) = hamming_ball_send(w)",
        from_bytea: false,
    },
    Subject {
        name: "simhash",
        values: &["'0123456789abcdef'", "'ffffffffffffffff'", "simhash('灯塔换下了玻璃灯')"],
        comparison: "hamming_distance(v, w)",
        from_bytea: false,
    },
    Subject {
        name: "minhash",
        values: &[
            "minhash('灯塔换下了玻璃灯，儿童来看海', 'chars:2', 8)",
            "minhash('灯塔换下了玻璃灯，儿童来看海', 'chars:2', 16, 'bottom_k')",
            "minhash('灯塔换下了玻璃灯，儿童来看海', 'chars:2', 64, bits => 16)",
        ],
        comparison: "jaccard_similarity(v, w)",
        from_bytea: true,
    },
    Subject {
        name: "tokenset",
        values: &[
            "tokenset('灯塔换下了玻璃灯，儿童来看海', 'chars:2')",
            "tokenset('灯塔换下了玻璃灯，儿童来看海', 'chars:2', 'count')",
            "tokenset('', 'chars:2')",
        ],
        comparison: "cosine_similarity(v, w)",
        from_bytea: true,
    },
    Subject {
        name: "bloom_filter",
        values: &[
            "(SELECT bloom_filter_agg(i::text, 20, 0.1) FROM generate_series(1, 10) i)",
            "(SELECT bloom_filter_agg(i::text, 1, 0.5) FROM generate_series(1, 9) i)",
        ],
        comparison: "bloom_union(v, w)",
        from_bytea: true,
    },
];

/// Tries one way in, catches what it says, and checks what is taken.
const SETUP: &str = r"
CREATE TABLE mutant (type text, way text, place int, text text, bytes bytea);
CREATE TABLE outcome (type text, way text, place int, state text, message text);
CREATE FUNCTION try_all(of_type text, comparison text, valid text, directory text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    m mutant;
    again text := format('SELECT %1$s_send(v) = %1$s_send(v::text::%1$s) AND (SELECT count(%2$s) FROM (SELECT %3$s::%1$s AS w) valid) >= 0, %1$s_send(v) FROM taken', of_type, comparison, valid);
    same boolean;
    sent bytea;
BEGIN
    EXECUTE format('CREATE TEMP TABLE taken (v %I)', of_type);
    FOR m IN SELECT * FROM mutant WHERE type = of_type ORDER BY way, place LOOP
        BEGIN
            DELETE FROM taken;
            CASE m.way
                WHEN 'text' THEN EXECUTE format('INSERT INTO taken VALUES (%L)', m.text);
                WHEN 'bytea' THEN EXECUTE format('INSERT INTO taken VALUES ($1::%I)', of_type) USING m.bytes;
                WHEN 'binary' THEN EXECUTE format('COPY taken FROM %L (FORMAT binary)', directory || '/mutant-' || m.place);
            END CASE;
        EXCEPTION WHEN OTHERS THEN
            INSERT INTO outcome VALUES (of_type, m.way, m.place, SQLSTATE, SQLERRM);
            CONTINUE;
        END;
        BEGIN
            EXECUTE again INTO STRICT same, sent;
            INSERT INTO outcome VALUES (of_type, m.way, m.place, CASE WHEN same AND (m.way = 'text' OR sent = m.bytes) THEN 'taken' ELSE 'changed' END);
        EXCEPTION WHEN OTHERS THEN
            -- Two values that were made differently cannot be compared; all else that is taken can be used.
            INSERT INTO outcome VALUES (of_type, m.way, m.place, CASE SQLSTATE WHEN '22023' THEN 'taken' ELSE 'used: ' || SQLSTATE END, SQLERRM);
        END;
    END LOOP;
    DROP TABLE taken;
END $$";

/// Damages values of each type and tries them.
pub fn run(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    fresh_database(server, DATABASE)?;
    query(server, DATABASE, SETUP)?;
    let started = query(server, DATABASE, "SELECT pg_postmaster_start_time()")?;
    let types = query(
        server,
        DATABASE,
        "SELECT typname FROM pg_type t JOIN pg_depend d ON d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e' WHERE typtype = 'b' AND typelem = 0 ORDER BY 1",
    )?;
    let mut known: Vec<&str> = SUBJECTS.iter().map(|subject| subject.name).collect();
    known.sort_unstable();
    let mut tally = expect("types of the extension that this check knows", &known.join("\n"), &types);
    for subject in SUBJECTS.iter().filter(|subject| context.wants(subject.name)) {
        tally += damage(server, subject)?;
    }
    let still = query(server, DATABASE, "SELECT pg_postmaster_start_time()")?;
    tally += expect("the server has run all the time", &still, &started);
    Ok(tally)
}

fn damage(server: &Server, subject: &Subject) -> Result<Tally> {
    let name = subject.name;
    let valid = |form: &str| -> Result<Vec<String>> {
        let forms = subject.values.iter().map(|value| form.replace('$', &format!("{value}::{name}")));
        let rows = query(server, DATABASE, &format!("VALUES ({})", forms.collect::<Vec<_>>().join("), (")))?;
        Ok(rows.lines().map(str::to_owned).collect())
    };
    let texts = valid("$::text")?;
    let bytes: Vec<Vec<u8>> = valid(&format!("encode({name}_send($), 'hex')"))?.iter().map(|hex| unhex(hex)).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut rows = String::new();
    for place in 0..MUTANTS {
        let text = random.damaged(texts[place % texts.len()].as_bytes(), true);
        let text = String::from_utf8_lossy(&text).replace('\0', "");
        let _ = writeln!(rows, "{name}\ttext\t{place}\t{}\t\\N", copied(&text));
        let binary = random.damaged(&bytes[place % bytes.len()], false);
        for way in ["binary", "bytea"].iter().take(1 + usize::from(subject.from_bytea)) {
            let _ = writeln!(rows, "{name}\t{way}\t{place}\t\\N\t\\\\x{}", hex(&binary));
        }
        let file = server.directory().join(format!("mutant-{place}"));
        std::fs::write(&file, copy_file(&binary)).doing("write", &file)?;
    }
    let file = server.directory().join("mutants");
    std::fs::write(&file, rows).doing("write", &file)?;
    query(server, DATABASE, &format!("COPY mutant FROM '{}'", file.display()))?;
    let (comparison, directory) = (subject.comparison, server.directory().display());
    query(
        server,
        DATABASE,
        &format!("SELECT try_all('{name}', '{comparison}', $v${}$v$, '{directory}')", subject.values[0]),
    )?;
    for place in 0..MUTANTS {
        let file = server.directory().join(format!("mutant-{place}"));
        std::fs::remove_file(&file).doing("remove", &file)?;
    }
    // A simhash is received by Postgres's own function for bigint, which says of too few bytes what it says of a broken message.
    let bad = format!(
        "SELECT DISTINCT ON (way, state) concat_ws(' ', way, state, left(o.message, 100), left(coalesce(text, bytes::text), 200)) FROM outcome o JOIN mutant m USING (type, way, place)
         WHERE type = '{name}' AND state NOT IN ('taken', '22P02', '22P03', '22023') AND NOT (type = 'simhash' AND way = 'binary' AND state = '08P01')
         ORDER BY way, state"
    );
    let mut tally = expect(&format!("damaged values of {name} that did harm"), &query(server, DATABASE, &bad)?, "");
    let both = format!(
        "SELECT bool_and(some_taken AND some_refused) FROM (SELECT bool_or(state = 'taken') AS some_taken, bool_or(state <> 'taken') AS some_refused FROM outcome WHERE type = '{name}' GROUP BY way) w"
    );
    tally += expect(
        &format!("by each way some values of {name} are taken and some refused"),
        &query(server, DATABASE, &both)?,
        "t",
    );
    let counts = format!(
        "SELECT string_agg(way || ' ' || state || ' ' || n, ', ' ORDER BY way, state) FROM (SELECT way, state, count(*) AS n FROM outcome WHERE type = '{name}' GROUP BY 1, 2) c"
    );
    println!("    {name}: {}", query(server, DATABASE, &counts)?);
    Ok(tally)
}

/// Splitmix64: the same numbers each time.
struct Random(u64);

impl Random {
    /// A number below `bound`, which is not 0.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    /// Damages a value in one to three places. Headers are hit more often than what follows.
    fn damaged(&mut self, value: &[u8], text: bool) -> Vec<u8> {
        const TEXTS: [&str; 10] = ["0", "f", "G", " ", "'", "\\x", "é", "\u{feff}", "\n", "-1"];
        let mut value = value.to_vec();
        for _ in 0..=self.below(3) {
            let reach = if self.below(2) == 0 { value.len().min(20) } else { value.len() };
            let at = self.below(reach + 1);
            let end = at + self.below(value.len() - at + 1);
            match self.below(6) {
                0 if at < value.len() => value[at] ^= 1 << self.below(8),
                1 => value.truncate(at),
                2 => drop(value.drain(at..end)),
                3 => value.extend_from_within(at..end),
                4 if text => drop(value.splice(at..at, TEXTS[self.below(TEXTS.len())].bytes())),
                5 if at < value.len() => {
                    value[at] = if text { b'0' + self.below(10) as u8 } else { [0, 1, 0x7f, 0x80, 0xff][self.below(5)] }
                }
                _ => value.insert(at, self.below(256) as u8),
            }
        }
        value
    }
}

/// A file of COPY BINARY with one field.
fn copy_file(field: &[u8]) -> Vec<u8> {
    let length = i32::try_from(field.len()).unwrap_or(i32::MAX);
    [b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0\0\x01", &length.to_be_bytes()[..], field, b"\xff\xff"].concat()
}

/// Text as COPY reads it.
fn copied(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    text.as_bytes().chunks(2).filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_the_same_each_time_and_seldom_none() {
        let all = |seed| -> Vec<Vec<u8>> {
            let mut random = Random(seed);
            (0..1000).map(|_| random.damaged(b"0123456789abcdef", true)).collect()
        };
        assert_eq!(all(1), all(1));
        assert_ne!(all(1), all(2));
        assert!(all(1).iter().filter(|value| value.as_slice() == b"0123456789abcdef").count() < 200);
        assert!(Random(1).damaged(b"", false).len() < 10);
    }

    #[test]
    fn forms_are_written() {
        assert_eq!(copied("a\\b\tc\n"), "a\\\\b\\tc\\n");
        assert_eq!((unhex("00ff7f"), hex(&[0, 255, 127])), (vec![0, 255, 127], "00ff7f".to_owned()));
        assert_eq!(copy_file(b"x").len(), 11 + 4 + 4 + 2 + 4 + 1 + 2);
    }
}
