//! `setwise`: set-wise slider attacks from the command line.
//!
//! Data goes to stdout, everything else to stderr. The exit code is 0 on success, 1 if a check
//! failed, 2 for bad usage or input, and 128 plus the signal's number after a signal.

mod args;
mod check;
mod commands;
mod draw;
mod failure;
mod input;
mod kernel;
mod output;
mod print;
mod signals;
mod wildcards;

use std::process::ExitCode;

use clap::{ColorChoice, Parser};

use crate::args::{Args, Command};
use crate::failure::Failure;
use crate::kernel::Choice;

fn main() -> ExitCode {
    signals::end_cleanly();
    let args = Args::try_parse().unwrap_or_else(|error| {
        // The message quotes arguments: make it again, from arguments that are safe to print.
        let arguments =
            std::env::args_os().map(|argument| print::escape(&argument.to_string_lossy()));
        Args::try_parse_from(arguments).err().unwrap_or(error).exit()
    });
    match args.color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.is_closed_pipe() {
                print::note(&format!("setwise: {failure}"));
            }
            if let Failure::Kernel(_) = failure {
                let kernels = kernel::table(None);
                print::styled_note(&format!("\nkernels, in the order of choice:\n{kernels}"));
            }
            failure.exit_code()
        }
    }
}

fn run(args: &Args) -> Result<(), Failure> {
    if let Some(Command::Completions { shell }) = &args.command {
        return commands::completions::run(*shell);
    }
    let choice = Choice::new(args.kernel.as_deref())?;
    match &args.command {
        None => commands::demo::run(choice, args.json),
        Some(Command::Probe) => commands::probe::run(choice, args.json),
        Some(Command::Show { fen }) => commands::show::run(choice, &fen.join(" "), args.json),
        Some(Command::Attacks(options)) => commands::attacks::run(choice, options, args.json),
        Some(Command::Verify(options)) => commands::verify::run(choice, options, args.json),
        Some(Command::Bench(options)) => commands::bench::run(choice, options, args.json),
        Some(Command::Endgame(options)) => commands::endgame::run(choice, options, args.json),
        Some(Command::Perft(options)) => commands::perft::run(choice, options, args.json),
        Some(Command::Completions { .. }) => Ok(()),
    }
}
