//! Chunks: where they come from, and what is left of them to decode.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use setwise_positions::binpack::{Context, Filter, Reason, Sieve, mix};
use setwise_positions::{Format, decompress};

use crate::formats::{Chunks, Entries, EntryError, detect};
use crate::record::Record;
use crate::shuffle::Random;
use crate::{Keep, with_path};

/// The most entries of a part.
pub(crate) const PART: usize = 1 << 14;

/// The first bytes of a file that is not compressed.
pub(crate) const MAGIC: &[u8; 4] = b"BINP";

/// The chunks that [`Mixed`] knows in advance.
const WINDOW: usize = 256;

/// Chunks in the order in which their positions are needed.
pub(crate) trait Source: Send + Sync {
    /// Reads the next chunk. `None` after the last one. After an error the next call goes on after
    /// what cannot be read.
    fn next(&mut self) -> io::Result<Option<Chunk>>;

    /// Starts again, for another pass.
    fn restart(&mut self, pass: u64);

    /// Whether it waits for others while they are read.
    fn waits(&self) -> bool {
        false
    }
}

/// What is left of a chunk to decode.
#[derive(Debug)]
pub(crate) struct Chunk {
    entries: Entries,
    /// `None` before the first entry.
    context: Option<Context>,
    /// What decides on its entries. `None` before the first one.
    pub(crate) sieve: Option<Box<Sieve>>,
    pass: u64,
    origin: Origin,
    /// The bytes of the file for each byte of the payload: fewer than 1 if it is compressed.
    bytes: f64,
    /// What ended the chunk early.
    failure: Option<io::Error>,
}

/// Where a chunk was.
#[derive(Debug, Default)]
pub(crate) struct Origin {
    pub(crate) path: Arc<PathBuf>,
    /// The place of the file in the list of files.
    pub(crate) file: u64,
    /// The number of the chunk in its file, from 0, and the offset of its payload.
    pub(crate) number: u64,
    pub(crate) offset: u64,
}

/// Positions of a chunk that follow one another.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) records: Arc<Vec<Record>>,
    /// How many entries it had, and how many of them were skipped, by reason.
    pub(crate) entries: u64,
    pub(crate) skipped: [u64; Reason::ALL.len()],
    /// Its share of the bytes of a file.
    pub(crate) bytes: f64,
    /// What the chunk had, after its last part.
    pub(crate) sieve: Option<Box<Sieve>>,
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
    pub(crate) fn new(entries: Entries, pass: u64, origin: Origin) -> Chunk {
        Chunk { entries, context: None, sieve: None, pass, origin, bytes: 1.0, failure: None }
    }

    /// The bytes of the file that it takes.
    #[allow(clippy::cast_sign_loss, reason = "it is not negative")]
    pub(crate) fn bytes_in_file(&self) -> u64 {
        (self.bytes * self.entries.bytes_left() as f64) as u64
    }

    /// What is wrong with it, after an error of an entry or of the file.
    #[cold]
    fn wrong(&mut self, error: Option<&EntryError>) -> Option<io::Error> {
        let failure = self.failure.take();
        let Origin { path, number, offset, .. } = &self.origin;
        let failure = match error {
            Some(error) => {
                let (chunk, byte) = (number + 1, offset + error.byte() as u64);
                let cause = failure.map_or_else(String::new, |cause| format!(" ({cause})"));
                let what = format!("chunk {chunk}, byte {byte}: {}{cause}", error.reason());
                Some(io::Error::new(io::ErrorKind::InvalidData, what))
            }
            None => failure,
        };
        failure.map(|error| with_path(path, &error))
    }
}

/// What is left after a part, or what ended the chunk early.
pub(crate) type Left = io::Result<Option<Chunk>>;

impl Decoder {
    /// Decodes a part of a chunk.
    pub(crate) fn decode(&self, mut chunk: Chunk) -> (Part, Left) {
        let filter = self.filter.in_pass(chunk.pass);
        let new = || Context::new(&filter, chunk.origin.file, chunk.origin.number);
        let mut context = chunk.context.take().unwrap_or_else(new);
        let new = || Box::new(Sieve::new(filter, 0));
        let mut sieve = chunk.sieve.take().unwrap_or_else(new);
        let left = chunk.entries.bytes_left();
        let (part, end) = run(self, &mut chunk.entries, &mut sieve, &mut context);
        // What is lost counts as read.
        let bytes = (left - chunk.entries.bytes_left()) as f64;
        let mut part = Part { bytes: chunk.bytes * bytes, ..part };
        let failure = match end {
            Ok(true) => {
                (chunk.context, chunk.sieve) = (Some(context), Some(sieve));
                return (part, Ok(Some(chunk)));
            }
            Ok(false) => chunk.wrong(None),
            Err(error) => chunk.wrong(Some(&error)),
        };
        part.sieve = Some(sieve);
        (part, failure.map_or(Ok(None), Err))
    }
}

/// Decodes entries until there is no room, and says whether there may be more. As a whole compiled
/// for the CPU's bit scans and population counts. Two chunks in turns were rejected: 0.99 to 1.09
/// times the cycles an entry (Zen 3), because one chunk alone keeps the CPU busy.
#[multiversion::multiversion(targets("x86_64+bmi1+bmi2+lzcnt+popcnt"))]
fn run(
    decoder: &Decoder,
    entries: &mut Entries,
    sieve: &mut Sieve,
    context: &mut Context,
) -> (Part, Result<bool, EntryError>) {
    // Most entries are skipped if any are.
    let capacity = if sieve.keeps_all() { decoder.part } else { decoder.part / 16 };
    let (mut records, mut part) = (Vec::with_capacity(capacity), Part::default());
    let mut end = Ok(true);
    for _ in 0..decoder.part {
        let entry = match entries.next() {
            Ok(Some(entry)) => entry,
            Ok(None) => {
                end = Ok(false);
                break;
            }
            Err(error) => {
                end = Err(error);
                break;
            }
        };
        part.entries += 1;
        let keep = |entry: &_| decoder.keep.as_ref().is_none_or(|keep| keep.keeps(entry));
        match sieve.skips_unless(entry, context, keep) {
            None => records.push(Record::of(entry)),
            Some(reason) => part.skipped[reason as usize] += 1,
        }
    }
    part.records = Arc::new(records);
    (part, end)
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
    /// Opens a file, and detects its format.
    pub(crate) fn open(path: &Path) -> io::Result<(Stream, Format)> {
        let mut file = File::open(path)?;
        let mut start = [0; 4];
        let read = file.read(&mut start)?;
        file.rewind()?;
        if start[..read] == MAGIC[..read] {
            return Ok((Stream::File(file), Format::Binpack));
        }
        let compressed = Arc::new(Compressed::default());
        let (counted, garbage) = (Counted(file, Arc::clone(&compressed)), Arc::clone(&compressed));
        let (stream, is_compressed) =
            decompress(counted, move || garbage.has_garbage.store(true, Ordering::Relaxed))?;
        let (stream, format) = detect(path, stream)?;
        if is_compressed {
            return Ok((Stream::Compressed(Mutex::new(stream), compressed), format));
        }
        Ok((Stream::File(File::open(path)?), format))
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
    /// The bytes of the file that its chunks so far have, if it is compressed. Opening it may have
    /// read others before its first chunk, even all.
    counted: u64,
    /// The chunks of all files so far, and the number of the first one.
    count: u64,
    first: u64,
    pass: u64,
    shard: (u64, u64),
}

impl Files {
    pub(crate) fn new(paths: Vec<PathBuf>, first: u64, pass: u64, shard: (u64, u64)) -> Files {
        Files { paths, opened: 0, file: None, counted: 0, count: first, first, pass, shard }
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
                let opened = Stream::open(path).map_err(|error| with_path(path, &error));
                let (file, format) = opened?;
                self.file = Some((Arc::new(path.clone()), Chunks::at(file, format, 0, 0)));
                self.counted = 0;
                continue;
            };
            let mut payload = Vec::new();
            let (number, offset) = (chunks.count(), chunks.offset() + chunks.header());
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
                let bytes = match chunks.get_ref().compressed_bytes() {
                    None => 1.0,
                    // The next chunk has the bytes.
                    Some(_) if payload.is_empty() => 0.0,
                    Some(read) if self.shard.1 == 1 => {
                        (read - mem::replace(&mut self.counted, read)) as f64 / payload.len() as f64
                    }
                    // Another shard's chunk may have brought these bytes.
                    Some(read) => read as f64 / chunks.offset() as f64,
                };
                let entries = chunks.entries(payload);
                if failure.is_some() {
                    self.file = None;
                }
                let file = self.first + self.opened as u64 - 1;
                let origin = Origin { path, file, number, offset };
                let chunk = Chunk::new(entries, self.pass, origin);
                return Ok(Some(Chunk { bytes, failure, ..chunk }));
            }
        }
    }

    fn restart(&mut self, pass: u64) {
        (self.opened, self.file, self.count, self.pass) = (0, None, self.first, pass);
    }
}

/// Where a chunk is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The place of the file in the list of files, and of the chunk in the file, from 0.
    file: u64,
    number: u64,
    format: Format,
    /// Its first byte, and its bytes.
    offset: u64,
    pub(crate) length: u64,
    pass: u64,
}

impl Place {
    /// Reads the chunk. The file is opened for that, so that many files need few descriptors.
    pub(crate) fn read(&self, path: &Arc<PathBuf>) -> io::Result<Chunk> {
        let Place { file, number, format, offset, pass, .. } = *self;
        let mut opened = File::open(&**path)?;
        opened.seek(SeekFrom::Start(offset))?;
        let (mut chunks, mut payload) = (Chunks::at(opened, format, number, offset), Vec::new());
        if !chunks.next(&mut payload)? {
            let what =
                format!("chunk {}, at byte {offset}: the file has become shorter", number + 1);
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, what));
        }
        let (path, offset) = (Arc::clone(path), offset + chunks.header());
        let chunk =
            Chunk::new(chunks.entries(payload), pass, Origin { path, file, number, offset });
        Ok(Chunk { failure: chunks.take_failure(), ..chunk })
    }
}

/// The chunks of a file in a random order: of a window of chunks a random one is next, and one more
/// enters the window. The file is only open while it is read.
pub(crate) struct Mixed {
    path: Arc<PathBuf>,
    /// The number of the file, and its format.
    file: (u64, Format),
    /// The number and the offset of the chunk that enters the window next. `None` after the last.
    ahead: Option<(u64, u64)>,
    window: Vec<Place>,
    /// What ended the file early. Returned after the window.
    failure: Option<io::Error>,
    random: Random,
    /// The seed of all passes, and the number of this one.
    seed: (u64, u64),
    shard: (u64, u64),
}

impl Mixed {
    pub(crate) fn new(
        path: PathBuf,
        file: (u64, Format),
        seed: u64,
        pass: u64,
        shard: (u64, u64),
    ) -> Mixed {
        let mut mixed = Mixed {
            path: Arc::new(path),
            file,
            ahead: None,
            window: Vec::new(),
            failure: None,
            random: Random(0),
            seed: (seed, pass),
            shard,
        };
        mixed.restart(pass);
        mixed
    }

    /// Whether a chunk must be read to find the next one: those of records have no header.
    pub(crate) fn reads_to_skip(&self) -> bool {
        self.file.1.units().is_some()
    }

    pub(crate) fn path(&self) -> Arc<PathBuf> {
        Arc::clone(&self.path)
    }

    /// Fills the window.
    fn fill(&mut self) -> io::Result<()> {
        let Some((number, offset)) = self.ahead else { return Ok(()) };
        if self.window.len() == WINDOW {
            return Ok(());
        }
        let mut file = File::open(&*self.path)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut chunks = Chunks::at(file, self.file.1, number, offset);
        while self.window.len() < WINDOW {
            let (number, offset) = (chunks.count(), chunks.offset());
            if !chunks.skip()? {
                self.ahead = None;
                return Ok(());
            }
            self.ahead = Some((chunks.count(), chunks.offset()));
            let (file, format) = self.file;
            if (number + file) % self.shard.1 == self.shard.0 {
                let (length, pass) = (chunks.offset() - offset, self.seed.1);
                self.window.push(Place { file, number, format, offset, length, pass });
            }
        }
        Ok(())
    }

    /// Chooses the next chunk. `None` after the last one.
    pub(crate) fn draw(&mut self) -> io::Result<Option<Place>> {
        if let Err(failure) = self.fill() {
            (self.ahead, self.failure) = (None, Some(failure));
        }
        if self.window.is_empty() {
            let failure = self.failure.take();
            return failure.map_or(Ok(None), |failure| Err(with_path(&self.path, &failure)));
        }
        let place = self.random.below(self.window.len());
        Ok(Some(self.window.swap_remove(place)))
    }
}

impl Source for Mixed {
    fn next(&mut self) -> io::Result<Option<Chunk>> {
        let Some(place) = self.draw()? else { return Ok(None) };
        place.read(&self.path).map(Some).map_err(|error| with_path(&self.path, &error))
    }

    fn restart(&mut self, pass: u64) {
        (self.ahead, self.failure, self.seed.1) = (Some((0, 0)), None, pass);
        self.window.clear();
        self.random = Random(mix(mix(self.seed.0 ^ mix(pass)) ^ self.file.0));
    }
}
