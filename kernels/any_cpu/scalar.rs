//! The fallback for every target: rank slices in plain `u64` code.
//!
//! A `u64` holds one rank of eight boards (see [`plain_slices`]). Rooks and short batches are
//! computed board by board, as in the `borrow` kernel. The source has no vectors, but where the
//! compile target has some, the compiler uses them: on x86-64, the loops over blocks become SSE2.
//! So a ratio to `scalar` there compares two vectorised programs.

use crate::kernels::entry_points::kernel;
use crate::kernels::generic::plain_slices::{self, SliceInteger, Slices};

kernel! {
    name: "scalar",
    description: "plain u64 code, which the compiler vectorises (SSE2 on x86-64): rank slices of 8 boards; rooks by borrow",
    targets: all(),
    features: [],
    imports: { generic::plain_slices::PlainSlices },
    driver: PlainSlices<u64>,
}

impl SliceInteger for u64 {
    #[inline(always)]
    fn add(orthogonal: bool, attacks: &mut Slices, sliders: &Slices, occupied: &Slices) {
        plain_slices::add::<u64, 8>(orthogonal, attacks, sliders, occupied);
    }
}
