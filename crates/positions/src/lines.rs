//! The lines of a text. A line feed, a carriage return, or both may end a line.

/// The maximum length of a line, in bytes. A longer line is an error, and its bytes are skipped.
pub const MAX_LINE: usize = 64 * 1024;

/// Counts the lines. The last line may lack a line end.
pub(crate) fn count_lines(bytes: &[u8]) -> u64 {
    let feeds = memchr::memchr_iter(b'\n', bytes).count();
    let lone_returns =
        memchr::memchr_iter(b'\r', bytes).filter(|&at| bytes.get(at + 1) != Some(&b'\n')).count();
    let is_open = !matches!(bytes.last(), None | Some(b'\n' | b'\r'));
    (feeds + lone_returns) as u64 + u64::from(is_open)
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Removes white space from both ends of a line, a byte order mark from its start, and NUL and
/// 0x1A, which DOS programs wrote, from its end.
///
/// ```
/// assert_eq!(setwise_positions::trim_line(b" 8/8 \0\x1a"), b"8/8");
/// ```
#[must_use]
pub fn trim_line(line: &[u8]) -> &[u8] {
    let mut line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii();
    while let [before @ .., 0 | 0x1a] = line {
        line = before.trim_ascii_end();
    }
    line
}

/// Whether a trimmed line is a comment.
pub(crate) fn is_comment(line: &[u8]) -> bool {
    matches!(line, [b'#' | b';' | b'%', ..] | [b'/', b'/', ..])
}

/// Whether a line only rules a table: `|---|---|` of Markdown, `----+----` of `psql` and `mysql`.
pub(crate) fn is_rule(line: &[u8]) -> bool {
    line.iter().all(|byte| b"-+:=| ".contains(byte)) && memchr::memmem::find(line, b"--").is_some()
}

/// Whether a trimmed line is blank, a comment, or one of those between the positions of a `.perft`
/// file: `id` and a name, or `perft`, a depth and a number.
pub(crate) fn is_skipped(line: &[u8]) -> bool {
    match line {
        [] | [b'i', b'd', b' ' | b'\t', ..] => true,
        _ if is_comment(line) => true,
        [b'p', b'e', b'r', b'f', b't', numbers @ ..] => {
            let mut words = numbers.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            let mut next_is_number =
                || words.next().is_some_and(|word| word.iter().all(u8::is_ascii_digit));
            next_is_number() && next_is_number() && words.next().is_none()
        }
        _ => false,
    }
}

/// The length of the first line of `text`, without its line end.
pub(crate) fn end_of_line(text: &[u8]) -> usize {
    memchr::memchr2(b'\n', b'\r', text).unwrap_or(text.len())
}

/// Iterates over the lines of a block, without their ends. Yields `None` for a line longer than
/// [`MAX_LINE`].
///
/// ```
/// use setwise_positions::Lines;
/// let lines: Vec<_> = Lines::new(b"a\r\nb\rc\n\nd").collect();
/// assert_eq!(lines, [Some(&b"a"[..]), Some(b"b"), Some(b"c"), Some(b""), Some(b"d")]);
/// ```
#[derive(Debug, Clone)]
pub struct Lines<'a> {
    bytes: &'a [u8],
}

impl<'a> Lines<'a> {
    /// Makes an iterator over the lines of these bytes.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Lines<'a> {
        Lines { bytes }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Option<&'a [u8]>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.bytes.is_empty() {
            return None;
        }
        let end = end_of_line(self.bytes);
        let (line, rest) = self.bytes.split_at(end);
        self.bytes = match rest {
            [b'\r', b'\n', rest @ ..] | [_, rest @ ..] => rest,
            [] => rest,
        };
        Some((line.len() <= MAX_LINE).then_some(line))
    }
}

#[cfg(test)]
mod tests {
    use super::is_skipped;

    #[test]
    fn comments_and_other_lines_of_perft_files_are_skipped() {
        for line in
            ["", "# a", "; a", "% a", "// a", "id pos-2", "id\ta", "perft 1 20", "perft 2\t400"]
        {
            assert!(is_skipped(line.as_bytes()), "{line}");
        }
        for line in ["/ a", "id", "idea", "perft", "perft 1", "perft 1 x", "perft 1 2 3", "epd 8/8"]
        {
            assert!(!is_skipped(line.as_bytes()), "{line}");
        }
    }
}
