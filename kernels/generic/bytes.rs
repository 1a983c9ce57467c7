//! Bytewise differences in a `u64`: eight subtractors side by side, no borrow from one byte to the next.

use crate::kernels::geometry::direction::{A_FILE, H_FILE};

/// Bytewise `x - y` (SSE2's `psubb`), by masks: 7 operations.
///
/// With its top bit set a byte cannot borrow from the next; then the top bit is put right by xor.
#[inline(always)]
pub(crate) const fn subtract(x: u64, y: u64) -> u64 {
    (x | H_FILE).wrapping_sub(y & !H_FILE) ^ ((x ^ !y) & H_FILE)
}

/// Attacks eastward of a whole board by one subtraction. The a-file, which no eastward ray attacks, is the barrier: set in the
/// minuend, it ends the borrow of the rank below, and a slider on the h-file merely clears it.
///
/// Source: the barrier is that of the set-wise form of Hyperbola Quintessence (Chess Programming Wiki).
#[inline(always)]
pub(crate) const fn east_attacks(sliders: u64, occupied: u64) -> u64 {
    let occupied = occupied | sliders;
    let difference = (occupied | A_FILE).wrapping_sub(sliders << 1);
    (occupied ^ difference) & !A_FILE
}
