//! Linkage: which rows form a group.

use neardup_text::{Error, ErrorKind, Result};

/// Says which rows make a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Linkage {
    /// Rows joined by a chain of rows, each near the next.
    #[default]
    Components,
    /// Rows near a representative. In the given order, each row joins the nearest representative within the distance, the
    /// earliest of equally near ones, or becomes one itself; a row equal to an earlier one follows it. No two rows of a group
    /// are further apart than twice the distance, whereas a chain can absorb a whole topic.
    Star,
}

impl Linkage {
    /// Reads the SQL name, `chain` or `star`.
    ///
    /// # Errors
    /// `InvalidParameter` for another name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "chain" => Ok(Self::Components),
            "star" => Ok(Self::Star),
            _ => Err(Error::new(ErrorKind::InvalidParameter, format!("linkage must be chain or star: \"{name}\""))),
        }
    }
}
