//! `near_duplicate_of` over texts: hides repeats in a result, by the verdict, without an index.
//!
//! The rows of the window are taken in its order, as if a guard that marks copies had stored them one after the other: candidates by
//! [`CandidateRule`], verdicts on the two texts, leaders around the kept rows. Keys and texts are kept within `work_mem`, and in
//! temporary files beyond it. The window itself would give a text again, but once it is on disk it reads all rows between the last one and
//! this one: 20,000 articles took 206 s that way.

use std::rc::Rc;

use neardup_core::candidates::spill::Storage;
use neardup_core::candidates::{Apart, Bits, CandidateRule, Earlier, Judged, Leaders, Options, Row, Rows};
use neardup_core::signature::digest;
use neardup_text::{Error, ErrorKind, interrupt};
use neardup_verdict::Tried;
use neardup_verdict::model::LOWEST_SCORE;
use pgrx::PgSqlErrorCode::{ERRCODE_CHARACTER_NOT_IN_REPERTOIRE, ERRCODE_IO_ERROR};
use pgrx::prelude::*;

use super::{answer, null, rows_of};
use crate::error::{Result, error, report};
use crate::pg::call::boundary;
use crate::pg::call::column::number;
use crate::pg::call::function_info;
use crate::pg::call::memory::claim;
use crate::pg::call::window::Window;
use crate::pg::table::temporary::{TemporaryFile, sort_memory};
use crate::sketch::{ANALYZER, KEYS};
use crate::verdict::judge::{Between, Found, Rule, Side, keys_of};
use crate::verdict::sides::Sides;

const DOCUMENT: i32 = 0;
const THRESHOLD: i32 = 1;

/// Bytes per row that stay in memory: where its text is, and the answer, while it is made and as Postgres keeps it.
const ROW: usize = 16;

/// Bytes of prepared texts that stay in memory.
const PREPARED: usize = 1 << 24;

/// Returns the bytes of a document as text.
fn text(bytes: &[u8]) -> Result<&str> {
    // The database has UTF-8, and Postgres checks what it stores.
    std::str::from_utf8(bytes).map_err(|wrong| error(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE, wrong.to_string()))
}

fn threshold(window: &Window<'_>) -> Result<f64> {
    let threshold = window.argument(THRESHOLD).map(|datum| f64::from_bits(datum.value() as u64));
    let threshold = threshold.ok_or_else(|| null("threshold"))?;
    if (LOWEST_SCORE..=1.0).contains(&threshold) {
        return Ok(threshold);
    }
    let message = format!("threshold must be between {LOWEST_SCORE} and 1: {}", number(threshold));
    Err(report(Error::new(ErrorKind::InvalidParameter, message)))
}

/// The documents of a window's rows: in memory, or in a temporary file if they do not fit there.
struct Documents {
    /// Where the document of each row ends.
    ends: Vec<u64>,
    memory: Vec<u8>,
    /// How many bytes may be in memory.
    most: usize,
    file: Option<TemporaryFile>,
}

impl Documents {
    const fn new(most: usize) -> Self {
        Self { ends: Vec::new(), memory: Vec::new(), most, file: None }
    }

    /// Adds the document of the next row.
    fn push(&mut self, document: &[u8]) {
        if self.file.is_none() && self.memory.len() + document.len() > self.most {
            let mut file = TemporaryFile::create();
            file.write(&std::mem::take(&mut self.memory));
            self.file = Some(file);
        }
        match &mut self.file {
            Some(file) => file.write(document),
            None => self.memory.extend_from_slice(document),
        }
        self.ends.push(self.ends.last().copied().unwrap_or_default() + document.len() as u64);
    }

    /// Passes the document of a row to `take`.
    fn with<T>(&mut self, row: u32, take: impl FnOnce(&str) -> Result<T>) -> Result<T> {
        let end = |row: usize| self.ends.get(row).copied().unwrap_or_default();
        let (from, to) = ((row as usize).checked_sub(1).map_or(0, end), end(row as usize));
        let Some(file) = &mut self.file else {
            return take(text(self.memory.get(from as usize..to as usize).unwrap_or_default())?);
        };
        let mut document = vec![0; to.saturating_sub(from) as usize];
        if file.read_at(from, &mut document) < document.len() {
            return Err(error(ERRCODE_IO_ERROR, "could not read a document from a temporary file"));
        }
        take(text(&document)?)
    }
}

/// The rows of a window that have a sketch.
struct Signed {
    rows: Rows<TemporaryFile>,
    /// Those whose sketch has one key only.
    with_one_key: Bits,
    documents: Documents,
}

impl Signed {
    fn add(&mut self, position: u32, document: Option<&[u8]>) -> Result<()> {
        let keys = match document {
            Some(bytes) => keys_of(text(bytes)?, (ANALYZER, KEYS))?,
            None => Vec::new(),
        };
        let document = document.filter(|_| !keys.is_empty()).unwrap_or_default();
        self.documents.push(document);
        if keys.is_empty() {
            return Ok(());
        }
        let row = Row {
            position,
            id: position.into(),
            scope: 0,
            time: None,
            hash: digest::text_hash(text(document)?),
            bytes: u32::try_from(document.len()).unwrap_or(u32::MAX),
        };
        self.rows.add(&row);
        keys.iter().for_each(|&key| self.rows.add_key(key, &row));
        if keys.len() == 1 {
            self.with_one_key.insert(position);
        }
        Ok(())
    }
}

/// Compares the rows of a window with each other.
struct TextComparison<'r> {
    documents: Documents,
    rule: Rule<'r>,
    sides: Sides,
}

impl TextComparison<'_> {
    fn side(&mut self, position: u32) -> Result<Option<Rc<Side>>> {
        let (documents, rule) = (&mut self.documents, &self.rule);
        self.sides.get(position.into(), || documents.with(position, |document| rule.side(document).map(Some)))
    }

    fn judge(&mut self, kept: &Earlier, duplicate: u32, tried: &mut Tried) -> Result<Option<Judged>> {
        let (Some(kept), Some(other)) = (self.side(kept.position)?, self.side(duplicate)?) else { return Ok(None) };
        let Found { judged, likeness, is_passed_over } =
            self.rule.judge(&kept, &other, Between::default(), None, tried)?;
        if judged.is_none() && !is_passed_over {
            tried.add(likeness);
        }
        Ok(judged.map(|judged| Judged { verdict: 0, score: judged.score, loses: judged.loses, kept_hash: 0 }))
    }
}

/// Groups the partition: returns for each row the position of the row that it repeats, or its own, counted from 0.
fn group_texts(window: &Window<'_>) -> Result<Vec<u32>> {
    let rule = Rule::Facts { least: threshold(window)?, correction: None };
    let count = rows_of(window)? as u32;
    claim(count as usize * ROW)?;
    let memory = sort_memory();
    let options = Options {
        rule: CandidateRule::default(),
        window: None,
        first_probe: 0,
        indexes_probes: true,
        // The window's order says which row is shown.
        excerpts_give_way: false,
    };
    let mut signed = Signed {
        rows: Rows::new(options, memory / 2),
        with_one_key: Bits::default(),
        documents: Documents::new(memory / 4),
    };
    let mut outcome = Ok(());
    window.for_each_bytes(DOCUMENT, |position, bytes| {
        if outcome.is_ok() {
            outcome = signed.add(position, bytes);
        }
    });
    outcome?;
    let Signed { rows, with_one_key, documents } = signed;
    let mut candidates = rows.finish();
    let mut leaders: Leaders<TemporaryFile> = Leaders::new(options, 0, memory / 4);
    let mut comparison = TextComparison { documents, rule, sides: Sides::new(PREPARED) };
    loop {
        interrupt::check();
        let is_open = |position| Some(leaders.is_kept(position));
        let next = candidates.next(is_open, |row| Ok(with_one_key.contains(row as u32)))?;
        let Some(probe) = next else { break };
        let mut tried = Tried::default();
        leaders.place(&probe, &Apart::default(), |kept| comparison.judge(kept, probe.position, &mut tried))?;
    }
    let mut answers: Vec<u32> = (0..count).collect();
    for member in leaders.finish(|_, _| Ok::<_, pgrx::pg_sys::panic::ErrorReport>(None))? {
        if let Some(answer) = answers.get_mut(member.duplicate.position as usize) {
            *answer = member.kept.position;
        }
    }
    Ok(answers)
}

/// The entry point behind `near_duplicate_of(text, double precision)`.
///
/// # Safety
/// Postgres calls it as the window function that repeats.sql declares.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn near_duplicate_of_text(fcinfo: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: Postgres passes the fcinfo of this call; this is the outermost frame.
    unsafe { boundary::entry(|| answer(fcinfo, group_texts)) }
}

function_info!(pg_finfo_near_duplicate_of_text);
