//! FEN and EPD lines.

use std::fmt;

use crate::error::{FenError, Field};
use crate::fen_fields::{self, Form, OTHER_FIELDS};
use crate::placement_field;
use crate::{Placement, Side};

/// A FEN or EPD line. The last fields may be missing.
///
/// # The rules
///
/// White space separates the fields. Positions need not be legal in chess. Only the first field is
/// required. Any number of fields may be missing at the end:
///
/// 1. piece placement: eight ranks of eight squares, never two digits in a row;
/// 2. side to move: `w` or `b`;
/// 3. castling rights: `-`, or up to four different letters of `KQkq` or, as in Chess960, of `A`
///    to `H` and `a` to `h`;
/// 4. en passant square: `-`, or a square of rank 3 or 6;
/// 5. halfmove clock and
/// 6. fullmove number: digits.
///
/// EPD operations may follow the fields or replace the two counters. They start with a letter and
/// contain a `;`. Their content is ignored and need not be UTF-8. A comment may follow any field.
/// It starts with `;`, `|` or `[`. After a counter, no space is needed before the comment. Anything
/// else, including UCI `moves`, is an error.
///
/// ```
/// use setwise_positions::{Fen, Side};
/// let fen = Fen::parse(b"8/8/8/8/p7/8/8/R1k5  b - - bm Kd2; id \"x\";")?;
/// assert_eq!(fen.side(), Some(Side::Black));
/// assert_eq!(fen.placement().orthogonal(Side::White), 1);
/// assert_eq!(fen.to_string(), "8/8/8/8/p7/8/8/R1k5 b - -");
///
/// let error = Fen::parse(b"44/8/8/8/8/8/8/8 w - -").unwrap_err();
/// let message = "piece placement: rank 8: `44` are two digits in a row: write their sum";
/// assert_eq!(error.to_string(), message);
/// # Ok::<(), setwise_positions::FenError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fen<'a> {
    placement: Placement,
    side: Option<Side>,
    /// The text from the start of the first field to the end of the last.
    fields: &'a [u8],
    count: usize,
    /// Whether single spaces separate the fields.
    is_plain: bool,
}

impl<'a> Fen<'a> {
    pub(crate) const EMPTY: Fen<'a> =
        Fen { placement: Placement::EMPTY, side: None, fields: &[], count: 0, is_plain: true };

    /// Parses a line, which must not include its line end.
    ///
    /// # Errors
    ///
    /// The error names the first invalid field.
    #[inline]
    pub fn parse(line: &'a [u8]) -> Result<Fen<'a>, FenError> {
        let mut fen = Fen::EMPTY;
        let end = fen.read_fields(line)?;
        fen.check_rest(&line[end..])?;
        Ok(fen)
    }

    /// Reads the fields in the first line of `text`. Returns the end of the last field.
    #[inline(always)]
    pub(crate) fn read_fields(&mut self, text: &'a [u8]) -> Result<usize, FenError> {
        let blanks = fen_fields::count_blanks(text);
        let line = &text[blanks..];
        let mut end = placement_field::read(line, &mut self.placement)?;
        self.side = None;
        self.fields = &line[..end];
        self.count = 1;
        self.is_plain = true;
        for (field, check) in OTHER_FIELDS {
            let (start, mut next) = fen_fields::next_word(line, end);
            let word = &line[start..next];
            let form = check(word);
            if let Form::GoodUntil(length) = form {
                next = start + length;
            }
            match form {
                Form::Good | Form::GoodUntil(_) => {
                    if matches!(field, Field::Side) {
                        self.side = Some(Side::BOTH[usize::from(word == b"b")]);
                    }
                    self.is_plain &= start == end + 1 && line[end] == b' ';
                    self.fields = &line[..next];
                    self.count += 1;
                    end = next;
                }
                Form::End => break,
                Form::Bad(expected) => return Err(fen_fields::bad(field, word, expected)),
            }
        }
        Ok(blanks + end)
    }

    /// Checks that the fields are followed by operations, a comment or nothing.
    #[inline(always)]
    pub(crate) fn check_rest(&self, rest: &[u8]) -> Result<(), FenError> {
        fen_fields::check_rest(rest, self.count)
    }

    /// The pieces.
    #[must_use]
    #[inline]
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// The side to move, if the line has that field.
    #[must_use]
    #[inline]
    pub fn side(&self) -> Option<Side> {
        self.side
    }

    /// The one to six fields, as written in the line. Operations and comments are not included.
    ///
    /// The fields are ASCII, without quotes, commas or backslashes.
    #[must_use]
    pub fn fields(&self) -> impl ExactSizeIterator<Item = &'a str> {
        let mut words = self.words();
        (0..self.count).map(move |_| words.next().unwrap_or_default())
    }

    /// The field with this number, counted from 0. `None` if the line has fewer fields.
    #[must_use]
    pub fn field(&self, number: usize) -> Option<&'a str> {
        self.words().nth(number)
    }

    /// Appends the fields to `text`, separated by single spaces.
    #[inline]
    pub fn write(&self, text: &mut Vec<u8>) {
        if self.is_plain {
            text.extend_from_slice(self.fields);
            return;
        }
        for (i, word) in self.words().enumerate() {
            if i > 0 {
                text.push(b' ');
            }
            text.extend_from_slice(word.as_bytes());
        }
    }

    fn words(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        // The field checks accept only ASCII.
        let text = std::str::from_utf8(self.fields).unwrap_or_default();
        text.split_ascii_whitespace()
    }
}

impl fmt::Display for Fen<'_> {
    /// Writes the fields, separated by single spaces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        self.write(&mut text);
        f.pad(&String::from_utf8_lossy(&text))
    }
}

impl fmt::Debug for Fen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fen({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::Fen;
    use crate::{Field, Side};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

    #[test]
    fn fields_may_be_missing_and_operations_may_follow() {
        for (rest, fields) in [
            ("", 1),
            (" w", 2),
            (" b KQkq", 3),
            (" w - e3", 4),
            (" w KQkq - 0", 5),
            (" w HAha - 12 34", 6),
            (" w Ah e6", 4),
            (" w - - bm Nf3; id \"x 1\";", 4),
            (" w - - 3 bm Nf3;", 5),
            (" w - - 3 99 ; comment", 6),
            (" w - - 0 1 | 25 | 0.5", 6),
            (" w - - 0 1 [0.5] 25", 6),
            (" w - - 0 1;25", 6),
            (" w - - 0 1|25|0.5", 6),
            (" w - - 12;25", 5),
            (" ; comment", 1),
            ("\tw  -   - \r", 4),
        ] {
            let line = format!("{START}{rest}");
            let fen = Fen::parse(line.as_bytes()).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(fen.fields().len(), fields, "{rest}");
            assert_eq!(fen.field(0), Some(START));
            assert_eq!(fen.field(fields), None);
            let text = line.split([';', '|']).next().unwrap();
            let words: Vec<&str> = text.split_ascii_whitespace().take(fields).collect();
            assert_eq!(fen.to_string(), words.join(" "));
            assert_eq!(fen.fields().collect::<Vec<_>>(), words);
            let side = words.get(1).map(|word| Side::BOTH[usize::from(*word == "b")]);
            assert_eq!(fen.side(), side);
        }
        let line = [START.as_bytes(), b" w - - id \"\xff\";"].concat();
        assert_eq!(Fen::parse(&line).unwrap().fields().len(), 4);
    }

    #[test]
    fn boards_need_not_be_legal() {
        for (text, occupied) in
            [("8/8/8/8/8/8/8/8 w - -", 0), ("PPPPPPPP/8/8/8/8/8/8/pppppppp", 0xff000000000000ff)]
        {
            let fen = Fen::parse(text.as_bytes()).unwrap();
            assert_eq!(fen.placement().occupied(), occupied);
        }
    }

    #[test]
    fn errors_name_the_field() {
        use Field::*;
        let placements: [(&[u8], &str); 13] = [
            (b"", "missing"),
            (b" \t", "missing"),
            (b"8/8/8/8/8/8/8", "7 ranks"),
            (b"8", "1 rank instead"),
            (b"8/8/8/8/8/8/8/8/8", "more than 8 ranks"),
            (b"8/8/8/9/8/8/8/8", "rank 5: `9` is neither"),
            (b"44/8/8/8/8/8/8/8", "rank 8: `44` are two digits"),
            (b"8/8/8/8/8/ppppppppp/8/8", "rank 3 has 9 squares"),
            (b"8/8/8/8/8/8/8/R6", "rank 1 has 7 squares"),
            (b"8/8/8/8/8/8//8", "rank 2 has 0 squares"),
            ("8/8/8/8/8/8/1é6/8".as_bytes(), "rank 2: `é`"),
            (b"8/8/8/8/8/8/1\xff6/8", "rank 2: `\\xff`"),
            (b"8/8/8/8/8/8/8/8\0 w", "rank 1: `\\0`"),
        ];
        let rests = [
            (" x", Side, "`x` is not `w` or `b`"),
            (" w KK", Castling, "KK"),
            (" w KQxq", Castling, "KQxq"),
            (" w é", Castling, "é"),
            (" w - e4", EnPassant, "e4"),
            (" w - - 1x 1", HalfmoveClock, "1x"),
            (" w - - 0 -1", FullmoveNumber, "-1"),
            (" w - - 0 x", FullmoveNumber, "`x` is not a number or"),
            (" w - - 0 1,25", FullmoveNumber, "`1,25` is not a number"),
            (" w - - bm Nf3", HalfmoveClock, "`bm` is not a number or"),
            (" w - - 0 1 x", Operations, "`x` is not the beginning"),
            (" w - - 0 1 2", Operations, "`2` is not"),
            (" w - - moves e2e4;", Operations, "not played"),
            (" w - - 0 moves e2e4;", Operations, "not played"),
            (" w - - 0 1 moves e2e4;", Operations, "not played"),
        ];
        let placements = placements.map(|(line, reason)| (line.to_vec(), Placement, reason));
        let rests = rests
            .map(|(rest, field, reason)| (format!("{START}{rest}").into_bytes(), field, reason));
        for (line, field, reason) in placements.into_iter().chain(rests) {
            let error = Fen::parse(&line).expect_err(&line.escape_ascii().to_string());
            assert_eq!(error.field(), field, "{error}");
            assert!(error.reason().contains(reason), "{error}");
        }
    }
}
