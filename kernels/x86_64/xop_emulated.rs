//! The kernel `xop` on CPUs without XOP: the same code, whose VPPERM, `vpcmov` and `vpshlb` are executed in software by SSSE3.
//!
//! VPPERM is a function of some forty instructions that computes all eight operations, called for each of the kernel's (24 to cut a set, 3 for
//! each rank's westward ray; putting boards together again takes none). It is there to run XOP's code bit for bit, not to be fast.

use crate::kernels::shells::kernel;

kernel! {
    name: c"xop-emulated",
    technique: "the code of xop, with VPPERM (all eight operations, any selector), vpcmov and vpshlb in software",
    on: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["ssse3"],
    driver: RankSlices<Xmm<Xop<Software>>, Borrow, Shared, BlocksAlone>,
}
