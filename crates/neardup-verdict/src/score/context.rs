//! What is known of a pair beyond the two texts, in numbers: the table around them, and how far apart in time they are.
//!
//! What is unknown is zero, so that a pair of which nothing is known keeps the score of its texts.

use std::time::Duration;

use super::features::{Features, define_features};
use crate::table::surroundings::Surroundings;

define_features! {
    /// What is known beyond the texts.
    Context;
    /// Whether the table is known: 1 or 0.
    table: 0,
    /// If the table is known, the log odds of the texts: a table either confirms them or not.
    alone: 0,
    /// By how much the log odds of what is left of the texts without their form are less, as a negative number.
    own: 1,
    /// Whether the whole shorter text is some of the longer one's sentences, and no other row contains it.
    whole_sentences: 1,
    /// How varied similar rows are where the two differ: 0 if each has what one of the two has, 1 if each has something else.
    variety: -1,
    /// The same, if the two texts contradict each other.
    variety_of_facts: -1,
    /// The same, times the replacements of long texts.
    variety_refilled: -1,
    /// Logarithm of the days between the two.
    days: -1,
}

/// Log odds beyond this say no more.
const SURE: f64 = 8.0;

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// What the model is given of a pair.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// The features of the texts, without lines that the whole table repeats.
    pub texts: Features,
    /// What the table says, if it is known.
    pub table: Option<Table>,
    /// How far apart in time the two are.
    pub apart: Option<Duration>,
}

/// What the table says of a pair.
#[derive(Clone, Debug)]
pub struct Table {
    /// The features of what is left of the texts without their form; `None` if nothing is left of one.
    pub own: Option<Features>,
    variety: f64,
    is_repeated: bool,
    is_filled_form: bool,
}

impl Table {
    pub(crate) fn new(own: Option<Features>, surroundings: &Surroundings) -> Self {
        let Surroundings { variety, is_repeated, .. } = *surroundings;
        Self { own, variety, is_repeated, is_filled_form: surroundings.is_filled_form() }
    }

    /// What no table can surpass in favour of a copy.
    pub(crate) fn best(texts: &Features) -> Self {
        Self { own: Some(*texts), variety: 0.0, is_repeated: false, is_filled_form: false }
    }
}

impl Inputs {
    /// Says whether the two look like two fillings of a form that many rows of their table fill.
    pub(crate) fn fill_form(&self) -> bool {
        self.table.as_ref().is_some_and(|table| table.is_filled_form)
    }

    /// Gives the context, for any model of the texts alone.
    #[must_use]
    pub fn context(&self, log_odds: impl Fn(&Features) -> f64) -> Context {
        let limited = |features: &Features| log_odds(features).clamp(-SURE, SURE);
        let mut context = Context::default();
        if let Some(table) = &self.table {
            let alone = limited(&self.texts);
            context.table = 1.0;
            context.alone = alone;
            context.own = table.own.as_ref().map_or(0.0, |own| (limited(own) - alone).min(0.0));
            context.whole_sentences = if table.is_repeated { 0.0 } else { self.texts.sentences_of };
            context.variety = table.variety;
            context.variety_of_facts = table.variety * self.texts.any_conflict;
            context.variety_refilled = table.variety * self.texts.refilled_long;
        }
        if let Some(apart) = self.apart {
            context.days = libm::log(1.0 + apart.as_secs_f64() / DAY);
        }
        context
    }
}
