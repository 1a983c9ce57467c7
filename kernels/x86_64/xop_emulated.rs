//! The code of `xop` for CPUs without XOP: SSSE3 executes VPPERM, `vpcmov` and `vpshlb` in software.
//!
//! VPPERM is a function of some forty instructions that computes all eight operations; it is called for each VPPERM of the kernel
//! (24 to slice a set, 3 for each rank's westward ray; unslicing takes none). It is there to run XOP's code bit for
//! bit, not to be fast.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "xop-emulated",
    technique: "the code of xop, with VPPERM (all eight operations, any selector), vpcmov and vpshlb in software",
    on: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["ssse3"],
    driver: RankSlices<Xmm<Xop<Software>>, General, Borrow, SliceAttacks>,
}
