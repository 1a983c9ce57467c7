//! Arguments in the layout that a kernel reads.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, UInt8Array, UInt64Array};
use arrow_buffer::NullBuffer;
use arrow_select::take::take;
use setwise::Square;
use setwise::reflection::{Argument, Element};

use crate::Error;

/// The elements of a column of sets or squares, which are read in place.
pub(crate) fn elements<'a>(argument: &Argument, array: &'a dyn Array) -> Result<&'a [u8], Error> {
    let name = argument.name();
    if argument.element() == Element::Square {
        let squares: &UInt8Array = column(name, "UInt8", array.as_primitive_opt(), array)?;
        check_squares(name, squares)?;
        return Ok(squares.values());
    }
    let sets: &UInt64Array = column(name, "UInt64", array.as_primitive_opt(), array)?;
    Ok(sets.values().inner().as_slice())
}

/// The rows of a dictionary-encoded column, or the column itself.
pub(crate) fn unpacked(column: &dyn Array) -> Result<ArrayRef, Error> {
    let Some(dictionary) = column.as_any_dictionary_opt() else {
        return Ok(column.slice(0, column.len()));
    };
    let rows = take(dictionary.values(), dictionary.keys(), None);
    rows.map_err(|error| Error::Dictionary { reason: error.to_string() })
}

/// Returns the column, or an error if the argument does not have the expected type.
pub(crate) fn column<'a, A: Array>(
    argument: &'static str,
    expected: &'static str,
    column: Option<&'a A>,
    array: &dyn Array,
) -> Result<&'a A, Error> {
    column.ok_or_else(|| Error::Type { argument, expected, found: array.data_type().clone() })
}

/// Checks that all rows that are not null are squares.
fn check_squares(argument: &'static str, squares: &UInt8Array) -> Result<(), Error> {
    // All numbers are below 64 if their OR is below 64, so this loop needs no branch per row.
    if squares.values().iter().fold(0, |all, square| all | square) < 64 {
        return Ok(());
    }
    for (row, square) in squares.iter().enumerate() {
        if let Some(Err(error)) = square.map(Square::try_from) {
            return Err(Error::Square { argument, row, error });
        }
    }
    Ok(())
}

/// The nulls of a result: a row is null where an argument is null. If all arguments have the same
/// null bitmap, the result shares it.
pub(crate) fn union(mut nulls: Vec<&NullBuffer>) -> Option<NullBuffer> {
    nulls.dedup_by(|a, b| a.inner().ptr_eq(b.inner()));
    NullBuffer::union_many(nulls.into_iter().map(Some))
}
