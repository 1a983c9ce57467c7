//! What can be wrong with columns.

use std::fmt;

use arrow_schema::{ArrowError, DataType};
use setwise_positions::FenError;

/// What is wrong with an argument. Displayed, it is one line that names the argument, and the row if it is one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Two columns have different lengths.
    Lengths {
        /// One argument and its length.
        first: (&'static str, usize),
        /// Another one and its length.
        second: (&'static str, usize),
    },
    /// A number that is no square.
    NoSquare {
        /// The argument.
        argument: &'static str,
        /// The row, counted from 0.
        row: usize,
        /// What stands there.
        value: u8,
    },
    /// A text that is no position.
    Fen {
        /// The row, counted from 0.
        row: usize,
        /// What is wrong with it.
        error: FenError,
    },
    /// A column of another type than is wanted.
    Type {
        /// The argument.
        argument: &'static str,
        /// What is wanted.
        expected: &'static str,
        /// What was given.
        found: DataType,
    },
    /// A struct lacks a field, or has it with another type than `UInt64`.
    Field {
        /// The argument.
        argument: &'static str,
        /// The field.
        field: String,
        /// The type that it has, if it is there.
        found: Option<DataType>,
    },
    /// An [`Operation`](crate::Operation) was given another number of arguments, or another kind.
    Argument {
        /// The operation.
        operation: &'static str,
        /// What it takes.
        expected: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Lengths {
                first: (first, a),
                second: (second, b),
            } => write!(
                f,
                "`{first}` has {a} rows, but `{second}` {b}: all columns must have the same length"
            ),
            Error::NoSquare {
                argument,
                row,
                value,
            } => write!(
                f,
                "`{argument}`, row {row}: {value} is no square, which are 0 (a1) to 63 (h8)"
            ),
            Error::Fen { row, error } => write!(f, "row {row}: {error}"),
            Error::Type {
                argument,
                expected,
                found,
            } => write!(f, "`{argument}` is a column of {found}, not of {expected}"),
            Error::Field {
                argument,
                field,
                found: None,
            } => write!(f, "`{argument}` is a struct without the field `{field}`"),
            Error::Field {
                argument,
                field,
                found: Some(found),
            } => write!(
                f,
                "the field `{field}` of `{argument}` is a column of {found}, not of UInt64"
            ),
            Error::Argument {
                operation,
                expected,
            } => write!(f, "`{operation}` takes {expected}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
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
