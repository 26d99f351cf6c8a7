//! What the model is given of a pair, in numbers: the two texts, their titles, the table around them, and how far apart in time they are.
//!
//! What is unknown is [`UNKNOWN`] in all of its numbers, so that the model can tell it from zero.

use std::ops::Range;
use std::time::Duration;

use super::correction::Correction;
use super::features::{Features, define_features};
use super::whole::Whole;
use super::wording::{Wording, wording};
use crate::compare::comparison::{Compared, Comparison};
use crate::table::rarity::Rarity;
use crate::table::surroundings::{OTHERS, Surroundings};

/// The value of all numbers that are unknown.
pub const UNKNOWN: f64 = -1.0;

define_features! {
    /// What is known beyond the texts.
    Context;
    /// Rows that share a key with one of the two; this and other counts are logarithms.
    rows: 0,
    /// Those of them that are similar to one of the two.
    similar: 0,
    /// Rows with other messages that follow a form of both.
    followers: -1,
    /// Similar rows that have mostly something else where the two differ.
    others: -1,
    /// How varied similar rows are there: 0 if each has what one of the two has, 1 if each has something else.
    variety: -1,
    /// Whether another row contains the shorter text.
    repeated: 0,
    /// Share of each text that is form.
    form_s: 0,
    form_l: 0,
    /// Units that are not, and the share of them that the other text has.
    own_units_s: 0,
    own_units_l: 0,
    own_matched_s: 0,
    own_matched_l: 0,
}

define_features! {
    /// What the titles say.
    Titles;
    /// Share of the words of both, of the shorter title, that both have.
    title_alike: 0,
    title_held: 0,
    /// The rarity that each title has and the other lacks, the lesser of the two.
    title_lacking: 0,
    /// Facts of the titles that contradict each other.
    title_conflicts: 0,
}

/// Number of all numbers of a pair.
pub const COUNT: usize = Features::COUNT + Wording::COUNT + Whole::COUNT + Titles::COUNT + Context::COUNT + 1;

/// The numbers that the table gives.
pub(crate) const OF_TABLE: Range<usize> = COUNT - 1 - Context::COUNT..COUNT - 1;

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// What the model is given of a pair.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// The facts of the texts, without lines that the whole table repeats.
    pub texts: Features,
    /// Their wording.
    pub wording: Wording,
    /// The two as wholes.
    pub whole: Whole,
    /// Their titles, if both have one.
    pub titles: Option<Titles>,
    /// What the table says, if it is known.
    pub table: Option<Context>,
    /// How far apart in time the two are.
    pub apart: Option<Duration>,
    /// What columns say in which copies agree, 0 to 1: the share of those that are the same in both rows, of those that both have.
    pub agreement: Option<f64>,
    /// What the owner of the table has taught.
    pub correction: Option<Correction>,
}

/// The least and the greatest of what the table can say before it is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    least: Context,
    most: Context,
}

impl Inputs {
    /// Returns the names of all numbers, in the order of [`Inputs::values`].
    pub fn names() -> impl Iterator<Item = &'static str> {
        let texts = Features::NAMES
            .iter()
            .chain(&Wording::NAMES)
            .chain(&Whole::NAMES)
            .chain(&Titles::NAMES)
            .chain(&Context::NAMES);
        texts.map(|(name, _)| *name).chain(["days"])
    }

    /// Returns for each number which way it may speak: 1 for a copy, -1 against one, 0 either way.
    #[must_use]
    pub fn signs() -> [i8; COUNT] {
        let mut signs = [0; COUNT];
        let texts = Features::NAMES.iter().chain(&Wording::NAMES).chain(&Whole::NAMES).chain(&Titles::NAMES);
        // The last one, the days between the two, only speaks against one.
        let all = texts.chain(&Context::NAMES).map(|(_, sign)| *sign).chain([-1]);
        signs.iter_mut().zip(all).for_each(|(to, sign)| *to = sign);
        signs
    }

    /// Returns all numbers of the pair.
    #[must_use]
    pub fn values(&self) -> [f64; COUNT] {
        let mut values = [UNKNOWN; COUNT];
        let (texts, rest) = values.split_at_mut(Features::COUNT);
        let (wording, rest) = rest.split_at_mut(Wording::COUNT);
        let (whole, rest) = rest.split_at_mut(Whole::COUNT);
        let (titles, rest) = rest.split_at_mut(Titles::COUNT);
        let (table, days) = rest.split_at_mut(Context::COUNT);
        texts.copy_from_slice(&self.texts.values());
        wording.copy_from_slice(&self.wording.values());
        whole.copy_from_slice(&self.whole.values());
        if let Some(of) = &self.titles {
            titles.copy_from_slice(&of.values());
        }
        if let Some(of) = &self.table {
            table.copy_from_slice(&of.values());
        }
        if let (Some(apart), Some(days)) = (self.apart, days.first_mut()) {
            *days = libm::log(1.0 + apart.as_secs_f64() / DAY);
        }
        values
    }
}

impl Limits {
    /// Puts the limits in the place of the numbers of the table.
    pub(crate) fn of_all(&self, values: &[f64; COUNT]) -> [[f64; COUNT]; 2] {
        [&self.least, &self.most].map(|of| {
            let mut all = *values;
            all[OF_TABLE].copy_from_slice(&of.values());
            all
        })
    }

    /// Returns what the table can say of two texts, as one of several cases: no form, or some form. `rows` are as many rows as may share a key
    /// with one of them, if that is known.
    pub(crate) fn of(texts: &Comparison, rows: Option<usize>) -> Vec<Self> {
        let without = Context::new(texts, &Surroundings::default());
        let log = |rows: Option<usize>| rows.map_or(f64::INFINITY, |rows| libm::log(1.0 + rows as f64));
        let all = log(rows);
        let any = Context { rows: all, similar: all, others: all, variety: 1.0, repeated: 1.0, ..without };
        let mut cases = vec![Self { least: without, most: any }];
        if rows.is_none_or(|rows| rows >= OTHERS) {
            let least = Context {
                rows: log(Some(OTHERS)),
                own_units_s: 0.0,
                own_units_l: 0.0,
                own_matched_s: UNKNOWN,
                own_matched_l: UNKNOWN,
                ..without
            };
            let similar = log(rows.map(|rows| rows - OTHERS));
            let matched = |share: f64| if share > 0.0 { 1.0 } else { share };
            let most = Context {
                similar,
                others: similar,
                followers: all,
                form_s: 1.0,
                form_l: 1.0,
                own_matched_s: matched(without.own_matched_s),
                own_matched_l: matched(without.own_matched_l),
                ..any
            };
            cases.push(Self { least, most });
        }
        cases
    }
}

impl Titles {
    pub(crate) fn new(titles: &Comparison, rarity: &Rarity) -> Self {
        let wording = wording(titles, rarity);
        Self {
            title_alike: wording.anywhere_l,
            title_held: wording.anywhere_s,
            title_lacking: wording.lacking_s.min(wording.lacking_l),
            title_conflicts: libm::log(1.0 + titles.pairs.iter().filter(|pair| pair.is_hard()).count() as f64),
        }
    }
}

impl Context {
    pub(crate) fn new(texts: &Comparison, found: &Surroundings) -> Self {
        let of_a = Own::of(&texts.a, &found.form[usize::from(texts.swapped)]);
        let of_b = Own::of(&texts.b, &found.form[usize::from(!texts.swapped)]);
        let (s, l) = if texts.a.text.units.len() <= texts.b.text.units.len() { (of_a, of_b) } else { (of_b, of_a) };
        let log = |count: usize| libm::log(1.0 + count as f64);
        Self {
            rows: log(found.rows),
            similar: log(found.similar),
            followers: log(found.followers),
            others: log(found.others),
            variety: found.variety,
            repeated: f64::from(u8::from(found.is_repeated)),
            form_s: s.form,
            form_l: l.form,
            own_units_s: log(s.units),
            own_units_l: log(l.units),
            own_matched_s: s.matched,
            own_matched_l: l.matched,
        }
    }
}

/// What a text has outside a form.
struct Own {
    form: f64,
    units: usize,
    matched: f64,
}

impl Own {
    fn of(compared: &Compared, form: &[Range<usize>]) -> Self {
        let (mut own, mut matched, mut passed) = (0_u32, 0_u32, 0);
        for (unit, &is_matched) in compared.text.units.iter().zip(&compared.matched) {
            let (start, end) = (unit.start as usize, unit.end as usize);
            while form.get(passed).is_some_and(|range| range.end <= start) {
                passed += 1;
            }
            if form.get(passed).is_some_and(|range| range.start < end) {
                continue;
            }
            own += 1;
            matched += u32::from(is_matched);
        }
        let units = compared.text.units.len().max(1) as f64;
        Self {
            form: 1.0 - f64::from(own) / units,
            units: own as usize,
            matched: if own == 0 { UNKNOWN } else { f64::from(matched) / f64::from(own) },
        }
    }
}
