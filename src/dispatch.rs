//! One probe, one table: which kernels there are, which can run here, and which is active.

use core::ffi::CStr;
use core::fmt;
use core::hint::black_box;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::kernels::line::line_of;
use crate::kernels::{Entry, REGISTRY, TECHNIQUES, Table};
use crate::{Direction, Line, Square, detect};

/// One kernel: an implementation of every operation by one technique or instruction set.
///
/// A `&'static Kernels` proves that this CPU can run it: the only ways to get one are
/// [`active`](Kernels::active), [`available`](Kernels::available) and
/// [`by_name`](Kernels::by_name), and these ask the CPU first.
///
/// ```
/// use setwise::Kernels;
/// let kernels = Kernels::active();
/// let mut attacks = [0; 3];
/// kernels.rook_attacks(&[1, 2, 4], &[0; 3], &mut attacks);
/// assert_eq!(attacks[0], kernels.rook_attacks_one(1, 0));
/// ```
#[repr(transparent)]
pub struct Kernels(Table);

/// What is known of one kernel, also of one that cannot run here.
///
/// ```
/// for info in setwise::Kernels::catalogue() {
///     println!("{:14} {:?}  {}", info.name(), info.status(), info.technique());
/// }
/// ```
#[repr(transparent)]
pub struct KernelInfo(Entry);

/// Whether a kernel can run in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelStatus {
    /// It can.
    Available,
    /// It is compiled in, but the CPU or the operating system lacks something.
    Unsupported(MissingFeatures),
    /// It is not compiled in for this target or these crate features.
    NotCompiled,
}

/// The features that a kernel needs and this CPU lacks. Displays as `avx2, gfni`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MissingFeatures {
    needs: &'static [&'static str],
}

impl MissingFeatures {
    /// Their names, as in `std::arch::is_x86_feature_detected!`.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.needs.iter().copied().filter(|name| !detect::has(name))
    }
}

impl fmt::Display for MissingFeatures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = "";
        for name in self.names() {
            f.write_str(comma)?;
            f.write_str(name)?;
            comma = ", ";
        }
        Ok(())
    }
}

impl fmt::Debug for MissingFeatures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

/// Why [`Kernels::by_name`] has no kernel to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KernelError {
    /// No kernel of the catalogue has this name.
    Unknown,
    /// The kernel is there, but this CPU lacks features.
    Unsupported {
        /// What is missing.
        missing: MissingFeatures,
    },
    /// The kernel is not compiled in for this target or these crate features.
    NotCompiled,
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = match self {
            KernelError::Unknown => "there is no kernel of this name; the kernels are ",
            KernelError::Unsupported { missing } => {
                write!(f, "this CPU or its operating system lacks {missing}")?;
                "; available here: "
            }
            KernelError::NotCompiled => {
                "it is not compiled in for this target or these crate features; available here: "
            }
        };
        for info in Kernels::catalogue() {
            if matches!(self, KernelError::Unknown)
                || matches!(info.status(), KernelStatus::Available)
            {
                f.write_str(comma)?;
                f.write_str(info.name())?;
                comma = ", ";
            }
        }
        Ok(())
    }
}

impl core::error::Error for KernelError {}

impl KernelInfo {
    /// The name by which users choose it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.0.name
    }

    /// The technique, in a line.
    #[must_use]
    pub fn technique(&self) -> &'static str {
        Kernels::catalogue()
            .iter()
            .zip(TECHNIQUES)
            .find(|(info, _)| info.name() == self.name())
            .map_or("", |(_, technique)| technique)
    }

    /// The CPU features it needs, as named by `std::arch::is_x86_feature_detected!`.
    #[must_use]
    pub fn needs(&self) -> &'static [&'static str] {
        self.0.needs
    }

    /// Whether it can run in this process, and if not, why.
    #[must_use]
    #[inline(never)]
    pub fn status(&self) -> KernelStatus {
        if self.0.table.is_none() {
            return KernelStatus::NotCompiled;
        }
        let missing = MissingFeatures {
            needs: self.0.needs,
        };
        if missing.names().next().is_none() {
            KernelStatus::Available
        } else {
            KernelStatus::Unsupported(missing)
        }
    }

    /// The kernel itself, if the CPU can run it.
    fn admit(&self) -> Result<&'static Kernels, KernelError> {
        match self.status() {
            // SAFETY: just checked.
            KernelStatus::Available => unsafe { self.admit_unchecked() },
            KernelStatus::Unsupported(missing) => Err(KernelError::Unsupported { missing }),
            KernelStatus::NotCompiled => Err(KernelError::NotCompiled),
        }
    }

    /// The kernel itself, if it is compiled in.
    ///
    /// # Safety
    /// Its instructions are executed here.
    unsafe fn admit_unchecked(&self) -> Result<&'static Kernels, KernelError> {
        let table = self.0.table.ok_or(KernelError::NotCompiled)?;
        // SAFETY: `Kernels` is a transparent wrapper of `Table`, and its promise is the caller's.
        Ok(unsafe { &*core::ptr::from_ref(table).cast::<Kernels>() })
    }
}

impl fmt::Debug for KernelInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelInfo")
            .field("name", &self.name())
            .field("needs", &self.needs())
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}

/// The kernel in use; null before the first use, if it takes one to know. What
/// it points to is a static that was never written: relaxed order is enough.
static ACTIVE: AtomicPtr<Kernels> = AtomicPtr::new(match DECIDED {
    Some(table) => core::ptr::from_ref(table).cast::<Kernels>().cast_mut(),
    None => null_mut(),
});

/// The best kernel, if that is known at compile time: if the program is compiled for a CPU that has all that
/// the first kernel of this target needs. With `std` it is not, as the environment may choose another.
const DECIDED: Option<&Table> = {
    let mut i = 0;
    while REGISTRY[i].table.is_none() {
        i += 1;
    }
    if cfg!(feature = "std") || !detect::all_compiled_for(REGISTRY[i].needs) {
        None
    } else {
        REGISTRY[i].table
    }
};

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
        let chosen = core::ptr::from_ref(kernels).cast_mut();
        // An `activate` in the meantime stands.
        match ACTIVE.compare_exchange(null_mut(), chosen, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => kernels,
            // SAFETY: not null, so a `&'static Kernels` that `activate` or another `choose` stored.
            Err(active) => unsafe { &*active },
        }
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

    /// The kernels that this CPU can run, best first. (On AMD processors before family 19h `pext` stands
    /// behind `magic`, because the instruction is microcoded there.)
    ///
    /// ```
    /// let names: Vec<_> = setwise::Kernels::available().map(|k| k.name()).collect();
    /// assert!(names.contains(&"scalar"));
    /// ```
    pub fn available() -> impl Iterator<Item = &'static Kernels> {
        // Asked only when the walk gets there: a program that takes the first kernel asks nothing.
        let placed = |info: &'static KernelInfo| match info.name() {
            name if cfg!(not(feature = "lookup")) => name,
            "pext" if detect::has("slow-pext") => "magic",
            "magic" if detect::has("slow-pext") => "pext",
            name => name,
        };
        Kernels::catalogue()
            .iter()
            .filter_map(move |info| Kernels::by_name(placed(info)).ok())
    }

    /// The kernel with this name.
    ///
    /// # Errors
    /// [`KernelError`]: unknown, unsupported with the features that are missing, or not compiled in.
    ///
    /// ```
    /// use setwise::{KernelError, Kernels};
    /// assert_eq!(Kernels::by_name("scalar").unwrap().name(), "scalar");
    /// assert_eq!(Kernels::by_name("abacus").err(), Some(KernelError::Unknown));
    /// ```
    pub fn by_name(name: &str) -> Result<&'static Kernels, KernelError> {
        Kernels::catalogue()
            .iter()
            .find(|info| info.name() == name)
            .ok_or(KernelError::Unknown)?
            .admit()
    }

    /// The kernel with this name if it is compiled in, whatever the CPU: for tests with an emulator that detection
    /// cannot see. Not part of the stable interface.
    ///
    /// # Safety
    /// The instructions that the kernel [needs](KernelInfo::needs) are executed here: by the CPU, or by an emulator.
    #[doc(hidden)]
    #[must_use]
    pub unsafe fn by_name_unchecked(name: &str) -> Option<&'static Kernels> {
        let info = Kernels::catalogue()
            .iter()
            .find(|info| info.name() == name)?;
        // SAFETY: the caller's contract.
        unsafe { info.admit_unchecked() }.ok()
    }

    /// Every kernel known to the crate, best first, also those that cannot run here or are not compiled in.
    #[must_use]
    pub fn catalogue() -> &'static [KernelInfo] {
        // SAFETY: `KernelInfo` is a transparent wrapper of `Entry` that promises nothing. (Not by
        // bytemuck's `TransparentWrapper`: a public impl would let users wrap any entry.)
        let catalogue =
            unsafe { &*(core::ptr::from_ref::<[Entry]>(&REGISTRY) as *const [KernelInfo]) };
        // What the compiler does not know it does not unroll, in every loop over it.
        black_box(catalogue)
    }

    /// The kernel's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        // SAFETY: the name in a table is a string literal, and ASCII.
        unsafe { str::from_utf8_unchecked(CStr::from_ptr(self.0.name).to_bytes()) }
    }

    /// What it calls; calling needs care, see [`Table`](crate::kernels::Table).
    #[inline]
    pub(crate) fn table(&self) -> &Table {
        &self.0
    }
}

/// The best kernel for a CPU with these features, compiled in or not: what a test can ask about any CPU.
#[cfg(test)]
pub(crate) fn preferred(has: impl Fn(&str) -> bool) -> Option<&'static KernelInfo> {
    Kernels::catalogue()
        .iter()
        .find(|info| info.needs().iter().all(|need| has(need)))
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

/// The same kernel, that is, the same table.
impl PartialEq for Kernels {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self, other)
    }
}

impl Eq for Kernels {}

impl fmt::Debug for Kernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kernels").field(&self.name()).finish()
    }
}

/// Panics unless every named slice is as long as the output, or as the outputs in brackets.
macro_rules! check_lengths {
    (@input $input:ident, [$output:ident $(, $other:ident)*]) => {
        if $input.len() != $output.len() {
            $crate::dispatch::length_mismatch(
                stringify!($input),
                $input.len(),
                concat!(stringify!($output) $(, "`, `", stringify!($other))*),
                $output.len(),
            );
        }
    };
    ([$output:ident $(, $other:ident)*], $($input:ident),*) => {
        $($crate::dispatch::check_lengths!(@input $other, [$output]);)*
        $crate::dispatch::check_lengths!(@inputs [$output $(, $other)*], $($input),*);
    };
    (@inputs $outputs:tt, $($input:ident),*) => {
        $($crate::dispatch::check_lengths!(@input $input, $outputs);)*
    };
    ($output:ident, $($input:ident),*) => {
        $(if $input.len() != $output.len() {
            $crate::dispatch::length_mismatch(stringify!($input), $input.len(), stringify!($output), $output.len());
        })*
    };
}

pub(crate) use check_lengths;

#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn length_mismatch(input: &str, length: usize, output: &str, expected: usize) -> ! {
    panic!(
        "`{input}` is of length {length}, but `{output}` of {expected}: all slices must have the same length"
    );
}

/// Generates the methods of the operations on sets; each documents itself by its root function.
macro_rules! batch_methods {
    ($($(#[$doc:meta])* $operation:ident, $one:ident ($($set:ident),*);)*) => {
        impl Kernels {
            $(
                $(#[$doc])*
                ///
                /// # Panics
                /// If the slices differ in length, before anything is written.
                #[inline]
                #[track_caller]
                pub fn $operation(&self, $($set: &[u64],)* attacks: &mut [u64]) {
                    check_lengths!(attacks, $($set),*);
                    // SAFETY: the lengths are equal, slices do not overlap a mutable one, and `self` proves
                    // that the CPU can run this kernel.
                    unsafe {
                        (self.0.$operation)($($set.as_ptr(),)* attacks.as_mut_ptr(), attacks.len());
                    }
                }

                /// The same for one board.
                #[inline]
                #[must_use]
                pub fn $one(&self, $($set: u64),*) -> u64 {
                    // SAFETY: `self` proves that the CPU can run this kernel.
                    unsafe { (self.0.$one)($($set),*) }
                }
            )*
        }
    };
}

batch_methods! {
    /// See [`rook_attacks`](crate::rook_attacks).
    rook_attacks, rook_attacks_one (rooks, occupied);
    /// See [`bishop_attacks`](crate::bishop_attacks).
    bishop_attacks, bishop_attacks_one (bishops, occupied);
    /// See [`queen_attacks`](crate::queen_attacks).
    queen_attacks, queen_attacks_one (queens, occupied);
    /// See [`slider_attacks`](crate::slider_attacks).
    slider_attacks, slider_attacks_one (orthogonal, diagonal, occupied);
}

impl Kernels {
    /// See [`ray_attacks`](crate::ray_attacks).
    ///
    /// # Panics
    /// If the slices differ in length, before anything is written.
    #[inline]
    #[track_caller]
    pub fn ray_attacks(
        &self,
        direction: Direction,
        sliders: &[u64],
        occupied: &[u64],
        attacks: &mut [u64],
    ) {
        check_lengths!(attacks, sliders, occupied);
        // SAFETY: as in the operations above.
        unsafe {
            (self.0.ray_attacks)(
                direction as u8,
                sliders.as_ptr(),
                occupied.as_ptr(),
                attacks.as_mut_ptr(),
                attacks.len(),
            );
        }
    }

    /// See [`occluded_fill`](crate::occluded_fill).
    ///
    /// # Panics
    /// If the slices differ in length, before anything is written.
    #[inline]
    #[track_caller]
    pub fn occluded_fill(
        &self,
        direction: Direction,
        generators: &[u64],
        propagators: &[u64],
        filled: &mut [u64],
    ) {
        check_lengths!(filled, generators, propagators);
        // SAFETY: as in the operations above.
        unsafe {
            (self.0.occluded_fill)(
                direction as u8,
                generators.as_ptr(),
                propagators.as_ptr(),
                filled.as_mut_ptr(),
                filled.len(),
            );
        }
    }
}

/// Generates the methods of the operations on squares, with an index or without.
macro_rules! from_methods {
    ($($(#[$doc:meta])* $operation:ident $(, $index:ident: $Index:ty)?;)*) => {
        impl Kernels {
            $(
                $(#[$doc])*
                ///
                /// # Panics
                /// If the slices differ in length, before anything is written.
                #[inline]
                #[track_caller]
                pub fn $operation(
                    &self, $($index: $Index,)? squares: &[Square], occupied: &[u64], attacks: &mut [u64],
                ) {
                    check_lengths!(attacks, squares, occupied);
                    // SAFETY: as in the operations above; a `Square` is a byte.
                    unsafe {
                        (self.0.$operation)(
                            $($index as u8,)?
                            squares.as_ptr().cast(),
                            occupied.as_ptr(),
                            attacks.as_mut_ptr(),
                            attacks.len(),
                        );
                    }
                }
            )*
        }
    };
}

from_methods! {
    /// See [`rook_attacks_from`](crate::rook_attacks_from).
    rook_attacks_from;
    /// See [`bishop_attacks_from`](crate::bishop_attacks_from).
    bishop_attacks_from;
    /// See [`queen_attacks_from`](crate::queen_attacks_from).
    queen_attacks_from;
    /// See [`line_attacks_from`](crate::line_attacks_from).
    line_attacks_from, line: Line;
}

/// One square and one board: the set of the one square.
impl Kernels {
    /// [`rook_attacks_from`](Kernels::rook_attacks_from) for one board.
    #[inline]
    #[must_use]
    pub fn rook_attacks_from_one(&self, square: Square, occupied: u64) -> u64 {
        self.rook_attacks_one(square.bitboard(), occupied)
    }

    /// [`bishop_attacks_from`](Kernels::bishop_attacks_from) for one board.
    #[inline]
    #[must_use]
    pub fn bishop_attacks_from_one(&self, square: Square, occupied: u64) -> u64 {
        self.bishop_attacks_one(square.bitboard(), occupied)
    }

    /// [`queen_attacks_from`](Kernels::queen_attacks_from) for one board.
    #[inline]
    #[must_use]
    pub fn queen_attacks_from_one(&self, square: Square, occupied: u64) -> u64 {
        self.queen_attacks_one(square.bitboard(), occupied)
    }

    /// [`line_attacks_from`](Kernels::line_attacks_from) for one board.
    #[inline]
    #[must_use]
    pub fn line_attacks_from_one(&self, line: Line, square: Square, occupied: u64) -> u64 {
        let attacks = match line {
            Line::Rank | Line::File => self.rook_attacks_from_one(square, occupied),
            Line::Diagonal | Line::Antidiagonal => self.bishop_attacks_from_one(square, occupied),
        };
        attacks & line_of(line, square.number())
    }
}

#[cfg(test)]
mod tests;
