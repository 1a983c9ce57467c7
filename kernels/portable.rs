//! The rank-sliced algorithm on plain bytes, each a rank of one board: the compiler makes the vectors.
//!
//! Nothing here names an instruction set. `multiversion` clones what takes most of the time, the rays
//! ([`plain_slices`](super::plain_slices) cuts and joins the boards), for the targets listed and picks one at run time (with feature
//! `std`; without it, at compile time).

use core::ptr::null;

use multiversion::multiversion;

use super::lanes::Ranks;
use super::plain_slices::{BOARDS, REST, Slices, add_by, operation};
use super::{Kernel, Table};

pub(super) const KERNEL: Kernel = Kernel::new(
    c"portable",
    "rank slices of 64 boards in plain integers, vectorised by the compiler, cloned per target",
    &[],
    Some(Table {
        name: c"portable".as_ptr(),
        rook_attacks,
        bishop_attacks,
        queen_attacks,
        slider_attacks,
        slider_attacks_split,
        ..REST
    }),
);

/// One rank of one board.
impl Ranks for u8 {
    const WEST_LEAKS: bool = false;

    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        byte
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
    #[inline(always)]
    fn without(self, mask: Self) -> Self {
        self & !mask
    }
    #[inline(always)]
    fn east(self) -> Self {
        self << 1
    }
    #[inline(always)]
    fn west<const FILES: i32>(self) -> Self {
        self >> FILES
    }
    #[inline(always)]
    fn east_attacks(sliders: Self, occupied: Self) -> Self {
        let occupied = occupied | sliders;
        occupied ^ occupied.wrapping_sub(sliders << 1)
    }
}

/// On bytes, cloned for each target.
#[multiversion(targets("x86_64+avx2"))]
#[allow(
    dead_code,
    reason = "compiled for a CPU that has it all, the lesser clones are not called"
)]
fn add_bytes(orthogonal: bool, attacks: &mut Slices, sliders: &Slices, occupied: &Slices) {
    add_by::<u8, BOARDS>(orthogonal, attacks, sliders, occupied);
}

operation!(add_bytes: rook_attacks(rooks): rooks, null());
operation!(add_bytes: bishop_attacks(bishops): null(), bishops);
operation!(add_bytes: queen_attacks(queens): queens, queens);
operation!(add_bytes: slider_attacks(orthogonal, diagonal): orthogonal, diagonal);
operation!(split by rook_attacks, bishop_attacks);
