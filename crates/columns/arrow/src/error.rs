//! Errors of operations on columns.

use std::fmt;

use arrow_schema::{ArrowError, DataType};
use setwise::error::InvalidSquare;
use setwise_positions::FenError;

/// The error for an invalid argument. The message is one line. It names what is invalid, and the
/// row if only one row is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Two columns have different lengths.
    Lengths {
        /// The name and the length of one argument.
        first: (&'static str, usize),
        /// The name and the length of another argument.
        second: (&'static str, usize),
    },
    /// A number is not a square.
    Square {
        /// The argument's name.
        argument: &'static str,
        /// The row, counted from 0.
        row: usize,
        /// The invalid number.
        error: InvalidSquare,
    },
    /// A string is not a valid FEN or EPD.
    Fen {
        /// The row, counted from 0.
        row: usize,
        /// The string, with `U+FFFD` in place of what is not UTF-8.
        text: String,
        /// What is wrong with the string.
        error: FenError,
    },
    /// A dictionary cannot be unpacked: the strings of all rows are too long for one column.
    Dictionary {
        /// The reason.
        reason: String,
    },
    /// A column has the wrong type.
    Type {
        /// The argument's name.
        argument: &'static str,
        /// The expected type.
        expected: &'static str,
        /// The column's type.
        found: DataType,
    },
    /// A struct lacks a field, or the field is not `UInt64`.
    Field {
        /// The argument's name.
        argument: &'static str,
        /// The field's name.
        field: String,
        /// The field's type; `None` if the field is missing.
        found: Option<DataType>,
    },
    /// [`evaluate`](crate::evaluate) was called with the wrong number of arguments.
    Arguments {
        /// The operation's name.
        operation: &'static str,
        /// The number of the operation's inputs.
        expected: usize,
        /// The number of arguments.
        found: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Lengths { first: (first, a), second: (second, b) } => write!(
                f,
                "`{first}` has {a} rows, but `{second}` has {b}: all columns must have the same length"
            ),
            Error::Square { argument, row, error } => write!(f, "`{argument}`, row {row}: {error}"),
            Error::Fen { row, error, .. } => write!(f, "row {row}: {error}"),
            Error::Dictionary { reason } => write!(f, "cannot unpack the dictionary: {reason}"),
            Error::Type { argument, expected, found } => {
                write!(f, "`{argument}` must be {expected}, found {found}")
            }
            Error::Field { argument, field, found: None } => {
                write!(f, "`{argument}` must have a field `{field}`")
            }
            Error::Field { argument, field, found: Some(found) } => {
                write!(f, "field `{field}` of `{argument}` must be UInt64, found {found}")
            }
            Error::Arguments { operation, expected, found } => {
                write!(f, "`{operation}` must have {expected} arguments, found {found}")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Square { error, .. } => Some(error),
            Error::Fen { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl From<Error> for ArrowError {
    fn from(error: Error) -> ArrowError {
        ArrowError::InvalidArgumentError(error.to_string())
    }
}
