//! The planner's cost estimate for a scan.

use pgrx::{PgList, pg_sys};

use super::values::{keys_of, raise};
use crate::index::cost::{Prices, Size, Work};
use crate::index::kind::Kind;
use crate::pg::call::boundary;
use crate::pg::value::hamming_ball::HammingBall;

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
                #[cfg(feature = "pg18")]
                {
                    (*path).path.disabled_nodes = 2;
                }
                return;
            }
            let kind = if pg_sys::get_typbyval(*index.opcintype) { Kind::SimHash } else { Kind::Sketch };
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
                (Kind::Sketch, _) => Work::sharing(asked.map_or(KEYS, |asked| keys_in(asked)), found, &size),
                (Kind::SimHash, _) => Work::within(asked.map_or(DISTANCE, |asked| distance_of(asked)), found, &size),
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
    // SAFETY: as the caller vouches.
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
    // SAFETY: as the caller vouches; the tag says what a node is.
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
    // SAFETY: as the caller vouches.
    raise(unsafe { keys_of(Kind::Sketch, Some(sketch), &mut keys) });
    keys.len() as u64
}

/// # Safety
/// `ball` must be a value of type `hamming_ball`.
unsafe fn distance_of(ball: pg_sys::Datum) -> u32 {
    // SAFETY: as the caller vouches; it lies at any address.
    unsafe { ball.cast_mut_ptr::<HammingBall>().read_unaligned() }.distance.min(u64::BITS.into()) as u32
}
