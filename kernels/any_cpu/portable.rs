//! Rank slices in plain bytes, without intrinsics. The compiler vectorises the loops.
//!
//! A byte holds one rank of one board (see [`plain_slices`]). With the feature `std`, the loop over
//! the slices is compiled for each instruction set in `cloned!`, and the best clone for the CPU
//! runs. Without `std`, the loop is compiled only for the build's target.

use crate::kernels::entry_points::kernel;
use crate::kernels::generic::plain_slices::{self, SliceInteger, Slices};
use crate::kernels::generic::rank_bytes::{RankBytes, Shifted};

kernel! {
    name: "portable",
    description: "rank slices of 64 boards in plain integers, vectorised by the compiler, cloned per target",
    targets: all(),
    features: [],
    imports: { generic::plain_slices::PlainSlices },
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

/// Adds a clone of a function for each instruction set, best first.
///
/// To AVX-512 targets, `multiversion` adds the features of Ice Lake and Zen 4. Older AVX-512 CPUs
/// run the AVX2 clone. SVE and LASX have no kernel of their own. Features that stable Rust 1.89
/// rejects are missing here: `v` (RISC-V), `altivec` and `vsx` (PowerPC), `vector` (s390x), `neon`
/// (32-bit ARM) and `msa` (MIPS).
macro_rules! cloned {
    ($function:item) => {
        #[cfg_attr(
            feature = "std",
            multiversion::multiversion(targets(
                "x86_64+avx512f+avx512bw+avx512vl",
                "x86_64+avx2",
                "x86+avx2",
                "aarch64+sve",
                "loongarch64+lasx",
            ))
        )]
        $function
    };
}

cloned! {
    /// Not inlined, so that its callers stay small enough to be inlined.
    #[inline(never)]
    fn add_bytes(orthogonal: bool, attacks: &mut Slices, sliders: &Slices, occupied: &Slices) {
        plain_slices::add::<u8, 64>(orthogonal, attacks, sliders, occupied);
    }
}

cloned! {
    /// The instruction set of the clone that runs on this CPU. `baseline` is the build's target.
    pub(crate) fn target() -> &'static str {
        #[cfg(feature = "std")]
        return multiversion::target::match_target! {
            "x86_64+avx512f+avx512bw+avx512vl" => "avx512",
            "x86_64+avx2" => "avx2",
            "x86+avx2" => "avx2",
            "aarch64+sve" => "sve",
            "loongarch64+lasx" => "lasx",
            _ => "baseline",
        };
        #[cfg(not(feature = "std"))]
        "baseline"
    }
}
