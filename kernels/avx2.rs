//! AVX2: 32 boards in rank slices.

use super::x86::{Avx2, Sse2};
use super::{Kernel, kogge_stone, shells};

pub(super) const KERNEL: Kernel = Kernel::new(
    c"avx2",
    "rank slices of 32 boards in YMM registers, borrow eastward (vpsubb), Kogge-Stone westward",
    NEEDS,
    Some(table(c"avx2")),
);

shells::rank_sliced!(features: ["avx2"], wide: Avx2, narrow: Sse2, one: kogge_stone);
