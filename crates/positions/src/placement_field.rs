//! Reads a FEN's first field, the piece placement.
//!
//! [`read_standard`] reads a field in the standard form. [`read_other_form`] reads any form that is
//! accepted, or describes the error.

use std::str::FromStr;

use crate::error::{FenError, Field, character};
use crate::fen_fields::ends_field;
use crate::placement::letter;
use crate::{Piece, Placement, Side};

impl FromStr for Placement {
    type Err = FenError;

    /// Reads the first field of a FEN. Any text after it is an error.
    fn from_str(text: &str) -> Result<Placement, FenError> {
        let mut placement = Placement::EMPTY;
        match read(text.as_bytes(), &mut placement)?.0 {
            end if end == text.len() => Ok(placement),
            end => Err(unknown(text.as_bytes(), end, 1)),
        }
    }
}

/// Reads the field at the start of `text`, up to white space, a comment or the end. Returns its
/// length, and whether it is in the standard form.
#[inline(always)]
pub(crate) fn read(text: &[u8], to: &mut Placement) -> Result<(usize, bool), FenError> {
    match read_standard(text, to) {
        Some(length) => Ok((length, true)),
        None => read_other_form(text, to).map(|length| (length, false)),
    }
}

/// For each byte of the field, the number that it adds to the state of [`read_standard`].
///
/// The low eight bits of the state are the address at which the next byte's code is written. A
/// square's address is `8 * file + rank` (both from 0), so the squares of a file are adjacent.
/// After the eight squares of a rank, the address is `64 + rank`, and the code of the rank's `/` is
/// written there. The high bits of the state count the slashes.
const STEPS: [u32; 256] = {
    let mut steps = [8; 256];
    steps[0] = 0;
    let mut n = 1;
    while n <= 8 {
        steps[b'0' as usize + n] = 8 * n as u32;
        n += 1;
    }
    steps[b'/' as usize] = SLASH_STEP;
    steps
};
/// A slash moves the address back by eight files and down one rank, and adds one to the number of
/// slashes.
const SLASH_STEP: u32 = (1 << 16) - 65;

/// The code that is written for each byte of the field: a piece's code, 0 for empty squares, or one
/// of the two marks below.
const CODES: [u8; 256] = {
    let mut codes = [WRONG; 256];
    let mut digit = b'1';
    while digit <= b'8' {
        codes[digit as usize] = 0;
        digit += 1;
    }
    codes[b'/' as usize] = SLASH;
    let mut i = 0;
    while i < 12 {
        let (side, piece) = (Side::BOTH[i / 6], Piece::ALL[i % 6]);
        codes[letter(side, piece) as usize] = piece.code(side);
        i += 1;
    }
    codes
};
const SLASH: u8 = 0x10;
const WRONG: u8 = 0x20;

/// The length of the longest field, with 64 pieces and 7 slashes.
const LONGEST: usize = 71;

/// The value 1 in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Reads a field in the standard form. Returns `None` if there is any error.
///
/// Every byte takes two look-ups, an addition and a store. Eight bytes at once were slower, as they
/// take more instructions. All checks come after the loop. A field that passes them is correct:
///
/// 1. The final state is correct, so the field has 7 slashes and 64 squares.
/// 2. Each of the addresses 65 to 71 holds a slash. Every slash moves down one rank, so the k-th
///    slash can only be the one at `72 - k`, which belongs to rank `9 - k`.
/// 3. A square adds 8 to the address, which has eight bits, so addresses repeat after 32 squares.
///    Hence the k-th slash is preceded by `8k` squares, plus a multiple of 32.
/// 4. So each of the first seven ranks has 8 squares plus a multiple of 32. All ranks together have
///    64 squares, so every rank has exactly 8.
/// 5. So no byte overwrote another. An invalid byte, or a slash inside a rank, left its mark on the
///    board, where a check finds it. (Zeros after the field are written beyond the board.)
/// 6. Two digits in a row make the field longer than the board requires, so the length check finds
///    them.
#[inline(always)]
fn read_standard(text: &[u8], to: &mut Placement) -> Option<usize> {
    const START: u32 = 7;
    const STOP: u32 = 7 * SLASH_STEP + START + 8 * 64;
    let mut board = [0_u8; 256];
    let mut state = START;
    let mut start = 0;
    let length = loop {
        let bytes = match text.get(start..).and_then(|text| text.first_chunk()) {
            Some(bytes) => *bytes,
            None => pad_with_spaces(&text[start..]),
        };
        let word = u64::from_le_bytes(bytes);
        // The lowest set bit of `spaces` marks the first byte that is not above a space. That byte
        // and the bytes after it become zeros, which do not change the state.
        let spaces = word.wrapping_sub(ONES * 0x21) & !word & ONES << 7;
        let first = spaces & spaces.wrapping_neg();
        let bytes = (word & (first >> 7).wrapping_sub(1)).to_le_bytes();
        for byte in bytes {
            board[usize::from(state as u8)] = CODES[usize::from(byte)];
            state = state.wrapping_add(STEPS[usize::from(byte)]);
        }
        if spaces != 0 {
            break start + first.trailing_zeros() as usize / 8;
        }
        start += 8;
        if start > LONGEST {
            return None;
        }
    };

    let (words, _) = board.as_chunks();
    let files: [u64; 8] = std::array::from_fn(|file| u64::from_le_bytes(words[file]));
    let slashes = u64::from_le_bytes(words[8]) ^ ONES * u64::from(SLASH);
    let all = files.iter().fold(0, |all, file| all | file);
    if state != STOP || slashes >> 8 != 0 || all & ONES * 0xf0 != 0 {
        return None;
    }

    // Word f holds the codes of file f, one byte per rank. Plane n needs bit n of all codes: one
    // byte per rank, with one bit per file. Pack two files into each word. Then transpose: exchange
    // the index of the word with the index of the bit in its byte.
    let mut planes: [u64; 4] = std::array::from_fn(|file| files[file] | files[file + 4] << 4);
    for (a, b, shift, mask) in [
        (0, 1, 1, 0x55 * ONES),
        (2, 3, 1, 0x55 * ONES),
        (0, 2, 2, 0x33 * ONES),
        (1, 3, 2, 0x33 * ONES),
    ] {
        let different = (planes[a] >> shift ^ planes[b]) & mask;
        planes[b] ^= different;
        planes[a] ^= different << shift;
    }
    *to = Placement::from_planes(planes);

    let occupied = to.occupied();
    // A run of empty squares starts on the a-file or after a piece. In the shortest field, each run
    // is one digit.
    let runs = !occupied & (ONES | occupied << 1);
    let shortest = occupied.count_ones() + runs.count_ones() + 7;
    let is_whole = text.get(length).is_none_or(u8::is_ascii_whitespace);
    (is_whole && length == shortest as usize).then_some(length)
}

#[cold]
#[inline(never)]
fn pad_with_spaces(text: &[u8]) -> [u8; 8] {
    let mut bytes = [b' '; 8];
    bytes[..text.len()].copy_from_slice(text);
    bytes
}

/// Reads a field in any form that is accepted, also with a pocket or marks of promotion, or in
/// front of a comment. The error says what is wrong and where.
#[cold]
#[inline(never)]
fn read_other_form(text: &[u8], to: &mut Placement) -> Result<usize, FenError> {
    let wrong = |reason: String| Err(FenError::new(Field::Placement, reason));
    let end = text.iter().position(ends_field).unwrap_or(text.len());
    let (field, rest) = text.split_at(end);
    if field.is_empty() {
        return wrong("it is missing".into());
    }
    *to = Placement::EMPTY;
    let mut ranks = field.split(|&byte| byte == b'/');
    for (rank, text) in (1..=8).rev().zip(&mut ranks) {
        let mut squares = 0;
        for (i, &byte) in text.iter().enumerate() {
            let before = i.checked_sub(1).map_or(b'/', |before| text[before]);
            squares += match (before, byte) {
                (b'1'..=b'8', b'1'..=b'8') => {
                    let digits = [before, byte].map(char::from).iter().collect::<String>();
                    return wrong(format!(
                        "rank {rank}: `{digits}` are two digits in a row: write their sum"
                    ));
                }
                (_, b'1'..=b'8') => u32::from(byte - b'0'),
                (b'a'..=b'z' | b'A'..=b'Z', b'~') => 0,
                _ if CODES[usize::from(byte)] == WRONG => return Err(unknown(text, i, rank)),
                _ => {
                    to.replace(8 * (rank - 1) + squares.min(7), CODES[usize::from(byte)]);
                    1
                }
            };
        }
        if squares != 8 {
            let s = if squares == 1 { "" } else { "s" };
            return wrong(format!("rank {rank} has {squares} square{s} instead of 8"));
        }
    }
    match (memchr::memchr_iter(b'/', field).count() + 1, ranks.next()) {
        (8, _) => {}
        (9, Some(pocket)) if is_pocket(pocket) => {}
        (1, _) => return wrong("1 rank instead of 8".into()),
        (count @ ..8, _) => return wrong(format!("{count} ranks instead of 8")),
        _ => return wrong("more than 8 ranks".into()),
    }
    // Pieces in hand may follow in brackets. Otherwise, a bracket starts a comment.
    let inner = rest.strip_prefix(b"[").unwrap_or_default();
    let close = inner.iter().position(|&byte| byte == b']').unwrap_or_default();
    let after = inner.get(close + 1);
    let is_bracketed = inner.get(close) == Some(&b']')
        && is_pocket(&inner[..close])
        && after.is_none_or(ends_field);
    Ok(field.len() + if is_bracketed { close + 2 } else { 0 })
}

/// Whether these are the letters of pieces in hand, in crazyhouse: none, a dash or any number.
fn is_pocket(text: &[u8]) -> bool {
    text == b"-" || text.iter().all(|letter| b"PNBRQpnbrq".contains(letter))
}

/// The error for a byte that does not belong in a placement.
pub(crate) fn unknown(text: &[u8], index: usize, rank: u32) -> FenError {
    let character = character(&text[index..]);
    let reason = format!(
        "rank {rank}: `{character}` is neither a piece letter (PNBRQK, pnbrqk) nor a digit 1 to 8"
    );
    FenError::new(Field::Placement, reason)
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, read_other_form, read_standard};
    use crate::{Piece, Placement, Side};

    fn read(text: &[u8]) -> Option<(Placement, usize)> {
        let mut placement = Placement::EMPTY;
        read_standard(text, &mut placement).map(|length| (placement, length))
    }

    /// Every field as [`Placement::write`] writes it is read. After up to three random edits, what
    /// is read is still such a field.
    #[test]
    fn fields_in_the_standard_form_are_read_and_no_others() {
        let mut random = fastrand::Rng::with_seed(1);
        let bytes = b"PNBRQKpnbrqk12345678///0918x. \xe9";
        let (mut good, mut bad) = (0, 0);
        let rounds = if cfg!(miri) { 200 } else { 400_000 };
        for round in (0..400_000_u32).step_by(400_000 / rounds) {
            let mut placement = Placement::EMPTY;
            for square in 0..64 {
                if random.u32(..100) < round % 101 {
                    let (side, piece) = (random.usize(..2), random.usize(..6));
                    placement.put(Side::BOTH[side], Piece::ALL[piece], square);
                }
            }
            let mut text = Vec::new();
            placement.write(&mut text);
            assert_eq!(read(&text), Some((placement, text.len())));
            for _ in 0..random.usize(0..4) {
                let byte = bytes[random.usize(..bytes.len())];
                let (one, other) = (random.usize(..text.len()), random.usize(..text.len()));
                match random.u8(..6) {
                    0 => text[one] = byte,
                    1 => text.insert(one, byte),
                    2 => drop(text.remove(one)),
                    3 => text.extend_from_within(one..),
                    4 => text.swap(one, other),
                    // Move one square from one rank to another.
                    _ if matches!(text[one], b'1'..=b'7') && matches!(text[other], b'2'..=b'8') => {
                        text[one] += 1;
                        text[other] -= 1;
                    }
                    _ => {}
                }
                if text.is_empty() {
                    break;
                }
            }
            if let Some((placement, length)) = read(&text) {
                assert_eq!(placement.to_string().as_bytes(), &text[..length]);
                let mut slow = Placement::EMPTY;
                assert_eq!((read_other_form(&text, &mut slow), slow), (Ok(length), placement));
                assert!(text.get(length).is_none_or(u8::is_ascii_whitespace));
                good += 1;
            } else {
                bad += 1;
            }
        }
        let least = rounds / 8;
        assert!(good > least && bad > least, "{good} good, {bad} bad");
    }

    /// Tries ranks whose wrong lengths could cancel out, and fields whose addresses could wrap.
    #[test]
    fn wrong_lengths_do_not_cancel_out() {
        for text in [
            "88/8/8/8/8/8/8/8",
            "888/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/8/8/8/8/8/8/8/8/8",
            "88888888",
            "/8/8/8/8/8/8/88",
            "8/8/8/8/8/8/8/54/8/8/8/8/8/8/8/7",
            "ppppppppp/7/8/8/8/8/8/8",
            "pppppppppppppppppppppppp//8/8/8/8/8/",
            "7/p8/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/",
            "/8/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/8/",
            "//////////////////////////////////////////////////////////////",
        ] {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
        let full = ["pppppppp"; 8].join("/");
        assert_eq!(full.len(), LONGEST);
        assert_eq!(read(full.as_bytes()).unwrap().1, LONGEST);
        assert_eq!(read((full + "p").as_bytes()), None);
    }
}
