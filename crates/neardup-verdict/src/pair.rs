//! The front door: two texts, what is known of them, and the verdict.

use std::ops::Range;
use std::rc::Rc;
use std::slice;
use std::time::Duration;

use ahash::AHashSet;

use crate::compare::comparison::{Aligned, Comparison};
use crate::compare::prepared::Prepared;
use crate::duplicate::Gate;
use crate::read::{credits, datelines, hashtags, replies};
use crate::score::context::{Context, Inputs, Limits, Titles};
use crate::score::correction::{Correction, Measured};
use crate::score::evidence::Evidence;
use crate::score::model::{LEAST_SCORE, MOST_UNREAD, Missing, Scoring};
use crate::score::whole::{self, whole};
use crate::score::wording::wording;
use crate::score::{features, reasons, signals};
use crate::table::forms::{Known, Sample};
use crate::table::surroundings::{OTHERS, Surroundings};
use crate::tried::{Likeness, Tried};
use crate::verdict::{Message, Verdict};
use neardup_core::profile::{Passage, Profile};
use neardup_text::{Result, Scratch};

/// Two texts with what is known of them.
///
/// ```
/// use neardup_verdict::{Pair, Prepared, Verdict};
///
/// let (a, b) = (Prepared::new("江口镇今日举办第十届龙舟赛。")?, Prepared::new("江口镇今日举办第十届龙舟赛")?);
/// assert_eq!(Pair::new(&a, &b).message()?.verdict, Verdict::Copy);
/// # Ok::<(), neardup_text::Error>(())
/// ```
pub struct Pair<'p> {
    texts: [&'p Prepared<'p>; 2],
    titles: [&'p str; 2],
    profile: Option<(&'p Profile, &'p mut Scratch)>,
    apart: Option<Duration>,
    agreement: Option<f64>,
    known: Option<Known<'p>>,
    correction: Option<&'p Correction>,
    least: f64,
}

/// What a comparison has found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Compared {
    /// The verdict and its score, if keeping one of the two loses nothing.
    pub found: Option<(Verdict, f64)>,
    /// What the two have in common; nothing if it is too little for any verdict.
    pub likeness: Likeness,
    /// Whether there is no verdict, because others have more in common.
    pub is_passed_over: bool,
}

/// Words that so many of the other rows around them have beside other links are a phrase, and what the link leads to may be the message. Of 40 posts that a
/// clean-up removed from one table 16 were no copies for this; in other tables such phrases are copies. Fewer rows are one post sent again. A text that so
/// many rows have, each beside another one, is a preamble or a form, and hardly an excerpt of any: of 93 read pairs 55 are no copies.
const HOLDERS: usize = 8;

/// A text with as many words (characters, in scripts without spaces) says enough to be a message of its own.
const PHRASE: usize = 40;

/// A shorter report may come again with the same words: the day of its dateline tells it from the last one. In Han characters, or words.
const NOTICE: usize = 80;

/// What of two texts does not count, in bytes of the plain text.
#[derive(Default)]
struct Ignored {
    out: [Vec<Range<usize>>; 2],
    left_out: Vec<String>,
    furniture: usize,
    /// Whether either text quotes.
    quotes: bool,
    /// Whether their hashtags are all that differs.
    hashtags: bool,
}

impl<'p> Pair<'p> {
    /// A pair of which nothing but the texts is known.
    #[must_use]
    pub fn new(a: &'p Prepared<'p>, b: &'p Prepared<'p>) -> Self {
        Self {
            texts: [a, b],
            titles: ["", ""],
            profile: None,
            apart: None,
            agreement: None,
            known: None,
            correction: None,
            least: LEAST_SCORE,
        }
    }

    /// Adds titles; an empty title counts as none.
    #[must_use]
    pub fn titled(self, a: &'p str, b: &'p str) -> Self {
        Self { titles: [a, b], ..self }
    }

    /// Adds the profile of a collection: boilerplate that both texts have does not count.
    #[must_use]
    pub fn by_profile(self, profile: &'p Profile, scratch: &'p mut Scratch) -> Self {
        Self { profile: Some((profile, scratch)), ..self }
    }

    /// Adds how far apart in time the two rows are, if that is known.
    #[must_use]
    pub fn apart(self, apart: Option<Duration>) -> Self {
        Self { apart, ..self }
    }

    /// Adds what columns say in which copies agree: the share of those that are the same in both rows, of those that both have.
    #[must_use]
    pub fn agreeing(self, agreement: Option<f64>) -> Self {
        Self { agreement, ..self }
    }

    /// Adds the table that the two texts are rows of.
    #[must_use]
    pub fn known(self, known: Known<'p>) -> Self {
        Self { known: Some(known), ..self }
    }

    /// Adds what the owner of the table has taught.
    #[must_use]
    pub fn corrected(self, correction: Option<&'p Correction>) -> Self {
        Self { correction, ..self }
    }

    /// Sets the least score of what [`Pair::duplicate`] returns: pairs that cannot reach it are ruled out early. If it is less than
    /// [`LEAST_SCORE`], verdicts call a pair a copy or an excerpt from it on. Scores do not change.
    #[must_use]
    pub fn at_least(self, score: f64) -> Self {
        Self { least: score, ..self }
    }

    /// Returns the relation of the two texts, with reasons.
    ///
    /// # Errors
    /// `InvalidParameter` if the profile is not trained; those of the table.
    pub fn message(self) -> Result<Message> {
        Ok(reasons::message(&self.evidence()?))
    }

    /// Returns the reasons that are known from the table alone: a form that both follow, and lines that do not count.
    ///
    /// # Errors
    /// As [`Pair::message`].
    pub fn known_of_table(self) -> Result<Vec<String>> {
        Ok(reasons::of_table(&self.evidence()?))
    }

    /// Returns the verdict and its score if keeping one of the two loses nothing: a copy, or an excerpt, of which the longer text
    /// has to stay ([`replaces`](crate::replaces)).
    ///
    /// The score is at least [`LEAST_SCORE`], or what [`Pair::at_least`] says. Symmetric in the two texts. Identical texts are copies, unless their titles
    /// differ or columns do not agree. Texts with too little overlap are not read.
    ///
    /// # Errors
    /// `InvalidParameter` if the profile is not trained; those of the table.
    pub fn duplicate(self) -> Result<Option<(Verdict, f64)>> {
        Ok(self.duplicate_after(&Tried::default())?.found)
    }

    /// Compares the two as [`Pair::duplicate`] does, unless others that were compared with one of them in vain have more in common with it.
    ///
    /// # Errors
    /// As [`Pair::duplicate`].
    pub fn duplicate_after(self, tried: &Tried) -> Result<Compared> {
        if self.are_equal() {
            return Ok(Compared {
                found: Some((Verdict::Copy, 1.0)),
                likeness: Likeness::ALWAYS,
                is_passed_over: false,
            });
        }
        // What both have and does not count can only increase the overlap.
        let Some(gate) = Gate::of(self.texts) else { return Ok(Compared::default()) };
        let likeness = gate.likeness(self.texts);
        if tried.rules_out(likeness) {
            return Ok(Compared { found: None, likeness, is_passed_over: true });
        }
        let found = self.kept()?.filter(|&(verdict, _)| gate.allows(verdict));
        Ok(Compared { found, likeness, is_passed_over: false })
    }

    /// Returns the verdict as [`Pair::duplicate`] does, without a minimum overlap.
    pub(super) fn kept(mut self) -> Result<Option<(Verdict, f64)>> {
        if self.are_equal() {
            return Ok(Some((Verdict::Copy, 1.0)));
        }
        if self.wholes().is_some() && self.least > MOST_UNREAD {
            return Ok(None);
        }
        let ignored = self.ignored()?;
        let titles = self.compared_titles()?;
        let sample = self.sample()?;
        let aligned = Aligned::without(self.texts, ignored.out.clone());
        let is_same = aligned.texts.is_same();
        // Finding contradictions and asking the table take longest, and most pairs are out before.
        let table = if self.known.is_some() { Limits::of(&aligned.texts, None) } else { Vec::new() };
        let inputs = self.inputs_without_table(&aligned.texts, titles.as_ref(), &sample);
        let mut scoring = Scoring::default();
        let least = self.least;
        let mut may_reach = |inputs: &Inputs, facts, table: &[Limits]| {
            is_same || scoring.may_reach(least, inputs, Missing { facts, table: !table.is_empty() }, table)
        };
        if !may_reach(&inputs, true, &table) {
            return Ok(None);
        }
        let texts = aligned.with_facts();
        // Facts change no wording.
        let inputs = Inputs { texts: inputs.texts.with_facts(&texts), ..inputs };
        if !texts.pairs.is_empty() && !may_reach(&inputs, false, &table) {
            return Ok(None);
        }
        let rows = self.rows_around()?;
        if let Some(rows) = &rows
            && !may_reach(&inputs, false, &Limits::of(&texts, Some(rows.len())))
        {
            return Ok(None);
        }
        let found = self.judged(rows, ignored, texts, titles, inputs)?.verdict_after(scoring);
        Ok(Some(found).filter(|(verdict, score)| verdict.keeps_one() && *score >= least))
    }

    /// Returns what the model is given of the pair, for training, and the score if it is certain without the model.
    ///
    /// # Errors
    /// `InvalidParameter` if the profile is not trained; those of the table.
    pub fn inputs(self) -> Result<(Inputs, Option<f64>)> {
        let evidence = self.evidence()?;
        let certain = evidence.without_model().map(|(_, score)| score);
        Ok((evidence.inputs, certain))
    }

    /// Returns what is learned of the pair from an answer; `None` if the model is not asked about it.
    ///
    /// # Errors
    /// `InvalidParameter` if the profile is not trained; those of the table.
    pub fn measured(self) -> Result<Option<Measured>> {
        let evidence = self.evidence()?;
        Ok(evidence.without_model().is_none().then(|| Measured::of(&evidence.inputs)))
    }

    /// Says whether the texts are identical, and the titles, if both have one, and whether no column says otherwise.
    fn are_equal(&self) -> bool {
        self.texts[0].is_same(self.texts[1])
            && (!self.are_titled() || are_one_title(self.titles))
            && self.agreement.is_none_or(|share| share >= 1.0)
    }

    fn are_titled(&self) -> bool {
        self.titles.iter().all(|title| !title.trim().is_empty())
    }

    pub(super) fn evidence(mut self) -> Result<Evidence> {
        let ignored = self.ignored()?;
        let titles = self.compared_titles()?;
        let sample = self.sample()?;
        let texts = Aligned::without(self.texts, ignored.out.clone()).with_facts();
        let inputs = self.inputs_without_table(&texts, titles.as_ref(), &sample);
        let rows = self.rows_around()?;
        self.judged(rows, ignored, texts, titles, inputs)
    }

    /// Returns the numbers of the rows around the pair, if there is a table.
    fn rows_around(&mut self) -> Result<Option<Vec<u64>>> {
        self.known.as_mut().map(Known::rows_around).transpose()
    }

    /// Returns the lengths of the whole texts, if only the beginning of one is compared, and the rest may differ.
    fn wholes(&self) -> Option<[usize; 2]> {
        let [a, b] = self.texts;
        let may_differ = (a.is_beginning() || b.is_beginning()) && !a.is_same(b);
        may_differ.then(|| self.texts.map(Prepared::len))
    }

    /// Judges compared texts among the rows around them.
    fn judged(
        &mut self,
        rows: Option<Vec<u64>>,
        ignored: Ignored,
        texts: Comparison,
        titles: Option<Comparison>,
        inputs: Inputs,
    ) -> Result<Evidence> {
        let surroundings = match (&mut self.known, rows) {
            (Some(known), Some(rows)) => {
                let (around, same) = known.around(self.texts, &rows)?;
                Some(Surroundings { same, ..Surroundings::of(self.texts, &around) })
            }
            _ => None,
        };
        let table = surroundings.as_ref().map(|found| Context::new(&texts, found));
        let inputs = Inputs { table, ..inputs };
        let is_phrase = surroundings.as_ref().is_some_and(|found| self.is_phrase(&texts, found));
        let (continued, same) = surroundings.as_ref().map_or((0, 0), |found| (found.continued, found.same));
        let is_of_other_place =
            texts.is_same() && texts.a.text.units.len() < PHRASE && whole::lead_to_other_places(self.texts);
        let is_form = continued >= OTHERS || same >= HOLDERS;
        let days = self.days_apart(&texts);
        let quoted = self.quoted_whole(&texts);
        let headed_apart =
            signals::are_headed_apart(&texts, titles.as_ref(), is_form).then(|| self.titles.map(str::to_owned));
        let Ignored { left_out, furniture, quotes, hashtags, .. } = ignored;
        let wholes = self.wholes();
        Ok(Evidence {
            texts,
            titles,
            inputs,
            is_phrase,
            is_of_other_place,
            is_continued: continued >= HOLDERS,
            days,
            quoted,
            headed_apart,
            surroundings,
            left_out,
            furniture,
            quotes,
            hashtags,
            equal: self.are_equal(),
            wholes,
            is_form,
            copies_from: self.least.min(LEAST_SCORE),
        })
    }

    /// Says whether both texts are one phrase that many rows have, each with another link.
    fn is_phrase(&self, texts: &Comparison, found: &Surroundings) -> bool {
        found.holders >= HOLDERS
            && texts.is_same()
            && texts.a.text.units.len() < PHRASE
            && whole::link_apart(self.texts)
    }

    /// Returns the days of their datelines, if these are apart and both texts are short.
    fn days_apart(&self, texts: &Comparison) -> Option<[String; 2]> {
        if texts.a.text.units.len().max(texts.b.text.units.len()) >= NOTICE {
            return None;
        }
        let plain = self.texts.map(Prepared::plain);
        let [a, b] = datelines::days_apart(plain)?;
        Some([plain[0].get(a)?.to_owned(), plain[1].get(b)?.to_owned()])
    }

    /// Returns the words that say whose the shorter text is, if the longer one quotes it whole without a mark and answers.
    fn quoted_whole(&self, texts: &Comparison) -> Option<String> {
        if texts.is_same() || texts.shared < texts.a.text.units.len().min(texts.b.text.units.len()) {
            return None;
        }
        let plain = self.texts.map(Prepared::plain);
        let (reply, attribution) = replies::quotes_whole(plain)?;
        Some(plain[reply].get(attribution)?.trim().to_owned())
    }

    fn inputs_without_table(&self, texts: &Comparison, titles: Option<&Comparison>, sample: &Sample) -> Inputs {
        Inputs {
            texts: features::features(texts, titles),
            wording: wording(texts, &sample.rarity),
            whole: whole(self.texts),
            titles: titles.map(|titles| Titles::new(titles, &sample.rarity)),
            table: None,
            apart: self.apart,
            agreement: self.agreement,
            correction: self.correction.cloned(),
        }
    }

    /// Returns what rows spread over the table say; nothing, if the table is unknown.
    fn sample(&mut self) -> Result<Rc<Sample>> {
        self.known.as_mut().map_or_else(|| Ok(Rc::default()), Known::sample)
    }

    /// Compares the titles, if both texts have one.
    fn compared_titles(&self) -> Result<Option<Comparison>> {
        let [a, b] = self.titles.map(credits::without_page);
        if self.are_titled() { Comparison::new(a, b).map(Some) } else { Ok(None) }
    }

    /// Finds what does not count: boilerplate that both have, by the profile, a headline in 【】 that is the title of either row, hashtags that are all
    /// that differs, and lines that the whole table repeats.
    ///
    /// Boilerplate of only one text stays, because other passages of a template may be the news. All of it stays if one text
    /// consists of nothing else.
    fn ignored(&mut self) -> Result<Ignored> {
        let mut ignored = Ignored { out: self.texts.map(Prepared::not_own), ..Ignored::default() };
        ignored.quotes = self.texts.iter().any(|text| text.quoted() > 0.0);
        if let Some((profile, scratch)) = &mut self.profile {
            let [a, b] = self.texts.map(Prepared::plain);
            let (of_a, of_b) = (profile.boilerplate(a, scratch)?, profile.boilerplate(b, scratch)?);
            let shared = |own: &[Passage], other: &[Passage]| -> Vec<Range<usize>> {
                let keys: AHashSet<u64> = other.iter().map(|passage| passage.key).collect();
                own.iter().filter(|passage| keys.contains(&passage.key)).map(|passage| passage.range.clone()).collect()
            };
            let (out_a, out_b) = (shared(&of_a, &of_b), shared(&of_b, &of_a));
            if credits::has_letters_outside(a, &out_a) && credits::has_letters_outside(b, &out_b) {
                ignored.left_out = out_a.iter().filter_map(|range| a.get(range.clone())).map(str::to_owned).collect();
                ignored.out = [merged(&ignored.out[0], &out_a), merged(&ignored.out[1], &out_b)];
            }
        }
        let heads = [0, 1].map(|at: usize| credits::headline(self.texts[at].plain()));
        if heads.iter().any(|head| *head > 0) {
            let head = |at: usize| self.texts[at].plain().get(..heads[at]).unwrap_or_default();
            let are_one = credits::same_letters(head(0), head(1));
            for at in (0..2).filter(|&at| heads[at] > 0 && !are_one) {
                let is_title = self.titles.iter().any(|title| credits::same_letters(title, head(at)));
                let head = 0..heads[at];
                if is_title && credits::has_letters_outside(self.texts[at].plain(), slice::from_ref(&head)) {
                    ignored.out[at] = merged(&ignored.out[at], &[head]);
                }
            }
        }
        let plain = self.texts.map(Prepared::plain);
        if let Some(tags) = hashtags::apart(plain, [&ignored.out[0], &ignored.out[1]]) {
            ignored.hashtags = true;
            ignored.out = [0, 1].map(|at: usize| merged(&ignored.out[at], &tags[at]));
        }
        if let Some(known) = &mut self.known {
            let lines = known.furniture(self.texts)?;
            let left = |at: usize| credits::has_letters_outside(self.texts[at].plain(), &lines[at]);
            if lines.iter().any(|lines| !lines.is_empty()) && left(0) && left(1) {
                ignored.furniture = lines[0].len().max(lines[1].len());
                ignored.out = [0, 1].map(|at: usize| merged(&ignored.out[at], &lines[at]));
            }
        }
        Ok(ignored)
    }
}

fn are_one_title([a, b]: [&str; 2]) -> bool {
    a.trim() == b.trim()
}

impl Prepared<'_> {
    /// Returns the verdict on this text and another with its score, 0.5 to 1, if keeping one of them loses nothing: a copy, or
    /// an excerpt, of which the longer text has to stay ([`replaces`](crate::replaces)).
    ///
    /// Symmetric in the two texts. Identical texts are copies.
    ///
    /// # Errors
    /// `LimitExceeded` for a text of 4 GB or more.
    pub fn duplicate(&self, other: &str) -> Result<Option<(Verdict, f64)>> {
        Pair::new(self, &Prepared::new(other)?).duplicate()
    }
}

/// Returns the relation of two texts.
///
/// # Errors
/// `LimitExceeded` for a text of 4 GB or more.
pub fn same_message(a: &str, b: &str) -> Result<Message> {
    same_message_titled("", a, "", b)
}

/// Returns the relation of two texts with titles; an empty title counts as none.
///
/// # Errors
/// `LimitExceeded` for a text of 4 GB or more.
pub fn same_message_titled(a_title: &str, a: &str, b_title: &str, b: &str) -> Result<Message> {
    Pair::new(&Prepared::new(a)?, &Prepared::new(b)?).titled(a_title, b_title).message()
}

/// Returns the relation of two texts with titles by the profile of a collection: boilerplate of both does not count.
///
/// The texts are title and text of the one, then title and text of the other.
///
/// # Errors
/// `InvalidParameter` if the profile is not trained; `LimitExceeded` for a text of 4 GB or more.
pub fn same_message_by_profile(texts: [&str; 4], profile: &Profile, scratch: &mut Scratch) -> Result<Message> {
    let [a_title, a, b_title, b] = texts;
    let (a, b) = (Prepared::new(a)?, Prepared::new(b)?);
    Pair::new(&a, &b).titled(a_title, b_title).by_profile(profile, scratch).message()
}

/// Returns the verdict on two texts and its score, as [`Pair::duplicate`] does, without a minimum overlap.
///
/// # Errors
/// `LimitExceeded` for a text of 4 GB or more.
pub fn kept_on(a: &str, b: &str) -> Result<Option<(Verdict, f64)>> {
    Pair::new(&Prepared::new(a)?, &Prepared::new(b)?).kept()
}

/// Merges two lists of stretches, each in ascending order.
fn merged(a: &[Range<usize>], b: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut all = [a, b].concat();
    all.sort_unstable_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(all.len());
    for range in all {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}
