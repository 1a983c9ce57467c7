//! The choice of a kernel by the CPU, the environment and the program.

use core::fmt;

use crate::catalogue::RequestedName;
use crate::{Kernel, KernelError};

/// The environment variable that forces a kernel.
const FORCE: &str = "SETWISE_FORCE_KERNEL";
/// The environment variable that excludes kernels.
const DISABLE: &str = "SETWISE_DISABLE";

/// The rules by which [`Kernel::init`] chooses a kernel. The default rules are those of
/// [`Kernel::active`] at first use: the best kernel that the CPU can run and the environment
/// allows.
///
/// ```
/// use setwise::{Choice, Kernel};
/// let choice = Choice::default().exclude(&["avx512-gfni", "pext"]);
/// let kernels = Kernel::init(choice)?; // the usual choice, but neither of these two
/// # let _ = kernels;
/// # Ok::<(), setwise::error::ChoiceError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Choice<'a> {
    environment: Environment<'a>,
    force: Option<&'a [u8]>,
    exclude: &'a [&'a str],
    exclude_list: &'a [u8],
}

/// The source of the values of [`FORCE`] and [`DISABLE`].
#[derive(Clone, Copy, Debug)]
enum Environment<'a> {
    /// The process's environment, read when the kernel is chosen.
    #[cfg(feature = "std")]
    Process,
    Given {
        force: Option<&'a [u8]>,
        disable: Option<&'a [u8]>,
    },
}

impl Default for Choice<'_> {
    /// Obeys the environment (with feature `std`), and forces or excludes nothing else.
    fn default() -> Self {
        Choice {
            #[cfg(feature = "std")]
            environment: Environment::Process,
            ..Choice::by_cpu()
        }
    }
}

impl<'a> Choice<'a> {
    /// Chooses by the CPU alone and ignores the environment.
    pub const fn by_cpu() -> Self {
        Choice {
            environment: Environment::Given { force: None, disable: None },
            force: None,
            exclude: &[],
            exclude_list: &[],
        }
    }

    /// Uses these values of `SETWISE_FORCE_KERNEL` and `SETWISE_DISABLE` instead of those of the
    /// process. For programs without `std`, or with another source of settings.
    ///
    /// ```
    /// use setwise::Choice;
    /// let choice = Choice::by_cpu().environment(Some(b"scalar"), None);
    /// assert_eq!(choice.find().unwrap().name(), "scalar");
    /// ```
    pub const fn environment(self, force: Option<&'a [u8]>, disable: Option<&'a [u8]>) -> Self {
        Choice { environment: Environment::Given { force, disable }, ..self }
    }

    /// Forces a kernel by its name. If the environment also forces a kernel, the environment wins,
    /// so the user has the last word.
    pub const fn force(self, name: &'a str) -> Self {
        self.force_bytes(name.as_bytes())
    }

    /// Forces a kernel, like [`force`](Choice::force). A name that is not UTF-8 counts as unknown.
    pub const fn force_bytes(self, name: &'a [u8]) -> Self {
        Choice { force: Some(name), ..self }
    }

    /// Excludes kernels by their names, in addition to the kernels that the environment disables. A
    /// forced kernel is never excluded.
    pub const fn exclude(self, names: &'a [&'a str]) -> Self {
        Choice { exclude: names, ..self }
    }

    /// Excludes kernels by a comma-separated list of names, as in `SETWISE_DISABLE`.
    pub const fn exclude_list(self, names: &'a [u8]) -> Self {
        Choice { exclude_list: names, ..self }
    }

    /// The kernel that this choice selects. Does not activate it.
    ///
    /// # Errors
    /// [`ChoiceError`], like [`Kernel::init`].
    ///
    /// ```
    /// use setwise::Choice;
    /// assert_eq!(Choice::by_cpu().force("scalar").find().unwrap().name(), "scalar");
    /// ```
    pub fn find(self) -> Result<&'static Kernel, ChoiceError> {
        self.with_environment(|choice, force, disable| {
            if let Some(forced) = choice.forced(force) {
                return forced;
            }
            choice.check_names(disable)?;
            Kernel::available().find(|k| !choice.excluded(k.name(), disable)).ok_or(ChoiceError {
                variable: disable.map(|_| DISABLE),
                error: KernelError::NoneLeft,
            })
        })
    }

    /// All kernels that this choice allows, best first: those that can run here and are not
    /// excluded, or only the forced one.
    ///
    /// # Errors
    /// [`ChoiceError`], like [`find`](Choice::find).
    #[cfg(feature = "std")]
    pub fn candidates(self) -> Result<Vec<&'static Kernel>, ChoiceError> {
        let best = self.find()?;
        Ok(self.with_environment(|choice, force, disable| {
            if choice.forced(force).is_some() {
                return vec![best];
            }
            Kernel::available().filter(|k| !choice.excluded(k.name(), disable)).collect()
        }))
    }

    /// Calls `then` with the values of `SETWISE_FORCE_KERNEL` and `SETWISE_DISABLE`. An empty value
    /// counts as unset.
    fn with_environment<T>(self, then: impl FnOnce(Self, Option<&[u8]>, Option<&[u8]>) -> T) -> T {
        let then = |force: Option<&[u8]>, disable: Option<&[u8]>| {
            let set = |value: &&[u8]| !value.is_empty();
            then(self, force.filter(set), disable.filter(set))
        };
        match self.environment {
            #[cfg(feature = "std")]
            Environment::Process => {
                let values = [FORCE, DISABLE].map(std::env::var_os);
                let [force, disable] = values
                    .each_ref()
                    .map(|value| value.as_ref().map(|value| value.as_encoded_bytes()));
                then(force, disable)
            }
            Environment::Given { force, disable } => then(force, disable),
        }
    }

    /// The kernel that the variable or the program forces, or the error if it cannot be used.
    /// `None` if no kernel is forced.
    fn forced(self, by_variable: Option<&[u8]>) -> Option<Result<&'static Kernel, ChoiceError>> {
        let variable = by_variable.map(|_| FORCE);
        let name = by_variable.or(self.force)?;
        let found = match str::from_utf8(name) {
            Ok(name) => Kernel::by_name(name),
            Err(_) => Err(unknown(name)),
        };
        Some(found.map_err(|error| ChoiceError { variable, error }))
    }

    /// Returns an error if an excluded name is unknown.
    fn check_names(self, disable: Option<&[u8]>) -> Result<(), ChoiceError> {
        let known =
            |name: &[u8]| Kernel::catalogue().iter().any(|info| info.name().as_bytes() == name);
        let by_program = self.exclude.iter().map(|name| name.as_bytes());
        let by_program = by_program.chain(each_name(self.exclude_list)).map(|name| (None, name));
        let by_variable = each_name(disable.unwrap_or_default()).map(|name| (Some(DISABLE), name));
        match by_program.chain(by_variable).find(|(_, name)| !known(name)) {
            Some((variable, name)) => Err(ChoiceError { variable, error: unknown(name) }),
            None => Ok(()),
        }
    }

    fn excluded(self, name: &str, disable: Option<&[u8]>) -> bool {
        let name = name.as_bytes();
        self.exclude.iter().any(|other| other.as_bytes() == name)
            || each_name(self.exclude_list).any(|other| other == name)
            || each_name(disable.unwrap_or_default()).any(|other| other == name)
    }
}

/// The trimmed names of a comma-separated list. Works on bytes, because functions on text would
/// link Unicode tables.
fn each_name(names: &[u8]) -> impl Iterator<Item = &[u8]> {
    let names = names.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    names.filter(|name| !name.is_empty())
}

#[cold]
fn unknown(name: &[u8]) -> KernelError {
    KernelError::Unknown { name: RequestedName::new(name) }
}

/// The error of [`Kernel::try_active`] and [`Kernel::init`]: the kernel choice, made by
/// environment variables or by the program, cannot be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChoiceError {
    pub(crate) variable: Option<&'static str>,
    pub(crate) error: KernelError,
}

impl ChoiceError {
    /// The environment variable at fault; `None` if the program's choice is at fault.
    #[must_use]
    pub fn variable(&self) -> Option<&'static str> {
        self.variable
    }

    /// The reason why the kernel cannot be used.
    #[must_use]
    pub fn error(&self) -> KernelError {
        self.error
    }
}

impl fmt::Display for ChoiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(variable) = self.variable {
            write!(f, "{variable}: ")?;
        }
        fmt::Display::fmt(&self.error, f)
    }
}

impl core::error::Error for ChoiceError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.error)
    }
}
