//! Batches of parsed positions.

use setwise::moves::State;

use crate::binpack::{Entry, Move};
use crate::error::{FenError, Field, LineError};
use crate::lines::{MAX_LINE, end_of_line, is_skipped, trim_line};
use crate::record::Record;
use crate::uci::after_moves;
use crate::{Fen, Placement};

/// A growable batch of parsed positions; [`clear`](Batch::clear) keeps the allocations.
///
/// ```
/// use setwise_positions::{Batch, Side};
/// let mut batch = Batch::default();
/// batch.read(b"8/8/8/8/p7/8/8/R1k5 w - -\n# a comment\n8/8\n", 1);
/// assert_eq!(batch.lines(), [1]);
/// assert_eq!(batch.fens().next(), Some("8/8/8/8/p7/8/8/R1k5 w - -"));
/// let placement = batch.placements()[0];
/// assert_eq!(Side::BOTH.map(|side| placement.orthogonal(side)), [1, 0]); // rooks and queens
/// assert_eq!(batch.errors()[0].to_string(), "3: piece placement: 2 ranks instead of 8");
/// ```
#[derive(Debug, Default, Clone)]
pub struct Batch {
    lines: Vec<u64>,
    placements: Vec<Placement>,
    states: Vec<State>,
    keeps_states: bool,
    /// The FEN fields of all positions, concatenated.
    text: Vec<u8>,
    /// For each position, the offset in `text` at which its fields end.
    ends: Vec<usize>,
    drops_text: bool,
    scores: Vec<i16>,
    results: Vec<u8>,
    plies: Vec<u16>,
    moves: Vec<Move>,
    errors: Vec<LineError>,
}

impl Batch {
    /// Sets whether later reads keep the FEN fields of each position. The default is `true`.
    /// Without the fields, [`fens`](Batch::fens) is empty and reading is a little faster.
    pub fn keep_text(&mut self, keep: bool) {
        self.drops_text = !keep;
    }

    /// Sets whether later reads keep the [state](Batch::states) of each position. The default is
    /// `false`.
    pub fn keep_states(&mut self, keep: bool) {
        self.keeps_states = keep;
    }

    /// Appends the positions and errors of whole lines, numbered from `first_line`. Skips blank
    /// lines, comments, which start with `#`, `;`, `%` or `//`, and the lines `id NAME` and
    /// `perft DEPTH NUMBER` of `.perft` files. UCI's `position fen FEN moves ...` and `position
    /// startpos moves ...` are the position after the moves; a move that is not legal is an error.
    pub fn read(&mut self, bytes: &[u8], first_line: u64) {
        let (mut start, mut line, mut fen) = (0, first_line, Fen::EMPTY);
        while start < bytes.len() {
            let text = &bytes[start..];
            let (result, end) = read_line(text, &mut fen);
            match result {
                Ok(Line::Position) => self.push(line, &fen),
                Ok(Line::Skipped) => {}
                Ok(Line::Played(text)) => self.push_text(line, &text),
                Err(error) => self.errors.push(LineError { line, error }),
            }
            start += match &text[end..] {
                [b'\r', b'\n', ..] => end + 2,
                _ => end + 1,
            };
            line += 1;
        }
    }

    /// Appends the position or error of one line. A line longer than
    /// [`MAX_LINE`](crate::MAX_LINE) is an error, as in [`read`](Batch::read). Lines that `read`
    /// skips are errors here.
    ///
    /// ```
    /// use setwise_positions::Batch;
    /// let mut batch = Batch::default();
    /// batch.read_line(b"8/8/8/8/8/8/8/8 w - -", 7);
    /// batch.read_line(b"", 8);
    /// assert_eq!(batch.lines(), [7]);
    /// assert_eq!(batch.errors()[0].to_string(), "8: piece placement: it is missing");
    /// ```
    pub fn read_line(&mut self, text: &[u8], line: u64) {
        let mut fen = Fen::EMPTY;
        // Most texts are fields and nothing else.
        if text.len() <= MAX_LINE && fen.read_fields(text).is_ok_and(|end| end == text.len()) {
            return self.push(line, &fen);
        }
        match parse_line(text, &mut fen) {
            Ok(Line::Played(text)) => self.push_text(line, &text),
            Ok(_) => self.push(line, &fen),
            Err(error) => self.errors.push(LineError { line, error }),
        }
    }

    fn push_text(&mut self, line: u64, fen: &[u8]) {
        match Fen::parse(fen) {
            Ok(fen) => self.push(line, &fen),
            Err(error) => self.errors.push(LineError { line, error }),
        }
    }

    /// Appends an error, after those of earlier lines.
    pub fn push_error(&mut self, error: LineError) {
        self.errors.push(error);
    }

    /// Appends the position of a record.
    #[inline(always)]
    pub(crate) fn push_record(&mut self, line: u64, record: &Record) {
        self.lines.push(line);
        self.placements.push(*record.placement());
        if self.keeps_states {
            self.states.push(record.state());
        }
        self.scores.push(record.score());
        self.results.push(record.result());
        if !self.drops_text {
            record.write(&mut self.text);
            self.ends.push(self.text.len());
        }
    }

    /// Appends the score and result of the position that was appended last.
    pub(crate) fn push_values(&mut self, score: i16, result: u8) {
        self.scores.push(score);
        self.results.push(result);
    }

    /// Appends an entry of binpack.
    #[inline(always)]
    pub(crate) fn push_entry(&mut self, line: u64, entry: &Entry) {
        self.push_record(line, &entry.record());
        self.plies.push(entry.ply());
        self.moves.push(entry.played());
    }

    /// Appends the position of a line.
    #[inline(always)]
    pub fn push(&mut self, line: u64, fen: &Fen<'_>) {
        self.lines.push(line);
        self.placements.push(*fen.placement());
        if self.keeps_states {
            self.states.push(fen.state());
        }
        if !self.drops_text {
            fen.write(&mut self.text);
            self.ends.push(self.text.len());
        }
    }

    /// Removes all positions and errors.
    pub fn clear(&mut self) {
        self.lines.clear();
        self.placements.clear();
        self.states.clear();
        self.text.clear();
        self.ends.clear();
        self.scores.clear();
        self.results.clear();
        self.plies.clear();
        self.moves.clear();
        self.errors.clear();
    }

    /// The number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.placements.len()
    }

    /// Whether there are no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.placements.is_empty()
    }

    /// For each position, the number of its line or record. A position in a game has its own
    /// number, counted over all games.
    #[must_use]
    pub fn lines(&self) -> &[u64] {
        &self.lines
    }

    /// The pieces of each position.
    #[must_use]
    pub fn placements(&self) -> &[Placement] {
        &self.placements
    }

    /// The side to move, castling rights and en passant square of each position, if they are
    /// [kept](Batch::keep_states).
    ///
    /// ```
    /// use setwise_positions::Batch;
    /// let mut batch = Batch::default();
    /// batch.keep_states(true);
    /// batch.read(b"4k3/8/8/8/8/8/8/R3K3 w Q -\n4k3/8/8/8/8/8/8/4K3 b - -\n", 1);
    /// assert_eq!(batch.states()[0].castling, [1, 0]);
    /// assert_eq!(batch.states()[1].side, 1);
    /// ```
    #[must_use]
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The FEN fields of each position, separated by single spaces.
    pub fn fens(&self) -> impl Iterator<Item = &str> {
        // All fields are ASCII.
        let text = std::str::from_utf8(&self.text).unwrap_or_default();
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &text[start..end])
    }

    /// The score of each position of training data, in centipawns from white's point of view. FEN
    /// and EPD lines have no scores.
    ///
    /// Bulletformat stores scores from the point of view of the side to move. Its records always
    /// show that side as white, so these scores are also from white's point of view. See the
    /// example of [`read_block`](Batch::read_block).
    #[must_use]
    pub fn scores(&self) -> &[i16] {
        &self.scores
    }

    /// The result of each position that has a [score](Batch::scores): 0 if black won, 1 if drawn, 2
    /// if white won.
    #[must_use]
    pub fn results(&self) -> &[u8] {
        &self.results
    }

    /// The number of moves before each position, if it is from binpack.
    #[must_use]
    pub fn plies(&self) -> &[u16] {
        &self.plies
    }

    /// The move that was played in each position, if it is from binpack.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The errors, one for each invalid line, record, game or chunk.
    #[must_use]
    pub fn errors(&self) -> &[LineError] {
        &self.errors
    }
}

pub(crate) fn too_long() -> FenError {
    FenError::new(Field::Line, format!("it is longer than {MAX_LINE} bytes"))
}

/// What a line holds.
enum Line {
    /// A position.
    Position,
    /// Nothing, or a comment.
    Skipped,
    /// A position and moves: the FEN after them.
    Played(Vec<u8>),
}

/// Reads the position in the first line of `text`. Also returns the end of the line.
#[inline(always)]
fn read_line<'a>(text: &'a [u8], fen: &mut Fen<'a>) -> (Result<Line, FenError>, usize) {
    // Most lines end right after their fields, so there is no need to search for the line end.
    let fields = fen.read_fields(text);
    if let Ok(end) = fields
        && text.get(end) == Some(&b'\n')
        && end <= MAX_LINE
    {
        return (Ok(Line::Position), end);
    }
    let line = &text[..end_of_line(text)];
    let result = match fields {
        _ if line.len() > MAX_LINE => Err(too_long()),
        Ok(end) => fen.check_rest(&line[end..]).map(|()| Line::Position),
        Err(_) if is_skipped(trim_line(line)) => Ok(Line::Skipped),
        // Parse again without what `trim_line` removes.
        Err(_) => parse_line(line, fen),
    };
    (result, line.len())
}

/// Reads a line that is not skipped.
#[inline(never)]
fn parse_line<'a>(line: &'a [u8], fen: &mut Fen<'a>) -> Result<Line, FenError> {
    if line.len() > MAX_LINE {
        return Err(too_long());
    }
    if let Some(played) = after_moves(trim_line(line)) {
        return played.map(Line::Played);
    }
    *fen = Fen::parse(line)?;
    Ok(Line::Position)
}

#[cfg(test)]
mod tests {
    use super::Batch;
    use crate::Lines;
    use crate::lines::{is_skipped, trim_line};

    /// Reading a whole text gives the same positions and errors as parsing its lines one by one.
    #[test]
    fn a_batch_equals_its_lines() {
        let mut random = fastrand::Rng::with_seed(1);
        #[rustfmt::skip] // the fields of a FEN, then others
        let words = [
            "8/8/8/8/p7/8/8/R1k5", "8/8/8/8/8/8/8/8", "w", "b", "-", "KQ", "e3", "0", "12",
            "x", "bm a;", ";", "#", "\0", "\x1a", "//", "\u{feff}",
            "PPPPPPPP/8/8/8/8/8/8/pppppppp", "epd 8/8/8/8/8/8/8/8", "id a", "perft 1 2", "perft",
        ];
        let spaces = [" ", " ", " ", "  ", "\t", "\n", "\r", "\r\n", "\n\n", ""];
        let mut found = 0;
        let rounds = if cfg!(miri) { 50 } else { 20_000 };
        for round in 0..rounds {
            let mut text = String::new();
            for i in 0..random.usize(..40) {
                // Half of the words are in the order of a FEN.
                text += words[if random.bool() { i % 7 } else { random.usize(..words.len()) }];
                text += spaces[random.usize(..spaces.len())];
            }
            let mut batch = Batch::default();
            batch.read(text.as_bytes(), 7);
            let mut expected = Batch::default();
            for (number, line) in (7..).zip(Lines::new(text.as_bytes()).flatten()) {
                if !is_skipped(trim_line(line)) {
                    expected.read_line(line, number);
                }
            }
            assert_eq!(batch.lines(), expected.lines(), "{round}: {text:?}");
            assert!(batch.fens().eq(expected.fens()), "{text:?}");
            assert_eq!(batch.errors(), expected.errors(), "{text:?}");
            found += batch.len();
        }
        assert!(found > rounds / 2, "{found}");
    }
}
