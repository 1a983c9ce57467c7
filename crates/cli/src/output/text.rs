//! Records as lines of text: JSON or comma-separated values.
//!
//! Most of a record is constant text, so writing one copies that text and fills in the digits.

use std::mem;

use setwise::threats::{CODES, Threat};
use setwise_positions::{Side, letter};

use super::columns::{Column, Evaluated, Layout};

pub(crate) struct Text {
    /// The first line of a file of comma-separated values. Empty for JSON lines.
    pub(super) header: String,
    per_position: usize,
    parts: Vec<Part>,
}

/// Constant text with gaps for the digits of boards, followed by a value of varying length.
#[derive(Default)]
struct Part {
    /// The texts in white's and in black's record, which have the same length.
    texts: [Vec<u8>; 2],
    /// The offset in the text of the digits of each board.
    boards: Vec<(usize, Value)>,
    /// The value after the text. `None` in the last part of a line.
    value: Option<Value>,
}

/// A column, and the side as in [`OutputField`](super::columns::OutputField).
type Value = (Column, Option<usize>);

impl Part {
    fn push(&mut self, text: &str) {
        self.push_of_sides([text; 2]);
    }

    fn push_of_sides(&mut self, texts: [&str; 2]) {
        for (to, text) in self.texts.iter_mut().zip(texts) {
            to.extend_from_slice(text.as_bytes());
        }
    }
}

impl Text {
    /// Divides a record of this layout into [`Part`]s. A record is a line of JSON, or of
    /// comma-separated values.
    pub(super) fn new(layout: &Layout, is_json: bool, decimal: bool) -> Text {
        let mut header = String::new();
        let (mut parts, mut part) = (Vec::new(), Part::default());
        for (i, field) in layout.fields.iter().enumerate() {
            let (name, column) = (&field.name, field.column);
            let comma = if i == 0 { "" } else { "," };
            if is_json {
                let first = if i == 0 { "{" } else { comma };
                part.push(&format!("{first}\"{name}\":"));
            } else {
                header.push_str(comma);
                header.push_str(name);
                part.push(comma);
            }
            let is_hex = column.has_boards() && !decimal;
            let is_quoted = is_hex || matches!(column, Column::Fen | Column::Side);
            let quote = if is_json && is_quoted { "\"" } else { "" };
            part.push(quote);
            if is_hex {
                part.push("0x");
                part.boards.push((part.texts[0].len(), (column, field.side)));
                part.push("0000000000000000");
            } else if column == Column::Side {
                part.push_of_sides(Side::BOTH.map(Side::name));
            } else {
                part.value = Some((column, field.side));
                parts.push(mem::take(&mut part));
            }
            part.push(quote);
        }
        part.push(if is_json { "}\n" } else { "\n" });
        parts.push(part);
        header += if is_json { "" } else { "\n" };
        Text { header, per_position: layout.per_position, parts }
    }

    /// Replaces `bytes` with the records of the positions.
    pub(super) fn write(&self, positions: &Evaluated<'_>, bytes: &mut Vec<u8>) {
        bytes.clear();
        let mut digits = itoa::Buffer::new();
        for position in 0..positions.positions() {
            for record in 0..self.per_position {
                for part in &self.parts {
                    let start = bytes.len();
                    bytes.extend_from_slice(&part.texts[record]);
                    let board = |(column, side): Value| {
                        positions.numbers(column)[2 * position + side.unwrap_or(record)]
                    };
                    for &(offset, value) in &part.boards {
                        bytes[start + offset..][..16].copy_from_slice(&hex(board(value)));
                    }
                    let Some(value) = part.value else { continue };
                    let number = || positions.numbers(value.0)[position];
                    let text = match value.0 {
                        Column::Fen => positions.fens[position],
                        Column::Threats => {
                            write_threats(positions.threats.get(position), bytes);
                            continue;
                        }
                        Column::Score => digits.format(number().cast_signed()),
                        column if column.has_boards() => digits.format(board(value)),
                        _ => digits.format(number()),
                    };
                    bytes.extend_from_slice(text.as_bytes());
                }
            }
        }
    }
}

/// A list of threats as in `["Ra1 pa7"]`.
fn write_threats(threats: &[Threat], to: &mut Vec<u8>) {
    for (i, threat) in threats.iter().enumerate() {
        to.extend_from_slice(if i == 0 { b"[\"" } else { b",\"" });
        let pieces = [(threat.attacker, threat.from, b' '), (threat.victim, threat.to, b'"')];
        for (code, square, after) in pieces {
            if let Some((side, piece)) = CODES[usize::from(code & 15)] {
                let (file, rank) = (b'a' + square % 8, b'1' + square / 8);
                to.extend_from_slice(&[letter(side, piece) as u8, file, rank, after]);
            }
        }
    }
    to.extend_from_slice(if threats.is_empty() { b"[]" } else { b"]" });
}

/// The 16 hexadecimal digits of a board.
#[inline]
fn hex(board: u64) -> [u8; 16] {
    let mut digits = [0; 16];
    digits[..8].copy_from_slice(&eight_digits((board >> 32) as u32));
    digits[8..].copy_from_slice(&eight_digits(board as u32));
    digits
}

/// Converts all digits at once: spreads the nibbles to bytes, then turns values above nine into
/// letters.
#[inline]
fn eight_digits(number: u32) -> [u8; 8] {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let spread = u64::from(number);
    let spread = (spread | spread << 16) & 0x0000_ffff_0000_ffff;
    let spread = (spread | spread << 8) & 0x00ff_00ff_00ff_00ff;
    let spread = (spread | spread << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    let letters = (spread + 6 * ONES) >> 4 & ONES;
    let to_letter = u64::from(b'a' - b'9' - 1);
    (spread + u64::from(b'0') * ONES + letters * to_letter).to_be_bytes()
}
