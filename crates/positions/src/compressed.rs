//! Decompression of files.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;

/// Decompresses a stream that starts with the magic bytes of gzip or Zstandard. Any other stream is
/// returned unchanged. Also returns whether the stream was compressed. Consecutive gzip members, or
/// Zstandard frames, are decompressed as one stream. After an error, every later read returns the
/// same error.
///
/// ```
/// use std::io::Read;
/// let text = "8/8/8/8/8/8/8/8 w\n";
/// let (mut stream, is_compressed) = setwise_positions::decompress(text.as_bytes())?;
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
) -> io::Result<(Box<dyn Read + Send>, bool)> {
    // The third byte is the compression method: gzip defines only this one. The first two bytes
    // alone do not identify gzip, because a record may start with them.
    const GZIP: &[u8] = &[0x1f, 0x8b, 8];
    const ZSTANDARD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
    // A Zstandard file may start with a skippable frame, whose first byte is 0x50 to 0x5f.
    const SKIPPABLE: &[u8] = &[0x50, 0x2a, 0x4d, 0x18];
    let mut start = Vec::new();
    // Read no more than needed: the first line may arrive slowly.
    let (is_gzip, is_zstandard) = loop {
        let mut frame = start.clone();
        if let Some(first @ 0x50..=0x5f) = frame.first_mut() {
            *first = 0x50;
        }
        let magics = [GZIP, ZSTANDARD, SKIPPABLE];
        let is_whole = magics.map(|magic| frame == magic);
        let may_be = magics.iter().any(|magic| magic.starts_with(&frame));
        if is_whole.contains(&true)
            || !may_be
            || Read::take(&mut stream, 1).read_to_end(&mut start)? == 0
        {
            break (is_whole[0], is_whole[1] || is_whole[2]);
        }
    };
    let whole = io::Cursor::new(start).chain(stream);
    Ok(if is_gzip {
        (Box::new(Repeating::new(Gzip::new(BufReader::new(whole)), usize::MAX)), true)
    } else if is_zstandard {
        // A failed read loses the bytes that it has already decompressed, so keep reads short.
        (Box::new(Repeating::new(zstd::Decoder::new(whole)?, 1024)), true)
    } else {
        (Box::new(Repeating::new(whole, usize::MAX)), false)
    })
}

/// Decompresses all members of a gzip file. Like `zcat`, accepts zero bytes after the last member.
struct Gzip<R> {
    /// The current member. `None` after the end.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Gzip<R> {
    fn new(stream: R) -> Gzip<R> {
        Gzip { member: Some(GzDecoder::new(stream)) }
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let Some(mut rest) = self.member.take().map(GzDecoder::into_inner) else { break };
            let (zeros, is_end) = skip_zeros(&mut rest)?;
            if zeros && !is_end {
                let what = "data follows the zero bytes after the compressed data";
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
            self.member = (!is_end).then(|| GzDecoder::new(rest));
        }
        Ok(0)
    }
}

/// Skips zero bytes. Returns whether there were any, and whether the stream ends there.
fn skip_zeros(stream: &mut impl BufRead) -> io::Result<(bool, bool)> {
    let mut skipped = false;
    loop {
        let bytes = match stream.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        let (length, zeros) = (bytes.len(), bytes.iter().take_while(|&&byte| byte == 0).count());
        stream.consume(zeros);
        skipped |= zeros > 0;
        if length == 0 || zeros < length {
            return Ok((skipped, length == 0));
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
    use super::*;

    #[test]
    fn records_that_start_like_gzip_are_not_compressed() {
        let record = [0x1f, 0x8b, 0, 0, 0, 0, 0, 0x10];
        let (mut stream, is_compressed) = decompress(io::Cursor::new(record)).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        assert_eq!((&bytes[..], is_compressed), (&record[..], false));
    }
}
