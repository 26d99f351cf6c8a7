//! Many statements of one session that are prepared when they are first needed, each under a number.

use std::cell::RefCell;
use std::marker::PhantomData;

use ahash::AHashMap;
use pgrx::pg_sys;

use super::query::{Session, Statement, Type};

/// How many statements are kept prepared: one takes some 50 kB with its plan.
const MOST: usize = 1000;

/// The statements.
pub struct Statements<'s> {
    session: &'s Session,
    kinds: Vec<Type>,
    /// `None`: there is no statement for this number.
    plans: RefCell<AHashMap<usize, Option<pg_sys::SPIPlanPtr>>>,
}

impl<'s> Statements<'s> {
    /// Begins with none; all have parameters of these kinds.
    pub fn new(session: &'s Session, kinds: &[Type]) -> Self {
        Self { session, kinds: kinds.to_vec(), plans: RefCell::default() }
    }

    /// Passes a statement to `run`, which must not use these statements; it is prepared from what `sql` returns, if that has not been asked before.
    pub fn with<T>(
        &self,
        number: usize,
        sql: impl FnOnce() -> Option<String>,
        run: impl FnOnce(Option<&Statement<'_>>) -> T,
    ) -> T {
        let known = self.plans.borrow().get(&number).copied();
        let plan = known.unwrap_or_else(|| {
            let plan = sql().map(|sql| self.session.prepare(&sql, &self.kinds).plan);
            let mut plans = self.plans.borrow_mut();
            if plans.len() >= MOST {
                // SAFETY: prepared in this session, which is open; no statement of them is in use, or the map would be lent.
                plans.drain().filter_map(|(_, plan)| plan).for_each(|plan| unsafe {
                    pg_sys::SPI_freeplan(plan);
                });
            }
            plans.insert(number, plan);
            plan
        });
        // Lent, so that none is freed meanwhile.
        let _lent = self.plans.borrow();
        let statement = plan.map(|plan| Statement { plan, kinds: self.kinds.clone(), session: PhantomData });
        run(statement.as_ref())
    }
}
