//! Comma-separated values with a header.

use std::io::{self, Write};

use super::{BOARD_NAMES, Record, Sink, hex};

pub(super) struct Csv<W: Write>(csv::Writer<W>);

impl<W: Write> Csv<W> {
    pub(super) fn new(writer: W) -> io::Result<Csv<W>> {
        let mut writer = csv::Writer::from_writer(writer);
        writer.write_record(["line", "fen", "side"].into_iter().chain(BOARD_NAMES))?;
        Ok(Csv(writer))
    }
}

impl<W: Write> Sink for Csv<W> {
    fn write(&mut self, record: &Record<'_>) -> io::Result<()> {
        let mut number = itoa::Buffer::new();
        self.0.write_field(number.format(record.line))?;
        self.0.write_field(record.fen)?;
        self.0.write_field(record.side.name())?;
        for board in record.boards {
            self.0.write_field(hex(board))?;
        }
        self.0.write_record(None::<&[u8]>)?;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.0.flush()
    }
}
