//! Kernels of x86-64: registers of three widths, and what each instruction set does with them.
//!
//! Where the target itself does without vectors (kernels of operating systems), so must we: then only the
//! kernels' names are left, and `pext`, which needs none.

/// What is compiled with vectors.
macro_rules! with_vectors {
    ($($item:item)*) => { $(
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        $item
    )* };
}

with_vectors! {
    mod gfni;
    mod lines;
    pub(crate) mod hyperbola;
    mod shifts;
    pub(crate) mod variable_shifts;
    pub(crate) mod vpperm;
    mod westward;
    mod xmm;
    mod ymm;
    mod zmm;

    /// Bytes with one bit each, from the a-file to the h-file.
    const FILES: i64 = 0x8040_2010_0804_0201_u64.cast_signed();

    use gfni::Gfni;
    use hyperbola::{AttacksAndPshufb, EverythingAndOneRegister};
    use shifts::{Pshufb, Shifts};
    use variable_shifts::{EightRays, FourRays, FourRaysAndTurns};
    use vpperm::{Hardware, Software, Xop};
    use xmm::Xmm;
    use ymm::Ymm;
    use zmm::Zmm;
}

pub(super) mod avx2;
pub(super) mod avx2_gfni;
pub(super) mod avx512;
pub(super) mod avx512bw;
pub(super) mod pext;
pub(super) mod sse2;
pub(super) mod ssse3;
pub(super) mod xop;
pub(super) mod xop_emulated;
