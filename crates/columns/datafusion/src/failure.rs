//! The error type of the programs.

use std::{fmt, io};

use datafusion::error::DataFusionError;

/// The reason why a program failed.
#[derive(Debug)]
pub enum Failure {
    /// The query or its input is invalid.
    Query(DataFusionError),
    /// The output cannot be written.
    Output(io::Error),
    /// A signal with this number ends the program.
    Signal(u8),
}

impl Failure {
    /// Whether the reader of the output has stopped reading, as in `| head`. This is not an error.
    #[must_use]
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Query(error) => f.write_str(&error.strip_backtrace()),
            Failure::Output(error) => write!(f, "cannot write the output: {error}"),
            Failure::Signal(number) => write!(f, "ended by signal {number}"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<DataFusionError> for Failure {
    fn from(error: DataFusionError) -> Failure {
        Failure::Query(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}
