#![doc = include_str!("../../docs/techniques/adder.md")]

use crate::kernels::generic::bytes;
use crate::kernels::geometry::direction::{A_FILE, H_FILE};

/// `x + y` without an addition instruction. XOR gives the sum without carries, and further rounds
/// add the carries until none are left.
///
/// It takes up to 64 rounds of three operations. A carry moves one position per round, like a flood
/// in [`dumb7fill`](super::dumb7fill).
///
/// ```
/// use setwise::techniques::adder;
/// assert_eq!(adder::add(0b0111, 0b0001), 0b1000);
/// assert_eq!(adder::add(u64::MAX, 1), 0); // wraps, like a 64-bit adder
/// ```
#[must_use]
#[inline]
pub const fn add(x: u64, y: u64) -> u64 {
    let mut sum = x ^ y;
    let mut carries = x & y;
    while carries != 0 {
        carries <<= 1;
        (sum, carries) = (sum ^ carries, sum & carries);
    }
    sum
}

/// The carries c1 to c4 into bit positions 1 to 4, computed directly from `generate` and
/// `propagate` (four bits each). Bit i of the result is the carry into position i; bit 0 is clear.
///
/// ```text
/// c1 = g0
/// c2 = g1 | g0 p1
/// c3 = g2 | g1 p2 | g0 p1 p2
/// c4 = g3 | g2 p3 | g1 p2 p3 | g0 p1 p2 p3
/// ```
///
/// No carry depends on another, but the formulas grow. [`carries`] shares their terms.
///
/// ```
/// use setwise::techniques::adder;
/// let (x, y) = (0b0111, 0b0011);
/// let carries = adder::carries_of_four(x & y, x ^ y);
/// assert_eq!(carries, 0b1110); // into positions 1, 2 and 3
/// assert_eq!(x ^ y ^ carries, x + y);
/// ```
#[must_use]
#[inline]
pub const fn carries_of_four(generate: u8, propagate: u8) -> u8 {
    let [g0, g1, g2, g3] = low_bits(generate);
    let [_, p1, p2, p3] = low_bits(propagate);
    let c1 = g0;
    let c2 = g1 | g0 & p1;
    let c3 = g2 | g1 & p2 | g0 & p1 & p2;
    let c4 = g3 | g2 & p3 | g1 & p2 & p3 | g0 & p1 & p2 & p3;
    c1 << 1 | c2 << 2 | c3 << 3 | c4 << 4
}

const fn low_bits(x: u8) -> [u8; 4] {
    [x & 1, x >> 1 & 1, x >> 2 & 1, x >> 3 & 1]
}

/// The bit positions of each byte that pass on a carry, because they generate one or propagate an
/// incoming carry.
///
/// Two neighbouring positions act like a single position. The pair generates a carry if the upper
/// position does, or if the lower position does and the upper position propagates it. So the reach
/// doubles in each of three steps. This is the Kogge-Stone network: 13 operations and a mask.
///
/// ```
/// use setwise::techniques::adder;
/// // Position 1 generates a carry, which runs through positions 2 and 3.
/// assert_eq!(adder::carries(0b0010, 0b0000_1100), 0b0000_1110);
/// ```
#[must_use]
#[inline]
pub const fn carries(generate: u64, propagate: u64) -> u64 {
    let (mut g, mut p) = (generate, propagate & !A_FILE);
    g |= (g << 1) & p;
    p &= p << 1;
    g |= (g << 2) & p;
    p &= p << 2;
    g | (g << 4) & p
}

/// Moves each carry into the next position of its byte; a carry out of the byte is lost.
#[inline]
const fn into_next(carries: u64) -> u64 {
    (carries << 1) & !A_FILE
}

/// Bytewise `x + y` with [`carries`]. A position generates a carry if both bits are set, and
/// propagates a carry if exactly one bit is set.
///
/// ```
/// use setwise::techniques::adder;
/// assert_eq!(adder::paddb_by_carries(0x01ff, 0x0101), 0x0200); // no carry into the second byte
/// ```
#[must_use]
#[inline]
pub const fn paddb_by_carries(x: u64, y: u64) -> u64 {
    x ^ y ^ into_next(carries(x & y, x ^ y))
}

/// Bytewise `x - y` with [`carries`], which here are borrows. A position generates a borrow if 1 is
/// subtracted from 0, and propagates a borrow if both bits are equal. The network is the same as
/// for the sum, with `x` complemented.
///
/// ```
/// use setwise::techniques::adder;
/// assert_eq!(adder::psubb_by_carries(0x0200, 0x0101), 0x01ff);
/// ```
#[must_use]
#[inline]
pub const fn psubb_by_carries(x: u64, y: u64) -> u64 {
    x ^ y ^ into_next(carries(!x & y, !(x ^ y)))
}

/// Bytewise `x + y` (SSE2's `paddb`) with one 64-bit addition: 6 operations.
///
/// With the top bits of `x` and `y` cleared, no byte overflows into the next byte. XOR then adds
/// the top bits.
///
/// ```
/// use setwise::techniques::adder;
/// assert_eq!(adder::paddb(0x01ff, 0x0101), 0x0200);
/// ```
#[must_use]
#[inline]
pub const fn paddb(x: u64, y: u64) -> u64 {
    (x & !H_FILE).wrapping_add(y & !H_FILE) ^ ((x ^ y) & H_FILE)
}

/// Bytewise `x - y` (SSE2's `psubb`) with one 64-bit subtraction: 7 operations.
///
/// With the top bits of `x` set and those of `y` cleared, no byte borrows from the next byte. XOR
/// then corrects the top bits.
///
/// ```
/// use setwise::techniques::adder;
/// assert_eq!(adder::psubb(0x0200, 0x0101), 0x01ff);
/// ```
#[must_use]
#[inline]
pub const fn psubb(x: u64, y: u64) -> u64 {
    bytes::subtract(x, y)
}

/// Attacks eastward, computed from the borrows of a subtraction: the positions that pass on a
/// borrow, shifted by one.
///
/// In `(occupied & !rooks) - rooks`, a rook generates a borrow (0 - 1), an empty square propagates
/// it (0 - 0), and a blocker does neither. So this is the borrow part of [`psubb_by_carries`], and
/// also a Kogge-Stone fill. With shifts by 8, 9 or 7 instead of 1, the fill [runs along the other
/// lines](super::kogge_stone::occluded_fill), which a subtraction cannot do.
///
/// ```
/// use setwise::{Direction, board, techniques::adder};
/// let (rooks, occupied) = (0b0000_1000, 0b0100_1010);
/// assert_eq!(adder::east_attacks(rooks, occupied), board::ray_attacks(Direction::East, rooks, occupied));
/// ```
#[must_use]
#[inline]
pub const fn east_attacks(sliders: u64, occupied: u64) -> u64 {
    into_next(carries(sliders, !(occupied | sliders)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytewise(x: u64, y: u64, f: fn(u8, u8) -> u8) -> u64 {
        let (x, y) = (x.to_le_bytes(), y.to_le_bytes());
        u64::from_le_bytes(std::array::from_fn(|i| f(x[i], y[i])))
    }

    fn check(x: u64, y: u64) {
        assert_eq!(add(x, y), x.wrapping_add(y), "{x:#x} + {y:#x}");
        let sum = bytewise(x, y, u8::wrapping_add);
        assert_eq!(paddb(x, y), sum, "{x:#x} + {y:#x}");
        assert_eq!(paddb_by_carries(x, y), sum, "{x:#x} + {y:#x} by carries");
        let difference = bytewise(x, y, u8::wrapping_sub);
        assert_eq!(psubb(x, y), difference, "{x:#x} - {y:#x}");
        assert_eq!(psubb_by_carries(x, y), difference, "{x:#x} - {y:#x} by carries");
    }

    /// Tries every pair of bytes at every position, with neighbours that overflow and neighbours
    /// that do not.
    #[test]
    fn every_pair_of_bytes() {
        for x in 0..=255 {
            for y in 0..=255 {
                for place in 0..8 {
                    let placed = |byte: u64, around: u64| {
                        around & !(0xff << (8 * place)) | byte << (8 * place)
                    };
                    for (around_x, around_y) in [(0, 0), (!0, !0), (0, !0), (!0, 0)] {
                        check(placed(x, around_x), placed(y, around_y));
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

    #[test]
    fn four_carries_agree_with_the_sum_and_the_doubling_steps() {
        for x in 0..16_u8 {
            for y in 0..16 {
                let carries = carries_of_four(x & y, x ^ y);
                assert_eq!(x ^ y ^ carries, x + y, "{x} + {y}");
                let doubled = super::carries(u64::from(x & y), u64::from(x ^ y)) << 1;
                assert_eq!(u64::from(carries), doubled, "{x} + {y}");
            }
        }
    }
}
