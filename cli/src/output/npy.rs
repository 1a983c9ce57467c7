//! A `NumPy` array of records of 64-bit numbers, so that each field is aligned and the file can be mapped into memory.

use super::{Bytes, Column, Records};

pub(crate) struct Npy {
    columns: Vec<Column>,
}

/// The header's length, whatever the number of records: room for all columns and digits, a multiple of 64 as the format wants it.
const HEADER: usize = 384;

impl Npy {
    /// With these columns, but for the FEN, which is no number.
    pub(super) fn new(columns: &[Column]) -> Npy {
        let numbers = columns.iter().filter(|&&column| column != Column::Fen);
        Npy {
            columns: numbers.copied().collect(),
        }
    }

    pub(super) fn needs(&self, column: Column) -> bool {
        self.columns.contains(&column)
    }

    /// By the description of format version 1.0: magic, version, length of what follows, a Python dictionary, spaces, a line feed.
    pub(super) fn header(&self, records: u64) -> Vec<u8> {
        let fields = self
            .columns
            .iter()
            .map(|column| format!("('{}', '<u8'), ", column.name()));
        let fields: String = fields.collect();
        let mut header = b"\x93NUMPY\x01\x00".to_vec();
        header.extend_from_slice(&(HEADER as u16 - 10).to_le_bytes());
        header.extend_from_slice(
            format!("{{'descr': [{fields}], 'fortran_order': False, 'shape': ({records},), }}")
                .as_bytes(),
        );
        assert!(header.len() < HEADER, "room for the longest");
        header.resize(HEADER - 1, b' ');
        header.push(b'\n');
        header
    }

    pub(super) fn write(&self, records: &Records<'_>, bytes: &mut Bytes) {
        /// Positions whose rows stay in the first cache while it is filled column by column.
        const BLOCK: usize = 64;
        let size = 8 * self.columns.len();
        let length = 2 * records.lines.len() * size;
        let rows = bytes.space(length);
        for (block, rows) in rows.chunks_mut(2 * BLOCK * size).enumerate() {
            let lines = &records.lines[block * BLOCK..];
            for (at, &column) in self.columns.iter().enumerate() {
                let fields = rows
                    .chunks_exact_mut(size)
                    .map(|row| &mut row[8 * at..8 * at + 8]);
                let put =
                    |(field, value): (&mut [u8], u64)| field.copy_from_slice(&value.to_le_bytes());
                match column.board() {
                    Some(board) => {
                        let boards = &records.boards[board][2 * block * BLOCK..];
                        fields.zip(boards.iter().copied()).for_each(put);
                    }
                    None if column == Column::Line => {
                        fields
                            .zip(lines.iter().flat_map(|&line| [line; 2]))
                            .for_each(put);
                    }
                    None => fields.zip([0, 1].into_iter().cycle()).for_each(put),
                }
            }
        }
        bytes.wrote(length);
    }
}

#[cfg(test)]
mod tests {
    use super::{Column, HEADER, Npy};

    #[test]
    fn the_longest_header_fits() {
        let header = Npy::new(Column::ALL).header(u64::MAX);
        assert_eq!(header.len(), HEADER);
        assert!(header.ends_with(b"} \n") || header.ends_with(b"  \n"));
    }
}
