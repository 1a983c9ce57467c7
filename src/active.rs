//! The kernel in use: the choice at first use, by the CPU and the environment.

use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

#[cfg(feature = "std")]
use crate::KernelError;
use crate::kernels::CATALOGUE;
use crate::{Kernels, detect};

/// The kernel in use; null before the first use, if it takes one to know. What
/// it points to is a static that was never written: relaxed order is enough.
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

// So targets without compare-and-swap need none: `ACTIVE` is filled from the start, and `choose` never called.
const _: () = assert!(DECIDED.is_some() || cfg!(target_has_atomic = "ptr"));

impl Kernels {
    /// The kernel that the functions at the crate's root use: picked at first use (one probe of the
    /// CPU), the best that can run; later calls cost one load and a branch never taken.
    ///
    /// With feature `std`, the environment variable `SETWISE_FORCE_KERNEL` forces the choice by name, exactly as it is
    /// written (an empty value is an unknown name), and then nothing else counts. Otherwise `SETWISE_DISABLE` (names,
    /// separated by commas, blanks and empty ones ignored) excludes kernels from the choice, as one may want
    /// for `avx512` on a CPU whose clock falls under wide vectors. In a program,
    /// [`activate`](Kernels::activate) does both.
    ///
    /// Nothing is probed that the compiler was told: with `-C target-cpu=icelake-server` the best kernel is known without a
    /// question to the CPU, and without feature `std` already at compile time; then the program contains no probe.
    /// So it is for `neon` and `simd128`.
    ///
    /// # Panics
    /// At first use, if `SETWISE_FORCE_KERNEL` names a kernel that is unknown or cannot run here
    /// (the message names those that exist and what is missing), or if `SETWISE_DISABLE` names an unknown
    /// one or leaves none.
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

    #[cold]
    #[inline(never)]
    fn choose() -> &'static Kernels {
        let kernels = forced()
            .or_else(|| Kernels::available().next())
            .expect("the scalar kernel needs nothing");
        // An `activate` in the meantime stands: with a plain store, one of an interrupt would be undone.
        #[cfg(target_has_atomic = "ptr")]
        if let Err(active) = ACTIVE.compare_exchange(
            null_mut(),
            core::ptr::from_ref(kernels).cast_mut(),
            Ordering::Relaxed,
            Ordering::Relaxed,
        ) {
            // SAFETY: not null, so a `&'static Kernels` that `activate` or another `choose` stored.
            return unsafe { &*active };
        }
        kernels
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

/// The kernel that the environment asks for, if it does.
#[cfg(feature = "std")]
fn forced() -> Option<&'static Kernels> {
    if let Some(name) = std::env::var_os("SETWISE_FORCE_KERNEL") {
        return match name
            .to_str()
            .map_or(Err(KernelError::Unknown), Kernels::by_name)
        {
            Ok(kernels) => Some(kernels),
            Err(error) => panic!("SETWISE_FORCE_KERNEL={}: {error}", name.display()),
        };
    }
    let disabled = std::env::var_os("SETWISE_DISABLE").filter(|names| !names.is_empty())?;
    let names = disabled.as_encoded_bytes();
    each_name(names, &mut |name| {
        let known = Kernels::catalogue()
            .iter()
            .any(|info| info.name().as_bytes() == name);
        assert!(
            known,
            "SETWISE_DISABLE={}: {}: {}",
            disabled.display(),
            str::from_utf8(name).unwrap_or("?"),
            KernelError::Unknown
        );
    });
    let left = Kernels::available().find(|kernels| {
        let mut left = true;
        each_name(names, &mut |name| left &= name != kernels.name().as_bytes());
        left
    });
    assert!(
        left.is_some(),
        "SETWISE_DISABLE={}: no kernel is left",
        disabled.display()
    );
    left
}

/// Each name of a list, separated by commas. (In bytes, because the functions on text know all of Unicode, which
/// takes room in every program.)
#[cfg(feature = "std")]
#[inline(never)]
fn each_name(names: &[u8], f: &mut dyn FnMut(&[u8])) {
    for name in names.split(|byte| *byte == b',') {
        let name = name.trim_ascii();
        if !name.is_empty() {
            f(name);
        }
    }
}

#[cfg(not(feature = "std"))]
fn forced() -> Option<&'static Kernels> {
    None
}
