//! The front door: two texts, what is known of them, and the verdict.

use std::time::Duration;

use super::comparison::{Aligned, Compared, Comparison};
use super::duplicate::Gate;
use super::forms::Known;
use super::prepared::Prepared;
use super::rules::Rule;
use super::{Message, Verdict, features, model, reasons};
use neardup_core::profile::Profile;
use neardup_text::{Result, Scratch};

/// With this many unmatched units, segment words only if that can change the verdict.
const MANY: usize = 64;

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
    a: &'p Prepared<'p>,
    b: &'p Prepared<'p>,
    titles: [&'p str; 2],
    profile: Option<(&'p Profile, &'p mut Scratch)>,
    apart: Option<Duration>,
    known: Option<Known<'p>>,
}

impl<'p> Pair<'p> {
    /// A pair of which nothing but the texts is known.
    #[must_use]
    pub fn new(a: &'p Prepared<'p>, b: &'p Prepared<'p>) -> Self {
        Self { a, b, titles: ["", ""], profile: None, apart: None, known: None }
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

    /// Adds the table that the two texts are rows of.
    #[must_use]
    pub fn known(self, known: Known<'p>) -> Self {
        Self { known: Some(known), ..self }
    }

    /// Gives the relation of the two texts, with reasons.
    ///
    /// # Errors
    /// `InvalidParameter` if the profile is not trained; those of the table.
    pub fn message(mut self) -> Result<Message> {
        let texts = self.aligned()?.with_facts();
        Ok(message_on(&texts, self.compared_titles()?.as_ref(), self.a.text() == self.b.text()))
    }

    /// Gives the verdict and its score, 0.75 to 1, if keeping one of the two loses nothing: a copy, or an excerpt, of which the
    /// longer text has to stay ([`replaces`](super::replaces)).
    ///
    /// Symmetric in the two texts. Identical texts are copies. Texts with too little overlap are not read.
    ///
    /// # Errors
    /// `InvalidParameter` if the profile is not trained; those of the table.
    pub fn duplicate(self) -> Result<Option<(Verdict, f64)>> {
        if self.a.text() == self.b.text() {
            return Ok(Some((Verdict::Copy, 1.0)));
        }
        // Boilerplate that both have can only increase the overlap.
        let Some(gate) = Gate::of(self.a, self.b) else { return Ok(None) };
        Ok(self.kept()?.filter(|&(verdict, _)| gate.allows(verdict)))
    }

    /// Gives the verdict as [`Pair::duplicate`] does, without a minimum overlap.
    pub(super) fn kept(mut self) -> Result<Option<(Verdict, f64)>> {
        if self.a.text() == self.b.text() {
            return Ok(Some((Verdict::Copy, 1.0)));
        }
        let titles = self.compared_titles()?;
        let aligned = self.aligned()?;
        let texts = &aligned.texts;
        let rule = Rule::of(texts, titles.as_ref());
        let unmatched = |compared: &Compared| compared.matched.iter().filter(|&&matched| !matched).count();
        // Contradictions only lower a score. The small margin is for rounding.
        if unmatched(&texts.a).max(unmatched(&texts.b)) >= MANY
            && model::score(&features::features(texts, titles.as_ref())).min(rule.map_or(1.0, Rule::most))
                < model::LEAST_SCORE - 1e-3
        {
            return Ok(None);
        }
        let (verdict, score) = verdict_of(&aligned.with_facts(), titles.as_ref(), false, rule);
        Ok(verdict.keeps_one().then_some((verdict, score)))
    }

    /// Gives the features, which are the model's input, and the highest score that the rules allow; for training.
    ///
    /// # Errors
    /// `InvalidParameter` if the profile is not trained; those of the table.
    pub fn features(mut self) -> Result<(features::Features, f64)> {
        let texts = self.aligned()?.with_facts();
        let titles = self.compared_titles()?;
        let most = Rule::of(&texts, titles.as_ref()).map_or(1.0, Rule::most);
        Ok((features::features(&texts, titles.as_ref()), most))
    }

    /// Gives what the rows around the two texts say, and the score without furniture; for training.
    ///
    /// # Errors
    /// Those of the table.
    pub fn surroundings(mut self) -> Result<Vec<(&'static str, f64)>> {
        let logit = |texts: &Comparison| {
            let same = reasons::same(&texts.a.text, &texts.b.text);
            let score = model::score(&features::features(texts, None));
            if same { 12.0 } else { libm::log(score / (1.0 - score)) }
        };
        let texts = Aligned::of(self.a, self.b).with_facts();
        let alone = logit(&texts);
        let most = Rule::of(&texts, None).map_or(1.0, Rule::most);
        let mut numbers = vec![("alone", alone), ("most", most)];
        let Some(known) = &mut self.known else { return Ok(numbers) };
        let Some(found) = known.surroundings(self.a, self.b)? else {
            numbers.push(("bare", alone));
            return Ok(numbers);
        };
        let bare = Aligned::bare(self.a, self.b, &found.furniture).map_or(alone, |bare| logit(&bare.with_facts()));
        numbers.push(("bare", bare));
        numbers.extend(found.numbers);
        Ok(numbers)
    }

    /// Compares the titles, if both texts have one.
    fn compared_titles(&self) -> Result<Option<Comparison>> {
        let [a, b] = self.titles;
        let titled = !a.trim().is_empty() && !b.trim().is_empty();
        if titled { Comparison::new(a, b).map(Some) } else { Ok(None) }
    }

    fn aligned(&mut self) -> Result<Aligned> {
        match &mut self.profile {
            None => Ok(Aligned::of(self.a, self.b)),
            Some((profile, scratch)) => {
                Aligned::without(self.a, self.b, &mut |text| profile.boilerplate(text, scratch))
            }
        }
    }
}

/// Gives the verdict on compared texts, with reasons.
pub(super) fn message_on(texts: &Comparison, titles: Option<&Comparison>, equal: bool) -> Message {
    let rule = Rule::of(texts, titles);
    let (verdict, score) = verdict_of(texts, titles, equal, rule);
    Message { verdict, score, reasons: reasons::reasons(texts, titles, rule) }
}

/// Gives the verdict on compared texts.
fn verdict_of(texts: &Comparison, titles: Option<&Comparison>, equal: bool, rule: Option<Rule>) -> (Verdict, f64) {
    let same_titles = titles.is_none_or(|titles| reasons::same(&titles.a.text, &titles.b.text));
    let same_text = equal || (reasons::same(&texts.a.text, &texts.b.text) && !texts.a.text.units.is_empty());
    if same_titles && same_text {
        return (Verdict::Copy, 1.0);
    }
    if texts.a.text.units.is_empty() || texts.b.text.units.is_empty() {
        // A text without letters has no content that another could contain.
        return (Verdict::Different, 0.0);
    }
    let features = features::features(texts, titles);
    let score = model::score(&features).min(rule.map_or(1.0, Rule::most));
    (model::verdict(score, &features, texts, rule), score)
}
