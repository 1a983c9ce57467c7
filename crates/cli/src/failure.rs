//! Failures of commands, and their exit codes.

use std::io;
use std::process::ExitCode;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A result is wrong: exit code 1.
    #[error("{0}")]
    Check(String),
    /// Bad usage or input: exit code 2.
    #[error("{0}")]
    Input(String),
    /// The requested kernel cannot be used: exit code 2, after a list of kernels.
    #[error("{0}")]
    Kernel(String),
    /// A signal ended the work before it was complete: exit code 128 plus its number.
    #[error("ended by a signal: the count is not complete")]
    Signal(u8),
    /// The output cannot be written: exit code 2, or 0 if the reader of a pipe closed it.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    /// Whether the output is a pipe that its reader closed, as `| head` does. The exit code is 0.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Fails if `names`, the list of incorrect kernels or tables, is not empty.
    pub(crate) fn wrong<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), Failure> {
        match names.collect::<Vec<_>>() {
            names if names.is_empty() => Ok(()),
            names => Err(Failure::Check(format!("wrong: {}", names.join(", ")))),
        }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            _ if self.is_closed_pipe() => ExitCode::SUCCESS,
            Failure::Check(_) => ExitCode::from(1),
            Failure::Signal(signal) => ExitCode::from(128 + signal),
            Failure::Input(_) | Failure::Kernel(_) | Failure::Output(_) => ExitCode::from(2),
        }
    }
}
