//! A `NumPy` array of records. The number of records is patched into the header at the end.

use std::io::{self, Seek, Write};

use npyz::WriterBuilder;

use super::{Record, Sink};

/// One element: packed, little-endian or the machine's order as the header says.
#[derive(npyz::Serialize, npyz::AutoSerialize)]
struct Row {
    line: u64,
    side: u8,
    orthogonal: u64,
    diagonal: u64,
    occupied: u64,
    rook_attacks: u64,
    bishop_attacks: u64,
    slider_attacks: u64,
}

pub(super) struct Npy<W: Write + Seek>(npyz::NpyWriter<Row, W>);

impl<W: Write + Seek> Npy<W> {
    pub(super) fn new(writer: W) -> io::Result<Npy<W>> {
        npyz::WriteOptions::new()
            .default_dtype()
            .writer(writer)
            .begin_1d()
            .map(Npy)
    }
}

impl<W: Write + Seek> Sink for Npy<W> {
    fn write(&mut self, record: &Record<'_>) -> io::Result<()> {
        let [
            orthogonal,
            diagonal,
            occupied,
            rook_attacks,
            bishop_attacks,
            slider_attacks,
        ] = record.boards;
        self.0.push(&Row {
            line: record.line,
            side: record.side as u8,
            orthogonal,
            diagonal,
            occupied,
            rook_attacks,
            bishop_attacks,
            slider_attacks,
        })
    }

    /// The writer cannot be reached, and an unfinished array is of no use anyway.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.0.finish()
    }
}
