//! `verify`: how two texts are compared, the same for a guard, a list and a clean-up.
//!
//! It is read once, from an argument or from a guard's settings, and stays an enum up to the verdict. A further measure is a variant here,
//! and the compiler names the places that must know of it.

use neardup_verdict::correction::Correction;
use neardup_verdict::model::{LEAST_SCORE, LOWEST_SCORE};
use pgrx::PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED;
use pgrx::pg_sys;
use serde::{Deserialize, Serialize};

use super::judge::{Rule, Tokens};
use crate::error::{Result, error, invalid};
use crate::pg::call::column::number;
use crate::profile;
use crate::text::analyzer::PROFILE_PREFIX;

/// How two texts are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub enum Verify {
    /// Not at all: the signatures decide.
    None,
    /// By the overlap coefficient of their distinct tokens.
    Overlap,
    /// By the cosine of their token counts.
    Cosine,
    /// By their facts: an update is not a copy.
    #[default]
    Facts,
    /// By their facts, without the boilerplate of a profile: `profile:NAME`, with or without a version.
    Profile(String),
}

impl TryFrom<String> for Verify {
    type Error = String;

    fn try_from(name: String) -> std::result::Result<Self, String> {
        match name.as_str() {
            "none" => Ok(Self::None),
            "overlap" => Ok(Self::Overlap),
            "cosine" => Ok(Self::Cosine),
            "facts" => Ok(Self::Facts),
            profile if profile.strip_prefix(PROFILE_PREFIX).is_some_and(|name| !name.is_empty()) => {
                Ok(Self::Profile(name))
            }
            _ => Err(format!("verify must be facts, overlap, cosine, none or profile:NAME: {name}")),
        }
    }
}

impl From<Verify> for String {
    fn from(verify: Verify) -> Self {
        verify.name().to_owned()
    }
}

impl Verify {
    /// Reads an argument.
    ///
    /// # Errors
    /// For a word that is none of these.
    pub fn parse(name: &str) -> Result<Self> {
        Self::try_from(name.to_owned()).map_err(|wrong| {
            invalid(wrong).set_hint("verify => 'profile:NAME' ignores the boilerplate of that profile's collection.")
        })
    }

    /// Returns the name in SQL.
    pub fn name(&self) -> &str {
        match self {
            Self::None => "none",
            Self::Overlap => "overlap",
            Self::Cosine => "cosine",
            Self::Facts => "facts",
            Self::Profile(name) => name,
        }
    }

    /// Returns the name of the measure that decides between two texts.
    pub const fn measure(&self) -> &'static str {
        match self {
            Self::None => "simhash",
            Self::Overlap => "overlap",
            Self::Cosine => "cosine",
            Self::Facts | Self::Profile(_) => "facts",
        }
    }

    /// Says whether the verdict reads titles.
    pub const fn reads_titles(&self) -> bool {
        matches!(self, Self::Facts | Self::Profile(_))
    }

    /// Returns the same with the newest version of a profile, so that texts are not compared under two versions.
    ///
    /// # Errors
    /// For a profile that was not trained.
    pub fn pinned(self) -> Result<Self> {
        let Self::Profile(name) = self else { return Ok(self) };
        let name = profile::pinned(&name)?;
        profile::with(&name, None, |known, scratch| known.boilerplate("", scratch).map(drop))?
            .map_err(crate::error::report)?;
        Ok(Self::Profile(name))
    }

    /// Checks the least score of a verdict, or the least overlap or cosine.
    ///
    /// # Errors
    /// If it is missing or out of range.
    pub fn check_threshold(&self, threshold: Option<f64>) -> Result<()> {
        let (by_tokens, least) = match self {
            Self::None => (false, 0.0),
            Self::Overlap | Self::Cosine => (true, 0.0),
            Self::Facts | Self::Profile(_) => (false, LOWEST_SCORE),
        };
        let name = self.name();
        match threshold {
            Some(threshold) if *self == Self::None => {
                Err(invalid(format!("verify none takes no threshold: {}", number(threshold))))
            }
            Some(threshold) if !(least..=1.0).contains(&threshold) => {
                let threshold = number(threshold);
                Err(invalid(format!("threshold must be between {least} and 1 with verify {name}: {threshold}")))
            }
            None if by_tokens => {
                Err(error(ERRCODE_NULL_VALUE_NOT_ALLOWED, format!("verify {name} requires a threshold"))
                    .set_hint(format!("Add one: verify => '{name}', threshold => 0.8")))
            }
            _ => Ok(()),
        }
    }

    /// Returns the rule that judges two texts; `None` if their texts are not compared. `threshold` has been checked, `analyzer` is that of
    /// the guard, and a profile is read as `role`, or as the current user. `correction` is what the guard was taught.
    pub fn rule<'r>(
        &'r self,
        analyzer: &'r str,
        threshold: Option<f64>,
        role: Option<pg_sys::Oid>,
        correction: Option<Correction>,
    ) -> Option<Rule<'r>> {
        let least = threshold.unwrap_or(if self.measure() == "facts" { LEAST_SCORE } else { 0.0 });
        match self {
            Self::None => None,
            Self::Overlap => Some(Rule::Tokens { analyzer, least, measure: Tokens::overlap }),
            Self::Cosine => Some(Rule::Tokens { analyzer, least, measure: Tokens::cosine }),
            Self::Facts => Some(Rule::Facts { least, correction }),
            Self::Profile(name) => Some(Rule::Profile { name, role, least, correction }),
        }
    }
}
