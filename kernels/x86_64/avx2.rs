//! AVX2: 32 boards in rank slices; one board by four rays in a register.

use crate::kernels::shells::kernel;

kernel! {
    name: c"avx2",
    technique: "rank slices of 32 boards in YMM registers: borrow eastward (vpsubb), Kogge-Stone westward",
    on: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["avx2"],
    driver: RankSlices<Ymm<Shifts>, Borrow, FourRays, EverythingAndOneRegister>,
}
