//! The kernel in use: the choice at first use, by the CPU and the environment.

use core::fmt;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::catalogue::RequestedName;
#[cfg(feature = "std")]
use crate::env::{DISABLE, FORCE, each_name, variable};
use crate::kernels::CATALOGUE;
use crate::{KernelError, Kernels, detect};

/// The kernel in use; null before the first use, if it takes one to know. What
/// it points to is a constant: relaxed order is enough.
static ACTIVE: AtomicPtr<Kernels> = AtomicPtr::new(match DECIDED {
    Some(table) => core::ptr::from_ref(table).cast_mut(),
    None => null_mut(),
});

/// The best kernel, if that is known at compile time: if the program is compiled for a CPU that has all that
/// the first kernel of this target needs. With `std` it is not, as the environment may choose another.
const DECIDED: Option<&Kernels> = {
    let mut i = 0;
    while CATALOGUE[i].table.is_none() {
        i += 1;
    }
    if cfg!(feature = "std") || !detect::all_compiled_for(CATALOGUE[i].needs) {
        None
    } else {
        CATALOGUE[i].table
    }
};

/// The best kernel of those for which no question to the CPU is needed.
const OF_TARGET: &Kernels = {
    let mut i = 0;
    loop {
        match CATALOGUE[i].table {
            Some(table) if detect::all_compiled_for(CATALOGUE[i].needs) => break table,
            _ => i += 1,
        }
    }
};

// So targets without compare-and-swap need none: `ACTIVE` is filled from the start, and `choose` never called.
const _: () = assert!(DECIDED.is_some() || cfg!(target_has_atomic = "ptr"));

impl Kernels {
    /// The kernel that the functions at the crate's root use: picked at first use (one probe of the
    /// CPU), the best that can run; later calls cost one load and a branch never taken.
    ///
    /// With feature `std`, the environment variable `SETWISE_FORCE_KERNEL` forces the choice by name, exactly as it is
    /// written (an empty value is an unknown name), and then nothing else counts. Otherwise `SETWISE_DISABLE` (names,
    /// separated by commas, blanks and empty ones ignored) excludes kernels from the choice, as one may want
    /// for `avx512` on a CPU whose clock falls under wide vectors. (Of `portable`, whose loops are compiled for AVX2 too, those run only where
    /// `avx2` could: where the CPU has AVX2 and `avx2` is not excluded; so also if `portable` is forced.) In a program, [`init`](Kernels::init) does both.
    ///
    /// Nothing is probed that the compiler was told: with `-C target-cpu=icelake-server` the best kernel is known without a
    /// question to the CPU, and without feature `std` already at compile time; then the program contains no probe.
    /// So it is for `neon` and `simd128`.
    ///
    /// # Panics
    /// At first use, if `SETWISE_FORCE_KERNEL` names a kernel that is unknown or cannot run here
    /// (the message names those that exist and what is missing), or if `SETWISE_DISABLE` names an unknown
    /// one or leaves none. [`try_active`](Kernels::try_active) does not panic.
    #[inline]
    #[must_use]
    pub fn active() -> &'static Kernels {
        // SAFETY: null, or what `choose`, `activate` or the initialiser put there: a `&'static Kernels`.
        let active = unsafe { ACTIVE.load(Ordering::Relaxed).as_ref() };
        if DECIDED.is_some() {
            // SAFETY: it was never null, and `activate` stores references.
            return unsafe { active.unwrap_unchecked() };
        }
        match active {
            Some(kernels) => kernels,
            None => Kernels::choose(),
        }
    }

    /// [`active`](Kernels::active) without a panic: for programs that must not end because of a variable.
    ///
    /// # Errors
    /// [`ChoiceError`], where `active` panics. Then no kernel is in use yet, and the next call asks again;
    /// [`init`](Kernels::init) chooses without the environment.
    ///
    /// ```
    /// use setwise::{Choice, Kernels};
    /// let kernels = Kernels::try_active().or_else(|error| {
    ///     eprintln!("warning: {error}");
    ///     Kernels::init(Choice::by_cpu())
    /// });
    /// println!("{}", kernels.unwrap().name());
    /// ```
    #[inline]
    pub fn try_active() -> Result<&'static Kernels, ChoiceError> {
        // SAFETY: as in `active`.
        match unsafe { ACTIVE.load(Ordering::Relaxed).as_ref() } {
            Some(kernels) => Ok(kernels),
            None => Kernels::try_choose(),
        }
    }

    /// Chooses a kernel as the program wants it, and makes it the [active](Kernels::active) one for all threads: whether the environment
    /// counts, which kernels are out of the question, or which one it is to be. Meant for the program's start; later it takes effect
    /// from then on, as [`activate`](Kernels::activate) does.
    ///
    /// # Errors
    /// [`ChoiceError`], if a name is unknown or the forced kernel cannot run here, or if none is left. Then nothing changes.
    ///
    /// ```
    /// use setwise::{Choice, Kernels};
    /// // Whatever the environment says, and without the widest registers.
    /// let kernels = Kernels::init(Choice::by_cpu().exclude(&["avx512"]))?;
    /// assert_ne!(kernels.name(), "avx512");
    /// assert_eq!(Kernels::active(), kernels);
    /// # Ok::<(), setwise::ChoiceError>(())
    /// ```
    pub fn init(choice: Choice<'_>) -> Result<&'static Kernels, ChoiceError> {
        let kernels = choice.find()?;
        #[cfg(all(feature = "std", target_arch = "x86_64", not(target_feature = "avx2")))]
        crate::clone::choose(
            choice.exclude.contains(&"avx2") || choice.environment && crate::env::disables("avx2"),
        );
        kernels.activate();
        Ok(kernels)
    }

    /// The best kernel that every CPU of the compile target can run, known at compile time: calls of its methods are calls of the kernel's functions, without the table
    /// (in a position-independent program by its linker's table of addresses, as of any function of another crate).
    /// Neither the CPU nor the environment is asked, and [`activate`](Kernels::activate) does not count. With `-C target-cpu=x86-64-v3` it is `avx2`, also on a
    /// CPU that could run a better one; for any x86-64 it is `sse2`. Meant for programs that are compiled once for each level.
    ///
    /// ```
    /// use setwise::Kernels;
    /// let kernels = Kernels::of_target();
    /// assert_eq!(kernels.rook_attacks_one(1, 0), 0x0101_0101_0101_01fe);
    /// assert_eq!(Kernels::by_name(kernels.name()), Ok(kernels));
    /// ```
    #[inline]
    #[must_use]
    pub const fn of_target() -> &'static Kernels {
        OF_TARGET
    }

    #[cold]
    #[inline(never)]
    fn choose() -> &'static Kernels {
        match Kernels::try_choose() {
            Ok(kernels) => kernels,
            #[cfg(feature = "std")]
            Err(ChoiceError {
                variable: Some(name),
                error,
            }) => {
                let value = std::env::var_os(name).unwrap_or_default();
                panic!("{name}={}: {error}", value.display())
            }
            Err(error) => panic!("{error}"),
        }
    }

    #[cold]
    #[inline(never)]
    fn try_choose() -> Result<&'static Kernels, ChoiceError> {
        let kernels = Choice::default().find()?;
        // An `activate` in the meantime stands: with a plain store, one of an interrupt would be undone.
        #[cfg(target_has_atomic = "ptr")]
        if let Err(active) = ACTIVE.compare_exchange(
            null_mut(),
            core::ptr::from_ref(kernels).cast_mut(),
            Ordering::Relaxed,
            Ordering::Relaxed,
        ) {
            // SAFETY: not null, so a `&'static Kernels` that `activate` or another `choose` stored.
            return Ok(unsafe { &*active });
        }
        Ok(kernels)
    }

    /// Makes this the kernel that [`active`](Kernels::active) and the functions at the crate's root use from
    /// now on, in all threads.
    ///
    /// ```
    /// use setwise::Kernels;
    /// // The best that is not avx512.
    /// let kernels = Kernels::available().find(|k| k.name() != "avx512").unwrap();
    /// kernels.activate();
    /// assert_eq!(Kernels::active().name(), kernels.name());
    /// ```
    pub fn activate(&'static self) {
        ACTIVE.store(core::ptr::from_ref(self).cast_mut(), Ordering::Relaxed);
    }
}

/// How [`Kernels::init`] chooses a kernel. The default is what [`Kernels::active`] does at first use: the best by the CPU and the
/// environment.
///
/// ```
/// use setwise::{Choice, Kernels};
/// let choice = Choice::default().exclude(&["avx512", "pext"]);
/// let kernels = Kernels::init(choice)?; // by the CPU and the environment, but neither of these two
/// # let _ = kernels;
/// # Ok::<(), setwise::ChoiceError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Choice<'a> {
    #[cfg_attr(
        not(feature = "std"),
        allow(dead_code, reason = "there is no environment")
    )]
    environment: bool,
    force: Option<&'a str>,
    exclude: &'a [&'a str],
}

impl Default for Choice<'_> {
    /// The environment counts; nothing is forced or excluded.
    fn default() -> Self {
        Choice {
            environment: true,
            ..Choice::by_cpu()
        }
    }
}

impl<'a> Choice<'a> {
    /// By the CPU alone: the environment does not count.
    pub const fn by_cpu() -> Self {
        Choice {
            environment: false,
            force: None,
            exclude: &[],
        }
    }

    /// Forces a kernel by its name. If the environment counts and forces one, too, that is the one: the user has the last word.
    pub const fn force(self, name: &'a str) -> Self {
        Choice {
            force: Some(name),
            ..self
        }
    }

    /// Excludes kernels by their names; if the environment counts, those that it disables, too. A forced kernel is not excluded.
    pub const fn exclude(self, names: &'a [&'a str]) -> Self {
        Choice {
            exclude: names,
            ..self
        }
    }

    /// The kernel that this choice leads to, which does not become the active one.
    ///
    /// # Errors
    /// [`ChoiceError`], as of [`Kernels::init`].
    ///
    /// ```
    /// use setwise::Choice;
    /// assert_eq!(Choice::by_cpu().force("scalar").find().unwrap().name(), "scalar");
    /// ```
    pub fn find(self) -> Result<&'static Kernels, ChoiceError> {
        #[cfg(feature = "std")]
        if let Some(name) = variable(FORCE, self.environment) {
            let by = |error| ChoiceError::by(FORCE, error);
            let unknown = |_| by(unknown(name.as_encoded_bytes()));
            let name = str::from_utf8(name.as_encoded_bytes()).map_err(unknown)?;
            return Kernels::by_name(name).map_err(by);
        }
        let here = |error| ChoiceError {
            variable: None,
            error,
        };
        if let Some(name) = self.force {
            return Kernels::by_name(name).map_err(here);
        }
        if let Some(name) = self.exclude.iter().find(|name| !known(name.as_bytes())) {
            return Err(here(unknown(name.as_bytes())));
        }
        #[cfg(feature = "std")]
        if let Some(names) = variable(DISABLE, self.environment) {
            let by = |error| ChoiceError::by(DISABLE, error);
            let names = names.as_encoded_bytes();
            if let Some(name) = each_name(names).find(|name| !known(name)) {
                return Err(by(unknown(name)));
            }
            let disabled = |name: &str| each_name(names).any(|n| n == name.as_bytes());
            return self.best(&disabled).ok_or(by(KernelError::NoneLeft));
        }
        self.best(&|_| false).ok_or(here(KernelError::NoneLeft))
    }

    /// The best that neither the program nor the environment excludes.
    fn best(self, disabled: &dyn Fn(&str) -> bool) -> Option<&'static Kernels> {
        Kernels::available().find(|kernels| {
            let name = kernels.name();
            !self.exclude.contains(&name) && !disabled(name)
        })
    }
}

/// Why a kernel could not be chosen as the environment or the program asked: of [`Kernels::try_active`] and [`Kernels::init`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChoiceError {
    variable: Option<&'static str>,
    error: KernelError,
}

impl ChoiceError {
    #[cfg(feature = "std")]
    fn by(variable: &'static str, error: KernelError) -> Self {
        ChoiceError {
            variable: Some(variable),
            error,
        }
    }

    /// The error of a program that asked for this name, which need not be text. Not part of the stable interface.
    #[doc(hidden)]
    #[must_use]
    pub fn unknown(name: &[u8]) -> Self {
        ChoiceError {
            variable: None,
            error: unknown(name),
        }
    }

    /// The environment variable that asked; none if it was the program.
    #[must_use]
    pub fn variable(&self) -> Option<&'static str> {
        self.variable
    }

    /// What is wrong with it.
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

fn known(name: &[u8]) -> bool {
    Kernels::catalogue()
        .iter()
        .any(|info| info.name().as_bytes() == name)
}

#[cold]
fn unknown(name: &[u8]) -> KernelError {
    KernelError::Unknown {
        name: RequestedName::new(name),
    }
}
