//! Errors that name the invalid field.

use std::fmt;

/// The invalid part of a line, record or game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Field {
    /// The line as a whole.
    Line,
    /// The piece placement.
    Placement,
    /// The side to move.
    Side,
    /// The castling rights.
    Castling,
    /// The square that a pawn has just passed by moving two steps.
    EnPassant,
    /// The number of moves since the last capture or pawn move.
    HalfmoveClock,
    /// The number of the move.
    FullmoveNumber,
    /// A record as a whole.
    Record,
    /// A record's set of all pieces.
    Occupancy,
    /// A record's pieces, one for each occupied square.
    Pieces,
    /// The score of the position.
    Score,
    /// The result of the game.
    Result,
    /// A record's king squares.
    KingSquares,
    /// A game as a whole.
    Game,
    /// The moves of a game.
    Moves,
    /// A chunk of binpack.
    Chunk,
}

impl Field {
    /// The field's name in messages.
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
            Field::Record => "record",
            Field::Occupancy => "occupancy",
            Field::Pieces => "pieces",
            Field::Score => "score",
            Field::Result => "result",
            Field::KingSquares => "king squares",
            Field::Game => "game",
            Field::Moves => "moves",
            Field::Chunk => "chunk",
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An error in a FEN or EPD line, a record or a game: the invalid field and what is wrong with it.
///
/// The message is one short line without control characters, whatever the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FenError {
    field: Field,
    reason: String,
}

impl FenError {
    pub(crate) fn new(field: Field, reason: impl Into<String>) -> FenError {
        FenError { field, reason: reason.into() }
    }

    /// Adds the number of the game.
    pub(crate) fn of_game(self, number: u64) -> FenError {
        FenError { reason: format!("{} (of game {number})", self.reason), ..self }
    }

    /// The invalid field.
    #[must_use]
    pub fn field(&self) -> Field {
        self.field
    }

    /// What is wrong with the field.
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

/// An error, and the number of the line, record, table row or position that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineError {
    /// The number of the line, record, row or position, counted from 1.
    pub line: u64,
    /// The invalid field and what is wrong with it.
    pub error: FenError,
}

impl LineError {
    /// Makes the error for a row of a table or for an object. The reason must be printable.
    #[must_use]
    pub fn new(line: u64, field: Field, reason: impl Into<String>) -> LineError {
        LineError { line, error: FenError::new(field, reason) }
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.error)
    }
}

impl std::error::Error for LineError {}

/// Returns the first character, escaped for messages. If the text does not start with valid UTF-8,
/// returns the first byte, escaped.
pub(crate) fn character(text: &[u8]) -> String {
    let text = &text[..text.len().min(4)];
    let first = text.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
    match first {
        Some(character) => character.escape_debug().collect(),
        None => text[..text.len().min(1)].escape_ascii().to_string(),
    }
}

/// Formats a word for quoting in a message: shortened, and with control characters escaped.
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
    fn what_messages_quote_is_escaped_and_short() {
        assert_eq!(character("é1".as_bytes()), "é");
        assert_eq!(character(b"\x1b[31m"), "\\u{1b}");
        assert_eq!(character(b"\xff1"), "\\xff");
        assert_eq!(word(b"a\x07\xffb"), "a\\u{7}\\xffb");
        assert_eq!(word(&[b'x'; 100]), "x".repeat(32) + "...");
    }
}
