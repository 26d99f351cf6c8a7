//! The demo's SQL scripts: plain psql files that also say what they are doing.
//!
//! `-- ## Title` opens a step, other comment lines tell the reader about what follows, and an empty line ends what
//! is shown and executed in one go. A line `-- ERROR:  message` below a statement says that it must fail, and how the
//! message begins; `-- ERROR?  message` that it may. So the scripts run in psql as they are.

/// A piece of a script, in its order.
#[derive(Debug, PartialEq)]
pub enum Piece {
    /// A step begins: its title.
    Step(String),
    /// A sentence or two for the reader.
    Words(String),
    /// Statements, as they stand, and the error they are to raise.
    Sql(String, Option<Announced>),
}

/// An error that a statement is to raise.
#[derive(Debug, PartialEq)]
pub struct Announced {
    /// How its message begins.
    pub message: String,
    /// Whether it must come; otherwise it depends on the data.
    pub certain: bool,
}

impl Announced {
    /// Reads a line `-- ERROR:  message` or `-- ERROR?  message`.
    fn read(line: &str) -> Option<Self> {
        let uncertain = line.strip_prefix("-- ERROR?");
        let message = line.strip_prefix(ERROR_MARK).or(uncertain)?.trim().to_owned();
        Some(Self { message, certain: uncertain.is_none() })
    }
}

/// Begins the line that tells which error the statement above it raises, here and in the documentation's examples.
pub const ERROR_MARK: &str = "-- ERROR:";

/// Takes a script apart.
pub fn pieces(script: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for paragraph in script.split("\n\n").map(|p| p.trim_matches('\n')).filter(|p| !p.is_empty()) {
        let mut words = Vec::new();
        let mut lines = paragraph.lines().peekable();
        while let Some(comment) = lines.next_if(|line| line.starts_with("--")) {
            match comment.strip_prefix("-- ## ") {
                Some(title) => pieces.push(Piece::Step(title.to_owned())),
                None => words.push(comment.trim_start_matches("--").trim()),
            }
        }
        if !words.is_empty() {
            pieces.push(Piece::Words(words.join(" ")));
        }
        let mut announced = None;
        let mut sql = Vec::new();
        for line in lines {
            match Announced::read(line) {
                Some(error) => announced = Some(error),
                None => sql.push(line),
            }
        }
        if !sql.is_empty() {
            pieces.push(Piece::Sql(sql.join("\n"), announced));
        }
    }
    pieces
}

/// Breaks words into lines of at most `width` characters; a word that is longer keeps a line for itself.
pub fn wrapped(words: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_falls_into_its_pieces() {
        let script = "-- ## First\n-- We begin,\n-- slowly.\nSELECT 1;\nSELECT 2;\n\n\n-- Then this.\nSELECT 3\n  -- not words\n;\n\nSELECT x;\n-- ERROR:  no x\n\nSELECT y;\n-- ERROR?  no y\n\n-- ## Last\n";
        let expected = [
            Piece::Step("First".into()),
            Piece::Words("We begin, slowly.".into()),
            Piece::Sql("SELECT 1;\nSELECT 2;".into(), None),
            Piece::Words("Then this.".into()),
            Piece::Sql("SELECT 3\n  -- not words\n;".into(), None),
            Piece::Sql("SELECT x;".into(), Some(Announced { message: "no x".into(), certain: true })),
            Piece::Sql("SELECT y;".into(), Some(Announced { message: "no y".into(), certain: false })),
            Piece::Step("Last".into()),
        ];
        assert_eq!(pieces(script), expected);
    }
}
