//! FEN and EPD lines: the rules of every field.

use std::fmt;

use crate::error::{FenError, Field, word};
use crate::placement;
use crate::{Placement, Side};

/// A FEN, an EPD line or a beginning of one, that was read.
///
/// # The rules
///
/// Words stand apart by white space. Boards need not be legal chess, and all fields but the first may be missing,
/// from the end:
///
/// 1. piece placement: eight ranks of eight squares, never two digits in a row;
/// 2. side to move: `w` or `b`;
/// 3. castling rights: `-`, or up to four different letters of `KQkq` or, as Chess960 has it, of `A` to `H` and `a` to `h`;
/// 4. en passant square: `-`, or a square of rank 3 or 6;
/// 5. halfmove clock and
/// 6. fullmove number: digits.
///
/// Then, also in place of the last two fields, may follow EPD operations: a letter first, and somewhere a `;`. Whatever is
/// in them, they are not looked at, and need not be UTF-8. A comment does the same after any field: it begins with `;`,
/// `|` or `[`. All else is an error, also `moves`, as engines are told positions.
///
/// ```
/// use setwise_positions::{Fen, Side};
/// let fen = Fen::parse(b"8/8/8/8/p7/8/8/R1k5  b - - bm Kd2; id \"x\";")?;
/// assert_eq!(fen.side(), Some(Side::Black));
/// assert_eq!(fen.placement().orthogonal(Side::White), 1);
/// assert_eq!(fen.to_string(), "8/8/8/8/p7/8/8/R1k5 b - -");
///
/// let error = Fen::parse(b"44/8/8/8/8/8/8/8 w - -").unwrap_err();
/// assert_eq!(error.to_string(), "piece placement: rank 8: `44` are two digits in a row: write their sum");
/// # Ok::<(), setwise_positions::FenError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fen<'a> {
    placement: Placement,
    side: Option<Side>,
    /// From the first field to the end of the last.
    fields: &'a [u8],
    count: usize,
    /// The fields stand apart by one space each.
    is_plain: bool,
}

impl<'a> Fen<'a> {
    pub(crate) const EMPTY: Fen<'a> = Fen {
        placement: Placement::EMPTY,
        side: None,
        fields: &[],
        count: 0,
        is_plain: true,
    };

    /// Reads a line, without its end.
    ///
    /// # Errors
    ///
    /// The first field that is wrong.
    #[inline]
    pub fn parse(line: &'a [u8]) -> Result<Fen<'a>, FenError> {
        let mut fen = Fen::EMPTY;
        let end = fen.read_fields(line)?;
        fen.check_rest(&line[end..])?;
        Ok(fen)
    }

    /// Becomes the fields of a text's first line. Returns where they end.
    #[inline(always)]
    pub(crate) fn read_fields(&mut self, text: &'a [u8]) -> Result<usize, FenError> {
        let blanks = count_while(text, is_blank);
        let line = &text[blanks..];
        let mut end = placement::read(line, &mut self.placement)?;
        self.side = None;
        self.fields = &line[..end];
        self.count = 1;
        self.is_plain = true;
        for (field, check) in OTHER_FIELDS {
            let (start, next) = next_word(line, end);
            let word = &line[start..next];
            match check(word) {
                Form::Good => {
                    if matches!(field, Field::Side) {
                        self.side = Some(Side::BOTH[usize::from(word == b"b")]);
                    }
                    self.is_plain &= start == end + 1 && line[end] == b' ';
                    self.fields = &line[..next];
                    self.count += 1;
                    end = next;
                }
                Form::End => break,
                Form::Bad(expected) => return Err(bad(field, word, expected)),
            }
        }
        Ok(blanks + end)
    }

    /// What follows the fields must be operations or a comment.
    #[inline(always)]
    pub(crate) fn check_rest(&self, rest: &[u8]) -> Result<(), FenError> {
        let rest = rest.trim_ascii();
        if ends(rest) {
            Ok(())
        } else {
            check_operations(rest, self.count)
        }
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

    /// The fields as they were read, one to six, without what follows them.
    ///
    /// All are ASCII, without quotes, commas or backslashes.
    #[must_use]
    pub fn fields(&self) -> impl ExactSizeIterator<Item = &'a str> {
        let mut words = self.words();
        (0..self.count).map(move |_| words.next().unwrap_or_default())
    }

    /// A field by its number from 0, if there is one.
    #[must_use]
    pub fn field(&self, number: usize) -> Option<&'a str> {
        self.fields().nth(number)
    }

    /// Appends the fields, one space between each.
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
        // They were checked byte by byte.
        let text = std::str::from_utf8(self.fields).unwrap_or_default();
        text.split_ascii_whitespace()
    }
}

impl fmt::Display for Fen<'_> {
    /// The fields, one space between each.
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

/// White space that ends no line.
#[allow(clippy::trivially_copy_pass_by_ref)] // as iterators pass it
fn is_blank(byte: &u8) -> bool {
    byte.is_ascii_whitespace() && !matches!(byte, b'\n' | b'\r')
}

/// The next word of the line from a place on, or an empty one at its end.
#[inline(always)]
fn next_word(line: &[u8], from: usize) -> (usize, usize) {
    let start = from + count_while(&line[from..], is_blank);
    let length = count_while(&line[start..], |byte| !byte.is_ascii_whitespace());
    (start, start + length)
}

#[inline(always)]
fn count_while(text: &[u8], is_so: impl Fn(&u8) -> bool) -> usize {
    text.iter()
        .position(|byte| !is_so(byte))
        .unwrap_or(text.len())
}

/// What a word is in the place of a field.
enum Form {
    Good,
    /// The fields ended before it.
    End,
    Bad(&'static str),
}

type FormCheck = fn(&[u8]) -> Form;

/// The fields after the placement, in order, with the check of their form.
const OTHER_FIELDS: [(Field, FormCheck); 5] = [
    (Field::Side, side_form),
    (Field::Castling, castling_form),
    (Field::EnPassant, en_passant_form),
    (Field::HalfmoveClock, counter_form),
    (Field::FullmoveNumber, counter_form),
];

fn good_or(expected: &'static str, good: bool) -> Form {
    if good {
        Form::Good
    } else {
        Form::Bad(expected)
    }
}

/// No word, or the beginning of a comment.
fn ends(word: &[u8]) -> bool {
    matches!(word, [] | [b';' | b'|' | b'[', ..])
}

#[inline(always)]
fn side_form(word: &[u8]) -> Form {
    match word {
        b"w" | b"b" => Form::Good,
        _ if ends(word) => Form::End,
        _ => Form::Bad("`w` or `b`"),
    }
}

#[inline(always)]
fn castling_form(word: &[u8]) -> Form {
    if word == b"-" {
        return Form::Good;
    }
    if ends(word) {
        return Form::End;
    }
    let mut seen = 0_u128;
    let good = word.len() <= 4
        && word.iter().all(|letter| {
            let known = matches!(letter, b'K' | b'Q' | b'k' | b'q' | b'A'..=b'H' | b'a'..=b'h');
            let fresh = known && seen >> letter & 1 == 0;
            seen |= u128::from(fresh) << (letter & 127);
            fresh
        });
    good_or(
        "`-` or up to four different letters of KQkq or A-H, a-h",
        good,
    )
}

#[inline(always)]
fn en_passant_form(word: &[u8]) -> Form {
    match word {
        b"-" | [b'a'..=b'h', b'3' | b'6'] => Form::Good,
        _ if ends(word) => Form::End,
        _ => Form::Bad("`-` or a square of rank 3 or 6"),
    }
}

/// Counters may be missing before operations, which begin with a letter.
#[inline(always)]
fn counter_form(word: &[u8]) -> Form {
    match word {
        [first, ..] if first.is_ascii_alphabetic() => Form::End,
        _ if ends(word) => Form::End,
        _ => good_or("a number", word.iter().all(u8::is_ascii_digit)),
    }
}

/// Operations must follow so many fields.
fn check_operations(rest: &[u8], fields: usize) -> Result<(), FenError> {
    let (_, end) = next_word(rest, 0);
    let first = &rest[..end];
    if first == b"moves" {
        let reason = "`moves` are not played: the position itself is wanted";
        return Err(FenError::new(Field::Operations, reason));
    }
    if first[0].is_ascii_alphabetic() && memchr::memchr(b';', rest).is_some() {
        return Ok(());
    }
    let (field, expected) = match fields {
        4 => (
            Field::HalfmoveClock,
            "a number or the beginning of operations, which end with `;`",
        ),
        5 => (
            Field::FullmoveNumber,
            "a number or the beginning of operations, which end with `;`",
        ),
        _ => (
            Field::Operations,
            "the beginning of operations, which end with `;`",
        ),
    };
    Err(bad(field, first, expected))
}

#[cold]
fn bad(field: Field, text: &[u8], expected: &str) -> FenError {
    FenError::new(field, format!("`{}` is not {expected}", word(text)))
}

#[cfg(test)]
mod tests {
    use super::Fen;
    use crate::{Field, Side};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

    #[track_caller]
    fn bad(line: impl AsRef<[u8]>, field: Field, reason: &str) {
        let line = line.as_ref();
        let error = Fen::parse(line).expect_err(&line.escape_ascii().to_string());
        assert_eq!(error.field(), field, "{error}");
        assert!(error.reason().contains(reason), "{error}");
    }

    #[test]
    fn fields_may_end_early_and_operations_follow() {
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
            (" ; comment", 1),
            ("\tw  -   - \r", 4),
        ] {
            let line = format!("{START}{rest}");
            let fen = Fen::parse(line.as_bytes()).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(fen.fields().len(), fields, "{rest}");
            assert_eq!(fen.field(0), Some(START));
            assert_eq!(fen.field(fields), None);
            let words: Vec<&str> = line.split_ascii_whitespace().take(fields).collect();
            assert_eq!(fen.to_string(), words.join(" "));
            assert_eq!(fen.fields().collect::<Vec<_>>(), words);
            let black = words
                .get(1)
                .map(|word| Side::BOTH[usize::from(*word == "b")]);
            assert_eq!(fen.side(), black);
        }
        let line = [START.as_bytes(), b" w - - id \"\xff\";"].concat();
        assert_eq!(Fen::parse(&line).unwrap().fields().len(), 4);
    }

    #[test]
    fn boards_need_not_be_legal() {
        let occupied = |text: &str| Fen::parse(text.as_bytes()).unwrap().placement().occupied();
        assert_eq!(occupied("8/8/8/8/8/8/8/8 w - -"), 0);
        assert_eq!(
            occupied("PPPPPPPP/8/8/8/8/8/8/pppppppp"),
            0xff000000000000ff
        );
    }

    #[test]
    fn the_wrong_field_is_named() {
        bad("", Field::Placement, "missing");
        bad(" \t", Field::Placement, "missing");
        bad("8/8/8/8/8/8/8", Field::Placement, "7 ranks");
        bad("8", Field::Placement, "1 rank instead");
        bad("8/8/8/8/8/8/8/8/8", Field::Placement, "more than 8 ranks");
        bad(
            "8/8/8/9/8/8/8/8",
            Field::Placement,
            "rank 5: `9` is neither",
        );
        bad(
            "44/8/8/8/8/8/8/8",
            Field::Placement,
            "rank 8: `44` are two digits",
        );
        bad(
            "8/8/8/8/8/ppppppppp/8/8",
            Field::Placement,
            "rank 3 has 9 squares",
        );
        bad("8/8/8/8/8/8/8/R6", Field::Placement, "rank 1 has 7 squares");
        bad("8/8/8/8/8/8//8", Field::Placement, "rank 2 has 0 squares");
        bad("8/8/8/8/8/8/1é6/8", Field::Placement, "rank 2: `é`");
        bad(b"8/8/8/8/8/8/1\xff6/8", Field::Placement, "rank 2: `\\xff`");
        bad(format!("{START} x"), Field::Side, "`x` is not `w` or `b`");
        bad(format!("{START} w KK"), Field::Castling, "KK");
        bad(format!("{START} w KQxq"), Field::Castling, "KQxq");
        bad(format!("{START} w é"), Field::Castling, "é");
        bad(format!("{START} w - e4"), Field::EnPassant, "e4");
        bad(format!("{START} w - - 1x 1"), Field::HalfmoveClock, "1x");
        bad(format!("{START} w - - 0 -1"), Field::FullmoveNumber, "-1");
        bad(
            format!("{START} w - - 0 x"),
            Field::FullmoveNumber,
            "`x` is not a number or",
        );
        bad(
            format!("{START} w - - bm Nf3"),
            Field::HalfmoveClock,
            "`bm` is not a number or",
        );
        bad(
            format!("{START} w - - 0 1 x"),
            Field::Operations,
            "`x` is not the beginning",
        );
        bad(
            format!("{START} w - - 0 1 2"),
            Field::Operations,
            "`2` is not",
        );
        for rest in ["", " 0", " 0 1"] {
            bad(
                format!("{START} w - -{rest} moves e2e4;"),
                Field::Operations,
                "not played",
            );
        }
    }
}
