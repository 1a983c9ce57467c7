//! FEN and EPD lines.

use crate::Batch;
use crate::block::Block;
use crate::cut_lines::CutLines;
use crate::file_format::{About, Cut, FileFormat, Stream, Unit};
use crate::sample::{Fit, Sample};

/// FEN or EPD lines: see [`Fen`](crate::Fen).
pub(crate) struct Epd;

const ABOUT: About = About {
    name: "FEN or EPD",
    option: "epd",
    aliases: &["fen"],
    help: "FEN or EPD lines",
    extensions: &["epd", "fen", "perft"],
    unit: Unit::Line,
    values: &[],
};

impl FileFormat for Epd {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    /// Any text, if no other format fits, and any bytes of which the first line is a FEN.
    fn fit(&self, sample: &Sample<'_>) -> Fit {
        match sample.fit_of_text() {
            Some(Fit::No) if sample.is_named(ABOUT.extensions) => return Fit::Otherwise,
            Some(fit) => return fit,
            None => {}
        }
        // A line that starts with `fen` may be plain training data.
        let is_plain = sample.line.is_some_and(|line| line.starts_with(b"fen "));
        match sample.is_clear() {
            true if sample.is_fen && !is_plain && !sample.is_pgn() => Fit::Yes,
            true => Fit::Otherwise,
            false => Fit::More,
        }
    }

    fn cut<'a>(&'static self, stream: Stream<'a>) -> Box<dyn Cut + 'a> {
        Box::new(CutLines::new(stream, None))
    }

    fn read(&self, block: &Block, batch: &mut Batch) {
        batch.read(&block.bytes, block.first_line);
    }
}
