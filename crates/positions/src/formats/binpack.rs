//! Binpack: see [`binpack`](crate::binpack).

use std::io;
use std::mem;

use crate::Batch;
use crate::binpack::{Chunks, Context, Entries, Filter, HEADER, MAGIC};
use crate::block::Block;
use crate::error::{FenError, Field, LineError};
use crate::file_format::{About, Cut, FileFormat, How, Stream, Unit, Value};
use crate::sample::{Fit, Sample};

/// The entries of a block.
const ENTRIES: usize = 2048;

/// Chunks of entries.
pub(crate) struct Binpack;

const ABOUT: About = About {
    name: "binpack",
    option: "binpack",
    aliases: &[],
    help: "Binpack",
    extensions: &["binpack"],
    unit: Unit::Position,
    values: &[Value::Score, Value::Result, Value::Move, Value::Ply],
};

impl FileFormat for Binpack {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn fit(&self, sample: &Sample<'_>) -> Fit {
        match sample.bytes {
            bytes if bytes.starts_with(MAGIC) => Fit::Yes,
            bytes if MAGIC.starts_with(bytes) && !sample.is_last => Fit::More,
            _ => Fit::No,
        }
    }

    fn cut<'a>(&'static self, stream: Stream<'a>) -> Box<dyn Cut + 'a> {
        Box::new(CutEntries {
            chunks: Chunks::new(stream),
            entries: Entries::new(Vec::new()),
            payload_offset: 0,
            context: Context::new(&Filter::ALL, 0, 0),
            count: 0,
        })
    }

    fn read(&self, block: &Block, batch: &mut Batch) {
        for (line, entry) in &block.entries {
            batch.push_entry(*line, entry);
        }
        if let Some(error) = &block.error {
            batch.push_error(error.clone());
        }
    }

    fn is_sieved(&self) -> bool {
        true
    }
}

/// Decodes the chunks of a file.
struct CutEntries<'a> {
    chunks: Chunks<Stream<'a>>,
    /// The chunk being decoded, and the offset of its payload in the stream.
    entries: Entries<Vec<u8>>,
    payload_offset: u64,
    context: Context,
    /// The number of entries so far.
    count: u64,
}

impl Cut for CutEntries<'_> {
    fn next(&mut self, block: &mut Block, how: &mut How) -> io::Result<bool> {
        let most = if how.single { 1 } else { ENTRIES };
        block.first_line = self.count + 1;
        loop {
            while block.entries.len() < most {
                match self.entries.next() {
                    Ok(Some(entry)) => {
                        self.count += 1;
                        if how.sieve.skips(entry, &mut self.context).is_none() {
                            block.entries.push((self.count, *entry));
                        }
                    }
                    Ok(None) => break,
                    Err(error) => {
                        let (chunk, byte) = (self.chunks.count(), error.byte() as u64);
                        let byte = self.payload_offset + byte;
                        let reason = format!("number {chunk}, byte {byte}: {}", error.reason());
                        // What is lost counts as one position.
                        self.count += 1;
                        let error = FenError::new(Field::Chunk, reason);
                        block.error = Some(LineError { line: self.count, error });
                        return Ok(true);
                    }
                }
            }
            if !block.entries.is_empty() {
                return Ok(true);
            }
            self.payload_offset = self.chunks.offset() + HEADER as u64;
            // One buffer for all chunks, which may have 100 MiB.
            let entries = mem::replace(&mut self.entries, Entries::new(Vec::new()));
            let mut payload = entries.into_payload();
            if !self.chunks.next(&mut payload)? {
                return Ok(false);
            }
            self.entries = Entries::new(payload);
            self.context = how.sieve.context(how.file, self.chunks.count() - 1);
        }
    }
}
