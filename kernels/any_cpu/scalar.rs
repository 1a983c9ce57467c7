//! The fallback for every target: rank slices in `u64`s, each a vector of eight bytes.
//!
//! A `u64` holds one rank of eight boards (see [`plain_slices`]). Rooks and short batches are
//! computed board by board, as in the `borrow` kernel.

use crate::kernels::entry_points::kernel;
use crate::kernels::generic::plain_slices::{self, SliceInteger, Slices};

kernel! {
    name: "scalar",
    technique: "rank slices of 8 boards in u64s, which the compiler puts into vectors where there are any; rooks by borrow",
    on: all(),
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
