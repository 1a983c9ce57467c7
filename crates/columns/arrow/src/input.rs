//! Arguments: a column, or one value for all rows.

use std::borrow::Cow;
use std::ops::Range;

use arrow_array::{Array, UInt8Array, UInt64Array};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use setwise::Square;

use crate::Error;

/// A column of sets, or one set for all rows: `&column` and `0x81` become one.
///
/// ```
/// use setwise_arrow::Sets;
/// assert!(matches!(Sets::from(0x81), Sets::Constant(0x81)));
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Sets<'a> {
    /// A set a row.
    Column(&'a UInt64Array),
    /// The same for all rows.
    Constant(u64),
}

/// A column of squares, 0 (a1) to 63 (h8), or one square for all rows: `&column` and `Square::E4` become one.
#[derive(Debug, Clone, Copy)]
pub enum Squares<'a> {
    /// A square a row. What stands where the column is null is not looked at.
    Column(&'a UInt8Array),
    /// The same for all rows.
    Constant(Square),
}

impl<'a> From<&'a UInt64Array> for Sets<'a> {
    fn from(column: &'a UInt64Array) -> Self {
        Sets::Column(column)
    }
}

impl From<u64> for Sets<'_> {
    fn from(set: u64) -> Self {
        Sets::Constant(set)
    }
}

impl<'a> From<&'a UInt8Array> for Squares<'a> {
    fn from(column: &'a UInt8Array) -> Self {
        Squares::Column(column)
    }
}

impl From<Square> for Squares<'_> {
    fn from(square: Square) -> Self {
        Squares::Constant(square)
    }
}

/// A constant is laid out for so many boards, and they are computed so many at once: 8 KiB, a quarter of a first-level cache. Half as many, or a quarter, took longer.
const BLOCK: usize = 1024;

/// What a kernel reads for an argument.
pub(crate) struct Values<'a, T: Copy> {
    of_rows: Cow<'a, [T]>,
    is_constant: bool,
    nulls: Option<&'a NullBuffer>,
}

impl<'a, T: Copy> Values<'a, T> {
    fn constant(value: T) -> Self {
        Values {
            of_rows: Cow::Owned(vec![value; BLOCK]),
            is_constant: true,
            nulls: None,
        }
    }

    fn column(of_rows: Cow<'a, [T]>, nulls: Option<&'a NullBuffer>) -> Self {
        Values {
            of_rows,
            is_constant: false,
            nulls,
        }
    }

    pub(crate) fn nulls(&self) -> Option<&'a NullBuffer> {
        self.nulls
    }

    /// The number of rows, unless it is a constant, which has as many as are wanted.
    pub(crate) fn rows(&self) -> Option<usize> {
        (!self.is_constant).then_some(self.of_rows.len())
    }

    /// The values of some rows; of a constant, of a [`BLOCK`] at most.
    pub(crate) fn part(&self, rows: Range<usize>) -> &[T] {
        if self.is_constant {
            &self.of_rows[..rows.len()]
        } else {
            &self.of_rows[rows]
        }
    }
}

/// An argument of the list's type `Self::Item`.
pub(crate) trait Input<'a> {
    type Item: Copy;
    fn values(self, argument: &'static str) -> Result<Values<'a, Self::Item>, Error>;
}

impl<'a> Input<'a> for Sets<'a> {
    type Item = u64;
    fn values(self, _argument: &'static str) -> Result<Values<'a, u64>, Error> {
        Ok(match self {
            Sets::Column(column) => Values::column(Cow::Borrowed(column.values()), column.nulls()),
            Sets::Constant(set) => Values::constant(set),
        })
    }
}

impl<'a> Input<'a> for Squares<'a> {
    type Item = Square;
    fn values(self, argument: &'static str) -> Result<Values<'a, Square>, Error> {
        let column = match self {
            Squares::Column(column) => column,
            Squares::Constant(square) => return Ok(Values::constant(square)),
        };
        let squares = match bytemuck::checked::try_cast_slice(column.values()) {
            Ok(squares) => Cow::Borrowed(squares),
            // What is null may be any number.
            Err(_) => (0..column.len())
                .map(|row| match Square::new(column.value(row)) {
                    Some(square) => Ok(square),
                    None if column.is_null(row) => Ok(Square::A1),
                    None => Err(Error::NoSquare {
                        argument,
                        row,
                        value: column.value(row),
                    }),
                })
                .collect::<Result<_, _>>()?,
        };
        Ok(Values::column(squares, column.nulls()))
    }
}

/// The number of rows of arguments, of which each has one or is a constant; constants alone have one row.
pub(crate) fn rows(arguments: &[(&'static str, Option<usize>)]) -> Result<usize, Error> {
    let mut columns = arguments
        .iter()
        .filter_map(|&(name, rows)| Some((name, rows?)));
    let Some(first) = columns.next() else {
        return Ok(1);
    };
    match columns.find(|column| column.1 != first.1) {
        Some(second) => Err(Error::Lengths { first, second }),
        None => Ok(first.1),
    }
}

/// Null where one of them is. A buffer without nulls counts as none.
pub(crate) fn union<'a>(
    nulls: impl IntoIterator<Item = Option<&'a NullBuffer>>,
) -> Option<NullBuffer> {
    let nulls = nulls.into_iter().flatten();
    let mut nulls = nulls.filter(|nulls| nulls.null_count() > 0);
    let first = nulls.next()?;
    let Some(second) = nulls.next() else {
        return Some(first.clone());
    };
    Some(nulls.fold(both(first, second), |all, nulls| both(&all, nulls)))
}

/// Null where one of two is. As [`NullBuffer::union`], in half the time where whole bytes can be taken.
fn both(a: &NullBuffer, b: &NullBuffer) -> NullBuffer {
    match (bytes(a), bytes(b)) {
        _ if a.inner().ptr_eq(b.inner()) => a.clone(),
        (Some(a_bytes), Some(b_bytes)) => of_bytes(a_bytes, b_bytes, a.len()),
        _ => NullBuffer::new(a.inner() & b.inner()),
    }
}

/// The bytes of its bits, if it begins with a whole one. What is behind the last bit is anything.
fn bytes(nulls: &NullBuffer) -> Option<&[u8]> {
    let start = nulls.offset();
    let end = start + nulls.len();
    start
        .is_multiple_of(8)
        .then(|| &nulls.buffer().as_slice()[start / 8..end.div_ceil(8)])
}

/// Those of two bitmaps of so many rows.
#[allow(unsafe_code)]
fn of_bytes(a: &[u8], b: &[u8], rows: usize) -> NullBuffer {
    let mut words: Vec<u64> = Vec::with_capacity(rows.div_ceil(64));
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks(), b.as_chunks());
    let word = |(a, b): (&[u8; 8], &[u8; 8])| u64::from_le_bytes(*a) & u64::from_le_bytes(*b);
    words.extend(a.iter().zip(b).map(word).map(u64::to_le));
    if !a_rest.is_empty() {
        let mut rest = [[0; 8]; 2];
        rest[0][..a_rest.len()].copy_from_slice(a_rest);
        rest[1][..b_rest.len()].copy_from_slice(b_rest);
        words.push(word((&rest[0], &rest[1])).to_le());
    }
    if let (Some(last), 1..) = (words.last_mut(), rows % 64) {
        *last &= ((1_u64 << (rows % 64)) - 1).to_le();
    }
    let valid = ones(&words);
    let bits = BooleanBuffer::new(Buffer::from_vec(words), 0, rows);
    // SAFETY: so many bits are zero.
    unsafe { NullBuffer::new_unchecked(bits, rows - valid) }
}

/// How many bits are set. Sums of all bytes at once: the instructions that count are not those of every CPU.
fn ones(words: &[u64]) -> usize {
    /// A byte has room for the bits of so many.
    const MOST: usize = 255 / 8;
    let sum = |words: &[u64]| {
        let of_bytes = words.iter().fold(0, |sum, word| {
            let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
            let halves = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
            sum + ((halves + (halves >> 4)) & 0x0f0f_0f0f_0f0f_0f0f)
        });
        let of_two = (of_bytes & 0x00ff_00ff_00ff_00ff) + (of_bytes >> 8 & 0x00ff_00ff_00ff_00ff);
        (of_two.wrapping_mul(0x0001_0001_0001_0001) >> 48) as usize
    };
    words.chunks(MOST).map(sum).sum()
}

/// The parts in which rows are computed: all at once, but where there is a constant.
pub(crate) fn parts(rows: usize, has_constant: bool) -> impl Iterator<Item = Range<usize>> {
    let most = if has_constant { BLOCK } else { rows };
    let mut end = 0;
    std::iter::from_fn(move || {
        let start = end;
        end = rows.min(start + most);
        (start < end).then_some(start..end)
    })
}

#[cfg(test)]
mod tests {
    use super::{NullBuffer, union};

    /// As Arrow does it, wherever the bits begin; and the count is right.
    #[test]
    fn the_union_is_arrows() {
        let mut random = fastrand::Rng::with_seed(1);
        for rows in (0..200).chain([1000, 4095, 4096, 4097, 20_000]) {
            for offsets in [[0; 3], [8, 0, 64], [16, 24, 8], [8, 3, 0], [1, 1, 9]] {
                let [a, b, c] = offsets.map(|offset| {
                    let often = random.u8(1..=255);
                    let nulls: NullBuffer = (0..rows + offset + 70)
                        .map(|_| random.u8(..) < often)
                        .collect();
                    nulls.slice(offset, rows)
                });
                let two = NullBuffer::union(Some(&a), Some(&b));
                let three = NullBuffer::union(two.as_ref(), Some(&c));
                for (found, right) in [
                    (union([Some(&a), None, Some(&b)]), two),
                    (union([Some(&a), Some(&b), Some(&c)]), three),
                ] {
                    assert_eq!(found, right, "{rows} {offsets:?}");
                    let zeros = |nulls: NullBuffer| nulls.len() - nulls.inner().count_set_bits();
                    let count = found.as_ref().map(NullBuffer::null_count);
                    assert_eq!(count, found.map(zeros), "{rows} {offsets:?}");
                }
            }
        }
    }
}
