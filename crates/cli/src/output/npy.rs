//! A `NumPy` array of records of 64-bit numbers, aligned so that the file can be mapped into
//! memory.

use super::columns::Column;
use super::{Evaluated, Layout};

pub(crate) struct Npy {
    layout: Layout,
}

impl Npy {
    /// Creates the format from a layout, without the FEN, which is not a number.
    pub(super) fn new(layout: Layout) -> Npy {
        Npy { layout: layout.without_fen() }
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(super) fn header(&self, records: u64) -> Vec<u8> {
        let fields = self.layout.fields.iter().map(|field| {
            let sign = if field.column == Column::Score { 'i' } else { 'u' };
            format!("('{}', '<{sign}8'), ", field.name)
        });
        let fields: String = fields.collect();
        let shape = |records: u64| format!("({records},)");
        header(&format!("[{fields}]"), &shape(records), shape(u64::MAX).len())
    }

    /// Overwrites `bytes` with the records. If the buffer were cleared first, `resize` would zero
    /// all of it.
    pub(super) fn write(&self, positions: &Evaluated<'_>, bytes: &mut Vec<u8>) {
        /// Positions per block. The records of a block stay in the L1 cache while they are filled
        /// column by column.
        const BLOCK: usize = 64;
        let Layout { fields, per_position, .. } = &self.layout;
        let size = 8 * fields.len();
        bytes.resize(per_position * positions.lines.len() * size, 0);
        for (block, records) in bytes.chunks_mut(per_position * BLOCK * size).enumerate() {
            let start = block * BLOCK;
            for (at, field) in fields.iter().enumerate() {
                let places = records.chunks_exact_mut(size);
                let places = places.map(|record| &mut record[8 * at..8 * at + 8]);
                match field.column {
                    Column::Side => places.zip([0, 1].into_iter().cycle()).for_each(put),
                    Column::Line => {
                        put_each(places, positions.lines[start..].iter().copied(), *per_position);
                    }
                    Column::Score => {
                        let scores = positions.scores[start..].iter();
                        let scores = scores.map(|&score| i64::from(score).cast_unsigned());
                        put_each(places, scores, *per_position);
                    }
                    Column::Result => {
                        let results = positions.results[start..].iter();
                        put_each(places, results.map(|&result| result.into()), *per_position);
                    }
                    Column::Ply => {
                        let plies = positions.plies[start..].iter();
                        put_each(places, plies.map(|&ply| ply.into()), *per_position);
                    }
                    column => {
                        let board = column.board().unwrap_or_default();
                        let boards = positions.boards[board][2 * start..].iter().copied();
                        if *per_position == 2 {
                            places.zip(boards).for_each(put);
                        } else {
                            let boards = boards.skip(field.side.unwrap_or(0)).step_by(2);
                            places.zip(boards).for_each(put);
                        }
                    }
                }
            }
        }
    }
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

fn put((place, value): (&mut [u8], u64)) {
    place.copy_from_slice(&value.to_le_bytes());
}

/// Writes each position's value into all of its records.
fn put_each<'a>(
    places: impl Iterator<Item = &'a mut [u8]>,
    values: impl Iterator<Item = u64>,
    per_position: usize,
) {
    if per_position == 2 {
        places.zip(values.flat_map(|value| [value; 2])).for_each(put);
    } else {
        places.zip(values).for_each(put);
    }
}

#[cfg(test)]
mod tests {
    use super::super::RecordOf;
    use super::{Column, Layout, Npy};

    #[test]
    fn the_longest_header_fits() {
        for of in [RecordOf::Side, RecordOf::Position, RecordOf::Maps] {
            let mut all = Layout::new(&[], of).unwrap().columns();
            all.extend([Column::Score, Column::Result, Column::Ply]);
            let all = Npy::new(Layout::new(&all, of).unwrap());
            let header = all.header(u64::MAX);
            assert_eq!((all.header(0).len(), header.len() % 64), (header.len(), 0));
            assert!(header.ends_with(b"}\n") || header.ends_with(b" \n"));
        }
    }
}
