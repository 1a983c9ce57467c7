//! SSE2: 16 boards in rank slices, `psubb` and `pandn` eastward.

use super::x86::Sse2;
use super::{Kernel, kogge_stone, shells};

pub(super) const KERNEL: Kernel = Kernel::new(
    c"sse2",
    "rank slices of 16 boards in XMM registers, borrow eastward (psubb), Kogge-Stone westward",
    NEEDS,
    Some(table(c"sse2")),
);

shells::rank_sliced!(features: ["sse2"], wide: Sse2, narrow: Sse2, one: kogge_stone);
