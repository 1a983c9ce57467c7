//! Chunks: where they come from, and what is left of them to decode.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use setwise_positions::binpack::{Chunks, Context, Entries, Filter, Reason, mix};
use setwise_positions::decompress;

use crate::record::Record;
use crate::shuffle::Random;
use crate::{Keep, with_path};

/// The most entries of a part.
pub(crate) const PART: usize = 1 << 12;

/// The chunks that [`Mixed`] knows in advance.
const WINDOW: usize = 256;

/// Chunks in the order in which their positions are needed.
pub(crate) trait Source: Send + Sync {
    /// Reads the next chunk. `None` after the last one. After an error the next call goes on after
    /// what cannot be read.
    fn next(&mut self) -> io::Result<Option<Chunk>>;

    /// Starts again, for another pass.
    fn restart(&mut self, pass: u64);
}

/// What is left of a chunk to decode.
#[derive(Debug)]
pub(crate) struct Chunk {
    entries: Entries<Vec<u8>>,
    /// The number of the next entry.
    index: u64,
    /// The number of the chunk in its file, from 0, and the offset of its payload.
    number: u64,
    offset: u64,
    pass: u64,
    path: Arc<PathBuf>,
    /// The bytes of the file for each byte of the payload: fewer than 1 if it is compressed.
    bytes: f64,
    /// What ended the chunk early.
    failure: Option<io::Error>,
}

/// Positions of a chunk that follow one another.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) records: Vec<Record>,
    /// How many entries it had, and how many of them were skipped, by reason.
    pub(crate) entries: u64,
    pub(crate) skipped: [u64; Reason::ALL.len()],
    /// Its share of the bytes of a file.
    pub(crate) bytes: f64,
}

/// How chunks are decoded.
#[derive(Clone)]
pub(crate) struct Decoder {
    pub(crate) filter: Filter,
    pub(crate) keep: Option<Keep>,
    /// The most entries of a part.
    pub(crate) part: usize,
}

impl Chunk {
    pub(crate) fn new(payload: Vec<u8>, number: u64, offset: u64, path: Arc<PathBuf>) -> Chunk {
        let entries = Entries::new(payload);
        Chunk { entries, index: 0, number, offset, pass: 0, path, bytes: 1.0, failure: None }
    }

    /// Decodes a part. Also returns what is left.
    pub(crate) fn decode(mut self, decoder: &Decoder) -> (Part, io::Result<Option<Chunk>>) {
        let filter = decoder.filter.in_pass(self.pass);
        let mut part = Part { records: Vec::with_capacity(decoder.part), ..Part::default() };
        let left = self.entries.bytes_left();
        for _ in 0..decoder.part {
            let (index, before) = (self.index, self.entries.score_before());
            let context = Context { chunk: self.number, index, before };
            let entry = match self.entries.next() {
                Ok(Some(entry)) => entry,
                Ok(None) => {
                    part.bytes = self.bytes * left as f64;
                    let failure = self.failure.take();
                    return (part, failure.map_or(Ok(None), |f| Err(with_path(&self.path, &f))));
                }
                Err(error) => {
                    // What is lost counts as read.
                    part.bytes = self.bytes * left as f64;
                    let (chunk, byte) = (self.number + 1, self.offset + error.byte() as u64);
                    let mut what = format!("chunk {chunk}, byte {byte}: {}", error.reason());
                    if let Some(cause) = self.failure.take() {
                        let _ = write!(what, " ({cause})");
                    }
                    let error = io::Error::new(io::ErrorKind::InvalidData, what);
                    return (part, Err(with_path(&self.path, &error)));
                }
            };
            self.index += 1;
            part.entries += 1;
            let reason = filter.skips(entry, &context).or_else(|| match &decoder.keep {
                Some(keep) if !keep.keeps(entry) => Some(Reason::Function),
                _ => None,
            });
            match reason {
                None => part.records.push(Record::of(entry)),
                Some(reason) => part.skipped[reason as usize] += 1,
            }
        }
        part.bytes = self.bytes * (left - self.entries.bytes_left()) as f64;
        (part, Ok(Some(self)))
    }
}

/// A file, which is decompressed if gzip or Zstandard compressed it.
pub(crate) enum Stream {
    File(File),
    /// In a lock only because the stream cannot be shared.
    Compressed(Mutex<Box<dyn Read + Send>>, Arc<Compressed>),
}

/// What is known of a compressed file.
#[derive(Default)]
pub(crate) struct Compressed {
    /// The bytes read so far.
    read: AtomicU64,
    /// Whether other data follow those that are compressed.
    has_garbage: AtomicBool,
}

/// Counts the bytes that are read.
struct Counted(File, Arc<Compressed>);

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        self.1.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl Stream {
    pub(crate) fn open(path: &Path) -> io::Result<Stream> {
        let compressed = Arc::new(Compressed::default());
        let (file, garbage) =
            (Counted(File::open(path)?, Arc::clone(&compressed)), Arc::clone(&compressed));
        let (stream, is_compressed) =
            decompress(file, move || garbage.has_garbage.store(true, Ordering::Relaxed))?;
        if is_compressed {
            return Ok(Stream::Compressed(Mutex::new(stream), compressed));
        }
        File::open(path).map(Stream::File)
    }

    /// The bytes of a compressed file that were read so far.
    fn compressed_bytes(&self) -> Option<u64> {
        match self {
            Stream::File(_) => None,
            Stream::Compressed(_, compressed) => Some(compressed.read.load(Ordering::Relaxed)),
        }
    }

    /// Checks that the file ends where its data do.
    fn check_end(&self) -> io::Result<()> {
        match self {
            Stream::Compressed(_, compressed) if compressed.has_garbage.load(Ordering::Relaxed) => {
                let what = "other data follow the gzip data";
                Err(io::Error::new(io::ErrorKind::InvalidData, what))
            }
            _ => Ok(()),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::File(file) => file.read(buffer),
            Stream::Compressed(stream, _) => {
                stream.get_mut().unwrap_or_else(PoisonError::into_inner).read(buffer)
            }
        }
    }
}

impl Seek for Stream {
    /// Only forward if the file is compressed.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match (self, to) {
            (Stream::File(file), to) => file.seek(to),
            (stream, SeekFrom::Current(count @ 0..)) => {
                // The next read fails again. This chunk counts, as for the shard that reads it.
                Ok(io::copy(&mut stream.take(count.unsigned_abs()), &mut io::sink()).unwrap_or(0))
            }
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

/// The chunks of files, in order.
pub(crate) struct Files {
    paths: Vec<PathBuf>,
    /// The number of files that were opened in this pass.
    opened: usize,
    file: Option<(Arc<PathBuf>, Chunks<Stream>)>,
    /// The chunks of all files so far, and the number of the first one.
    count: u64,
    first: u64,
    pass: u64,
    shard: (u64, u64),
}

impl Files {
    pub(crate) fn new(paths: Vec<PathBuf>, first: u64, pass: u64, shard: (u64, u64)) -> Files {
        Files { paths, opened: 0, file: None, count: first, first, pass, shard }
    }
}

impl Source for Files {
    fn next(&mut self) -> io::Result<Option<Chunk>> {
        loop {
            let Some((path, chunks)) = &mut self.file else {
                let Some(path) = self.paths.get(self.opened) else {
                    return Ok(None);
                };
                self.opened += 1;
                let file = Stream::open(path).map_err(|error| with_path(path, &error))?;
                self.file = Some((Arc::new(path.clone()), Chunks::new(file)));
                continue;
            };
            let mut payload = Vec::new();
            let (number, offset) = (chunks.count(), chunks.offset() + 8);
            let before = chunks.get_ref().compressed_bytes();
            let is_ours = self.count % self.shard.1 == self.shard.0;
            let read = if is_ours { chunks.next(&mut payload) } else { chunks.skip() };
            match read {
                Ok(true) => {}
                Ok(false) => {
                    let end = chunks.get_ref().check_end().map_err(|e| with_path(path, &e));
                    self.file = None;
                    end?;
                    continue;
                }
                Err(error) => {
                    let error = with_path(path, &error);
                    self.file = None;
                    return Err(error);
                }
            }
            self.count += 1;
            if is_ours {
                let (path, failure) = (Arc::clone(path), chunks.take_failure());
                let bytes = before.zip(chunks.get_ref().compressed_bytes());
                let bytes = bytes.map_or(1.0, |(before, after)| match self.shard.1 {
                    1 => (after - before) as f64 / payload.len().max(1) as f64,
                    // Another shard's chunk may have brought these bytes.
                    _ => after as f64 / chunks.offset() as f64,
                });
                if failure.is_some() {
                    self.file = None;
                }
                let chunk = Chunk::new(payload, number, offset, path);
                return Ok(Some(Chunk { pass: self.pass, bytes, failure, ..chunk }));
            }
        }
    }

    fn restart(&mut self, pass: u64) {
        (self.opened, self.file, self.count, self.pass) = (0, None, self.first, pass);
    }
}

/// The chunks of one of several files that are mixed, in a random order: of a window of chunks a
/// random one is next, and one more enters the window.
pub(crate) struct Mixed {
    path: Arc<PathBuf>,
    /// The number of the file.
    number: u64,
    /// The file up to the end of the window. `None` before a pass, and after the last chunk.
    ahead: Option<Chunks<File>>,
    /// The same file, for chunks of the window. `None` before the first pass.
    file: Option<File>,
    has_started: bool,
    /// Numbers and offsets of chunks.
    window: Vec<(u64, u64)>,
    /// What ended the file early. Returned after the window.
    failure: Option<io::Error>,
    random: Random,
    seed: u64,
    pass: u64,
    shard: (u64, u64),
}

impl Mixed {
    pub(crate) fn new(
        path: PathBuf,
        number: u64,
        seed: u64,
        pass: u64,
        shard: (u64, u64),
    ) -> Mixed {
        let mut mixed = Mixed {
            path: Arc::new(path),
            number,
            ahead: None,
            file: None,
            has_started: false,
            window: Vec::new(),
            failure: None,
            random: Random(0),
            seed,
            pass,
            shard,
        };
        mixed.restart(pass);
        mixed
    }

    /// Fills the window.
    fn fill(&mut self) -> io::Result<()> {
        if !self.has_started {
            self.has_started = true;
            self.ahead = Some(Chunks::new(File::open(&*self.path)?));
            self.file = Some(File::open(&*self.path)?);
        }
        while let Some(ahead) = &mut self.ahead
            && self.window.len() < WINDOW
        {
            let (number, offset) = (ahead.count(), ahead.offset());
            if !ahead.skip()? {
                self.ahead = None;
            } else if (number + self.number) % self.shard.1 == self.shard.0 {
                self.window.push((number, offset));
            }
        }
        Ok(())
    }

    fn read(&mut self, number: u64, offset: u64) -> io::Result<Chunk> {
        let mut file = self.file.as_ref().expect("there is a window");
        file.seek(SeekFrom::Start(offset))?;
        let (mut chunks, mut payload) = (Chunks::at(file, number, offset), Vec::new());
        if !chunks.next(&mut payload)? {
            let what =
                format!("chunk {}, at byte {offset}: the file has become shorter", number + 1);
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, what));
        }
        let chunk = Chunk::new(payload, number, offset + 8, Arc::clone(&self.path));
        Ok(Chunk { pass: self.pass, failure: chunks.take_failure(), ..chunk })
    }
}

impl Source for Mixed {
    fn next(&mut self) -> io::Result<Option<Chunk>> {
        if let Err(failure) = self.fill() {
            (self.ahead, self.failure) = (None, Some(failure));
        }
        if self.window.is_empty() {
            let failure = self.failure.take();
            return failure.map_or(Ok(None), |failure| Err(with_path(&self.path, &failure)));
        }
        let place = self.random.below(self.window.len());
        let (number, offset) = self.window.swap_remove(place);
        let read = self.read(number, offset);
        read.map(Some).map_err(|error| with_path(&self.path, &error))
    }

    fn restart(&mut self, pass: u64) {
        (self.ahead, self.failure, self.has_started, self.pass) = (None, None, false, pass);
        self.window.clear();
        self.random = Random(mix(mix(self.seed ^ mix(pass)) ^ self.number));
    }
}
