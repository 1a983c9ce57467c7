//! Arguments of the typed functions: a column, or one value for all rows.

use arrow_array::{Array, Datum, Scalar, UInt8Array, UInt64Array};
use setwise::Square;

/// A column, or one value for all rows. Converts from `&column`, from `u64` (a set) and from
/// [`Square`].
#[derive(Debug, Clone)]
pub enum Values<'a, A: Array> {
    /// One value per row.
    Column(&'a A),
    /// The same value for all rows.
    Constant(Scalar<A>),
}

/// Sets of squares, converted from `&UInt64Array` or `u64`.
///
/// ```
/// use setwise_arrow::Sets;
/// assert!(matches!(Sets::from(0x81), Sets::Constant(_)));
/// ```
pub type Sets<'a> = Values<'a, UInt64Array>;

/// Squares, 0 (a1) to 63 (h8), converted from `&UInt8Array` or [`Square`]. Null rows may hold any
/// number.
pub type Squares<'a> = Values<'a, UInt8Array>;

impl<'a, A: Array> From<&'a A> for Values<'a, A> {
    fn from(column: &'a A) -> Self {
        Values::Column(column)
    }
}

impl From<u64> for Sets<'_> {
    fn from(set: u64) -> Self {
        Values::Constant(UInt64Array::new_scalar(set))
    }
}

impl From<Square> for Squares<'_> {
    fn from(square: Square) -> Self {
        Values::Constant(UInt8Array::new_scalar(square.into()))
    }
}

impl<A: Array> Datum for Values<'_, A> {
    fn get(&self) -> (&dyn Array, bool) {
        match self {
            Values::Column(column) => (*column, false),
            Values::Constant(value) => value.get(),
        }
    }
}
