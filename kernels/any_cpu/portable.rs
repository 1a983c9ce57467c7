//! Rank slices in plain integers, without a word of any instruction set: the compiler makes the vectors.
//!
//! A byte is a rank of one board (see [`plain_slices`]). `multiversion` clones the loop over the slices for AVX2 and picks one at run time
//! (with feature `std`; without it, at compile time).

use multiversion::multiversion;

use crate::kernels::generic::lanes::Lanes;
use crate::kernels::generic::plain_slices::{self, Column, Slices};
use crate::kernels::shells::kernel;

kernel! {
    name: c"portable",
    technique: "rank slices of 64 boards in plain integers, vectorised by the compiler, cloned per target",
    on: all(),
    features: [],
    driver: PlainSlices<u8>,
}

/// One rank of one board.
impl Lanes for u8 {
    const WEST_LEAKS: bool = false;

    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        byte
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
    #[inline(always)]
    fn east(self) -> Self {
        self << 1
    }
    #[inline(always)]
    fn west<const FILES: i32>(self) -> Self {
        self >> FILES
    }
}

impl Column for u8 {
    #[inline(always)]
    fn add(orthogonal: bool, attacks: &mut Slices, sliders: &Slices, occupied: &Slices) {
        add_bytes(orthogonal, attacks, sliders, occupied);
    }
}

#[multiversion(targets("x86_64+avx2"))]
#[allow(
    dead_code,
    reason = "compiled for a CPU that has it all, the lesser clones are not called"
)]
fn add_bytes(orthogonal: bool, attacks: &mut Slices, sliders: &Slices, occupied: &Slices) {
    plain_slices::add::<u8, 64>(orthogonal, attacks, sliders, occupied);
}
