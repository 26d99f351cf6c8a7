//! The planner's cost estimate for a scan: what a search reads, and what that costs.
#![allow(unsafe_code, reason = "Postgres calls amcostestimate by pointer and passes the planner's nodes")]

use neardup_page::kind::{BANDS, SignatureKind};
use pgrx::{PgList, pg_sys};

use super::search::{LEAVES_A_PROBE, probes};
use super::values::{keys_of, or_report};
use crate::pg::call::boundary;
use crate::pg::compat;
use crate::simhash::HammingBall;

/// The keys of a sketch, unless the query is known.
const KEYS: u64 = 10;
/// The distance of a search, unless the query is known.
const DISTANCE: u32 = 7;

pub(super) unsafe extern "C-unwind" fn estimate(
    root: *mut pg_sys::PlannerInfo,
    path: *mut pg_sys::IndexPath,
    loops: f64,
    startup: *mut pg_sys::Cost,
    total: *mut pg_sys::Cost,
    selectivity: *mut pg_sys::Selectivity,
    correlation: *mut f64,
    pages: *mut f64,
) {
    // SAFETY: this is the outermost frame; Postgres passes a path of an index of ours and places for the answer.
    unsafe {
        boundary::entry(|| {
            let index = &*(*path).indexinfo;
            let clauses = PgList::<pg_sys::IndexClause>::from_pg((*path).indexclauses);
            let by_distance = !(*path).indexorderbys.is_null();
            *correlation = 0.0;
            *pages = f64::from(index.pages);
            if clauses.is_empty() && !by_distance {
                // The index does not have every row once: such a scan would be an error.
                (*startup, *total, *selectivity) = (f64::INFINITY, f64::INFINITY, 1.0);
                compat::disable(&mut (*path).path);
                return;
            }
            let kind =
                if pg_sys::get_typbyval(*index.opcintype) { SignatureKind::SimHash } else { SignatureKind::Sketch };
            *selectivity = selectivity_of(root, path);
            let mut prices = Prices {
                operator: pg_sys::cpu_operator_cost,
                tuple: pg_sys::cpu_index_tuple_cost,
                ..Prices::default()
            };
            pg_sys::get_tablespace_page_costs(index.reltablespace, &raw mut prices.random, &raw mut prices.sequential);
            let size = Size { pages: f64::from(index.pages), rows: index.tuples };
            let asked = argument(root, &clauses);
            let found = *selectivity * size.rows;
            let mut work = match (kind, by_distance) {
                (_, true) => Work::nearest(&size),
                (SignatureKind::Sketch, _) => Work::sharing(asked.map_or(KEYS, |asked| keys_in(asked)), found, &size),
                (SignatureKind::SimHash, _) => {
                    Work::within(asked.map_or(DISTANCE, |asked| distance_of(asked)), found, &size)
                }
            };
            if loops > 1.0 {
                // Over many scans pages stay in memory, as Postgres reckons for its own indexes.
                let fetched =
                    pg_sys::index_pages_fetched(work.random_pages * loops, index.pages, f64::from(index.pages), root);
                work.random_pages = fetched / loops;
            }
            (*startup, *total) = work.cost(&prices);
            *pages = work.random_pages + work.sequential_pages;
        });
    }
}

/// # Safety
/// As Postgres calls an estimate.
unsafe fn selectivity_of(root: *mut pg_sys::PlannerInfo, path: *mut pg_sys::IndexPath) -> f64 {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let conditions = pg_sys::get_quals_from_indexclauses((*path).indexclauses);
        let relation = (*(*(*path).indexinfo).rel).relid as i32;
        let none = std::ptr::null_mut();
        pg_sys::clauselist_selectivity(root, conditions, relation, pg_sys::JoinType::JOIN_INNER, none)
    }
}

/// What the first condition compares with, if that is known.
///
/// # Safety
/// As Postgres calls an estimate.
unsafe fn argument(root: *mut pg_sys::PlannerInfo, clauses: &PgList<pg_sys::IndexClause>) -> Option<pg_sys::Datum> {
    // SAFETY: guaranteed by the caller; the tag says what a node is.
    unsafe {
        let condition = PgList::<pg_sys::RestrictInfo>::from_pg((*clauses.head()?).indexquals).head()?;
        let clause = (*condition).clause.cast::<pg_sys::OpExpr>();
        if (*clause).xpr.type_ != pg_sys::NodeTag::T_OpExpr {
            return None;
        }
        let operand = PgList::<pg_sys::Node>::from_pg((*clause).args).get_ptr(1)?;
        let value = pg_sys::estimate_expression_value(root, operand);
        if (*value).type_ != pg_sys::NodeTag::T_Const {
            return None;
        }
        let value = &*value.cast::<pg_sys::Const>();
        (!value.constisnull).then_some(value.constvalue)
    }
}

/// # Safety
/// `sketch` must be a value of type `minhash`.
unsafe fn keys_in(sketch: pg_sys::Datum) -> u64 {
    let mut keys = Vec::new();
    // SAFETY: guaranteed by the caller.
    or_report(unsafe { keys_of(SignatureKind::Sketch, Some(sketch), &mut keys) });
    keys.len() as u64
}

/// # Safety
/// `ball` must be a value of type `hamming_ball`.
unsafe fn distance_of(ball: pg_sys::Datum) -> u32 {
    // SAFETY: guaranteed by the caller; it lies at any address.
    unsafe { ball.cast_mut_ptr::<HammingBall>().read_unaligned() }.distance.min(u64::BITS.into()) as u32
}

/// The planner's cost settings for an index's tablespace.
#[derive(Clone, Copy, Debug, Default)]
struct Prices {
    /// Cost of a page read at random.
    random: f64,
    /// Cost of the next page in sequence.
    sequential: f64,
    /// Cost of a comparison.
    operator: f64,
    /// Cost of an entry.
    tuple: f64,
}

/// How large an index is.
#[derive(Clone, Copy, Debug)]
struct Size {
    pages: f64,
    /// Number of rows of its table.
    rows: f64,
}

/// What a scan does.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    /// Descents from a root to a leaf.
    descents: f64,
    /// Leaves read at random.
    random_pages: f64,
    /// Leaves read in sequence.
    sequential_pages: f64,
    /// Entries that are compared.
    compared: f64,
    /// Entries that are returned.
    given: f64,
    /// Whether entries are returned before all are found.
    is_early: bool,
}

/// Pages above a leaf, and the comparisons in each, as Postgres assumes for a B-tree (`btcostestimate`).
const HEIGHT: f64 = 3.0;
const COMPARISONS_A_PAGE: f64 = 50.0;
/// Entries per leaf.
const ENTRIES_A_LEAF: f64 = 470.0;

impl Work {
    /// Estimates a search for rows that share one of some keys.
    fn sharing(keys: u64, found: f64, size: &Size) -> Self {
        let keys = keys as f64;
        let random_pages = (keys + found / ENTRIES_A_LEAF).min(size.pages);
        Self { descents: keys, random_pages, compared: found, given: found, ..Self::default() }
    }

    /// Estimates a search for rows within a distance.
    fn within(distance: u32, found: f64, size: &Size) -> Self {
        let leaves = (size.pages / f64::from(BANDS)).max(1.0);
        let probes = probes(distance) as f64;
        if probes * LEAVES_A_PROBE as f64 >= leaves {
            return Self {
                descents: 1.0,
                sequential_pages: leaves,
                compared: size.rows,
                given: found,
                ..Self::default()
            };
        }
        let compared = probes * size.rows / f64::from(u16::MAX);
        let random_pages = (probes + compared / ENTRIES_A_LEAF).min(size.pages);
        Self { descents: probes, random_pages, compared, given: found, ..Self::default() }
    }

    /// Estimates a search for all rows by distance, of which most queries want few.
    fn nearest(size: &Size) -> Self {
        let leaves = (size.pages / f64::from(BANDS)).max(1.0);
        Self { sequential_pages: leaves, given: size.rows, is_early: true, ..Self::within(NEAR, 0.0, size) }
    }

    /// Returns the cost before the first entry, and the total cost.
    fn cost(&self, prices: &Prices) -> (f64, f64) {
        let searching = self.descents * HEIGHT * COMPARISONS_A_PAGE * prices.operator
            + self.random_pages * prices.random
            + self.compared * prices.operator;
        let reading = self.sequential_pages * prices.sequential;
        let giving = self.given * prices.tuple;
        let startup = if self.is_early { searching } else { searching + reading };
        (startup, searching + reading + giving)
    }
}

/// The distance within which the nearest rows of most queries are.
const NEAR: u32 = 7;
