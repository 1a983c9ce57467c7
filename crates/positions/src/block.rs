//! A block of a file: what is read at once.

use crate::binpack::Entry;
use crate::error::LineError;

/// A block of whole lines, records or games, or of decoded entries of binpack.
#[derive(Debug, Default, Clone)]
pub struct Block {
    /// The number of the first line or record, counted from 1. In a block of games, the number of
    /// the first position.
    pub first_line: u64,
    /// The number of the first game, counted from 1. Only meaningful in a block of games.
    pub first_game: u64,
    /// The records or games, or the lines with their ends: line feed, carriage return or both. The
    /// last line of a stream may have no end. A line longer than [`MAX_LINE`](crate::MAX_LINE) may
    /// be cut, but still has more than `MAX_LINE` bytes, so [`Lines`](crate::Lines) reports it as
    /// too long. For a table or JSON lines, the FENs of the rows, without anything between them.
    pub bytes: Vec<u8>,
    /// The entries of binpack, which has no bytes here, with their numbers.
    pub entries: Vec<(u64, Entry)>,
    /// What is wrong with a chunk of binpack after these entries. The rest of that chunk is lost.
    pub error: Option<LineError>,
    /// What the user should know of the file: which column of a table has the FENs. In the first
    /// block of a file.
    pub note: Option<String>,
    /// For each row of a table or JSON lines, its line number, and the offset in `bytes` at which
    /// its FEN ends, or why it has none.
    pub(crate) rows: Vec<(u64, Result<usize, String>)>,
}

impl Block {
    /// Empties the block, and keeps its allocations.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.rows.clear();
        (self.error, self.note) = (None, None);
    }
}
