//! The text form of Stockfish's training data.

use std::mem;

use crate::batch::too_long;
use crate::block::Block;
use crate::cut_lines::CutLines;
use crate::error::{FenError, Field, LineError, word};
use crate::fen_fields::next_word;
use crate::file_format::{About, Cut, FileFormat, Stream, Unit, Value};
use crate::lines::trim_line;
use crate::sample::{Fit, Sample};
use crate::{Batch, Fen, Lines, Side};

/// Lines `fen`, `move`, `score`, `ply`, `result` and `e` for each position.
pub(crate) struct Plain;

const ABOUT: About = About {
    name: "plain training data",
    option: "plain",
    aliases: &[],
    help: "Plain training data: lines fen, move, score, ply, result and e",
    extensions: &["plain"],
    unit: Unit::Line,
    values: &[Value::Score, Value::Result],
};

impl FileFormat for Plain {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    /// The first line is `fen` and a placement, and the second is of another key.
    fn fit(&self, sample: &Sample<'_>) -> Fit {
        let lines = Lines::new(sample.bytes).flatten().map(trim_line);
        let mut lines = lines.filter(|line| !line.is_empty());
        let Some(fen) = lines.next().and_then(|line| line.strip_prefix(b"fen ")) else {
            return Fit::No;
        };
        let (from, to) = next_word(fen, 0);
        match lines.next().unwrap_or_default() {
            _ if !fen[from..to].contains(&b'/') => Fit::No,
            second if second.starts_with(b"fen ") => Fit::No,
            // The second line may go on.
            [] | [_] | [_, _] | [_, _, _] if !sample.is_last => Fit::More,
            _ => Fit::Yes,
        }
    }

    fn cut<'a>(&'static self, stream: Stream<'a>) -> Box<dyn Cut + 'a> {
        Box::new(CutLines::new(stream, Some(end_of_positions)))
    }

    fn read(&self, block: &Block, batch: &mut Batch) {
        let mut next = Position::default();
        for (line, text) in (block.first_line..).zip(Lines::new(&block.bytes)) {
            match text.map(trim_line) {
                Some([]) => {}
                Some(b"e") => mem::take(&mut next).push(batch),
                text => {
                    if let (Some(line), true) = (next.line, next.is_ended_by(text)) {
                        if !next.is_bad {
                            let error = FenError::new(Field::Line, "its position has no `e`");
                            batch.push_error(LineError { line, error });
                        }
                        next = Position::default();
                    }
                    let read = text.ok_or_else(too_long).and_then(|text| next.read(text, line));
                    if let Err(error) = read {
                        next.is_bad = true;
                        batch.push_error(LineError { line, error });
                    }
                }
            }
        }
        next.push(batch);
    }
}

/// Returns the end of the last complete position, whose last line is `e`. If `single`, returns the
/// end of the first one.
fn end_of_positions(bytes: &[u8], single: bool) -> Option<usize> {
    let ends_position = |&end: &usize| {
        let start =
            memchr::memrchr2(b'\n', b'\r', &bytes[..end]).map_or(0, |line_end| line_end + 1);
        trim_line(&bytes[start..end]) == b"e"
    };
    let mut ends = memchr::memchr2_iter(b'\n', b'\r', bytes);
    let end = if single { ends.find(ends_position) } else { ends.rfind(ends_position) }?;
    let is_pair = bytes[end..].starts_with(b"\r\n");
    Some(end + 1 + usize::from(is_pair))
}

/// The lines of a position in plain training data. Score and result are from the point of view of
/// the side to move.
#[derive(Default)]
struct Position<'a> {
    /// The number of the line with the FEN, or of the first line if there is no FEN.
    line: Option<u64>,
    fen: Option<&'a [u8]>,
    score: Option<i32>,
    /// -1 lost, 0 drawn, 1 won.
    result: Option<i32>,
    /// Whether one of the lines has an error, which was reported.
    is_bad: bool,
}

impl<'a> Position<'a> {
    /// Whether the line starts another position.
    fn is_ended_by(&self, text: Option<&[u8]>) -> bool {
        self.fen.is_some() && matches!(text, Some(b"fen" | [b'f', b'e', b'n', b' ', ..]))
    }

    fn read(&mut self, text: &'a [u8], line: u64) -> Result<(), FenError> {
        let end = text.iter().position(|&byte| byte == b' ').unwrap_or(text.len());
        let (key, value) = (&text[..end], text[end..].trim_ascii());
        let number = |field: Field, least: i32, most: i32| {
            let number = str::from_utf8(value).ok().and_then(|text| text.parse().ok());
            number.filter(|number| (least..=most).contains(number)).ok_or_else(|| {
                let reason = format!("`{}` is not a number from {least} to {most}", word(value));
                FenError::new(field, reason)
            })
        };
        self.line.get_or_insert(line);
        match key {
            b"fen" => (self.line, self.fen) = (Some(line), Some(value)),
            b"score" => self.score = Some(number(Field::Score, -(1 << 20), 1 << 20)?),
            b"result" => self.result = Some(number(Field::Result, -1, 1)?),
            b"move" | b"ply" => {}
            _ => {
                let key = word(key);
                let reason = format!("`{key}` is not fen, move, score, ply, result or e");
                return Err(FenError::new(Field::Line, reason));
            }
        }
        Ok(())
    }

    /// Appends the position, or what it lacks.
    fn push(&self, batch: &mut Batch) {
        let &Position { line: Some(line), fen, score, result, is_bad: false } = self else {
            return;
        };
        let missing = |field| FenError::new(field, "it is missing");
        let values = (
            Fen::parse(fen.unwrap_or_default()),
            score.ok_or_else(|| missing(Field::Score)),
            result.ok_or_else(|| missing(Field::Result)),
        );
        match values {
            (Ok(fen), Ok(score), Ok(result)) => {
                batch.push(line, &fen);
                let is_black = fen.side() == Some(Side::Black);
                let (score, result) = if is_black { (-score, -result) } else { (score, result) };
                let score = score.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
                batch.push_values(score, (1 + result).cast_unsigned() as u8);
            }
            (Err(error), ..) | (_, Err(error), _) | (.., Err(error)) => {
                batch.push_error(LineError { line, error });
            }
        }
    }
}
