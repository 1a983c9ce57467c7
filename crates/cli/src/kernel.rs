//! Which kernel is used, and what is told of all of them.

use std::env;
use std::fmt::Write as _;

use serde::Serialize;
use setwise::{KernelError, KernelInfo, KernelStatus, Kernels};

use crate::draw::{FAINT, GOOD, STRONG, styled};
use crate::failure::Failure;
use crate::print;

/// The environment variable by which the library lets users force a kernel.
const FORCE: &str = "SETWISE_FORCE_KERNEL";
/// That by which it lets them exclude kernels.
const DISABLE: &str = "SETWISE_DISABLE";

/// The kernel to use.
#[derive(Clone, Copy)]
pub(crate) struct Choice {
    pub(crate) kernels: &'static Kernels,
    /// By the user, so no other kernel is to be tried.
    pub(crate) forced: bool,
}

impl Choice {
    /// `--kernel` if given, else the environment's, else the library's own choice.
    pub(crate) fn new(option: Option<&str>) -> Result<Choice, Failure> {
        // Asked here first, because the library panics where we want a message and an exit code.
        let by_environment = env::var_os(FORCE).map(|name| name.to_string_lossy().into_owned());
        let (origin, name) = match (option, &by_environment) {
            (Some(name), _) => ("--kernel ", name),
            (None, Some(name)) => ("SETWISE_FORCE_KERNEL=", name.as_str()),
            (None, None) => {
                check_disabled()?;
                return Ok(Choice {
                    kernels: Kernels::active(),
                    forced: false,
                });
            }
        };
        match Kernels::by_name(name) {
            Ok(kernels) => Ok(Choice {
                kernels,
                forced: true,
            }),
            Err(error) => Err(refusal(&format!("{origin}{name}"), error)),
        }
    }

    /// The kernels to evaluate with: all that can run here, or the forced one alone.
    pub(crate) fn candidates(self) -> Vec<&'static Kernels> {
        if self.forced {
            vec![self.kernels]
        } else {
            let disabled = disabled();
            Kernels::available()
                .filter(|kernels| disabled.iter().all(|name| name != kernels.name()))
                .collect()
        }
    }
}

/// The kernels that the environment excludes from the choice.
pub(crate) fn disabled() -> Vec<String> {
    let names = env::var_os(DISABLE).unwrap_or_default();
    let names = names.to_string_lossy();
    let names = names.split(',').map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Asked before the library chooses, which would panic.
fn check_disabled() -> Result<(), Failure> {
    let disabled = disabled();
    for name in &disabled {
        if let Err(error @ KernelError::Unknown { .. }) = Kernels::by_name(name) {
            return Err(refusal(&format!("{DISABLE}: {name}"), error));
        }
    }
    if Kernels::available().all(|kernels| disabled.iter().any(|name| name == kernels.name())) {
        return Err(Failure::Input(format!(
            "{DISABLE} leaves no kernel that can run here"
        )));
    }
    Ok(())
}

/// Why a kernel that was asked for cannot be had, and which there are.
fn refusal(asked: &str, error: KernelError) -> Failure {
    Failure::Input(format!(
        "{}: {}\n\nkernels, best first:\n{}",
        print::escape(asked),
        reason(error),
        table(None)
    ))
}

/// The error without the lists that the library adds: the table that follows has them.
fn reason(error: KernelError) -> String {
    match error {
        KernelError::Unknown { .. } => "there is no kernel of this name".into(),
        KernelError::Unsupported { missing, .. } => {
            format!("this CPU or its operating system lacks {missing}")
        }
        KernelError::NotCompiled { .. } => {
            "it is not compiled in for this target or these crate features".into()
        }
        other => other.to_string(),
    }
}

/// One kernel of the catalogue, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) status: &'static str,
    pub(crate) needs: &'static [&'static str],
    pub(crate) missing: Vec<&'static str>,
    pub(crate) technique: &'static str,
}

impl From<&KernelInfo> for Entry {
    fn from(info: &KernelInfo) -> Entry {
        let (status, missing) = match info.status() {
            KernelStatus::Available => ("available", Vec::new()),
            KernelStatus::Unsupported(missing) => ("unsupported", missing.names().collect()),
            _ => ("not-compiled", Vec::new()),
        };
        Entry {
            name: info.name(),
            status,
            needs: info.needs(),
            missing,
            technique: info.technique(),
        }
    }
}

/// Every kernel of the catalogue, best first.
pub(crate) fn entries() -> Vec<Entry> {
    Kernels::catalogue().iter().map(Entry::from).collect()
}

/// The width of the longest name.
pub(crate) fn name_width() -> usize {
    let names = Kernels::catalogue().iter().map(KernelInfo::name);
    names.map(str::len).max().unwrap_or_default()
}

/// The catalogue for people, a line for each kernel; the chosen one is marked.
pub(crate) fn table(chosen: Option<&Kernels>) -> String {
    let width = name_width();
    let mut text = String::new();
    for entry in entries() {
        let is_chosen = chosen.is_some_and(|kernels| kernels.name() == entry.name);
        let mark = if is_chosen { '>' } else { ' ' };
        let name = format!("{:width$}", entry.name);
        let name = if is_chosen {
            styled(STRONG, &name)
        } else {
            name
        };
        let style = if entry.status == "available" {
            GOOD
        } else {
            FAINT
        };
        let status = styled(style, &format!("{:12}", entry.status));
        let detail = if entry.missing.is_empty() {
            entry.technique.to_owned()
        } else {
            format!("lacks {}", entry.missing.join(", "))
        };
        let _ = writeln!(text, "{mark} {name}  {status}  {detail}");
    }
    text
}
