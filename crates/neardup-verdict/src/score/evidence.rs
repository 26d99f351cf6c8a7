//! What a verdict rests on, and the verdict.

use super::context::Inputs;
use super::model::{self, Scoring};
use super::signals;
use crate::compare::comparison::Comparison;
use crate::table::surroundings::Surroundings;
use crate::verdict::Verdict;

/// What a verdict rests on.
pub(crate) struct Evidence {
    pub(crate) texts: Comparison,
    pub(crate) titles: Option<Comparison>,
    pub(crate) inputs: Inputs,
    pub(crate) surroundings: Option<Surroundings>,
    /// Boilerplate of both texts, by a profile, which was ignored.
    pub(crate) left_out: Vec<String>,
    /// How many lines that the whole table repeats were ignored.
    pub(crate) furniture: usize,
    /// Whether either text quotes another one, which was ignored.
    pub(crate) quotes: bool,
    /// Whether hashtags were ignored, which are all that differs.
    pub(crate) hashtags: bool,
    /// Whether the texts are equal without being compared.
    pub(crate) equal: bool,
    /// The lengths of the whole texts, if only the beginning of one was compared, and the rest may differ.
    pub(crate) wholes: Option<[usize; 2]>,
    /// Whether both are one phrase that many rows have, each with another link.
    pub(crate) is_phrase: bool,
    /// Whether both are the same few words beside links to other places of a page.
    pub(crate) is_of_other_place: bool,
    /// The days of their datelines, as written, if these are apart and both texts are short.
    pub(crate) days: Option<[String; 2]>,
    /// The words that say whose the shorter text is, if the longer one quotes it whole without a mark and answers.
    pub(crate) quoted: Option<String>,
    /// Whether the shorter text is in many rows, each of which goes on in its own way.
    pub(crate) is_continued: bool,
    /// The titles, if both texts are one short text and have little in common but that.
    pub(crate) headed_apart: Option<[String; 2]>,
    /// Whether many rows have the text of one of the two, or go on from it.
    pub(crate) is_form: bool,
    /// From this score on the verdict is a copy or an excerpt.
    pub(crate) copies_from: f64,
}

impl Evidence {
    /// Returns the verdict and its score.
    pub(crate) fn verdict(&self) -> (Verdict, f64) {
        self.verdict_after(Scoring::default())
    }

    /// Returns the verdict and its score, part of which is known.
    pub(crate) fn verdict_after(&self, scoring: Scoring) -> (Verdict, f64) {
        self.without_model().unwrap_or_else(|| {
            let score = scoring.score(&self.inputs);
            // What was not read may differ, so no clean-up removes such a text unless told to.
            let is_unread = self.wholes.is_some() || self.is_phrase || self.is_continued;
            let score = if is_unread { score.min(model::MOST_UNREAD) } else { score };
            let is_other = self.days.is_some()
                || self.is_of_other_place
                || self.headed_apart.is_some()
                || self.quoted.is_some()
                || signals::are_opposed(&self.texts);
            let score = if is_other { score.min(model::MOST_OF_OTHERS) } else { score };
            let is_message = !self.is_form
                && self.inputs.correction.is_none()
                && self.is_same_text()
                && signals::is_long(&self.texts);
            let score = if is_message { score.max(model::LEAST_OF_MESSAGE) } else { score };
            (model::verdict(score >= self.copies_from, &self.inputs, &self.texts, self.wholes), score)
        })
    }

    /// Returns the verdict if the model is not asked: the same text, of which nothing else says otherwise, links to other pages for one, or a
    /// text without letters.
    pub(crate) fn without_model(&self) -> Option<(Verdict, f64)> {
        let is_one = |titles: &Comparison| titles.is_same() || signals::is_headed_anew(&self.texts, titles);
        let same_titles = self.titles.as_ref().is_none_or(is_one);
        if same_titles && self.is_same_text() {
            return Some((Verdict::Copy, 1.0));
        }
        if self.texts.a.text.units.is_empty() || self.texts.b.text.units.is_empty() {
            // A text without letters has no content that another could contain.
            return Some((Verdict::Different, 0.0));
        }
        None
    }

    /// Says whether the two are the same text, and no column and no link says otherwise.
    fn is_same_text(&self) -> bool {
        let may_differ = self.wholes.is_some() || self.is_phrase || self.is_of_other_place || self.days.is_some();
        let known = self.furniture > 0 || self.quotes || may_differ;
        let is_same = || self.texts.is_same() && self.inputs.whole.links_differ <= 0.0;
        let same_text = self.equal || (!known && !self.texts.a.text.units.is_empty() && is_same());
        same_text && self.inputs.agreement.is_none_or(|share| share >= 1.0)
    }
}
