//! What the tests of the program share.

use assert_cmd::Command;

pub(crate) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The program, in an environment that forces nothing.
pub(crate) fn setwise() -> Command {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("setwise");
    for variable in [
        "SETWISE_FORCE_KERNEL",
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
    ] {
        command.env_remove(variable);
    }
    command
}
