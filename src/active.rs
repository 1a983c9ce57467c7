//! The active kernel, chosen at first use.

use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::error::ChoiceError;
use crate::kernels::CATALOGUE;
use crate::{Choice, Kernel, detect};

/// The active kernel. Null until first use, unless the choice is known at compile time. Relaxed
/// ordering is enough, because the pointer only ever points to constants.
static ACTIVE: AtomicPtr<Kernel> = AtomicPtr::new(match DECIDED {
    Some(table) => core::ptr::from_ref(table).cast_mut(),
    None => null_mut(),
});

/// The best kernel that is compiled in, if the compile target has all its features, so that no
/// detection is needed. Otherwise `None`. Also `None` with feature `std`, because the environment
/// may choose another kernel.
const DECIDED: Option<&Kernel> = {
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

/// The best kernel that needs no CPU detection.
const OF_TARGET: &Kernel = {
    let mut i = 0;
    loop {
        match CATALOGUE[i].table {
            Some(table) if detect::all_compiled_for(CATALOGUE[i].needs) => break table,
            _ => i += 1,
        }
    }
};

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
        // SAFETY: the pointer is null, or a `&'static Kernel` from `choose`, `activate` or the
        // initialiser.
        let active = unsafe { ACTIVE.load(Ordering::Relaxed).as_ref() };
        if DECIDED.is_some() {
            // SAFETY: the initial pointer is a reference, and `activate` stores only references.
            return unsafe { active.unwrap_unchecked() };
        }
        match active {
            Some(kernels) => kernels,
            None => Kernel::choose(),
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
    /// let kernels = Kernel::try_active().or_else(|error| {
    ///     eprintln!("warning: {error}");
    ///     Kernel::init(Choice::by_cpu())
    /// });
    /// println!("{}", kernels.unwrap().name());
    /// ```
    #[inline]
    pub fn try_active() -> Result<&'static Kernel, ChoiceError> {
        // SAFETY: the pointer is null, or a `&'static Kernel`, as in `active`.
        match unsafe { ACTIVE.load(Ordering::Relaxed).as_ref() } {
            Some(kernels) => Ok(kernels),
            None => Kernel::try_choose(),
        }
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
    /// let kernels = Kernel::init(Choice::by_cpu().exclude(&["avx512-gfni"]))?;
    /// assert_ne!(kernels.name(), "avx512-gfni");
    /// assert_eq!(Kernel::active(), kernels);
    /// # Ok::<(), setwise::error::ChoiceError>(())
    /// ```
    pub fn init(choice: Choice<'_>) -> Result<&'static Kernel, ChoiceError> {
        let kernels = choice.find()?;
        kernels.activate();
        Ok(kernels)
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
    /// let kernels = Kernel::of_target();
    /// assert_eq!(kernels.rook_attacks_one(1, 0), 0x0101_0101_0101_01fe);
    /// assert_eq!(Kernel::by_name(kernels.name()), Ok(kernels));
    /// ```
    #[inline]
    #[must_use]
    pub const fn of_target() -> &'static Kernel {
        OF_TARGET
    }

    #[cold]
    #[inline(never)]
    fn choose() -> &'static Kernel {
        match Kernel::try_choose() {
            Ok(kernels) => kernels,
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
    fn try_choose() -> Result<&'static Kernel, ChoiceError> {
        let kernels = Choice::default().find()?;
        // A concurrent `activate` wins. A plain store could overwrite its kernel, but is all that
        // cores without compare-and-swap have. There, only an interrupt can come between.
        #[cfg(not(target_has_atomic = "ptr"))]
        kernels.activate();
        #[cfg(target_has_atomic = "ptr")]
        if let Err(active) = ACTIVE.compare_exchange(
            null_mut(),
            core::ptr::from_ref(kernels).cast_mut(),
            Ordering::Relaxed,
            Ordering::Relaxed,
        ) {
            // SAFETY: `active` is not null, so it is a `&'static Kernel` from `activate` or
            // another `choose`.
            return Ok(unsafe { &*active });
        }
        Ok(kernels)
    }

    /// Makes this kernel the one that [`active`](Kernel::active) and the functions at the crate's
    /// root use from now on, in all threads.
    ///
    /// ```
    /// use setwise::Kernel;
    /// // The best one except avx512-gfni.
    /// let kernels = Kernel::available().find(|k| k.name() != "avx512-gfni").unwrap();
    /// kernels.activate();
    /// assert_eq!(Kernel::active().name(), kernels.name());
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
        assert!(core::ptr::eq(Kernel::try_choose().unwrap(), other));
        best.activate();
    }
}
