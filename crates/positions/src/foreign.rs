//! Files that are none of the formats, by their first bytes.

/// Byte offset, bytes there, and what such a file is.
const MAGICS: &[(usize, &[u8], &str)] = &[
    (0, b"\xfd7zXZ\0", "xz data: decompress it first: `xz -dc FILE`"),
    (0, b"BZh", "bzip2 data: decompress it first: `bzip2 -dc FILE`"),
    (0, b"\x04\x22\x4d\x18", "LZ4 data: decompress it first: `lz4 -dc FILE`"),
    (0, b"\x1f\x9d", "data of compress: decompress it first: `gzip -dc FILE`"),
    (0, b"PK\x03\x04", "a zip archive: unpack it first: `unzip -p FILE`"),
    (0, b"PK\x05\x06", "an empty zip archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it first: `7z x -so FILE`"),
    (0, b"Rar!\x1a\x07", "a RAR archive: unpack it first"),
    (257, b"ustar", "a tar archive: unpack it first: `tar -xOf FILE`"),
    (0, b"PAR1", "Parquet: use the Python package"),
    (0, b"PARE", "encrypted Parquet: decrypt it first"),
    (0, b"ARROW1\0\0", "Arrow IPC: use the Python package"),
    (0, b"\x93NUMPY", "a NumPy array, which has no positions as text"),
    (0, b"\x71\xe8\x23\x5d", "a Syzygy table, which has no positions"),
    (0, b"\xd7\x66\x0c\xa5", "a Syzygy table, which has no positions"),
    (0, b"\x20\x2f\xf3\x7a", "a neural network of Stockfish, which has no positions"),
    (0, b"SQLite format 3\0", "an SQLite database: write its FENs to a file first"),
    (0, b"\x7fELF", "a program"),
    (0, b"MZ", "a program"),
    (0, b"\xcf\xfa\xed\xfe", "a program"),
    (0, b"\x89PNG", "an image"),
    (0, b"\xff\xd8\xff", "an image"),
    (0, b"GIF8", "an image"),
    (0, b"%PDF-", "a PDF document"),
];

/// What a file is that starts with these bytes, if it is a known kind without positions that can be
/// read. Ask only if [`Format::detect`](crate::Format::detect) found no format: a record may start
/// with any bytes.
///
/// ```
/// use setwise_positions::foreign;
/// assert_eq!(foreign(b"\x89PNG\r\n"), Some("an image"));
/// assert_eq!(foreign(b"8/8/8/8/8/8/8/8 w - -"), None);
/// ```
#[must_use]
pub fn foreign(start: &[u8]) -> Option<&'static str> {
    let is = |&&(offset, magic, _): &&(usize, &[u8], &str)| {
        start.get(offset..).is_some_and(|rest| rest.starts_with(magic))
    };
    if let Some(&(.., what)) = MAGICS.iter().find(is) {
        return Some(what);
    }
    match start {
        // The stream format of Arrow: a marker and the length of the schema.
        [0xff, 0xff, 0xff, 0xff, length @ ..] if length.iter().take(4).any(|&byte| byte != 0) => {
            Some("Arrow IPC: use the Python package")
        }
        _ if is_utf_16(start, 0) => {
            Some("UTF-16 without a byte order mark: convert it first: `iconv -f UTF-16BE FILE`")
        }
        _ if is_utf_16(start, 1) => {
            Some("UTF-16 without a byte order mark: convert it first: `iconv -f UTF-16LE FILE`")
        }
        _ if is_polyglot(start) => Some("a Polyglot book, which has hashes instead of positions"),
        _ => None,
    }
}

/// Whether every second byte from `first` on is zero, and no other byte.
fn is_utf_16(start: &[u8], first: usize) -> bool {
    let start = &start[..start.len().min(512) & !1];
    start.len() >= 16 && start.iter().enumerate().all(|(i, &byte)| (i % 2 != first) == (byte != 0))
}

/// Whether these are at least four entries of 16 bytes in the order of their hashes (eight bytes,
/// most significant first), with moves (the next two bytes) that are possible.
fn is_polyglot(start: &[u8]) -> bool {
    let entries = start.as_chunks::<16>().0;
    let hashes = entries.iter().map(|entry| &entry[..8]);
    entries.len() >= 4
        && hashes.is_sorted()
        && entries[0][..8] < entries[entries.len() - 1][..8]
        && entries.iter().all(|entry| entry[8] & 0x80 == 0 && entry[8..10] != [0, 0])
}
