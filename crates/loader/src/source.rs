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

/// The most positions that wait to be counted.
const HELD: usize = 1 << 19;

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
    entries: Entries,
    /// `None` before the first entry.
    context: Option<Context>,
    /// What decides on its entries. `None` before the first one.
    pub(crate) sieve: Option<Box<Sieve>>,
    /// Another one, which is decoded at the same time. Its pieces are counted after this one's.
    pub(crate) beside: Option<Box<Chunk>>,
    /// Positions that only wait to be counted.
    held: Vec<Record>,
    /// The place of the file in the list of files.
    file: u64,
    /// The number of the chunk in its file, from 0, and the offset of its payload.
    number: u64,
    offset: u64,
    pass: u64,
    path: Arc<PathBuf>,
    /// The bytes of the file for each byte of the payload: fewer than 1 if it is compressed.
    bytes: f64,
    /// What ended the chunk early.
    failure: Option<io::Error>,
    /// What ended others that were decoded with it.
    failures: Vec<io::Error>,
}

/// Positions of a chunk that follow one another, or of two that are decoded together.
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
    pub(crate) fn new(entries: Entries, number: u64, offset: u64, path: Arc<PathBuf>) -> Chunk {
        Chunk {
            entries,
            context: None,
            sieve: None,
            beside: None,
            held: Vec::new(),
            file: 0,
            number,
            offset,
            pass: 0,
            path,
            bytes: 1.0,
            failure: None,
            failures: Vec::new(),
        }
    }

    /// The bytes of the file that it takes.
    #[allow(clippy::cast_sign_loss, reason = "it is not negative")]
    pub(crate) fn bytes_in_file(&self) -> u64 {
        (self.bytes * self.entries.bytes_left() as f64) as u64
    }

    /// What is wrong with an entry.
    fn wrong(&self, error: &EntryError, cause: Option<io::Error>) -> io::Error {
        let (chunk, byte) = (self.number + 1, self.offset + error.byte() as u64);
        let cause = cause.map_or_else(String::new, |cause| format!(" ({cause})"));
        let what = format!("chunk {chunk}, byte {byte}: {}{cause}", error.reason());
        io::Error::new(io::ErrorKind::InvalidData, what)
    }
}

/// A chunk that is being decoded.
struct Decoding {
    chunk: Chunk,
    context: Context,
    /// The bytes that were left before.
    left: usize,
    is_over: bool,
    /// The place of what is decoded of it and of the one beside it.
    output: usize,
    /// Whether its positions wait until the chunk before it is over.
    is_held: bool,
}

/// What is decoded of a chunk and the one beside it.
struct Output {
    sieve: Box<Sieve>,
    records: Vec<Record>,
    part: Part,
    /// The most entries that come.
    room: usize,
    failures: Vec<io::Error>,
    rest: Option<Chunk>,
}

impl Decoding {
    fn new(mut chunk: Chunk, decoder: &Decoder, output: usize, is_held: bool) -> Decoding {
        let filter = decoder.filter.in_pass(chunk.pass);
        let new = || Context::new(&filter, chunk.file, chunk.number);
        let context = chunk.context.take().unwrap_or_else(new);
        let left = chunk.entries.bytes_left();
        Decoding { context, left, is_over: false, output, is_held, chunk }
    }

    /// Decodes an entry. Returns whether there may be more.
    #[inline(always)]
    fn step(&mut self, output: &mut Output, keep: Option<&Keep>) -> bool {
        if output.room == 0 || self.chunk.held.len() == HELD {
            return false;
        }
        match self.chunk.entries.next() {
            Ok(Some(entry)) => {
                output.room -= 1;
                output.part.entries += 1;
                let keep = |entry: &_| keep.is_none_or(|keep| keep.keeps(entry));
                if let Some(reason) = output.sieve.skips_before(entry, &mut self.context, keep) {
                    output.part.skipped[reason as usize] += 1;
                } else if self.is_held {
                    self.chunk.held.push(Record::of(entry));
                } else if output.sieve.keeps(entry.board().placement().occupied().count_ones()) {
                    output.records.push(Record::of(entry));
                } else {
                    output.part.skipped[Reason::Pieces as usize] += 1;
                }
                true
            }
            Ok(None) => {
                self.end(output, None);
                false
            }
            Err(error) => {
                self.end(output, Some(&error));
                false
            }
        }
    }

    #[cold]
    fn end(&mut self, output: &mut Output, error: Option<&EntryError>) {
        self.is_over = true;
        let failure = self.chunk.failure.take();
        let failure = match error {
            Some(error) => Some(self.chunk.wrong(error, failure)),
            None => failure,
        };
        output.failures.extend(failure.map(|error| with_path(&self.chunk.path, &error)));
    }

    /// Counts the positions that waited.
    fn release(&mut self, output: &mut Output) {
        self.is_held = false;
        for record in mem::take(&mut self.chunk.held) {
            if output.sieve.keeps(record.pieces()) {
                output.records.push(record);
            } else {
                output.part.skipped[Reason::Pieces as usize] += 1;
            }
        }
    }

    /// Leaves what is not decoded for the next part.
    fn leave(mut self, output: &mut Output) {
        // What is lost counts as read.
        let bytes = (self.left - self.chunk.entries.bytes_left()) as f64;
        output.part.bytes += self.chunk.bytes * bytes;
        if !self.is_over || !self.chunk.held.is_empty() {
            self.chunk.context = Some(self.context);
            self.chunk.beside = output.rest.take().map(Box::new);
            output.rest = Some(self.chunk);
        }
    }
}

impl Output {
    fn new(chunk: &mut Chunk, decoder: &Decoder) -> Output {
        let filter = decoder.filter.in_pass(chunk.pass);
        // Most entries are skipped if any are.
        let capacity = if filter == Filter::ALL { decoder.part } else { decoder.part / 16 };
        Output {
            sieve: chunk.sieve.take().unwrap_or_else(|| Box::new(Sieve::new(filter, 0))),
            records: Vec::with_capacity(capacity),
            part: Part::default(),
            room: decoder.part,
            failures: mem::take(&mut chunk.failures),
            rest: None,
        }
    }

    /// The part, and what is left to decode. If nothing is left, what failed.
    fn finish(self) -> (Part, Left) {
        let Output { sieve, records, mut part, failures, rest, .. } = self;
        part.records = Arc::new(records);
        if let Some(mut chunk) = rest {
            (chunk.failures, chunk.sieve) = (failures, Some(sieve));
            return (part, Ok(Some(chunk)));
        }
        part.sieve = Some(sieve);
        (part, if failures.is_empty() { Ok(None) } else { Err(failures) })
    }
}

/// What is left after a part, or what ended the chunks early.
pub(crate) type Left = Result<Option<Chunk>, Vec<io::Error>>;

impl Decoder {
    /// Decodes a part of each chunk and the one beside it. Several at a time, because each entry
    /// depends on the one before it: two in turns take 0.7 to 0.8 of the time (Zen 3).
    pub(crate) fn decode(&self, chunks: Vec<(usize, u64, Chunk)>) -> Vec<(usize, u64, Part, Left)> {
        let (mut places, mut outputs, mut streams) = (Vec::new(), Vec::new(), Vec::new());
        for (lane, number, mut chunk) in chunks {
            let output = outputs.len();
            places.push((lane, number));
            outputs.push(Output::new(&mut chunk, self));
            let beside = chunk.beside.take();
            let waits = outputs[output].sieve.counts();
            streams.push(Decoding::new(chunk, self, output, false));
            streams.extend(beside.map(|chunk| Decoding::new(*chunk, self, output, waits)));
        }
        let mut done = run(streams, &mut outputs, self.keep.as_ref());
        for place in 1..done.len() {
            let (before, stream) = (&done[place - 1], &done[place]);
            if stream.is_held && before.is_over {
                let output = stream.output;
                done[place].release(&mut outputs[output]);
            }
        }
        // The last one first, so that the order of what is left stays.
        for stream in done.into_iter().rev() {
            let output = stream.output;
            stream.leave(&mut outputs[output]);
        }
        let parts = outputs.into_iter().map(Output::finish);
        let numbered = places.into_iter().zip(parts);
        numbered.map(|((lane, number), (part, rest))| (lane, number, part, rest)).collect()
    }
}

/// Decodes the streams in turns, until each is at its end or has no room.
#[multiversion::multiversion(targets("x86_64+bmi1+bmi2+lzcnt+popcnt"))]
fn run(mut streams: Vec<Decoding>, outputs: &mut [Output], keep: Option<&Keep>) -> Vec<Decoding> {
    let mut goes_on: Vec<usize> = (0..streams.len()).collect();
    while !goes_on.is_empty() {
        // The others stay in their order, which the counts depend on.
        goes_on.retain(|&place| {
            let stream = &mut streams[place];
            stream.step(&mut outputs[stream.output], keep)
        });
    }
    streams
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
                let chunk = Chunk::new(entries, number, offset, path);
                let file = self.first + self.opened as u64 - 1;
                return Ok(Some(Chunk { file, pass: self.pass, bytes, failure, ..chunk }));
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
        let offset = offset + chunks.header();
        let chunk = Chunk::new(chunks.entries(payload), number, offset, Arc::clone(path));
        Ok(Chunk { file, pass, failure: chunks.take_failure(), ..chunk })
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
