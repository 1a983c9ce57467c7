//! The choice of a kernel by the CPU, the environment and the program.

use core::fmt;

use crate::{Kernel, KernelError, KernelInfo};

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
/// let choice = Choice::default().exclude("avx512-gfni, pext");
/// let kernel = Kernel::init(choice)?; // the usual choice, but neither of these two
/// # let _ = kernel;
/// # Ok::<(), setwise::error::ChoiceError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Choice<'a> {
    /// The values of [`FORCE`] and [`DISABLE`]. `None` reads those of the process (with feature
    /// `std`).
    environment: Option<[Option<&'a [u8]>; 2]>,
    force: Option<&'a [u8]>,
    exclude: &'a [u8],
}

impl Default for Choice<'_> {
    /// Obeys the environment (with feature `std`), and forces or excludes nothing else.
    fn default() -> Self {
        Choice { environment: None, ..Choice::by_cpu() }
    }
}

impl<'a> Choice<'a> {
    /// Chooses by the CPU alone and ignores the environment.
    pub const fn by_cpu() -> Self {
        Choice { environment: Some([None; 2]), force: None, exclude: &[] }
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
        Choice { environment: Some([force, disable]), ..self }
    }

    /// Forces a kernel by its name. If the environment also forces a kernel, the environment wins,
    /// so the user has the last word. A name that is not UTF-8 counts as unknown.
    pub fn force(self, name: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        Choice { force: Some(name.as_ref()), ..self }
    }

    /// Excludes kernels by a comma-separated list of names, as in `SETWISE_DISABLE`, in addition to
    /// the kernels that the environment disables. A forced kernel is never excluded.
    pub fn exclude(self, names: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        Choice { exclude: names.as_ref(), ..self }
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
        self.read_environment(|choice| Ok(choice.allowed()?.0))
    }

    /// All kernels that this choice allows, best first: those that can run here and are not
    /// excluded, or only the forced one.
    ///
    /// # Errors
    /// [`ChoiceError`], like [`find`](Choice::find).
    #[cfg(feature = "std")]
    pub fn candidates(self) -> Result<Vec<&'static Kernel>, ChoiceError> {
        self.read_environment(|choice| {
            let (best, others) = choice.allowed()?;
            Ok([best].into_iter().chain(others).collect())
        })
    }

    /// Calls `then` with this choice, in which the values of the environment variables are set.
    fn read_environment<T>(self, then: impl FnOnce(Choice<'_>) -> T) -> T {
        #[cfg(feature = "std")]
        if self.environment.is_none() {
            let values = [FORCE, DISABLE].map(std::env::var_os);
            let [force, disable] =
                values.each_ref().map(|value| Some(value.as_ref()?.as_encoded_bytes()));
            return then(self.environment(force, disable));
        }
        then(self)
    }

    /// The rules of the choice. Returns the best kernel, and then all others that are allowed.
    fn allowed(
        self,
    ) -> Result<(&'static Kernel, impl Iterator<Item = &'static Kernel>), ChoiceError> {
        let environment = self.environment.unwrap_or_default();
        let [force, disable] = environment.map(Option::unwrap_or_default);
        let forced = match self.force {
            _ if !force.is_empty() => Some((Some(FORCE), force)),
            by_program => by_program.map(|name| (None, name)),
        };
        let blame = |variable| move |error| ChoiceError { variable, error };
        let mut only = None;
        if let Some((variable, name)) = forced {
            let kernel = KernelInfo::by_name(name).and_then(KernelInfo::admit);
            only = Some(kernel.map_err(blame(variable))?);
        } else {
            for (variable, name) in self.excluded(disable) {
                KernelInfo::by_name(name).map_err(blame(variable))?;
            }
        }
        let mut allowed = Kernel::available().filter(move |kernel| match only {
            Some(only) => *kernel == only,
            None => self.excluded(disable).all(|(_, name)| name != kernel.name().as_bytes()),
        });
        let variable = (!disable.is_empty()).then_some(DISABLE);
        let best = allowed.next().ok_or(KernelError::NoneLeft).map_err(blame(variable))?;
        Ok((best, allowed))
    }

    /// The names of the excluded kernels, those that the program excludes first, and the variable
    /// that excludes each.
    fn excluded(self, disable: &'a [u8]) -> impl Iterator<Item = (Option<&'static str>, &'a [u8])> {
        let lists = [(None, self.exclude), (Some(DISABLE), disable)].into_iter();
        lists.flat_map(|(variable, names)| each_name(names).map(move |name| (variable, name)))
    }
}

/// The trimmed names of a comma-separated list. Works on bytes, because functions on text would
/// link Unicode tables.
fn each_name(names: &[u8]) -> impl Iterator<Item = &[u8]> {
    let names = names.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    names.filter(|name| !name.is_empty())
}

/// The error of [`Kernel::try_active`] and [`Kernel::init`]: the kernel choice, made by
/// environment variables or by the program, cannot be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChoiceError {
    pub(crate) variable: Option<&'static str>,
    pub(crate) error: KernelError,
}

getters! { ChoiceError {
    /// The environment variable at fault; `None` if the program's choice is at fault.
    variable: Option<&'static str>;
    /// The reason why the kernel cannot be used.
    error: KernelError;
} }

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
