//! Records as lines of text: JSON or comma-separated values.
//!
//! Most of a record is constant text, so writing one copies that text and fills in the digits.

use std::mem;

use setwise::threats::Threat;
use setwise_loader::codes;
use setwise_positions::{Side, letter};

use super::columns::{Column, OutputField};
use super::{Evaluated, Layout};

pub(crate) struct Text {
    layout: Layout,
    header: String,
    parts: Vec<Part>,
}

/// Constant text with gaps for the digits of boards, followed by a value of varying length.
#[derive(Default)]
struct Part {
    /// The texts in white's and in black's record, which have the same length.
    texts: [Vec<u8>; 2],
    /// For each board: the offset of its digits in the text, its index in [`Evaluated::boards`],
    /// and its [`OutputField::side`].
    boards: Vec<(usize, usize, Option<usize>)>,
    /// The value after the text. `None` in the last part of a line.
    value: Option<Value>,
}

/// A value of varying length.
enum Value {
    Column(Column),
    /// A board in decimal digits: its index in [`Evaluated::boards`], and its
    /// [`OutputField::side`].
    Board(usize, Option<usize>),
}

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
    pub(super) fn json_lines(layout: Layout, decimal: bool) -> Text {
        let name = |i: usize, field: &OutputField| {
            let first = if i == 0 { "{" } else { "," };
            format!("{first}\"{}\":", field.name)
        };
        Text::new(layout, String::new(), decimal, &name, ["\"", "}\n"])
    }

    pub(super) fn csv(layout: Layout, decimal: bool) -> Text {
        let names: Vec<&str> = layout.fields.iter().map(|field| &*field.name).collect();
        let header = names.join(",") + "\n";
        let comma = |i: usize, _: &OutputField| if i == 0 { String::new() } else { ",".into() };
        Text::new(layout, header, decimal, &comma, ["", "\n"])
    }

    /// Divides a record of this layout into [`Part`]s. `before` returns the text before a value.
    /// `quote` encloses values that are not numbers. `end` ends a line.
    fn new(
        layout: Layout,
        header: String,
        decimal: bool,
        before: &dyn Fn(usize, &OutputField) -> String,
        [quote, end]: [&str; 2],
    ) -> Text {
        let mut parts = Vec::new();
        let mut part = Part::default();
        for (i, field) in layout.fields.iter().enumerate() {
            part.push(&before(i, field));
            let quote = match field.column {
                Column::Line | Column::Score | Column::Result | Column::Ply | Column::Threats => "",
                column if decimal && column.board().is_some() => "",
                _ => quote,
            };
            part.push(quote);
            if let Some(board) = field.column.board().filter(|_| decimal) {
                part.value = Some(Value::Board(board, field.side));
                parts.push(mem::take(&mut part));
            } else if let Some(board) = field.column.board() {
                part.push("0x");
                part.boards.push((part.texts[0].len(), board, field.side));
                part.push("0000000000000000");
            } else if field.column == Column::Side {
                part.push_of_sides(Side::BOTH.map(Side::name));
            } else {
                part.value = Some(Value::Column(field.column));
                parts.push(mem::take(&mut part));
            }
            part.push(quote);
        }
        part.push(end);
        parts.push(part);
        Text { layout, header, parts }
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(super) fn header(&self) -> Vec<u8> {
        self.header.clone().into_bytes()
    }

    /// Appends the records of the positions.
    pub(super) fn write(&self, positions: &Evaluated<'_>, bytes: &mut Vec<u8>) {
        let (mut first, mut other) = (itoa::Buffer::new(), itoa::Buffer::new());
        for (position, &line) in positions.lines.iter().enumerate() {
            let line = first.format(line);
            for record in 0..self.layout.per_position {
                for part in &self.parts {
                    let start = bytes.len();
                    bytes.extend_from_slice(&part.texts[record]);
                    let board = |board: usize, side: Option<usize>| {
                        positions.boards[board][2 * position + side.unwrap_or(record)]
                    };
                    for &(offset, index, side) in &part.boards {
                        let digits = hex(board(index, side));
                        bytes[start + offset..][..16].copy_from_slice(&digits);
                    }
                    let value = match part.value {
                        Some(Value::Column(Column::Line)) => line,
                        Some(Value::Column(Column::Score)) => {
                            other.format(positions.scores[position])
                        }
                        Some(Value::Column(Column::Result)) => {
                            other.format(positions.results[position])
                        }
                        Some(Value::Column(Column::Ply)) => other.format(positions.plies[position]),
                        Some(Value::Column(Column::Threats)) => {
                            write_threats(positions.threats.get(position), bytes);
                            continue;
                        }
                        Some(Value::Column(_)) => positions.fens[position],
                        Some(Value::Board(index, side)) => other.format(board(index, side)),
                        None => continue,
                    };
                    bytes.extend_from_slice(value.as_bytes());
                }
            }
        }
    }
}

/// A list of threats as in `["Ra1 pa7"]`.
fn write_threats(threats: &[Threat], to: &mut Vec<u8>) {
    let codes = codes();
    for (i, threat) in threats.iter().enumerate() {
        to.extend_from_slice(if i == 0 { b"[\"" } else { b",\"" });
        let pieces = [(threat.attacker, threat.from, b' '), (threat.victim, threat.to, b'"')];
        for (code, square, after) in pieces {
            if let Some((side, piece)) = codes[usize::from(code & 15)] {
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

#[cfg(test)]
mod tests {
    use super::hex;

    #[test]
    fn hex_equals_the_formatter() {
        for seed in 0..10_000_u64 {
            let board = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            for board in [board, board >> (seed % 64), !board] {
                assert_eq!(hex(board), format!("{board:016x}").as_bytes());
            }
        }
    }
}
