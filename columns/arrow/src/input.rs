//! Arguments: a column, or one value for all rows.

use std::borrow::Cow;
use std::ops::Range;

use arrow_array::{Array, UInt8Array, UInt64Array};
use arrow_buffer::NullBuffer;
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

/// A constant is laid out for so many boards, and they are computed so many at once: 8 KiB, a quarter of a first-level cache.
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
    let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
    nulls.fold(None, |all, nulls| {
        NullBuffer::union(all.as_ref(), Some(nulls))
    })
}

/// The parts in which rows are computed: all at once, but where there is a constant.
pub(crate) fn parts(rows: usize, has_constant: bool) -> impl Iterator<Item = Range<usize>> {
    let step = if has_constant { BLOCK } else { rows.max(1) };
    (0..rows)
        .step_by(step)
        .map(move |start| start..rows.min(start + step))
}
