//! The fallback everywhere: the rank-sliced algorithm on `u64` as a vector of eight bytes.

use super::swar::Swar;
use super::{Kernel, kogge_stone, shells};

pub(super) const KERNEL: Kernel = Kernel::new(
    c"scalar",
    "rank slices of 8 boards in general registers (SWAR)",
    NEEDS,
    Some(table(c"scalar")),
);

shells::rank_sliced!(features: [], wide: Swar, narrow: Swar, one: kogge_stone);
