//! The active kernel, and the rules by which the CPU, the environment and the program choose it.

use core::fmt;
use core::ptr::{from_ref, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::kernels::CATALOGUE;
use crate::{Kernel, KernelError, KernelInfo, detect};

/// The environment variable that forces a kernel.
const FORCE: &str = "SETWISE_FORCE_KERNEL";
/// The environment variable that excludes kernels.
const DISABLE: &str = "SETWISE_DISABLE";

/// The active kernel. Null until one is chosen or activated. Relaxed ordering is enough, because
/// the pointer only ever points to constants.
static ACTIVE: AtomicPtr<Kernel> = AtomicPtr::new(null_mut());

/// The best kernel that needs no CPU detection, and whether no better one is compiled in.
const OF_TARGET: (&Kernel, bool) = {
    let (mut i, mut is_best) = (0, true);
    loop {
        if let Some(kernel) = CATALOGUE[i].table {
            if detect::set(CATALOGUE[i].needs) & !detect::COMPILED == 0 {
                break (kernel, is_best);
            }
            is_best = false;
        }
        i += 1;
    }
};

/// The kernel that the compile target decides, so that none must be chosen at first use. Always
/// `None` with feature `std`, because the environment may choose another kernel.
const DECIDED: Option<&Kernel> =
    if OF_TARGET.1 && !cfg!(feature = "std") { Some(OF_TARGET.0) } else { None };

impl Kernel {
    /// The kernel that the functions at the crate's root use: the best one that can run here. The
    /// first call probes the CPU for what the compile target does not have; later calls cost one
    /// load and a branch that is never taken.
    ///
    /// With feature `std`, the environment variable `SETWISE_FORCE_KERNEL` forces a kernel by its
    /// exact name. If it is not set, or empty, `SETWISE_DISABLE` (comma-separated names) excludes
    /// kernels, for example `avx512-gfni` on a CPU whose clock drops under wide vectors. Programs
    /// can do both with [`init`](Kernel::init). The kernel `portable` contains AVX2 code, which
    /// `SETWISE_DISABLE=avx2` does not exclude: exclude `portable` as well.
    ///
    /// Features of the compile target are not probed. It alone decides on `simd128`, and without
    /// feature `std` on `neon`. If it has all that the best kernel needs (`-C
    /// target-cpu=icelake-server`), nothing is probed, and without feature `std` the kernel is
    /// known at compile time.
    ///
    /// # Panics
    /// At first use, if `SETWISE_FORCE_KERNEL` names a kernel that is unknown or cannot run here.
    /// Also if `SETWISE_DISABLE` names an unknown kernel, or excludes every kernel that can run
    /// here. The message lists the kernels and the missing features.
    /// [`try_active`](Kernel::try_active) returns an error instead.
    #[inline]
    #[must_use]
    pub fn active() -> &'static Kernel {
        match Kernel::already_active().or(DECIDED) {
            Some(kernel) => kernel,
            None => Kernel::choose_or_panic(),
        }
    }

    /// The active kernel, like [`active`](Kernel::active), but with an error instead of a panic.
    ///
    /// # Errors
    /// [`ChoiceError`] in the cases where `active` panics. No kernel becomes active, and the next
    /// call chooses again. [`init`](Kernel::init) can choose without the environment.
    ///
    /// ```
    /// use setwise::{Choice, Kernel};
    /// let kernel = Kernel::try_active().or_else(|error| {
    ///     eprintln!("warning: {error}");
    ///     Kernel::init(Choice::by_cpu())
    /// });
    /// println!("{}", kernel.unwrap().name());
    /// ```
    #[inline]
    pub fn try_active() -> Result<&'static Kernel, ChoiceError> {
        Kernel::already_active().or(DECIDED).map_or_else(Kernel::choose, Ok)
    }

    /// Chooses a kernel and [activates](Kernel::activate) it. Call this function at program start.
    /// A later call takes effect from then on.
    ///
    /// # Errors
    /// [`ChoiceError`] if a name is unknown, the forced kernel cannot run here, or no kernel is
    /// left. The active kernel stays the same.
    ///
    /// ```
    /// use setwise::{Choice, Kernel};
    /// // Ignores the environment, and avoids the widest registers.
    /// let kernel = Kernel::init(Choice::by_cpu().exclude("avx512-gfni"))?;
    /// assert_ne!(kernel.name(), "avx512-gfni");
    /// assert_eq!(Kernel::active(), kernel);
    /// # Ok::<(), setwise::error::ChoiceError>(())
    /// ```
    pub fn init(choice: Choice<'_>) -> Result<&'static Kernel, ChoiceError> {
        choice.find().inspect(|kernel| kernel.activate())
    }

    /// The best kernel that every CPU of the compile target can run, known at compile time: `sse2`
    /// for plain x86-64; `avx2` with `-C target-cpu=x86-64-v3`, even on a CPU that could run a
    /// better one. Use it in programs that are compiled once per CPU level.
    ///
    /// The methods of this kernel call its functions directly, without the table (through the GOT
    /// in a position-independent program, like any function of another crate). Neither the CPU,
    /// the environment nor [`activate`](Kernel::activate) changes the choice.
    ///
    /// ```
    /// use setwise::Kernel;
    /// let kernel = Kernel::of_target();
    /// assert_eq!(kernel.rook_attacks_one(1, 0), 0x0101_0101_0101_01fe);
    /// assert_eq!(Kernel::by_name(kernel.name()), Ok(kernel));
    /// ```
    #[inline]
    #[must_use]
    pub const fn of_target() -> &'static Kernel {
        OF_TARGET.0
    }

    #[cold]
    #[inline(never)]
    fn choose_or_panic() -> &'static Kernel {
        match Kernel::choose() {
            Ok(kernel) => kernel,
            #[cfg(feature = "std")]
            Err(ChoiceError { variable: Some(name), error }) => {
                let value = std::env::var_os(name).unwrap_or_default();
                panic!("{name}={}: {error}", value.display())
            }
            Err(error) => panic!("{error}"),
        }
    }

    #[cold]
    #[inline(never)]
    fn choose() -> Result<&'static Kernel, ChoiceError> {
        Ok(Choice::default().find()?.activate_first())
    }

    /// The active kernel, if one has been chosen or activated. Not part of the stable interface.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn already_active() -> Option<&'static Kernel> {
        // SAFETY: the pointer is null or was a `&'static Kernel`.
        unsafe { ACTIVE.load(Ordering::Relaxed).as_ref() }
    }

    /// Activates this kernel unless another one is already active, and returns the active one. Not
    /// part of the stable interface.
    #[doc(hidden)]
    #[must_use]
    pub fn activate_first(&'static self) -> &'static Kernel {
        // A concurrent `activate` wins. A plain store could overwrite its kernel, but is all that
        // cores without compare-and-swap have. There, only an interrupt can come between.
        #[cfg(not(target_has_atomic = "ptr"))]
        self.activate();
        #[cfg(target_has_atomic = "ptr")]
        let _active = ACTIVE.compare_exchange(
            null_mut(),
            from_ref(self).cast_mut(),
            Ordering::Relaxed,
            Ordering::Relaxed,
        );
        Kernel::already_active().unwrap_or(self)
    }

    /// Makes this kernel the one that [`active`](Kernel::active) and the functions at the crate's
    /// root use from now on, in all threads.
    ///
    /// ```
    /// use setwise::Kernel;
    /// // The best one except avx512-gfni.
    /// let kernel = Kernel::available().find(|k| k.name() != "avx512-gfni").unwrap();
    /// kernel.activate();
    /// assert_eq!(Kernel::active().name(), kernel.name());
    /// ```
    pub fn activate(&'static self) {
        ACTIVE.store(from_ref(self).cast_mut(), Ordering::Relaxed);
    }

    /// Runs `work` with every available kernel in turn, for about `budget` and for at least three
    /// rounds. Returns the kernel whose fastest run took the least time: the run that other
    /// programs on the machine disturbed least. Activates no kernel (feature `std`).
    ///
    /// A run of `work` should take at least some microseconds, and do what the program will do: the
    /// same operations on batches of the same size. All kernels compute the same results, so a
    /// misleading measurement costs only speed. [`active`](Kernel::active) measures nothing.
    ///
    /// ```
    /// let (queens, occupied, mut attacks) = ([1; 256], [0x5500; 256], [0; 256]);
    /// let kernel = setwise::Kernel::fastest(std::time::Duration::from_millis(5), |kernel| {
    ///     kernel.queen_attacks(&queens, &occupied, &mut attacks);
    /// });
    /// kernel.activate();
    /// ```
    #[cfg(feature = "std")]
    #[must_use]
    pub fn fastest(
        budget: std::time::Duration,
        mut work: impl FnMut(&'static Kernel),
    ) -> &'static Kernel {
        use std::time::{Duration, Instant};
        let start = Instant::now();
        let mut times: Vec<_> = Kernel::available().map(|kernel| (Duration::MAX, kernel)).collect();
        let mut rounds = 0;
        while rounds < 3 || start.elapsed() < budget {
            for (shortest, kernel) in &mut times {
                let start = Instant::now();
                work(kernel);
                *shortest = start.elapsed().min(*shortest);
            }
            rounds += 1;
        }
        let fastest = times.into_iter().min_by_key(|(shortest, _)| *shortest);
        fastest.map_or(Kernel::of_target(), |(_, kernel)| kernel)
    }
}

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
    /// let choice = setwise::Choice::by_cpu().environment(Some(b"scalar"), None);
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
    /// assert_eq!(setwise::Choice::by_cpu().force("scalar").find().unwrap().name(), "scalar");
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
            let values = [FORCE, DISABLE].map(|name| std::env::var_os(name).unwrap_or_default());
            let [force, disable] = values.each_ref().map(|value| Some(value.as_encoded_bytes()));
            return then(self.environment(force, disable));
        }
        then(self)
    }

    /// The rules of the choice. Returns the best kernel, and then all others that are allowed.
    fn allowed(
        self,
    ) -> Result<(&'static Kernel, impl Iterator<Item = &'static Kernel>), ChoiceError> {
        let [force, disable] = self.environment.unwrap_or_default().map(Option::unwrap_or_default);
        let blame = |variable| move |error| ChoiceError { variable, error };
        let forced = match self.force {
            _ if !force.is_empty() => Some((Some(FORCE), force)),
            by_program => by_program.map(|name| (None, name)),
        };
        let mut only = None;
        if let Some((variable, name)) = forced {
            let kernel = KernelInfo::by_name(name).and_then(KernelInfo::admit);
            only = Some(kernel.map_err(blame(variable))?);
        } else {
            for (variable, names) in [(None, self.exclude), (Some(DISABLE), disable)] {
                for name in each_name(names) {
                    KernelInfo::by_name(name).map_err(blame(variable))?;
                }
            }
        }
        let mut allowed = Kernel::available().filter(move |kernel| {
            let mut excluded = each_name(self.exclude).chain(each_name(disable));
            let is_allowed = || excluded.all(|name| name != kernel.name().as_bytes());
            only.map_or_else(is_allowed, |only| only == *kernel)
        });
        let variable = (!disable.is_empty()).then_some(DISABLE);
        let best = allowed.next().ok_or(KernelError::NoneLeft).map_err(blame(variable))?;
        Ok((best, allowed))
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
    variable: Option<&'static str>,
    error: KernelError,
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
