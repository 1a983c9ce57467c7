//! Bytewise arithmetic in a `u64`. The subtraction works like eight byte subtractors side by side:
//! no borrow crosses into the next byte.

use crate::kernels::geometry::direction::{A_FILE, H_FILE};

/// Bytewise `x - y`, like SSE2's `psubb`, in 7 operations.
///
/// Setting the top bits of `x` and clearing those of `y` keeps each byte from borrowing from the
/// next one. An xor then corrects the top bits.
#[inline(always)]
pub(crate) const fn subtract(x: u64, y: u64) -> u64 {
    (x | H_FILE).wrapping_sub(y & !H_FILE) ^ ((x ^ !y) & H_FILE)
}

/// Reverses the bits of each byte: on a board, east becomes west.
#[inline(always)]
pub(crate) const fn reverse(x: u64) -> u64 {
    x.swap_bytes().reverse_bits()
}

/// Eastward attacks on a whole board, with one subtraction. No eastward ray attacks the a-file, so
/// the a-file serves as the barrier: set in the minuend, it ends the borrow of the rank below. A
/// slider on the h-file only clears the next rank's bit of the barrier.
///
/// Source of the barrier: the set-wise form of Hyperbola Quintessence (Chess Programming Wiki).
#[inline(always)]
pub(crate) const fn east_attacks(sliders: u64, occupied: u64) -> u64 {
    let occupied = occupied | sliders;
    let difference = (occupied | A_FILE).wrapping_sub(sliders << 1);
    (occupied ^ difference) & !A_FILE
}
