//! The westward ray by reversal: borrow in the bit-reversed rank.
//!
//! A borrow only runs upward, so a descending ray needs its bits reversed; as reversal distributes
//! over xor, only the difference has to be reversed back:
//! `west = reverse(reverse(others) - reverse(sliders)) ^ others ^ sliders`.
//! Source: Hyperbola Quintessence, Chess Programming Wiki, with the bytewise subtraction of
//! Isenberg 2005.

#![cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, reason = "no kernel of other targets reverses bits")
)]

use super::lanes::Ranks;

/// Lanes that can reverse the bits of each byte.
pub(super) trait Reverse: Ranks {
    fn reverse(self) -> Self;
    /// Bytewise difference.
    fn minus(self, other: Self) -> Self;
}

#[inline(always)]
pub(super) fn west_attacks<L: Reverse>(sliders: L, occupied: L) -> L {
    let others = occupied.without(sliders);
    let borrowed = others.reverse().minus(sliders.reverse());
    borrowed.reverse().xor(others).xor(sliders)
}
