//! The choice of a kernel, and the catalogue as text and JSON.

use std::env;
use std::fmt::Write as _;

use setwise::error::ChoiceError;
use setwise::{Kernel, KernelError, KernelInfo};
use setwise_measure::figures;

use crate::draw::{FAINT, GOOD, STRONG, styled};
use crate::failure::Failure;
use crate::print;

/// The kernel in use, and how it was chosen.
#[derive(Clone, Copy)]
pub(crate) struct Choice<'a> {
    asked: setwise::Choice<'a>,
    pub(crate) kernel: &'static Kernel,
    /// Whether the user named this kernel, so that no other may be used.
    pub(crate) forced: bool,
}

impl<'a> Choice<'a> {
    /// Chooses the kernel named by `--kernel`, else by the environment, else the library's default.
    pub(crate) fn new(option: Option<&'a str>) -> Result<Choice<'a>, Failure> {
        let asked = option
            .map_or_else(setwise::Choice::default, |name| setwise::Choice::by_cpu().force(name));
        Ok(Choice {
            asked,
            kernel: asked.find().map_err(refusal)?,
            forced: option.is_some()
                || env::var_os("SETWISE_FORCE_KERNEL").is_some_and(|name| !name.is_empty()),
        })
    }

    /// All kernels that can run here and are not disabled, best first, or only the forced one.
    pub(crate) fn candidates(self) -> Vec<&'static Kernel> {
        let candidates = self.asked.candidates();
        candidates.expect("the choice was made before")
    }
}

fn refusal(error: ChoiceError) -> Failure {
    let (variable, error) = (error.variable(), error.error());
    let name = error.name().map(print::escape).unwrap_or_default();
    let asked = match variable {
        None => format!("--kernel {name}: "),
        Some(variable @ "SETWISE_FORCE_KERNEL") => format!("{variable}={name}: "),
        Some(variable) if matches!(error, KernelError::NoneLeft) => format!("{variable} "),
        Some(variable) => format!("{variable}: {name}: "),
    };
    let reason = reason(error);
    Failure::Kernel(format!("{asked}{reason}"))
}

/// The error text, without the library's list of kernels, because a table of kernels follows.
fn reason(error: KernelError) -> String {
    match error {
        KernelError::Unknown { .. } => "there is no kernel of this name".into(),
        KernelError::Unsupported { missing, .. } => {
            format!("this CPU or its operating system lacks {missing}")
        }
        KernelError::NotCompiled { .. } => {
            "it is not compiled in for this target or these crate features".into()
        }
        KernelError::NoneLeft => "leaves no kernel that can run here".into(),
        other => other.to_string(),
    }
}

pub(crate) fn name_width() -> usize {
    let names = Kernel::catalogue().iter().map(KernelInfo::name);
    names.map(str::len).max().unwrap_or_default()
}

/// The catalogue as text, one line per kernel, with the chosen one marked.
pub(crate) fn table(chosen: Option<&Kernel>) -> String {
    let width = name_width();
    let mut text = String::new();
    for entry in figures::kernels() {
        let is_chosen = chosen.is_some_and(|kernel| kernel.name() == entry.name);
        let mark = if is_chosen { '>' } else { ' ' };
        let name = format!("{:width$}", entry.name);
        let name = if is_chosen { styled(STRONG, &name) } else { name };
        let style = if entry.status == "available" { GOOD } else { FAINT };
        let status = styled(style, &format!("{:12}", entry.status));
        let detail = if entry.missing.is_empty() {
            entry.description
        } else {
            format!("lacks {}", entry.missing.join(", "))
        };
        let _ = writeln!(text, "{mark} {name}  {status}  {detail}");
    }
    text
}
