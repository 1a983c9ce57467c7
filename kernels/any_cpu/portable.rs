//! Rank slices in plain bytes, without intrinsics. The compiler vectorises the loops.
//!
//! A byte holds one rank of one board (see [`plain_slices`]). On x86-64 with the feature `std`, the
//! loop over the slices has a second copy for AVX2, and the choice is made at run time. Without
//! `std`, the compiler's target decides.

#[cfg(all(feature = "std", target_arch = "x86_64", not(target_feature = "avx2")))]
use core::sync::atomic::Ordering::Relaxed;

use crate::kernels::entry_points::kernel;
use crate::kernels::generic::plain_slices::{self, SliceInteger, Slices};
use crate::kernels::generic::rank_bytes::{RankBytes, Shifted};

kernel! {
    name: "portable",
    technique: "rank slices of 64 boards in plain integers, vectorised by the compiler, cloned per target",
    on: all(),
    features: [],
    driver: PlainSlices<u8>,
}

/// One rank of one board.
impl RankBytes for u8 {
    const WEST_WRAPS: bool = false;
    type West = Shifted;

    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        byte
    }
    #[inline(always)]
    fn sub_bytes(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
    #[inline(always)]
    fn east(self) -> Self {
        self << 1
    }
    #[inline(always)]
    fn west<const FILES: i32>(self) -> Self {
        self >> FILES
    }
}

impl SliceInteger for u8 {
    #[inline(always)]
    fn add(orthogonal: bool, attacks: &mut Slices, sliders: &Slices, occupied: &Slices) {
        add_bytes(orthogonal, attacks, sliders, occupied);
    }
}

/// Not inlined, so that its callers stay small enough to be inlined.
#[inline(never)]
fn add_bytes(orthogonal: bool, attacks: &mut Slices, sliders: &Slices, occupied: &Slices) {
    #[cfg(all(feature = "std", target_arch = "x86_64", not(target_feature = "avx2")))]
    if loops::CHOSEN.load(Relaxed) == loops::FOR_AVX2 {
        // SAFETY: `FOR_AVX2` is stored only if the CPU has AVX2.
        return unsafe { loops::add_bytes_for_avx2(orthogonal, attacks, sliders, occupied) };
    }
    plain_slices::add::<u8, 64>(orthogonal, attacks, sliders, occupied);
}

/// The copy of the loop for AVX2, and the choice between both copies. The plain one runs until
/// `src/clone.rs` has decided.
#[cfg(all(feature = "std", target_arch = "x86_64", not(target_feature = "avx2")))]
pub(crate) mod loops {
    use core::sync::atomic::AtomicU8;

    use super::{Slices, plain_slices};

    #[target_feature(enable = "avx2")]
    #[inline(never)]
    pub(super) unsafe fn add_bytes_for_avx2(
        orthogonal: bool,
        attacks: &mut Slices,
        sliders: &Slices,
        occupied: &Slices,
    ) {
        plain_slices::add::<u8, 64>(orthogonal, attacks, sliders, occupied);
    }

    pub(crate) const UNDECIDED: u8 = 0;
    pub(crate) const PLAIN: u8 = 1;
    /// Stored only if the CPU has AVX2.
    pub(crate) const FOR_AVX2: u8 = 2;
    pub(crate) static CHOSEN: AtomicU8 = AtomicU8::new(UNDECIDED);
}
