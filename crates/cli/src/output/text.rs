//! Records as lines of text: JSON or comma-separated values.
//!
//! Nearly all of a line is the same in every record, so a line is a copy of a pattern into which digits are put.

use setwise_positions::Side;

use super::columns::{Field, Value};
use super::{Bytes, Layout, Records};

pub(crate) struct Text {
    layout: Layout,
    header: String,
    parts: Vec<Part>,
}

/// A piece of a line without what differs in length, and what then follows.
struct Part {
    /// White's and black's.
    patterns: [Vec<u8>; 2],
    /// Where the digits of which board go, of a side or of the record's.
    boards: Vec<(usize, usize, Option<usize>)>,
    then: Varying,
}

#[derive(Clone, Copy)]
enum Varying {
    Line,
    Fen,
    Score,
    Result,
    End,
}

impl Text {
    pub(crate) fn json_lines(layout: Layout) -> Text {
        let names = |i: usize, field: &Field| {
            let first = if i == 0 { "{" } else { "," };
            format!("{first}\"{}\":", field.name)
        };
        Text::new(layout, String::new(), names, "\"", "}\n")
    }

    pub(crate) fn csv(layout: Layout) -> Text {
        let names: Vec<&str> = layout.fields.iter().map(|field| &*field.name).collect();
        let header = names.join(",") + "\n";
        let comma = |i: usize, _: &Field| if i == 0 { String::new() } else { ",".into() };
        Text::new(layout, header, comma, "", "\n")
    }

    /// Before each column's value stands something, around all but numbers the quote, and at the end what ends a line.
    fn new(
        layout: Layout,
        header: String,
        before: impl Fn(usize, &Field) -> String,
        quote: &str,
        end: &str,
    ) -> Text {
        let mut parts = Vec::new();
        let (mut patterns, mut boards) = ([Vec::new(), Vec::new()], Vec::new());
        let mut part = |patterns: &mut [Vec<u8>; 2], boards: &mut Vec<_>, then| {
            parts.push(Part {
                patterns: std::mem::take(patterns),
                boards: std::mem::take(boards),
                then,
            });
        };
        let add = |patterns: &mut [Vec<u8>; 2], texts: [&str; 2]| {
            for (pattern, text) in patterns.iter_mut().zip(texts) {
                pattern.extend_from_slice(text.as_bytes());
            }
        };
        for (i, field) in layout.fields.iter().enumerate() {
            add(&mut patterns, [&before(i, field); 2]);
            let number = match field.value {
                Value::Line => Some(Varying::Line),
                Value::Score => Some(Varying::Score),
                Value::Result => Some(Varying::Result),
                _ => None,
            };
            if let Some(number) = number {
                part(&mut patterns, &mut boards, number);
                continue;
            }
            add(&mut patterns, [quote; 2]);
            match field.value {
                Value::Board(board, side) => {
                    add(&mut patterns, ["0x"; 2]);
                    boards.push((patterns[0].len(), board, side));
                    add(&mut patterns, ["0000000000000000"; 2]);
                }
                Value::Side => add(&mut patterns, Side::BOTH.map(Side::name)),
                _ => part(&mut patterns, &mut boards, Varying::Fen),
            }
            add(&mut patterns, [quote; 2]);
        }
        add(&mut patterns, [end; 2]);
        part(&mut patterns, &mut boards, Varying::End);
        Text {
            layout,
            header,
            parts,
        }
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(super) fn header(&self) -> Vec<u8> {
        self.header.clone().into_bytes()
    }

    pub(super) fn write(&self, records: &Records<'_>, bytes: &mut Bytes) {
        /// The longest line number, score and result.
        const NUMBERS: usize = 20 + 6 + 1;
        let fixed: usize = self.parts.iter().map(|part| part.patterns[0].len()).sum();
        for (position, &line) in records.lines.iter().enumerate() {
            let mut number = itoa::Buffer::new();
            let line = number.format(line).as_bytes();
            let mut other = itoa::Buffer::new();
            let fen = records
                .fens
                .get(position)
                .map_or(&[][..], |fen| fen.as_bytes());
            let space = bytes.space(2 * (fixed + NUMBERS + fen.len()));
            let mut at = 0;
            for row in 0..self.layout.rows {
                for part in &self.parts {
                    let pattern = &part.patterns[row];
                    let to = &mut space[at..at + pattern.len()];
                    to.copy_from_slice(pattern);
                    for &(offset, board, side) in &part.boards {
                        let digits = hex(records.boards[board][2 * position + side.unwrap_or(row)]);
                        to[offset..offset + 16].copy_from_slice(&digits);
                    }
                    at += pattern.len();
                    let varying = match part.then {
                        Varying::Line => line,
                        Varying::Fen => fen,
                        Varying::Score => other.format(records.scores[position]).as_bytes(),
                        Varying::Result => other.format(records.results[position]).as_bytes(),
                        Varying::End => continue,
                    };
                    space[at..at + varying.len()].copy_from_slice(varying);
                    at += varying.len();
                }
            }
            bytes.wrote(at);
        }
    }
}

/// The 16 digits of a board.
#[inline]
fn hex(board: u64) -> [u8; 16] {
    let mut digits = [0; 16];
    digits[..8].copy_from_slice(&eight_digits((board >> 32) as u32));
    digits[8..].copy_from_slice(&eight_digits(board as u32));
    digits
}

/// All digits at once: half a byte spread to every byte, then those above nine made letters.
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
    use super::super::{Column, RecordOf};
    use super::{Bytes, Layout, Records, Text, hex};

    #[test]
    fn hex_is_what_the_formatter_writes() {
        for seed in 0..10_000_u64 {
            let board = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            for board in [board, board >> (seed % 64), !board] {
                assert_eq!(hex(board), format!("{board:016x}").as_bytes());
            }
        }
        assert_eq!(hex(0x0123_4567_89ab_cdef), *b"0123456789abcdef");
    }

    #[test]
    fn any_columns_in_any_order() {
        let boards = [[1, 2].as_slice(); 6];
        let records = Records {
            lines: &[12],
            fens: &["8 w"],
            boards,
            scores: &[-32768],
            results: &[2],
        };
        let written = |text: Text| {
            let mut bytes = Bytes::default();
            text.write(&records, &mut bytes);
            String::from_utf8(text.header()).unwrap()
                + std::str::from_utf8(bytes.as_slice()).unwrap()
        };
        let layout = |columns: &[Column], of| Layout::new(columns, of).unwrap();
        let columns = [
            Column::SliderAttacks,
            Column::Fen,
            Column::Line,
            Column::Side,
        ];
        assert_eq!(
            written(Text::json_lines(layout(&columns, RecordOf::Side))),
            "{\"slider_attacks\":\"0x0000000000000001\",\"fen\":\"8 w\",\"line\":12,\"side\":\"white\"}\n\
             {\"slider_attacks\":\"0x0000000000000002\",\"fen\":\"8 w\",\"line\":12,\"side\":\"black\"}\n"
        );
        assert_eq!(
            written(Text::csv(layout(&columns, RecordOf::Side))),
            "slider_attacks,fen,line,side\n0x0000000000000001,8 w,12,white\n0x0000000000000002,8 w,12,black\n"
        );
        let line = layout(&[Column::Line], RecordOf::Side);
        assert_eq!(written(Text::csv(line)), "line\n12\n12\n");
        let numbers = layout(
            &[Column::Score, Column::Line, Column::Result],
            RecordOf::Position,
        );
        assert_eq!(
            written(Text::csv(numbers.clone())),
            "score,line,result\n-32768,12,2\n"
        );
        assert_eq!(
            written(Text::json_lines(numbers)),
            "{\"score\":-32768,\"line\":12,\"result\":2}\n"
        );
        let of_position = [Column::Occupied, Column::Line, Column::RookAttacks];
        assert_eq!(
            written(Text::json_lines(layout(&of_position, RecordOf::Position))),
            "{\"occupied\":\"0x0000000000000001\",\"line\":12,\"white_rook_attacks\":\"0x0000000000000001\",\"black_rook_attacks\":\"0x0000000000000002\"}\n"
        );
    }
}
