//! A `NumPy` array of records of 64-bit numbers, aligned so that the file can be mapped into
//! memory.

use super::columns::Column;
use super::{Evaluated, Layout};

/// The file's header. It has the same length for any number of records.
pub(super) fn file_header(layout: &Layout, records: u64) -> Vec<u8> {
    let fields = layout.fields.iter().map(|field| {
        let sign = if field.column == Column::Score { 'i' } else { 'u' };
        format!("('{}', '<{sign}8'), ", field.name)
    });
    let fields: String = fields.collect();
    let shape = |records: u64| format!("({records},)");
    header(&format!("[{fields}]"), &shape(records), shape(u64::MAX).len())
}

/// Overwrites `bytes` with the records. If the buffer were cleared first, `resize` would zero all
/// of it.
pub(super) fn write(layout: &Layout, positions: &Evaluated<'_>, bytes: &mut Vec<u8>) {
    /// Positions per block. The records of a block stay in the L1 cache while they are filled
    /// column by column.
    const BLOCK: usize = 64;
    let Layout { fields, per_position, .. } = layout;
    let size = fields.len();
    bytes.resize(8 * per_position * positions.positions() * size, 0);
    let (words, _) = bytes.as_chunks_mut();
    for (block, words) in words.chunks_mut(per_position * BLOCK * size).enumerate() {
        let start = block * BLOCK;
        for (number, field) in fields.iter().enumerate() {
            let numbers = positions.numbers(field.column);
            match (field.column, per_position) {
                (Column::Side, _) => put(words, number, size, [0, 1].iter().cycle()),
                (column, 2) if column.has_boards() => {
                    put(words, number, size, &numbers[2 * start..]);
                }
                (column, _) if column.has_boards() => {
                    let boards = numbers[2 * start..].iter().skip(field.side.unwrap_or(0));
                    put(words, number, size, boards.step_by(2));
                }
                // Each number is in all records of its position.
                (_, records) => {
                    for record in 0..*records {
                        put(words, record * size + number, records * size, &numbers[start..]);
                    }
                }
            }
        }
    }
}

/// Writes numbers to every `step`-th word, from `first` on.
fn put<'a>(
    words: &mut [[u8; 8]],
    first: usize,
    step: usize,
    numbers: impl IntoIterator<Item = &'a u64>,
) {
    let places = words[first..].iter_mut().step_by(step);
    places.zip(numbers).for_each(|(place, number)| *place = number.to_le_bytes());
}

/// A header in format version 1.0: magic, version, length of the rest, a Python dictionary, spaces,
/// a line feed. It has room for a shape of the length `longest`.
pub(super) fn header(kind: &str, shape: &str, longest: usize) -> Vec<u8> {
    let dictionary = format!("{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}");
    // The dictionary follows ten bytes and precedes a line feed. The length is a multiple of 64, as
    // the format requires.
    let length = (dictionary.len() - shape.len() + longest + 11).next_multiple_of(64);
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend_from_slice(&(length as u16 - 10).to_le_bytes());
    header.extend_from_slice(dictionary.as_bytes());
    header.resize(length - 1, b' ');
    header.push(b'\n');
    header
}

#[cfg(test)]
mod tests {
    use super::super::{OF_MOVES, RecordOf};
    use super::{Column, Layout, file_header};

    #[test]
    fn the_longest_header_fits() {
        for record in [RecordOf::Side, RecordOf::Position, RecordOf::Maps] {
            let mut all: Vec<_> =
                Layout::new(&[], record).unwrap().fields.iter().map(|field| field.column).collect();
            all.dedup();
            all.extend([Column::Score, Column::Result, Column::Ply]);
            all.extend(OF_MOVES);
            let all = Layout::new(&all, record).unwrap().without_fen();
            let header = file_header(&all, u64::MAX);
            assert_eq!((file_header(&all, 0).len(), header.len() % 64), (header.len(), 0));
            assert!(header.ends_with(b"}\n") || header.ends_with(b" \n"));
        }
    }
}
