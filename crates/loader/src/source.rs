//! Chunks: where they come from, and what is left of them to decode.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use setwise_positions::binpack::{Chunks, Context, Entries, Filter, Place};

use crate::{Position, with_path};

/// The entries of a part.
pub(crate) const PART: usize = 1 << 14;

/// Chunks in the order in which their positions are needed.
pub(crate) trait Source: Send + Sync {
    /// Reads the next chunk. `None` after the last one.
    fn next(&mut self) -> io::Result<Option<Chunk>>;
}

/// What is left of a chunk to decode.
#[derive(Debug)]
pub(crate) struct Chunk {
    payload: Vec<u8>,
    place: Place,
    /// The number of the next entry.
    index: u64,
    /// The number of the chunk in its file, from 0, and the offset of its payload.
    number: u64,
    offset: u64,
    path: Arc<PathBuf>,
}

impl Chunk {
    pub(crate) fn new(payload: Vec<u8>, number: u64, offset: u64, path: Arc<PathBuf>) -> Chunk {
        let place = Entries::new(&payload).place();
        Chunk { payload, place, index: 0, number, offset, path }
    }

    /// Decodes a part. Also returns what is left.
    pub(crate) fn decode(mut self, filter: &Filter) -> (Vec<Position>, io::Result<Option<Chunk>>) {
        let mut part = Vec::with_capacity(PART);
        let mut entries = Entries::at(&self.payload, &self.place);
        for _ in 0..PART {
            let (index, before) = (self.index, entries.score_before());
            let context = Context { chunk: self.number, index, before };
            match entries.next() {
                Ok(Some(entry)) => {
                    if filter.skips(entry, &context).is_none() {
                        part.push(Position::of(entry));
                    }
                    self.index += 1;
                }
                Ok(None) => return (part, Ok(None)),
                Err(error) => {
                    let (chunk, byte) = (self.number + 1, self.offset + error.byte() as u64);
                    let what = format!("chunk {chunk}, byte {byte}: {}", error.reason());
                    let error = io::Error::new(io::ErrorKind::InvalidData, what);
                    return (part, Err(with_path(&self.path, &error)));
                }
            }
        }
        self.place = entries.place();
        (part, Ok(Some(self)))
    }
}

/// The chunks of files, in order.
pub(crate) struct Files {
    paths: std::vec::IntoIter<PathBuf>,
    file: Option<(Arc<PathBuf>, Chunks<File>)>,
    /// The chunks of all files so far.
    count: u64,
    shard: (u64, u64),
}

impl Files {
    pub(crate) fn new(paths: Vec<PathBuf>, shard: (u64, u64)) -> Files {
        Files { paths: paths.into_iter(), file: None, count: 0, shard }
    }
}

impl Source for Files {
    fn next(&mut self) -> io::Result<Option<Chunk>> {
        loop {
            let Some((path, chunks)) = &mut self.file else {
                let Some(path) = self.paths.next() else {
                    return Ok(None);
                };
                let file = File::open(&path).map_err(|error| with_path(&path, &error))?;
                self.file = Some((Arc::new(path), Chunks::new(file)));
                continue;
            };
            let mut payload = Vec::new();
            let (number, offset) = (chunks.count(), chunks.offset() + 8);
            let is_ours = self.count % self.shard.1 == self.shard.0;
            let read = if is_ours { chunks.next(&mut payload) } else { chunks.skip() };
            if !read.map_err(|error| with_path(path, &error))? {
                self.file = None;
                continue;
            }
            self.count += 1;
            if is_ours {
                return Ok(Some(Chunk::new(payload, number, offset, Arc::clone(path))));
            }
        }
    }
}
