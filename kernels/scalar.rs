//! The fallback everywhere: the rank-sliced algorithm on `u64` as a vector of eight bytes, in the frame of
//! [`plain_slices`](super::plain_slices).
//!
//! Rooks alone do not repay the cut into slices; they go board by board as in the `borrow` kernel
//! (against Kogge-Stone for baseline x86-64 on a Zen 5: 0.83 that way, 1.05 in slices), and so do fewer boards than a block.

use core::ptr::null;

use super::plain_slices::{APART, REST, Slices, add_by, operation};
use super::swar::Swar;
use super::table::Batch2;
use super::{Kernel, Table};

pub(super) const KERNEL: Kernel = Kernel::new(
    c"scalar",
    "rank slices of 8 boards in general registers (SWAR); rooks by borrow, board by board",
    &[],
    Some(Table {
        name: c"scalar".as_ptr(),
        bishop_attacks,
        queen_attacks,
        slider_attacks,
        slider_attacks_split,
        ..REST
    }),
);

/// Rooks are those of `borrow`.
const ROOK_ATTACKS: Batch2 = REST.rook_attacks;

/// Eight bytes at a time, whatever the target has.
fn add_words(orthogonal: bool, attacks: &mut Slices, sliders: &Slices, occupied: &Slices) {
    add_by::<Swar, APART>(orthogonal, attacks, sliders, occupied);
}

operation!(add_words: bishop_attacks(bishops): null(), bishops);
operation!(add_words: queen_attacks(queens): queens, queens);
operation!(add_words: slider_attacks(orthogonal, diagonal): orthogonal, diagonal);
operation!(split by ROOK_ATTACKS, bishop_attacks);
