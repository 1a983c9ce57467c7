//! How a command can fail, and the exit code that says so.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// Why a command did not end well.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A result is wrong: exit code 1.
    Check(String),
    /// Bad usage or input: exit code 2.
    Input(String),
    /// The output cannot be written: exit code 2, except for a reader that went away.
    Output(io::Error),
}

impl Failure {
    /// Nobody reads on (`| head`): not an error of ours, so the exit code is 0.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Nobody can ever read it: an error, other than a reader that goes away.
    pub(crate) fn closed_stdout() -> Failure {
        Failure::Output(io::Error::other("standard output is closed"))
    }

    /// Of the kernels of these names, if there are any.
    pub(crate) fn wrong<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), Failure> {
        match names.collect::<Vec<_>>() {
            names if names.is_empty() => Ok(()),
            names => Err(Failure::Check(format!("wrong: {}", names.join(", ")))),
        }
    }

    /// The documented exit code.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            _ if self.is_closed_pipe() => ExitCode::SUCCESS,
            Failure::Check(_) => ExitCode::from(1),
            Failure::Input(_) | Failure::Output(_) => ExitCode::from(2),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Check(what) | Failure::Input(what) => f.write_str(what),
            Failure::Output(error) => write!(f, "cannot write the output: {error}"),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}
