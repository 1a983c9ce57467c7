//! FEN and EPD lines: the piece placement, and the other fields checked for their form only.
//!
//! Boards are for evaluation, so they need not be legal chess: no king, or pawns on the first rank,
//! are fine. All fields but the first may be missing, from the end; what follows the fields
//! (EPD operations such as `bm Nf3;`) is not looked at.

use std::fmt;

use crate::position::Placement;

/// A line that was read.
#[derive(Debug)]
pub(crate) struct Fen<'a> {
    pub(crate) placement: Placement,
    fields: [&'a str; 6],
    count: usize,
}

impl<'a> Fen<'a> {
    /// The fields as they were read, one to six, without EPD operations. All are ASCII without
    /// quotes or backslashes.
    pub(crate) fn fields(&self) -> &[&'a str] {
        &self.fields[..self.count]
    }
}

/// The part of a line that is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Line,
    Placement,
    Side,
    Castling,
    EnPassant,
    HalfmoveClock,
    FullmoveNumber,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Field::Line => "line",
            Field::Placement => "piece placement",
            Field::Side => "side to move",
            Field::Castling => "castling rights",
            Field::EnPassant => "en passant square",
            Field::HalfmoveClock => "halfmove clock",
            Field::FullmoveNumber => "fullmove number",
        })
    }
}

/// What is wrong with a line, and in which field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FenError {
    pub(crate) field: Field,
    pub(crate) reason: String,
}

impl FenError {
    pub(crate) fn new(field: Field, reason: impl Into<String>) -> FenError {
        FenError {
            field,
            reason: reason.into(),
        }
    }
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.reason)
    }
}

/// Reads a FEN, an EPD line or a beginning of one.
pub(crate) fn parse(line: &str) -> Result<Fen<'_>, FenError> {
    let mut words = line.split_ascii_whitespace();
    let first = words
        .next()
        .ok_or_else(|| FenError::new(Field::Placement, "it is missing"))?;
    let mut fen = Fen {
        placement: parse_placement(first)?,
        fields: [first; 6],
        count: 1,
    };
    for (field, check) in OTHER_FIELDS {
        let Some(word) = words.next() else { break };
        match check(word) {
            Form::Good => {
                fen.fields[fen.count] = word;
                fen.count += 1;
            }
            Form::Operation => break,
            Form::Bad(expected) => {
                let reason = format!("`{}` is not {expected}", word.escape_debug());
                return Err(FenError::new(field, reason));
            }
        }
    }
    Ok(fen)
}

/// What a word is in the place of a field.
enum Form {
    Good,
    /// The first word of EPD operations: the fields have ended.
    Operation,
    Bad(&'static str),
}

type FormCheck = fn(&str) -> Form;

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

fn side_form(word: &str) -> Form {
    good_or("`w` or `b`", matches!(word, "w" | "b"))
}

/// `KQkq` or, as Chess960 has it, files as letters (`HAha`), each at most once.
fn castling_form(word: &str) -> Form {
    let mut seen = 0u128;
    let good = word == "-"
        || word.len() <= 4
            && word.bytes().all(|letter| {
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

fn en_passant_form(word: &str) -> Form {
    let good = matches!(word.as_bytes(), b"-" | [b'a'..=b'h', b'3' | b'6']);
    good_or("`-` or a square of rank 3 or 6", good)
}

/// Counters may be missing before EPD operations, which do not begin like a number.
fn counter_form(word: &str) -> Form {
    match word.as_bytes() {
        [b'0'..=b'9' | b'+' | b'-', ..] => {
            good_or("a number", word.bytes().all(|byte| byte.is_ascii_digit()))
        }
        _ => Form::Operation,
    }
}

fn parse_placement(text: &str) -> Result<Placement, FenError> {
    let wrong = |reason: String| Err(FenError::new(Field::Placement, reason));
    let mut placement = Placement::default();
    let (mut rank, mut files) = (7, 0);
    for (at, byte) in text.bytes().enumerate() {
        if let Some(piece) = Placement::piece(byte) {
            if files < 8 {
                placement.put(piece, 8 * rank + files);
            }
            files += 1;
        } else if matches!(byte, b'1'..=b'8') {
            files += u32::from(byte - b'0');
        } else if byte == b'/' {
            check_rank(rank, files)?;
            if rank == 0 {
                return wrong("more than 8 ranks".into());
            }
            rank -= 1;
            files = 0;
        } else {
            let character = text[at..].chars().next().unwrap_or_default();
            return wrong(format!(
                "rank {}: `{}` is neither a piece letter (PNBRQK, pnbrqk) nor a digit 1 to 8",
                rank + 1,
                character.escape_debug()
            ));
        }
    }
    check_rank(rank, files)?;
    if rank > 0 {
        let ranks = 8 - rank;
        let s = if ranks == 1 { "" } else { "s" };
        return wrong(format!("{ranks} rank{s} instead of 8"));
    }
    Ok(placement)
}

/// A rank that ends must have had 8 squares.
fn check_rank(rank: u32, files: u32) -> Result<(), FenError> {
    if files == 8 {
        return Ok(());
    }
    let s = if files == 1 { "" } else { "s" };
    let reason = format!("rank {} has {files} square{s} instead of 8", rank + 1);
    Err(FenError::new(Field::Placement, reason))
}

#[cfg(test)]
mod tests {
    use super::{Field, parse};
    use crate::position::{Placement, Side};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

    fn good(line: &str) -> (Placement, usize) {
        let fen = parse(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        (fen.placement, fen.fields().len())
    }

    #[track_caller]
    fn bad(line: &str, field: Field, reason: &str) {
        let error = parse(line).expect_err(line);
        assert_eq!(error.field, field, "{line}: {error}");
        assert!(error.reason.contains(reason), "{line}: {error}");
    }

    #[test]
    fn sets_of_the_initial_position() {
        let (placement, fields) = good(&format!("{START} w KQkq - 0 1"));
        assert_eq!(fields, 6);
        assert_eq!(placement.occupied(), 0xffff_0000_0000_ffff);
        assert_eq!(placement.orthogonal(Side::White), 0x89);
        assert_eq!(placement.diagonal(Side::White), 0x2c);
        assert_eq!(placement.orthogonal(Side::Black), 0x89 << 56);
        assert_eq!(placement.diagonal(Side::Black), 0x2c << 56);
        assert_eq!(placement.letter_on(4), Some('K'));
        assert_eq!(placement.letter_on(57), Some('n'));
        assert_eq!(placement.letter_on(27), None);
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
            ("\tw  -   - \r", 4),
        ] {
            assert_eq!(good(&format!("{START}{rest}")).1, fields, "{rest}");
        }
    }

    #[test]
    fn boards_need_not_be_legal() {
        assert_eq!(good("8/8/8/8/8/8/8/8 w - -").0.occupied(), 0);
        assert_eq!(
            good("PPPPPPPP/8/8/8/8/8/8/pppppppp").0.occupied(),
            0xff000000000000ff
        );
    }

    #[test]
    fn the_wrong_field_is_named() {
        bad("", Field::Placement, "missing");
        bad("8/8/8/8/8/8/8", Field::Placement, "7 ranks");
        bad("8", Field::Placement, "1 rank instead");
        bad("8/8/8/8/8/8/8/8/8", Field::Placement, "more than 8 ranks");
        bad(
            "8/8/8/9/8/8/8/8",
            Field::Placement,
            "rank 5: `9` is neither",
        );
        bad(
            "8/8/8/8/8/ppppppppp/8/8",
            Field::Placement,
            "rank 3 has 9 squares",
        );
        bad("8/8/8/8/8/8/8/R6", Field::Placement, "rank 1 has 7 squares");
        bad("8/8/8/8/8/8//8", Field::Placement, "rank 2 has 0 squares");
        bad("8/8/8/8/8/8/1é6/8", Field::Placement, "rank 2: `é`");
        bad(&format!("{START} x"), Field::Side, "`x` is not `w` or `b`");
        bad(&format!("{START} w KK"), Field::Castling, "KK");
        bad(&format!("{START} w KQxq"), Field::Castling, "KQxq");
        bad(&format!("{START} w é"), Field::Castling, "é");
        bad(&format!("{START} w - e4"), Field::EnPassant, "e4");
        bad(&format!("{START} w - - 1x 1"), Field::HalfmoveClock, "1x");
        bad(&format!("{START} w - - 0 -1"), Field::FullmoveNumber, "-1");
    }
}
