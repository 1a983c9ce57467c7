//! The active kernel, chosen at first use.

use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::error::ChoiceError;
use crate::kernels::CATALOGUE;
use crate::{Choice, Kernel, detect};

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
    /// first call probes the CPU; later calls cost one load and a branch that is never taken.
    ///
    /// With feature `std`, the environment variable `SETWISE_FORCE_KERNEL` forces a kernel by its
    /// exact name. If it is not set, or empty, `SETWISE_DISABLE` (comma-separated names) excludes
    /// kernels, for example `avx512-gfni` on a CPU whose clock drops under wide vectors. Programs
    /// can do both with [`init`](Kernel::init). The kernel `portable` contains AVX2 code, which
    /// `SETWISE_DISABLE=avx2` does not exclude: exclude `portable` as well.
    ///
    /// CPU features enabled at compile time are not probed. With `-C target-cpu=icelake-server`,
    /// for example, the best kernel is known without a probe. Without feature `std` it is even
    /// known at compile time. The kernels `neon` and `simd128` are never probed for: the compile
    /// target decides whether they can run.
    ///
    /// # Panics
    /// At first use, if `SETWISE_FORCE_KERNEL` names a kernel that is unknown or cannot run here.
    /// Also if `SETWISE_DISABLE` names an unknown kernel, or excludes every kernel that can run
    /// here. The message lists the kernels and the missing features.
    /// [`try_active`](Kernel::try_active) returns an error instead.
    #[inline]
    #[must_use]
    pub fn active() -> &'static Kernel {
        match Kernel::active_or_decided() {
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
        Kernel::active_or_decided().map_or_else(Kernel::choose, Ok)
    }

    #[inline]
    fn active_or_decided() -> Option<&'static Kernel> {
        Kernel::already_active().or(DECIDED)
    }

    /// Chooses a kernel and makes it the [active](Kernel::active) one for all threads. The
    /// [`Choice`] says whether the environment variables apply, and which kernels are excluded or
    /// forced. Call this function at program start. A later call takes effect from then on, like
    /// [`activate`](Kernel::activate).
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
        let kernel = choice.find()?;
        kernel.activate();
        Ok(kernel)
    }

    /// The best kernel that every CPU of the compile target can run, known at compile time. With
    /// `-C target-cpu=x86-64-v3` it is `avx2`, even on a CPU that could run a better kernel. For
    /// plain x86-64 it is `sse2`. Use it in programs that are compiled once per CPU level.
    ///
    /// The methods of this kernel call its functions directly, without the table (through the GOT
    /// in a position-independent program, like any function of another crate). The choice does not
    /// depend on the CPU or the environment, and [`activate`](Kernel::activate) does not change
    /// it.
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
            core::ptr::from_ref(self).cast_mut(),
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
        ACTIVE.store(core::ptr::from_ref(self).cast_mut(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As if another thread had activated a kernel during the first choice.
    #[test]
    fn a_choice_does_not_undo_an_activation() {
        static OTHER: std::sync::OnceLock<Kernel> = std::sync::OnceLock::new();
        let best = Kernel::available().next().unwrap();
        // A copy, because unit tests may have only one kernel.
        // SAFETY: a table has no destructor.
        let other = OTHER.get_or_init(|| unsafe { core::ptr::read(best) });
        other.activate();
        assert!(core::ptr::eq(best.activate_first(), other));
        best.activate();
    }
}
