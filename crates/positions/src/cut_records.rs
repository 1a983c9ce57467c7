//! Records and games: cuts files of them into blocks, and reads records of a fixed size.

use std::io;
use std::marker::PhantomData;

use crate::binpack::{Entry, Move};
use crate::block::Block;
use crate::error::{FenError, Field, LineError};
use crate::file_format::{About, Cut, FileFormat, How, Stream, Units, Whole};
use crate::pending::Pending;
use crate::sample::{Fit, Sample};
use crate::{Batch, RECORD, Record};

/// The maximum length of a game, in bytes. A longer game is an error.
const MAX_GAME: usize = 1 << 20;

/// Cuts a file into blocks of whole records or games.
pub(crate) struct CutRecords<'a> {
    pending: Pending<'a>,
    units: &'static dyn Units,
    /// The number of positions in the blocks so far.
    positions: u64,
    /// The number of games in the blocks so far.
    games: u64,
}

impl<'a> CutRecords<'a> {
    pub(crate) fn new(stream: Stream<'a>, units: &'static dyn Units) -> CutRecords<'a> {
        CutRecords { pending: Pending::new(stream), units, positions: 0, games: 0 }
    }
}

impl Cut for CutRecords<'_> {
    fn next(&mut self, block: &mut Block, how: &mut How) -> io::Result<bool> {
        loop {
            let bytes = self.pending.bytes();
            let mut whole = self.units.whole(bytes, how.single);
            if whole.bytes == 0 && self.pending.has_ended() {
                // An incomplete record or game counts as one position.
                whole = Whole { bytes: bytes.len(), positions: 1, games: whole.games };
            }
            if whole.bytes > 0 {
                block.bytes.extend_from_slice(&bytes[..whole.bytes]);
                (block.first_line, block.first_game) = (self.positions + 1, self.games + 1);
                self.pending.pass(whole.bytes);
                self.positions += whole.positions;
                self.games += whole.games;
                return Ok(true);
            }
            if self.pending.has_ended() {
                return Ok(false);
            }
            if bytes.len() >= MAX_GAME {
                let game = self.games + 1;
                let message = format!("game {game} does not end within {MAX_GAME} bytes");
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            self.pending.fill(how.waits)?;
        }
    }
}

/// A format whose files are records of a fixed size.
pub(crate) trait FixedSize: Sync + 'static {
    const ABOUT: &'static About;

    /// The size of a record, in bytes.
    const SIZE: usize;

    /// Reads a record of `SIZE` bytes.
    fn read(bytes: &[u8]) -> Result<Record, FenError>;

    /// Whether a record is plausible. Asked only where neither the file's extension nor the user
    /// names the format.
    fn is_likely(_record: &Record) -> bool {
        true
    }
}

/// A file of records of a fixed size.
pub(crate) struct Records<F>(PhantomData<F>);

impl<F> Records<F> {
    pub(crate) const NEW: Records<F> = Records(PhantomData);
}

impl<F: FixedSize> FileFormat for Records<F> {
    fn about(&self) -> &'static About {
        F::ABOUT
    }

    /// Each record must be free of errors. The last one may be cut if the file goes on.
    fn fit(&self, sample: &Sample<'_>) -> Fit {
        let mut records = sample.bytes.chunks_exact(F::SIZE);
        let is_named = sample.is_named(F::ABOUT.extensions);
        let fits =
            |record: &[u8]| F::read(record).is_ok_and(|record| is_named || F::is_likely(&record));
        match records.next() {
            None if sample.is_last => Fit::No,
            None => Fit::More,
            Some(first) if !fits(first) => Fit::No,
            Some(_) if !sample.is_last => Fit::More,
            Some(_) if sample.is_whole && !records.remainder().is_empty() => Fit::No,
            Some(_) if records.all(fits) => Fit::Yes,
            Some(_) => Fit::No,
        }
    }

    fn cut<'a>(&'static self, stream: Stream<'a>) -> Box<dyn Cut + 'a> {
        Box::new(CutRecords::new(stream, self))
    }

    fn read(&self, block: &Block, batch: &mut Batch) {
        let records = block.bytes.chunks_exact(F::SIZE);
        let rest = records.remainder();
        let mut line = block.first_line;
        for record in records {
            match F::read(record) {
                Ok(record) => batch.push_record(line, &record),
                Err(error) => batch.push_error(LineError { line, error }),
            }
            line += 1;
        }
        if !rest.is_empty() {
            batch.push_error(LineError { line, error: incomplete::<F>(rest) });
        }
    }

    fn record(&self, bytes: &[u8; RECORD]) -> Option<Result<Record, FenError>> {
        (F::SIZE == RECORD).then(|| F::read(bytes))
    }

    fn units(&'static self) -> Option<&'static dyn Units> {
        Some(self)
    }
}

impl<F: FixedSize> Units for Records<F> {
    fn whole(&self, bytes: &[u8], single: bool) -> Whole {
        let most = if single { 1 } else { usize::MAX };
        let count = (bytes.len() / F::SIZE).min(most);
        Whole { bytes: count * F::SIZE, positions: count as u64, games: 0 }
    }

    fn entries(&self, bytes: &[u8], entries: &mut Vec<Entry>) -> (usize, Option<FenError>) {
        let Some(record) = bytes.get(..F::SIZE) else {
            return (bytes.len(), Some(incomplete::<F>(bytes)));
        };
        match F::read(record).and_then(|record| record.entry(Move::NONE)) {
            Ok(entry) => {
                entries.push(entry);
                (F::SIZE, None)
            }
            Err(error) => (F::SIZE, Some(error)),
        }
    }
}

fn incomplete<F: FixedSize>(rest: &[u8]) -> FenError {
    FenError::new(Field::Record, format!("it has {} of {} bytes", rest.len(), F::SIZE))
}
