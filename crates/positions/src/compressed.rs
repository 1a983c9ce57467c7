//! Decompression of files, and conversion of UTF-16.

use std::io::{self, BufRead, BufReader, Read};
use std::mem;

use flate2::bufread::GzDecoder;

use crate::pending::read;

/// Decompresses a stream that starts with the magic bytes of gzip or Zstandard, and converts UTF-16
/// text with a byte order mark to UTF-8. Any other stream is returned unchanged. Also returns
/// whether the stream was decompressed or converted. Consecutive gzip members, or Zstandard frames,
/// are decompressed as one stream. After an error, every later read returns the same error.
///
/// Calls `garbage` when other data than zeros follows the last gzip member. Like `gzip`, ignores
/// that data.
///
/// ```
/// use std::io::Read;
/// let text = "8/8/8/8/8/8/8/8 w\n";
/// let (mut stream, is_compressed) = setwise_positions::decompress(text.as_bytes(), || {})?;
/// let mut whole = String::new();
/// stream.read_to_string(&mut whole)?;
/// assert_eq!((&*whole, is_compressed), (text, false));
/// # std::io::Result::Ok(())
/// ```
///
/// # Errors
///
/// If the stream fails within the magic bytes.
pub fn decompress(
    mut stream: impl Read + Send + 'static,
    garbage: impl FnMut() + Send + 'static,
) -> io::Result<(Box<dyn Read + Send>, bool)> {
    const ZSTANDARD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
    // A Zstandard file may start with a skippable frame, whose first byte is 0x50 to 0x5f.
    const SKIPPABLE: &[u8] = &[0x50, 0x2a, 0x4d, 0x18];
    let mut start = Vec::new();
    // Read no more than needed: the first line may arrive slowly.
    let magic = loop {
        let mut frame = start.clone();
        if let Some(first @ 0x50..=0x5f) = frame.first_mut() {
            *first = 0x50;
        }
        let magics = [GZIP, ZSTANDARD, SKIPPABLE, &LITTLE_ENDIAN, &BIG_ENDIAN];
        let may_be = magics.iter().any(|magic| magic.starts_with(&frame));
        let magic = magics.into_iter().find(|magic| *magic == frame);
        if magic.is_some() || !may_be || Read::take(&mut stream, 1).read_to_end(&mut start)? == 0 {
            break magic.unwrap_or_default();
        }
    };
    // A record may start with these bytes, too.
    if magic == GZIP || is_utf_16(&start) {
        let more = UTF_16_SAMPLE - start.len();
        Read::take(&mut stream, more as u64).read_to_end(&mut start)?;
    }
    // Byte 8 of gzip has two flags. In a record, it has the second piece, which would be a pawn.
    let is_gzip = magic == GZIP && matches!(start.get(8), None | Some(0 | 2 | 4));
    let (is_utf_16, is_big_endian) = (is_utf_16(&start), magic == BIG_ENDIAN);
    let whole = io::Cursor::new(start).chain(stream);
    Ok(if is_gzip {
        let member = Some(GzDecoder::new(b"".chain(BufReader::new(whole))));
        (Box::new(Repeating::new(Gzip { member, garbage }, usize::MAX)), true)
    } else if magic == ZSTANDARD || magic == SKIPPABLE {
        // A failed read loses the bytes that it has already decompressed, so keep reads short.
        (Box::new(Repeating::new(zstd::Decoder::new(whole)?, 1024)), true)
    } else if is_utf_16 {
        let (odd, text) = (Vec::new(), io::Cursor::default());
        let text = Utf16 { stream: whole, is_big_endian, odd, text, ends_line: true };
        (Box::new(Repeating::new(text, usize::MAX)), true)
    } else {
        (Box::new(Repeating::new(whole, usize::MAX)), false)
    })
}

/// The magic bytes of gzip, and the only compression method that it defines.
const GZIP: &[u8] = &[0x1f, 0x8b, 8];

/// Decompresses all members of a gzip file. Like `zcat`, accepts zero bytes after the last member.
struct Gzip<R, F> {
    /// The current member, whose first byte may already be consumed from the stream. `None` after
    /// the end.
    member: Option<GzDecoder<io::Chain<&'static [u8], R>>>,
    garbage: F,
}

impl<R: BufRead, F: FnMut()> Read for Gzip<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let Some(rest) = self.member.take().map(GzDecoder::into_inner) else { break };
            let (_, mut rest) = rest.into_inner();
            while peek(&mut rest)? == Some(0) {
                rest.consume(1);
            }
            let Some(first) = peek(&mut rest)? else { break };
            rest.consume(1);
            if first == GZIP[0] && peek(&mut rest)? == Some(GZIP[1]) {
                self.member = Some(GzDecoder::new(GZIP[..1].chain(rest)));
            } else {
                (self.garbage)();
            }
        }
        Ok(0)
    }
}

/// Returns the next byte without consuming it. `None` at the end.
fn peek(stream: &mut impl BufRead) -> io::Result<Option<u8>> {
    loop {
        match stream.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            bytes => return Ok(bytes?.first().copied()),
        }
    }
}

/// The byte order marks of UTF-16.
const LITTLE_ENDIAN: [u8; 2] = [0xff, 0xfe];
const BIG_ENDIAN: [u8; 2] = [0xfe, 0xff];

/// The number of bytes that are needed to recognise UTF-16.
const UTF_16_SAMPLE: usize = 24;

/// Whether these are a byte order mark and, in the sample, nothing but ASCII. A record may start
/// with the two bytes of the mark, but its pieces are not all pawns.
fn is_utf_16(start: &[u8]) -> bool {
    let zeros = match start.first_chunk() {
        Some(&LITTLE_ENDIAN) => 1,
        Some(&BIG_ENDIAN) => 0,
        _ => return false,
    };
    let sample = &start[2..start.len().min(UTF_16_SAMPLE)];
    sample.iter().enumerate().all(|(i, &byte)| (byte == 0) == (i % 2 == zeros))
}

/// Converts UTF-16 to UTF-8, with its byte order mark. What is not a character of one unit, and so
/// not in a FEN, becomes U+FFFD. So does an odd byte at the end.
struct Utf16<R> {
    stream: R,
    is_big_endian: bool,
    /// A byte that waits for the other half of its unit.
    odd: Vec<u8>,
    text: io::Cursor<Vec<u8>>,
    /// Whether the text so far ends with a line end, or is empty.
    ends_line: bool,
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.text.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let mut bytes = mem::take(&mut self.odd);
            if read(&mut self.stream, &mut bytes, 8192, false)? {
                if bytes.is_empty() {
                    return Ok(0);
                }
                // Half a unit: a line of its own, which is not a FEN.
                let line = if self.ends_line { "\u{fffd}" } else { "\n\u{fffd}" };
                self.text = io::Cursor::new(line.into());
                continue;
            }
            let (units, odd) = bytes.as_chunks();
            let to_unit = if self.is_big_endian { u16::from_be_bytes } else { u16::from_le_bytes };
            let units = units.iter().map(|&unit| u32::from(to_unit(unit)));
            let text: String = units
                .map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect();
            self.odd = odd.to_vec();
            self.ends_line = text.ends_with(['\n', '\r']) || text.is_empty() && self.ends_line;
            self.text = io::Cursor::new(text.into_bytes());
        }
    }
}

/// Returns the stream's first error again at every later read. So a caller can first use the data
/// before the error, and report the error when the next read returns it.
struct Repeating<R> {
    stream: R,
    /// The maximum number of bytes per read.
    most: usize,
    error: Option<(io::ErrorKind, String)>,
}

impl<R> Repeating<R> {
    fn new(stream: R, most: usize) -> Repeating<R> {
        Repeating { stream, most, error: None }
    }
}

impl<R: Read> Read for Repeating<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some((kind, what)) = &self.error {
            return Err(io::Error::new(*kind, what.clone()));
        }
        let most = self.most.min(buffer.len());
        let read = self.stream.read(&mut buffer[..most]);
        if let Err(error) = &read
            && error.kind() != io::ErrorKind::Interrupted
        {
            self.error = Some((error.kind(), error.to_string()));
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// The bytes, whether they were converted, and how often garbage was reported.
    fn read_all(bytes: &[u8]) -> (Vec<u8>, bool, usize) {
        let garbage = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&garbage);
        let stream = io::Cursor::new(bytes.to_vec());
        let (mut stream, is_converted) = decompress(stream, move || {
            count.fetch_add(1, Ordering::Relaxed);
        })
        .unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        (bytes, is_converted, garbage.load(Ordering::Relaxed))
    }

    #[test]
    fn records_that_start_like_other_files_are_not_converted() {
        for start in [[0x1f, 0x8b, 0], [0x1f, 0x8b, 8], [0xff, 0xfe, 0], [0xfe, 0xff, 0]] {
            let record = [&start[..], &[0x13; 29]].concat();
            assert_eq!(read_all(&record), (record, false, 0));
        }
    }

    /// The units of UTF-16 may be cut by reads, and by the end of the file: the rest of a unit is a
    /// line that is not a FEN.
    #[test]
    fn utf_16_becomes_utf_8_by_any_number_of_bytes() {
        for (bytes, text) in [(&b"\xff\xfe"[..], "\u{feff}"), (b"\xfe\xff\0a\0b", "\u{feff}ab")] {
            assert_eq!(read_all(bytes), (text.into(), true, 0));
        }
        let long = "8/8/8/8/8/8/8/8 w - - ; \u{e9}\n".repeat(9000);
        for (text, rest) in [
            (&*long, "\u{fffd}"),
            ("8/8/8/8/8/8/8/8 w - -\n", "\u{fffd}"),
            ("8/8/8/8/8/8/8/8 w - -\r\n#", "\n\u{fffd}"),
        ] {
            let text = format!("\u{feff}{text}");
            for to_bytes in [u16::to_be_bytes, u16::to_le_bytes] {
                let bytes: Vec<u8> = text.encode_utf16().flat_map(to_bytes).collect();
                for most in [1, 2, 3, 4, 5, usize::MAX] {
                    for (odd, rest) in [(&b""[..], ""), (b"8", rest)] {
                        let stream = io::Cursor::new([&bytes, odd].concat());
                        let (mut stream, is_converted) =
                            decompress(Repeating::new(stream, most), || {}).unwrap();
                        let mut found = String::new();
                        stream.read_to_string(&mut found).unwrap();
                        assert_eq!((found, is_converted), (format!("{text}{rest}"), true));
                    }
                }
            }
        }
    }

    #[test]
    fn garbage_after_gzip_is_reported() {
        let member = |text: &[u8]| {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            io::Write::write_all(&mut gzip, text).unwrap();
            gzip.finish().unwrap()
        };
        let two = [member(b"ab"), member(b"c")].concat();
        let zeros = vec![0; 70_000];
        for (rest, garbage) in [
            (&b""[..], 0),
            (&zeros, 0),
            (b"x", 1),
            (b"\0\0xyz", 1),
            (b"\x1f", 1),
            (b"\x1fx\x8b", 1),
            (b"\0\x1f\x1f", 1),
        ] {
            let found = read_all(&[&two, rest].concat());
            assert_eq!(found, (b"abc".to_vec(), true, garbage));
        }
    }
}
