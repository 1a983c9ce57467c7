//! Checks of the FEN fields after the placement, and of the text that follows them.

use setwise::moves::State;

use crate::error::{FenError, Field, word};
use crate::lines::trim_line;

/// The result of checking a word against the rules of a field.
pub(crate) enum Form {
    /// Valid, with what the word means: the number of the side to move, the [set](castling) of
    /// letters of the castling rights, the en passant square (64: none), and 0 for counters.
    Good(u64),
    /// A dash instead of a counter, which is skipped.
    Dash,
    /// A comment, an operation or the line's end, which end the fields.
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

/// Returns the line without what may stand before the first field, or unchanged if nothing would be
/// left: opening quotes and brackets, the commands of protocols that set a position, what logs
/// write before UCI's `position`, and the `epd` of `.perft` files.
pub(crate) fn without_prefix(line: &[u8]) -> &[u8] {
    const COMMANDS: [&[u8]; 7] =
        [b"position fen ", b"setboard ", b"fen: ", b"fen ", b"epd ", b">> ", b"<< "];
    let mut rest = line;
    loop {
        let command = COMMANDS.iter().find(|command| {
            rest.get(..command.len()).is_some_and(|start| start.eq_ignore_ascii_case(command))
        });
        let length = match (command, rest) {
            (Some(command), _) => command.len(),
            (None, [b'"' | b'\'' | b'`' | b'(' | b'[' | b'{', ..]) => 1,
            (None, []) => return line,
            _ => match position_in_log(rest) {
                Some(at) => at,
                None => return rest,
            },
        };
        rest = rest[length..].trim_ascii_start();
    }
}

/// Where UCI's `position fen` or `position startpos` begins in the line of a log, after a time,
/// names and arrows. `None` if nothing is before it, or what begins like a FEN.
fn position_in_log(line: &[u8]) -> Option<usize> {
    if after_startpos(line).is_some() {
        return None; // The command itself.
    }
    let first = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    let is_placement =
        first.contains(&b'/') && first.iter().all(|byte| b"PNBRQKpnbrqk12345678/".contains(byte));
    if is_placement {
        return None; // A FEN with an error, and a comment.
    }
    let is_command = |&at: &usize| {
        const FEN: &[u8] = b"position fen ";
        let command = &line[at..];
        let is_fen = command.get(..FEN.len()).is_some_and(|text| text.eq_ignore_ascii_case(FEN));
        !line[at - 1].is_ascii_alphanumeric() && (is_fen || after_startpos(command).is_some())
    };
    memchr::memchr2_iter(b'p', b'P', line).filter(|&at| at > 0).find(is_command)
}

/// The initial position.
pub(crate) const START: &[u8] = b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// What follows UCI's `position startpos`, if the line starts so.
pub(crate) fn after_startpos(line: &[u8]) -> Option<&[u8]> {
    let mut rest = line;
    for word in [&b"position"[..], b"startpos"] {
        rest = rest.trim_ascii_start();
        let (start, after) = rest.split_at_checked(word.len())?;
        if !start.eq_ignore_ascii_case(word) || !after.first().is_none_or(ends_field) {
            return None;
        }
        rest = after;
    }
    Some(rest)
}

/// Checks that `position startpos` is followed by a comment, a `moves` without moves, or nothing.
pub(crate) fn check_startpos(after: &[u8]) -> Result<(), FenError> {
    let (start, end) = next_word(after, 0);
    match &after[start..end] {
        b"" | b"moves" => Ok(()),
        other => Err(FenError::new(Field::Line, format!("`{}` follows `startpos`", word(other)))),
    }
}

/// Whether this byte ends a field: white space, the start of a comment, or a separator or closing
/// quote or bracket of the text that the FEN was copied from.
#[inline(always)]
pub(crate) fn ends_field(byte: &u8) -> bool {
    // One look-up: this is called for every byte of the fields.
    const ENDS: [bool; 256] = {
        let (mut ends, mut i) = ([false; 256], 0);
        let bytes = b" \t\n\r\x0c;|[,\"'`)]}";
        while i < bytes.len() {
            ends[bytes[i] as usize] = true;
            i += 1;
        }
        ends
    };
    ENDS[usize::from(*byte)]
}

/// Returns the start and end of the line's next word. It is empty at the end of the line, and
/// before a comment.
#[inline(always)]
pub(crate) fn next_word(line: &[u8], from: usize) -> (usize, usize) {
    let start = from + count_blanks(&line[from..]);
    let length = count_while(&line[start..], |byte| !ends_field(byte));
    (start, start + length)
}

#[inline(always)]
fn count_while(text: &[u8], is_counted: impl Fn(&u8) -> bool) -> usize {
    let end = text.iter().position(|byte| !is_counted(byte));
    end.unwrap_or(text.len())
}

#[inline(always)]
fn side(word: &[u8]) -> Form {
    match word {
        b"w" | b"b" => Form::Good((word == b"b").into()),
        [] => Form::End,
        _ => Form::Bad("`w` or `b`"),
    }
}

/// The bit of a letter in a set of letters: bit 1 for A, bit 33 for a.
pub(crate) const fn letter_bit(letter: u8) -> u64 {
    1 << (letter & 63)
}

/// The letters of castling rights.
const RIGHTS: u64 = {
    let (letters, mut rights, mut i) = (b"KQkqABCDEFGHabcdefgh", 0, 0);
    while i < letters.len() {
        rights |= letter_bit(letters[i]);
        i += 1;
    }
    rights
};

#[inline(always)]
fn castling(word: &[u8]) -> Form {
    let (mut seen, mut are_new) = (0, true);
    let mut add = |letter: &u8| {
        let bit = letter_bit(*letter);
        are_new &= letter >> 6 == 1 && RIGHTS & !seen & bit != 0;
        seen |= bit;
    };
    match word {
        b"-" => return Form::Good(0),
        [] => return Form::End,
        _ if word.len() <= 4 => word.iter().for_each(&mut add),
        _ => are_new = false,
    }
    if are_new {
        Form::Good(seen)
    } else {
        Form::Bad("`-` or up to four different letters of KQkq or A-H, a-h")
    }
}

#[inline(always)]
fn en_passant(word: &[u8]) -> Form {
    match word {
        b"-" => Form::Good(State::NO_EN_PASSANT.into()),
        [file @ b'a'..=b'h', rank @ (b'3' | b'6')] => {
            Form::Good((file - b'a' + 8 * (rank - b'1')).into())
        }
        [] => Form::End,
        _ => Form::Bad("`-` or a square of rank 3 or 6"),
    }
}

/// Checks a counter. Operations, which start with a letter, or a value may replace it.
#[inline(always)]
fn counter(word: &[u8]) -> Form {
    match word {
        [] => Form::End,
        [first, ..] if first.is_ascii_alphabetic() => Form::End,
        _ if word.iter().all(u8::is_ascii_digit) => Form::Good(0),
        b"-" => Form::Dash,
        _ if is_value(word) => Form::End,
        _ => Form::Bad("a number"),
    }
}

/// Checks the text after the fields. `count` is the number of fields that the line has.
#[inline(always)]
pub(crate) fn check_rest(rest: &[u8], count: usize) -> Result<(), FenError> {
    let rest = trim_line(rest);
    if rest.is_empty() { Ok(()) } else { check_operations(rest, count) }
}

fn check_operations(rest: &[u8], count: usize) -> Result<(), FenError> {
    if let Some(index) = memchr::memchr2(0, 0x1a, rest) {
        let reason = format!("byte {:#04x} is only allowed at its end", rest[index]);
        return Err(FenError::new(Field::Line, reason));
    }
    let (_, end) = next_word(rest, 0);
    let first = &rest[..end];
    let is_name = first.first().is_some_and(u8::is_ascii_alphabetic);
    let field = match count {
        // Only the counters may be missing before other text than a comment.
        4 => Field::HalfmoveClock,
        5 => Field::FullmoveNumber,
        _ => return Ok(()),
    };
    if first.is_empty()
        || is_value(first)
        || is_opcode(first)
        || is_name && memchr::memchr(b';', rest).is_some()
    {
        return Ok(());
    }
    Err(bad(field, first, "a number or the beginning of operations, which end with `;`"))
}

/// Whether this is a result or a decimal number, as in files of positions with a score.
fn is_value(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"-").or(word.strip_prefix(b"+")).unwrap_or(word);
    let mut parts = digits.splitn(2, |&byte| byte == b'.');
    let is_decimal = parts.all(|part| part.iter().all(u8::is_ascii_digit))
        && digits.contains(&b'.')
        && digits.len() > 1;
    is_decimal || matches!(word, b"1-0" | b"0-1" | b"1/2-1/2" | b"1/2" | b"*")
}

/// Whether this is UCI's `moves`, an opcode of the EPD standard, or `D` and a depth, as in perft
/// suites.
fn is_opcode(word: &[u8]) -> bool {
    const OPCODES: &str = "acd acn acs am bm ce dm draw_accept draw_claim draw_offer draw_reject \
                           eco fmvn hmvc id nic noop pm pv rc resign sm tcgs tcri tcsi";
    match word {
        b"moves" | [b'c' | b'v', b'0'..=b'9'] => true,
        [b'D', depth @ ..] => !depth.is_empty() && depth.iter().all(u8::is_ascii_digit),
        _ => OPCODES.split(' ').any(|opcode| opcode.as_bytes() == word),
    }
}

#[cold]
pub(crate) fn bad(field: Field, text: &[u8], expected: &str) -> FenError {
    FenError::new(field, format!("`{}` is not {expected}", word(text)))
}
