//! Checks Parquet's metadata and page headers, which are in Thrift's compact protocol.
//!
//! The `parquet` crate parses both, but trusts their numbers: it reserves as much memory as they
//! say, and recurses for each level of a schema. It also ignores the type that the file gives for a
//! known field. So this module checks the bytes first. It accepts only fields in ascending order,
//! with the types in parquet.thrift. This makes both parsers read the same numbers.

use std::io::{self, Read};

/// The maximum number of columns and groups in a schema.
const MAX_COLUMNS: u64 = 10_000;
/// The maximum nesting depth of groups.
const MAX_DEPTH: usize = 64;
/// The maximum number of row groups, which are numbered with 15 bits.
const MAX_ROW_GROUPS: u64 = 1 << 15;

/// A type in parquet.thrift. A field that is not in a struct's list can have any type.
#[derive(Clone, Copy)]
enum Type {
    Bool,
    Byte,
    I16,
    I32,
    I64,
    Double,
    Binary,
    List(&'static Type),
    Struct(&'static [(u64, Type)]),
}

use Type::{Binary, Bool, Byte, Double, I16, I32, I64, List, Struct};

const STATISTICS: Type = Struct(&[
    (1, Binary),
    (2, Binary),
    (3, I64),
    (4, I64),
    (5, Binary),
    (6, Binary),
    (7, Bool),
    (8, Bool),
]);

const PAGE_HEADER: Type = Struct(&[
    (1, I32),
    (2, I32),
    (3, I32),
    (4, I32),
    // The headers of a data page, an index page, a dictionary page and a data page of version 2.
    (5, Struct(&[(1, I32), (2, I32), (3, I32), (4, I32), (5, STATISTICS)])),
    (6, Struct(&[])),
    (7, Struct(&[(1, I32), (2, I32), (3, Bool)])),
    (
        8,
        Struct(&[
            (1, I32),
            (2, I32),
            (3, I32),
            (4, I32),
            (5, I32),
            (6, I32),
            (7, Bool),
            (8, STATISTICS),
        ]),
    ),
]);

const TIME_UNIT: Type = Struct(&[(1, Struct(&[])), (2, Struct(&[])), (3, Struct(&[]))]);

const LOGICAL_TYPE: Type = Struct(&[
    (1, Struct(&[])),
    (2, Struct(&[])),
    (3, Struct(&[])),
    (4, Struct(&[])),
    (5, Struct(&[(1, I32), (2, I32)])),
    (6, Struct(&[])),
    (7, Struct(&[(1, Bool), (2, TIME_UNIT)])),
    (8, Struct(&[(1, Bool), (2, TIME_UNIT)])),
    (10, Struct(&[(1, Byte), (2, Bool)])),
    (11, Struct(&[])),
    (12, Struct(&[])),
    (13, Struct(&[])),
    (14, Struct(&[])),
    (15, Struct(&[])),
    (16, Struct(&[(1, Byte)])),
    (17, Struct(&[(1, Binary)])),
    (18, Struct(&[(1, Binary), (2, I32)])),
]);

const SCHEMA_ELEMENT: Type = Struct(&[
    (1, I32),
    (2, I32),
    (3, I32),
    (4, Binary),
    (5, I32),
    (6, I32),
    (7, I32),
    (8, I32),
    (9, I32),
    (10, LOGICAL_TYPE),
]);

const KEY_VALUE: Type = Struct(&[(1, Binary), (2, Binary)]);

const COLUMN_METADATA: Type = Struct(&[
    (1, I32),
    (2, List(&I32)),
    (3, List(&Binary)),
    (4, I32),
    (5, I64),
    (6, I64),
    (7, I64),
    (8, List(&KEY_VALUE)),
    (9, I64),
    (10, I64),
    (11, I64),
    (12, STATISTICS),
    (13, List(&Struct(&[(1, I32), (2, I32), (3, I32)]))),
    (14, I64),
    (15, I32),
    (16, Struct(&[(1, I64), (2, List(&I64)), (3, List(&I64))])),
    (17, Struct(&[(1, BOUNDING_BOX), (2, List(&I32))])),
]);

const BOUNDING_BOX: Type = Struct(&[
    (1, Double),
    (2, Double),
    (3, Double),
    (4, Double),
    (5, Double),
    (6, Double),
    (7, Double),
    (8, Double),
]);

const COLUMN_CHUNK: Type = Struct(&[
    (1, Binary),
    (2, I64),
    (3, COLUMN_METADATA),
    (4, I64),
    (5, I32),
    (6, I64),
    (7, I32),
    (9, Binary),
]);

const ROW_GROUP: Type = Struct(&[
    (1, List(&COLUMN_CHUNK)),
    (2, I64),
    (3, I64),
    (4, List(&Struct(&[(1, I32), (2, Bool), (3, Bool)]))),
    (5, I64),
    (6, I64),
    (7, I16),
]);

const FILE_METADATA: Type = Struct(&[
    (1, I32),
    (2, List(&SCHEMA_ELEMENT)),
    (3, I64),
    (4, List(&ROW_GROUP)),
    (5, List(&KEY_VALUE)),
    (6, Binary),
    (7, List(&Struct(&[(1, Struct(&[])), (2, Struct(&[]))]))),
    (9, Binary),
]);

/// Checks the metadata of a file, except for values that the `parquet` crate checks.
pub(super) fn check_metadata(mut bytes: &[u8]) -> Result<(), String> {
    let (mut elements, mut row_groups) = (0, 0);
    // The number of children still to come, for each open group.
    let mut open: Vec<u64> = Vec::new();
    let mut depth = 0;
    let read = read_value(&mut bytes, &FILE_METADATA, &mut |path, part| match (path, part) {
        (&[2], Part::Elements(count)) => elements = count,
        (&[4], Part::Elements(count)) => row_groups = count,
        (&[2], Part::Element) if elements <= MAX_COLUMNS => {
            while open.last() == Some(&0) {
                open.pop();
            }
            if let Some(left) = open.last_mut() {
                *left -= 1;
            }
            // A column counts as a group without children.
            open.push(0);
            depth = depth.max(open.len());
        }
        (&[2, 5], Part::Number(children)) => {
            if let Some(left) = open.last_mut() {
                *left = children;
            }
            elements = elements.max(children.saturating_add(1));
        }
        _ => {}
    });
    for (what, number, limit) in [
        ("columns and groups of columns", elements, MAX_COLUMNS),
        ("levels of nested groups", depth as u64, MAX_DEPTH as u64),
        ("row groups", row_groups, MAX_ROW_GROUPS),
    ] {
        if number > limit {
            return Err(format!("the metadata: {number} {what} exceed the limit of {limit}"));
        }
    }
    read.ok_or_else(|| "the metadata are invalid".into())
}

/// The fields of a page header that the caller checks.
#[derive(Debug, Default, PartialEq)]
pub(super) struct PageHeader {
    /// The sizes of the page in the file and after decompression, in bytes.
    pub(super) stored: u64,
    pub(super) decompressed: u64,
    /// The size of the uncompressed levels in a data page of version 2, in bytes.
    pub(super) levels: u64,
    /// The number of values in a dictionary page; 0 for other pages.
    pub(super) dictionary: u64,
    pub(super) encoding: u64,
}

impl PageHeader {
    pub(super) fn read(from: &mut impl Read) -> Option<PageHeader> {
        let (mut header, mut encodings) = (PageHeader::default(), 0);
        read_value(from, &PAGE_HEADER, &mut |path, part| {
            let Part::Number(number) = part else { return };
            match path {
                [2] => header.decompressed = number,
                [3] => header.stored = number,
                [7, 1] => header.dictionary = number,
                // The encoding of a data page, or of a data page of version 2.
                [5, 2] | [8, 4] => {
                    header.encoding = number;
                    encodings += 1;
                }
                [8, 5 | 6] => header.levels = header.levels.saturating_add(number),
                _ => {}
            }
        })?;
        // Refuse two data page headers, because the page type (field 1) would choose between them.
        (encodings < 2).then_some(header)
    }
}

/// A part of a value, as [`read_value`] reports it.
enum Part {
    /// A 32-bit number. A negative number becomes a huge one.
    Number(u64),
    /// The start of a list: the number of its elements.
    Elements(u64),
    /// The start of an element of a list.
    Element,
}

/// The code of a type in a file. A field of type bool has code 1 if true, 2 if false.
fn number_of(expected: &Type) -> u8 {
    match expected {
        Bool => 2,
        Byte => 3,
        I16 => 4,
        I32 => 5,
        I64 => 6,
        Double => 7,
        Binary => 8,
        List(_) => 9,
        Struct(_) => 12,
    }
}

/// Reads a value, and calls `found` for each of its parts. The first argument of `found` is the
/// path to the part: the numbers of the fields that contain it. Returns `None` if the value is
/// invalid.
fn read_value(
    from: &mut impl Read,
    expected: &Type,
    found: &mut dyn FnMut(&[u64], Part),
) -> Option<()> {
    Reader { from, path: Vec::new(), depth: 0, found }.value(number_of(expected), Some(expected))
}

struct Reader<'a, R> {
    from: &'a mut R,
    path: Vec<u64>,
    /// The number of lists and structs that contain the current value.
    depth: u32,
    found: &'a mut dyn FnMut(&[u64], Part),
}

impl<R: Read> Reader<'_, R> {
    /// Reads a value of the type with code `kind`, which must be the expected type.
    fn value(&mut self, kind: u8, expected: Option<&Type>) -> Option<()> {
        if expected.is_some_and(|expected| number_of(expected) != kind) || self.depth > 16 {
            return None;
        }
        self.depth += 1;
        match kind {
            3 => _ = self.byte()?,
            4 | 6 => _ = self.number()?,
            5 => {
                // The zigzag encoding stores the sign in the lowest bit.
                let zigzag = u64::from(u32::try_from(self.number()?).ok()?);
                (self.found)(&self.path, Part::Number(zigzag.rotate_right(1)));
            }
            7 => self.skip(8)?,
            8 => {
                let length = self.number()?;
                self.skip(length)?;
            }
            9 => {
                let element =
                    if let Some(List(element)) = expected { Some(*element) } else { None };
                self.list(element)?;
            }
            12 => {
                let fields = if let Some(Struct(fields)) = expected { fields } else { &[][..] };
                self.fields(fields)?;
            }
            _ => return None,
        }
        self.depth -= 1;
        Some(())
    }

    fn list(&mut self, expected: Option<&Type>) -> Option<()> {
        let first = self.byte()?;
        // Some writers store no element type in an empty list, so the type is checked per element.
        let (short, kind) = (u64::from(first >> 4), first & 0xf);
        let count = if short == 15 { self.number()? } else { short };
        (self.found)(&self.path, Part::Elements(count));
        for _ in 0..count {
            (self.found)(&self.path, Part::Element);
            self.value(kind, expected)?;
        }
        Some(())
    }

    fn fields(&mut self, expected: &[(u64, Type)]) -> Option<()> {
        let mut last = 0;
        loop {
            let first = self.byte()?;
            if first == 0 {
                return Some(());
            }
            // The first byte holds the difference from the previous field's number. If the
            // difference is 0, the field's number follows.
            let (difference, kind) = (u64::from(first >> 4), first & 0xf);
            // The lowest bit of that number is the sign. The rotation makes negative numbers huge.
            let field =
                if difference == 0 { self.number()?.rotate_right(1) } else { last + difference };
            if field <= last || field > i16::MAX as u64 {
                return None;
            }
            last = field;
            let expected = expected.iter().find(|(number, _)| *number == field);
            self.path.push(field);
            match (kind, expected) {
                (1 | 2, None | Some((_, Bool))) => {}
                (1 | 2, _) | (_, Some((_, Bool))) => return None,
                (_, expected) => self.value(kind, expected.map(|(_, expected)| expected))?,
            }
            self.path.pop();
        }
    }

    /// Reads a number: seven bits per byte, the lowest first.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte >> 7 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn byte(&mut self) -> Option<u8> {
        let mut byte = [0];
        self.from.read_exact(&mut byte).ok().map(|()| byte[0])
    }

    fn skip(&mut self, length: u64) -> Option<()> {
        let skipped = io::copy(&mut self.from.by_ref().take(length), &mut io::sink());
        skipped.ok().filter(|&skipped| skipped == length).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_pages() {
        let header = |decompressed, stored, dictionary, encoding| {
            Some(PageHeader { stored, decompressed, dictionary, encoding, levels: 0 })
        };
        for (bytes, expected) in [
            // Type 0, sizes 300 and 5; a data page of 1 value in encoding 7.
            (&b"\x15\0\x15\xd8\x04\x15\x0a\x2c\x15\x02\x15\x0e\0\0"[..], header(300, 5, 0, 7)),
            // A header with a checksum and with statistics, which contain a number that must not be
            // taken for the encoding.
            (
                b"\x15\0\x15\x02\x15\x04\x15\x07\x1c\x15\x02\x15\0\x3c\x18\x03abc\x26\x0e\0\0\0",
                header(1, 2, 0, 0),
            ),
            // A dictionary page; a data page of version 2, whose encoding is the fourth number.
            (b"\x15\x04\x15\x02\x15\x04\x4c\x15\x06\x15\x10\x11\0\0", header(1, 2, 3, 0)),
            (
                b"\x15\x06\x15\x02\x15\x04\x5c\x15\x02\x15\x0e\x15\x02\x15\x0e\0\0",
                header(1, 2, 0, 7),
            ),
            // Both kinds of data page at once.
            (b"\x15\0\x15\x02\x15\x04\x2c\x15\x02\x15\x0c\0\x3c\x15\x02\x35\0\0\0", None),
            // A negative size, which is read as a huge one.
            (b"\x15\0\x15\x01\x15\x0a\x2c\0\0", header(1 << 63, 5, 0, 0)),
            // Wrong types: a size as bytes or as i64, a page as a number, a 33-bit encoding.
            (b"\x15\0\x18\x02ab\x15\x0a\0", None),
            (b"\x15\0\x16\x02\x15\x0a\0", None),
            (b"\x15\0\x15\x02\x15\x0a\x25\x02\0", None),
            (b"\x15\0\x15\x02\x15\x04\x2c\x15\x02\x15\x8e\x80\x80\x80\x20\0\0", None),
            // Two repeated fields, a list of bools, a struct in place of bytes, bytes and a number
            // that are too long, a truncated header.
            (b"\x15\0\x15\x02\x05\x04\x04\x15\x0a\0", None),
            (b"\x15\0\x15\x02\x15\x04\x05\x02\0", None),
            (b"\x99\x12\x02\0", None),
            (b"\x5c\x5c\x1c\0\0\0\0", None),
            (b"\x98\x09abc\0", None),
            (b"\x15\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\0", None),
            (b"\x15\0\x15\x02\x15\x0a\x2c\x15\x02\x15", None),
        ] {
            assert_eq!(PageHeader::read(&mut &bytes[..]), expected, "{}", bytes.escape_ascii());
        }
    }
    /// The metadata of a file whose schema and list of row groups are these bytes.
    fn metadata(schema: &[u8], row_groups: &[u8]) -> Vec<u8> {
        [&[0x15, 2, 0x19], schema, &[0x16, 0, 0x19], row_groups, &[0]].concat()
    }

    /// A schema of groups with these numbers of children.
    fn schema(groups: &[u32]) -> Vec<u8> {
        let varint = |number: u32| {
            let digit = |shift: u32| (number >> shift & 0x7f) as u8;
            [digit(0) | 0x80, digit(7) | 0x80, digit(14) | 0x80, digit(21) | 0x80, digit(28)]
        };
        let list = [&[0xfc][..], &varint(groups.len() as u32)].concat();
        groups.iter().fold(list, |bytes, &children| {
            [&bytes[..], &[0x48, 1, b'x', 0x15], &varint(children << 1), &[0]].concat()
        })
    }

    #[test]
    fn numbers_of_columns_and_of_row_groups_are_limited() {
        let error = |groups: &[u32]| check_metadata(&metadata(&schema(groups), &[0])).err();
        let exceeds = |number: u64, what: &str, limit: u64| {
            Some(format!("the metadata: {number} {what} exceed the limit of {limit}"))
        };
        let flat = |columns| [&[columns][..], &vec![0; columns as usize]].concat();
        assert_eq!(error(&flat(9_999)), None);
        assert_eq!(error(&flat(10_000)), exceeds(10_001, "columns and groups of columns", 10_000));
        assert_eq!(
            error(&[1, i32::MAX as u32]),
            exceeds(1 << 31, "columns and groups of columns", 10_000)
        );
        // Nested groups, then a group next to a deeply nested one.
        let deep = |depth: usize| [&vec![1; depth - 1][..], &[0]].concat();
        assert_eq!(error(&deep(64)), None);
        assert_eq!(error(&deep(65)), exceeds(65, "levels of nested groups", 64));
        let beside = [&[2][..], &deep(63), &[1, 0]].concat();
        assert_eq!(error(&beside), None);
        let last = [&[2][..], &deep(63), &deep(64)].concat();
        assert_eq!(error(&last), exceeds(65, "levels of nested groups", 64));

        let row_groups = [0xfc, 0x81, 0x80, 2];
        assert_eq!(
            check_metadata(&metadata(&schema(&[0]), &row_groups)).err(),
            exceeds(32_769, "row groups", 32_768)
        );
    }

    /// Tests metadata with wrong types, which the `parquet` crate could misread.
    #[test]
    fn metadata_of_other_types_are_invalid() {
        let empty = metadata(&schema(&[0]), &[0]);
        assert_eq!(check_metadata(&empty), Ok(()));
        let with = |bytes: &[u8]| [&empty[..empty.len() - 1], bytes, &[0]].concat();
        // Fields that the list of types leaves out can have any type: field 8 as a struct, a list
        // of 64-bit numbers, bytes or a bool, and field 99 as bytes.
        for bytes in [
            &b"\x4c\x1c\0\0"[..],
            b"\x49\x26\x02\x04",
            b"\x48\x02ab",
            b"\x08\xc6\x01\x02ab",
            b"\x41",
        ] {
            assert_eq!(check_metadata(&with(bytes)), Ok(()), "{}", bytes.escape_ascii());
        }
        for bytes in [
            // Field 6 as a number, field 5 as a list of numbers, a repeated field, a negative field
            // number.
            &b"\x25\x02"[..],
            b"\x19\x15\x02",
            b"\x09\x08\0",
            b"\x09\x09\0",
            // A list of bools, a set, a map, lists nested too deeply.
            b"\x49\x12\x01",
            b"\x4a\x15\x02",
            b"\x4b\0",
            b"\x49\x19\x19\x19\x19\x19\x19\x19\x19\x19\x19\x19\x19\x19\x19\x19\x19\x19\x05",
        ] {
            let error = check_metadata(&with(bytes)).unwrap_err();
            assert_eq!(error, "the metadata are invalid", "{}", bytes.escape_ascii());
        }
        // Metadata in which the number of children is stored as bytes.
        let bytes = metadata(b"\x1c\x48\x01x\x18\x01y\0", &[0]);
        assert!(check_metadata(&bytes).is_err());
        for length in 0..empty.len() {
            assert!(check_metadata(&empty[..length]).is_err());
        }
    }
}
