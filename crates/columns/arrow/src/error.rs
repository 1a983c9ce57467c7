//! Errors of operations on columns.

use arrow_schema::{ArrowError, DataType};
use setwise::error::InvalidSquare;
use setwise_positions::FenError;

/// The error for an invalid argument. The message is one line. It names what is invalid, and the
/// row if only one row is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two columns have different lengths.
    #[error(
        "`{}` has {} rows, but `{}` has {}: all columns must have the same length",
        first.0, first.1, second.0, second.1
    )]
    Lengths {
        /// The name and the length of one argument.
        first: (&'static str, usize),
        /// The name and the length of another argument.
        second: (&'static str, usize),
    },
    /// A number is not a square.
    #[error("`{argument}`, row {row}: {error}")]
    Square {
        /// The argument's name.
        argument: &'static str,
        /// The row, counted from 0.
        row: usize,
        /// The invalid number.
        #[source]
        error: InvalidSquare,
    },
    /// A string is not a valid FEN or EPD.
    #[error("row {row}: {error}")]
    Fen {
        /// The row, counted from 0.
        row: usize,
        /// The string, with `U+FFFD` in place of what is not UTF-8.
        text: String,
        /// What is wrong with the string.
        #[source]
        error: FenError,
    },
    /// A dictionary cannot be unpacked: the strings of all rows are too long for one column.
    #[error("cannot unpack the dictionary: {reason}")]
    Dictionary {
        /// The reason.
        reason: String,
    },
    /// A column has the wrong type.
    #[error("`{argument}` must be {expected}, found {found}")]
    Type {
        /// The argument's name.
        argument: &'static str,
        /// The expected type.
        expected: &'static str,
        /// The column's type.
        found: DataType,
    },
    /// A struct lacks a field, or the field is not `UInt64`.
    #[error("{}", match found {
        None => format!("`{argument}` must have a field `{field}`"),
        Some(found) => format!("field `{field}` of `{argument}` must be UInt64, found {found}"),
    })]
    Field {
        /// The argument's name.
        argument: &'static str,
        /// The field's name.
        field: String,
        /// The field's type; `None` if the field is missing.
        found: Option<DataType>,
    },
    /// [`evaluate`](crate::evaluate) was called with the wrong number of arguments.
    #[error("`{operation}` must have {expected} arguments, found {found}")]
    Arguments {
        /// The operation's name.
        operation: &'static str,
        /// The number of the operation's inputs.
        expected: usize,
        /// The number of arguments.
        found: usize,
    },
}

impl From<Error> for ArrowError {
    fn from(error: Error) -> ArrowError {
        ArrowError::InvalidArgumentError(error.to_string())
    }
}
