//! `setwise completions SHELL`: prints a completion script.

use clap::CommandFactory;
use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use setwise::{Kernel, KernelInfo};
use setwise_endgame::Ending;

use crate::args::Args;
use crate::failure::Failure;
use crate::print;

pub(crate) fn run(shell: Shell) -> Result<(), Failure> {
    // The script completes kernel names. Normal parsing does not use this list: it has a better
    // message for an unknown name.
    let kernels = PossibleValuesParser::new(Kernel::catalogue().iter().map(KernelInfo::name));
    // Leaking is fine, because the process ends soon.
    let endings = Ending::all().into_iter().map(|ending| &*ending.to_string().leak());
    let endings = PossibleValuesParser::new(endings);
    let mut command = Args::command()
        .mut_arg("kernel", |arg| arg.value_parser(kernels))
        .mut_subcommand("endgame", |command| {
            command
                .mut_arg("names", |arg| arg.value_parser(endings.clone()))
                .mut_subcommand("verify", |command| {
                    command.mut_arg("names", |arg| arg.value_parser(endings))
                })
        });
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "setwise", &mut script);
    print::bytes(&script)
}
