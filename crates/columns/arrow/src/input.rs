//! Arguments in the layout that a kernel reads.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StructArray, UInt8Array, UInt64Array};
use arrow_buffer::NullBuffer;
use arrow_select::take::take;
use setwise::Square;
use setwise::reflection::{Argument, Element};

use crate::{Error, position_fields};

/// An argument in the layout that the kernel reads.
pub(crate) enum Input<'a> {
    /// All elements, read in place.
    Column { bytes: &'a [u8], size: usize },
    /// A block that repeats one element.
    Constant(Vec<u8>),
    /// The twelve columns of positions, and a block of positions copied from them.
    Positions { columns: Vec<&'a [u64]>, block: Vec<u64> },
}

impl<'a> Input<'a> {
    pub(crate) fn new(
        argument: &Argument,
        array: &'a dyn Array,
    ) -> Result<(Input<'a>, Vec<&'a NullBuffer>), Error> {
        let (name, size) = (argument.name(), argument.element().size());
        let mut nulls: Vec<&NullBuffer> = array.nulls().into_iter().collect();
        let input = match argument.element() {
            Element::Set => {
                let sets: &UInt64Array = column(name, "UInt64", array.as_primitive_opt(), array)?;
                let bytes = sets.values().inner().as_slice();
                Input::Column { bytes, size }
            }
            Element::Square => {
                let squares: &UInt8Array = column(name, "UInt8", array.as_primitive_opt(), array)?;
                check_squares(name, squares)?;
                let bytes = squares.values();
                Input::Column { bytes, size }
            }
            Element::Position => {
                let expected = "a struct of twelve sets";
                let positions = column(name, expected, array.as_struct_opt(), array)?;
                let columns = sets_of_positions(name, positions)?;
                nulls.extend(columns.iter().copied().filter_map(Array::nulls));
                Input::Positions {
                    columns: columns.iter().map(|column| &column.values()[..]).collect(),
                    block: vec![],
                }
            }
            other => panic!("no Arrow type for {other:?}"),
        };
        Ok((input, nulls))
    }

    /// Repeats the first element for a block of rows.
    pub(crate) fn repeated(self, rows: usize) -> Input<'a> {
        Input::Constant(match self {
            Input::Column { bytes, size } => bytes[..size].repeat(rows),
            Input::Constant(block) => block,
            Input::Positions { columns, .. } => {
                let position = columns.iter().flat_map(|column| column[0].to_ne_bytes());
                position.collect::<Vec<u8>>().repeat(rows)
            }
        })
    }

    /// A pointer to the elements of `rows`, which span at most one block.
    pub(crate) fn part(&mut self, rows: &Range<usize>) -> *const u8 {
        match self {
            Input::Column { bytes, size } => bytes[*size * rows.start..*size * rows.end].as_ptr(),
            Input::Constant(block) => block.as_ptr(),
            Input::Positions { columns, block } => {
                block.resize(columns.len() * rows.len(), 0);
                for (n, column) in columns.iter().enumerate() {
                    let positions = block.chunks_exact_mut(columns.len());
                    for (position, &set) in positions.zip(&column[rows.clone()]) {
                        position[n] = set;
                    }
                }
                block.as_ptr().cast()
            }
        }
    }
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
fn column<'a, A: Array>(
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

/// The twelve columns of positions.
pub(crate) fn sets_of_positions<'a>(
    argument: &'static str,
    positions: &'a StructArray,
) -> Result<Vec<&'a UInt64Array>, Error> {
    let fields = position_fields();
    let columns = fields.iter().map(|field| {
        let column = positions.column_by_name(field.name());
        let sets = column.and_then(|column| column.as_primitive_opt());
        sets.ok_or_else(|| Error::Field {
            argument,
            field: field.name().clone(),
            found: column.map(|column| column.data_type().clone()),
        })
    });
    columns.collect()
}

/// The nulls of a result: a row is null where an argument is null. If all arguments have the same
/// null bitmap, the result shares it.
pub(crate) fn union(mut nulls: Vec<&NullBuffer>) -> Option<NullBuffer> {
    nulls.dedup_by(|a, b| a.inner().ptr_eq(b.inner()));
    NullBuffer::union_many(nulls.into_iter().map(Some))
}
