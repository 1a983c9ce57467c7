//! The code of `xop` for CPUs without XOP: `vpperm`, `vpcmov` and `vpshlb` in software on SSSE3.
//!
//! Each `vpperm` (24 to slice a set, 3 for each rank's westward ray, none to unslice) is a call of
//! a function of some forty instructions that computes all eight operations. The kernel exists to
//! run XOP's code bit for bit, not to be fast.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "xop-emulated",
    technique: "the code of xop, with VPPERM (all eight operations, any selector), vpcmov and vpshlb in software",
    on: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["ssse3"],
    driver: RankSlices<Xmm<Xop<Software>>, General, Borrow, SliceAttacks>,
}
