//! Bytewise sums and differences in a `u64`: eight adders side by side, no carry from one byte to the next.
//!
//! Each in two forms. By masks, the word's own adder does the work, and the top bit of every byte, where a
//! carry would leave, is computed apart. By prefix, nothing is added at all: carries are found by three
//! doubling steps of shifts and bitwise operations, which is how a carry-lookahead circuit
//! does it, and where the Kogge-Stone fill comes from (told in [`borrow`](crate::kernels::any_cpu::borrow)).
//!
//! Source: Gerd Isenberg, Computer Chess Club, 22 May 2005 (`paddb`, `psubb`), for the form by prefix.
#![cfg_attr(
    not(test),
    allow(dead_code, reason = "all forms are kept; the kernels use the fastest")
)]

use crate::kernels::geometry::direction::{A_FILE, H_FILE};

/// Bytewise `x + y` (SSE2's `paddb`), by masks: 6 operations.
///
/// Without their top bits two bytes cannot overflow into the next; the top bits are then added by xor.
#[inline(always)]
pub(crate) const fn add(x: u64, y: u64) -> u64 {
    (x & !H_FILE).wrapping_add(y & !H_FILE) ^ ((x ^ y) & H_FILE)
}

/// Bytewise `x - y` (SSE2's `psubb`), by masks: 7 operations.
///
/// With its top bit set a byte cannot borrow from the next; then the top bit is put right by xor.
#[inline(always)]
pub(crate) const fn subtract(x: u64, y: u64) -> u64 {
    (x | H_FILE).wrapping_sub(y & !H_FILE) ^ ((x ^ !y) & H_FILE)
}

/// Bytewise `x + y`, by prefix.
///
/// A place *generates* a carry where both bits are set, and *propagates* one where exactly one is.
#[inline(always)]
pub(crate) const fn add_by_prefix(x: u64, y: u64) -> u64 {
    x ^ y ^ into_next(carries(x & y, x ^ y))
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

/// Bytewise `x - y`, by prefix.
///
/// A place generates a borrow where 1 is taken from 0, and propagates one where the bits are equal: the same
/// network as for the sum with x complemented, and no negation.
#[inline(always)]
pub(crate) const fn subtract_by_prefix(x: u64, y: u64) -> u64 {
    x ^ y ^ into_next(carries(!x & y, !(x ^ y)))
}

/// The places that hand a carry on: those that generate one, and those that propagate one they get.
#[inline(always)]
pub(crate) const fn carries(generate: u64, propagate: u64) -> u64 {
    let (mut g, mut p) = (generate, propagate & !A_FILE);
    g |= (g << 1) & p;
    p &= p << 1;
    g |= (g << 2) & p;
    p &= p << 2;
    g | (g << 4) & p
}

/// Each carry into the next place of its byte.
#[inline(always)]
pub(crate) const fn into_next(carries: u64) -> u64 {
    (carries << 1) & !A_FILE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytewise(x: u64, y: u64, f: fn(u8, u8) -> u8) -> u64 {
        let (x, y) = (x.to_le_bytes(), y.to_le_bytes());
        u64::from_le_bytes(std::array::from_fn(|i| f(x[i], y[i])))
    }

    fn check(x: u64, y: u64) {
        let sum = bytewise(x, y, u8::wrapping_add);
        assert_eq!(add(x, y), sum, "{x:#x} + {y:#x}");
        assert_eq!(add_by_prefix(x, y), sum, "{x:#x} + {y:#x} by prefix");
        let difference = bytewise(x, y, u8::wrapping_sub);
        assert_eq!(subtract(x, y), difference, "{x:#x} - {y:#x}");
        assert_eq!(
            subtract_by_prefix(x, y),
            difference,
            "{x:#x} - {y:#x} by prefix"
        );
    }

    /// Every pair of bytes in every place, between neighbours that overflow and that do not.
    #[test]
    fn every_pair_of_bytes() {
        for x in 0..=255 {
            for y in 0..=255 {
                for place in 0..8 {
                    let at = |byte: u64, around: u64| {
                        around & !(0xff << (8 * place)) | byte << (8 * place)
                    };
                    for (around_x, around_y) in [(0, 0), (!0, !0), (0, !0), (!0, 0)] {
                        check(at(x, around_x), at(y, around_y));
                    }
                }
            }
        }
    }

    #[test]
    fn random_words() {
        let mut random = fastrand::Rng::with_seed(2005);
        for _ in 0..1_000_000 {
            check(random.u64(..), random.u64(..));
        }
    }
}
