//! A `NumPy` array of records of 64-bit numbers, so that each field is aligned and the file can be mapped into memory.

use super::columns::Value;
use super::{Bytes, Layout, Records};

pub(crate) struct Npy {
    layout: Layout,
}

/// The header's length, whatever the number of records: room for the usual columns and all digits, a multiple of 64 as the format wants it.
const HEADER: usize = 384;

/// That of records of positions, which have more columns.
const LONG_HEADER: usize = 512;

impl Npy {
    /// With these fields, but for the FEN, which is no number.
    pub(super) fn new(layout: Layout) -> Npy {
        Npy {
            layout: layout.without_fen(),
        }
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// By the description of format version 1.0: magic, version, length of what follows, a Python dictionary, spaces, a line feed.
    pub(super) fn header(&self, records: u64) -> Vec<u8> {
        let fields = self.layout.fields.iter().map(|field| {
            let sign = if field.value == Value::Score {
                'i'
            } else {
                'u'
            };
            format!("('{}', '<{sign}8'), ", field.name)
        });
        let fields: String = fields.collect();
        let dictionary = |records: u64| {
            format!("{{'descr': [{fields}], 'fortran_order': False, 'shape': ({records},), }}")
        };
        let usual = [LONG_HEADER, HEADER][usize::from(self.layout.rows == 2)];
        // Before the dictionary stand ten bytes, and a line feed behind.
        let length = usual.max((dictionary(u64::MAX).len() + 11).next_multiple_of(64));
        let mut header = b"\x93NUMPY\x01\x00".to_vec();
        header.extend_from_slice(&(length as u16 - 10).to_le_bytes());
        header.extend_from_slice(dictionary(records).as_bytes());
        header.resize(length - 1, b' ');
        header.push(b'\n');
        header
    }

    pub(super) fn write(&self, records: &Records<'_>, bytes: &mut Bytes) {
        /// Positions whose rows stay in the first cache while it is filled column by column.
        const BLOCK: usize = 64;
        let Layout { fields, rows } = &self.layout;
        let size = 8 * fields.len();
        let length = rows * records.lines.len() * size;
        let space = bytes.space(length);
        for (block, space) in space.chunks_mut(rows * BLOCK * size).enumerate() {
            let lines = &records.lines[block * BLOCK..];
            let rest = |length: usize| (block * BLOCK).min(length)..;
            let scores = &records.scores[rest(records.scores.len())];
            let results = &records.results[rest(records.results.len())];
            for (at, field) in fields.iter().enumerate() {
                let places = space
                    .chunks_exact_mut(size)
                    .map(|row| &mut row[8 * at..8 * at + 8]);
                match field.value {
                    Value::Board(board, side) => {
                        let boards = &records.boards[board][2 * block * BLOCK..];
                        match (rows, side) {
                            (2, _) => places.zip(boards.iter().copied()).for_each(put),
                            (_, side) => {
                                let boards = boards.iter().skip(side.unwrap_or(0)).step_by(2);
                                places.zip(boards.copied()).for_each(put);
                            }
                        }
                    }
                    Value::Side => places.zip([0, 1].into_iter().cycle()).for_each(put),
                    Value::Score => {
                        let scores = scores.iter().map(|&score| i64::from(score).cast_unsigned());
                        put_each(places, scores, *rows);
                    }
                    Value::Result => {
                        put_each(places, results.iter().map(|&result| result.into()), *rows);
                    }
                    Value::Line | Value::Fen => {
                        put_each(places, lines.iter().copied(), *rows);
                    }
                }
            }
        }
        bytes.wrote(length);
    }
}

fn put((place, value): (&mut [u8], u64)) {
    place.copy_from_slice(&value.to_le_bytes());
}

/// A value of each position, to each of its records.
fn put_each<'a>(
    places: impl Iterator<Item = &'a mut [u8]>,
    values: impl Iterator<Item = u64>,
    rows: usize,
) {
    if rows == 2 {
        places
            .zip(values.flat_map(|value| [value; 2]))
            .for_each(put);
    } else {
        places.zip(values).for_each(put);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Column, RecordOf};
    use super::{HEADER, LONG_HEADER, Layout, Npy};

    #[test]
    fn the_longest_header_fits() {
        for (of, length) in [(RecordOf::Side, HEADER), (RecordOf::Position, LONG_HEADER)] {
            let header = Npy::new(Layout::new(&[], of).unwrap()).header(u64::MAX);
            assert_eq!(header.len(), length);
            assert!(header.ends_with(b"} \n") || header.ends_with(b"  \n"));
            let all = Column::ALL.iter().copied();
            let all = all.filter(|&column| of == RecordOf::Side || column != Column::Side);
            let all = Npy::new(Layout::new(&all.collect::<Vec<_>>(), of).unwrap());
            let header = all.header(u64::MAX);
            assert_eq!((all.header(0).len(), header.len() % 64), (header.len(), 0));
            assert!(header.ends_with(b"}\n") || header.ends_with(b" \n"));
        }
    }
}
