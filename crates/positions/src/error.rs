//! What is wrong with a position, and where.

use std::fmt;

/// The part of a line, a record or a game that is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Field {
    /// The line as a whole.
    Line,
    /// What stands where.
    Placement,
    /// Who is to move.
    Side,
    /// Who may still castle where.
    Castling,
    /// The square behind a pawn that just moved two steps.
    EnPassant,
    /// Moves since the last capture or pawn move.
    HalfmoveClock,
    /// The number of the move.
    FullmoveNumber,
    /// What follows the fields.
    Operations,
    /// A record as a whole.
    Record,
    /// The set of all pieces of a record.
    Occupancy,
    /// What stands on each square of that.
    Pieces,
    /// How the game ended.
    Result,
    /// Where a record says that the kings are.
    KingSquares,
    /// A game as a whole.
    Game,
    /// The moves of a game.
    Moves,
}

impl Field {
    /// All, in the order of a line, then those of records and games.
    pub const ALL: [Field; 15] = [
        Field::Line,
        Field::Placement,
        Field::Side,
        Field::Castling,
        Field::EnPassant,
        Field::HalfmoveClock,
        Field::FullmoveNumber,
        Field::Operations,
        Field::Record,
        Field::Occupancy,
        Field::Pieces,
        Field::Result,
        Field::KingSquares,
        Field::Game,
        Field::Moves,
    ];

    /// As messages name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Field::Line => "line",
            Field::Placement => "piece placement",
            Field::Side => "side to move",
            Field::Castling => "castling rights",
            Field::EnPassant => "en passant square",
            Field::HalfmoveClock => "halfmove clock",
            Field::FullmoveNumber => "fullmove number",
            Field::Operations => "operations",
            Field::Record => "record",
            Field::Occupancy => "occupancy",
            Field::Pieces => "pieces",
            Field::Result => "result",
            Field::KingSquares => "king squares",
            Field::Game => "game",
            Field::Moves => "moves",
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What is wrong with a FEN or EPD line, a record or a game, and in which field. Displayed, it is one short line without control
/// characters, whatever was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FenError {
    field: Field,
    reason: String,
}

impl FenError {
    pub(crate) fn new(field: Field, reason: impl Into<String>) -> FenError {
        FenError {
            field,
            reason: reason.into(),
        }
    }

    /// The same of a game by its number.
    pub(crate) fn of_game(self, number: u64) -> FenError {
        FenError {
            reason: format!("{} (of game {number})", self.reason),
            ..self
        }
    }

    /// The field.
    #[must_use]
    pub fn field(&self) -> Field {
        self.field
    }

    /// What is wrong with it.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.reason)
    }
}

impl std::error::Error for FenError {}

/// A line or record that is no position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineError {
    /// Its number, counted from 1.
    pub line: u64,
    /// What is wrong.
    pub error: FenError,
}

impl LineError {
    /// A row of a table whose column of this name has no value.
    #[must_use]
    pub fn null(line: u64, column: &str) -> LineError {
        let error = FenError::new(Field::Record, format!("{column} is null"));
        LineError { line, error }
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.error)
    }
}

impl std::error::Error for LineError {}

/// The first character, or the first byte if there is none, as messages show it.
pub(crate) fn character(text: &[u8]) -> String {
    let text = &text[..text.len().min(4)];
    let first = text
        .utf8_chunks()
        .next()
        .and_then(|chunk| chunk.valid().chars().next());
    match first {
        Some(character) => character.escape_debug().collect(),
        None => text[..text.len().min(1)].escape_ascii().to_string(),
    }
}

/// A word as messages show it: not endless, and without control characters.
pub(crate) fn word(text: &[u8]) -> String {
    const LONGEST: usize = 32;
    let mut shown = String::new();
    for chunk in text[..text.len().min(4 * LONGEST)].utf8_chunks() {
        shown.extend(chunk.valid().chars().flat_map(char::escape_debug));
        shown.extend(chunk.invalid().escape_ascii().map(char::from));
    }
    match shown.char_indices().nth(LONGEST) {
        Some((end, _)) => shown[..end].to_owned() + "...",
        None => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::{character, word};

    #[test]
    fn nothing_is_shown_as_it_is_unless_it_is_harmless() {
        assert_eq!(character("é1".as_bytes()), "é");
        assert_eq!(character(b"\x1b[31m"), "\\u{1b}");
        assert_eq!(character(b"\xff1"), "\\xff");
        assert_eq!(word(b"a\x07\xffb"), "a\\u{7}\\xffb");
        assert_eq!(word(&[b'x'; 100]), "x".repeat(32) + "...");
    }
}
