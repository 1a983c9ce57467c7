//! Why the program failed.

use std::io::{self, ErrorKind};
use std::process::ExitCode;

use datafusion::error::DataFusionError;
use setwise_positions::printable_lines;

/// Writes a message to stderr. It may contain anything from outside, so characters that would
/// affect a terminal are escaped.
pub(crate) fn note(message: &str) {
    eprintln!("{}", printable_lines(message));
}

pub(crate) enum Failure {
    /// The query or its input is invalid.
    Query(DataFusionError),
    /// The output cannot be written.
    Output(io::Error),
    /// A signal with this number ends the program.
    Signal(u8),
}

impl Failure {
    /// Reports the failure on stderr, and returns the exit code. A signal is not reported, and a
    /// reader that stops reading, as in `| head`, is not a failure.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Failure::Signal(number) => return ExitCode::from(128 + number),
            Failure::Output(error) if error.kind() == ErrorKind::BrokenPipe => {
                return ExitCode::SUCCESS;
            }
            Failure::Output(error) => {
                note(&format!("setwise-sql: cannot write the output: {error}"));
            }
            Failure::Query(error) => note(&format!("setwise-sql: {}", error.strip_backtrace())),
        }
        ExitCode::from(2)
    }
}

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
