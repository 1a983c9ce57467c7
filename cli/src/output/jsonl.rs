//! One JSON object a line.

use std::io::{self, Write};

use super::{BOARD_NAMES, Record, Sink, hex};

pub(super) struct JsonLines<W> {
    writer: W,
    line: Vec<u8>,
}

impl<W: Write> JsonLines<W> {
    pub(super) fn new(writer: W) -> JsonLines<W> {
        JsonLines {
            writer,
            line: Vec::new(),
        }
    }
}

impl<W: Write> Sink for JsonLines<W> {
    fn write(&mut self, record: &Record<'_>) -> io::Result<()> {
        let line = &mut self.line;
        line.clear();
        line.extend_from_slice(b"{\"line\":");
        line.extend_from_slice(itoa::Buffer::new().format(record.line).as_bytes());
        // Nothing in a FEN needs an escape.
        line.extend_from_slice(b",\"fen\":\"");
        line.extend_from_slice(record.fen.as_bytes());
        line.extend_from_slice(b"\",\"side\":\"");
        line.extend_from_slice(record.side.name().as_bytes());
        line.push(b'"');
        for (name, board) in BOARD_NAMES.iter().zip(record.boards) {
            line.extend_from_slice(b",\"");
            line.extend_from_slice(name.as_bytes());
            line.extend_from_slice(b"\":\"");
            line.extend_from_slice(&hex(board));
            line.push(b'"');
        }
        line.extend_from_slice(b"}\n");
        self.writer.write_all(line)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.flush()
    }
}
