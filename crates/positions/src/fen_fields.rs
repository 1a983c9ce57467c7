//! Checks of the FEN fields after the placement, and of the text that follows them.

use crate::error::{FenError, Field, word};

/// The result of checking a word against the rules of a field.
pub(crate) enum Form {
    Good,
    /// Valid up to this length, where a comment starts.
    GoodUntil(usize),
    /// A comment or an operation, which ends the fields.
    End,
    /// Invalid. Contains a description of valid fields.
    Bad(&'static str),
}

type FormCheck = fn(&[u8]) -> Form;

/// The fields after the placement, in order.
pub(crate) const OTHER_FIELDS: [(Field, FormCheck); 5] = [
    (Field::Side, side),
    (Field::Castling, castling),
    (Field::EnPassant, en_passant),
    (Field::HalfmoveClock, counter),
    (Field::FullmoveNumber, counter),
];

/// The length of the white space at the start of a line.
#[inline(always)]
pub(crate) fn count_blanks(text: &[u8]) -> usize {
    count_while(text, |byte| byte.is_ascii_whitespace() && !matches!(byte, b'\n' | b'\r'))
}

/// Returns the start and end of the line's next word, which is empty at the end of the line.
#[inline(always)]
pub(crate) fn next_word(line: &[u8], from: usize) -> (usize, usize) {
    let start = from + count_blanks(&line[from..]);
    let length = count_while(&line[start..], |byte| !byte.is_ascii_whitespace());
    (start, start + length)
}

#[inline(always)]
fn count_while(text: &[u8], is_counted: impl Fn(&u8) -> bool) -> usize {
    let end = text.iter().position(|byte| !is_counted(byte));
    end.unwrap_or(text.len())
}

fn good_or(expected: &'static str, is_good: bool) -> Form {
    if is_good { Form::Good } else { Form::Bad(expected) }
}

/// Whether the text is empty or starts with a comment.
fn is_end(word: &[u8]) -> bool {
    matches!(word, [] | [b';' | b'|' | b'[', ..])
}

#[inline(always)]
fn side(word: &[u8]) -> Form {
    match word {
        b"w" | b"b" => Form::Good,
        _ if is_end(word) => Form::End,
        _ => Form::Bad("`w` or `b`"),
    }
}

#[inline(always)]
fn castling(word: &[u8]) -> Form {
    if word == b"-" {
        return Form::Good;
    }
    if is_end(word) {
        return Form::End;
    }
    let mut seen = 0_u128;
    let is_new_right = |letter: &u8| {
        let is_right = matches!(letter, b'K' | b'Q' | b'k' | b'q' | b'A'..=b'H' | b'a'..=b'h');
        let is_new = is_right && seen >> letter & 1 == 0;
        seen |= u128::from(is_new) << (letter & 127);
        is_new
    };
    good_or(
        "`-` or up to four different letters of KQkq or A-H, a-h",
        word.len() <= 4 && word.iter().all(is_new_right),
    )
}

#[inline(always)]
fn en_passant(word: &[u8]) -> Form {
    match word {
        b"-" | [b'a'..=b'h', b'3' | b'6'] => Form::Good,
        _ if is_end(word) => Form::End,
        _ => Form::Bad("`-` or a square of rank 3 or 6"),
    }
}

/// Checks a counter. Operations, which start with a letter, may replace it. A comment may follow
/// without a space, as in `0 1;25`.
#[inline(always)]
fn counter(word: &[u8]) -> Form {
    match word {
        [first, ..] if first.is_ascii_alphabetic() => Form::End,
        _ if is_end(word) => Form::End,
        _ => match count_while(word, u8::is_ascii_digit) {
            digits if digits == word.len() => Form::Good,
            digits if is_end(&word[digits..]) => Form::GoodUntil(digits),
            _ => Form::Bad("a number"),
        },
    }
}

/// Checks the text after the fields. `count` is the number of fields that the line has.
#[inline(always)]
pub(crate) fn check_rest(rest: &[u8], count: usize) -> Result<(), FenError> {
    let rest = rest.trim_ascii();
    if is_end(rest) { Ok(()) } else { check_operations(rest, count) }
}

fn check_operations(rest: &[u8], count: usize) -> Result<(), FenError> {
    let (_, end) = next_word(rest, 0);
    let first = &rest[..end];
    if first == b"moves" {
        let reason = "`moves` are not played: give the position itself";
        return Err(FenError::new(Field::Operations, reason));
    }
    if first[0].is_ascii_alphabetic() && memchr::memchr(b';', rest).is_some() {
        return Ok(());
    }
    let operations = "the beginning of operations, which end with `;`";
    let counter = "a number or the beginning of operations, which end with `;`";
    let (field, expected) = match count {
        4 => (Field::HalfmoveClock, counter),
        5 => (Field::FullmoveNumber, counter),
        _ => (Field::Operations, operations),
    };
    Err(bad(field, first, expected))
}

#[cold]
pub(crate) fn bad(field: Field, text: &[u8], expected: &str) -> FenError {
    FenError::new(field, format!("`{}` is not {expected}", word(text)))
}
