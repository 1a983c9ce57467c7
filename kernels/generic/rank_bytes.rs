//! Values whose bytes are ranks: the operands of the rank-sliced algorithm.
//!
//! A value of a register type proves that the CPU has the type's features, because the first value
//! must come from the unsafe [`load`](super::board_vector::BoardVector::load). So all methods
//! except loads and stores are safe.

use core::ops::{BitAnd, BitOr, BitXor, Not};

/// A value whose bytes are ranks.
pub(crate) trait RankBytes:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// Whether [`west`](RankBytes::west) shifts bit 0 of a byte into bit 7 of the byte below.
    const WEST_WRAPS: bool;
    /// Whether [`flood`](RankBytes::flood) is a bit select. If so, `occupied` must contain the
    /// sliders.
    const FLOOD_SELECTS: bool = false;
    /// The method that computes attacks to the west.
    type West: West<Self>;

    /// A value with every byte equal to `byte`.
    fn splat(self, byte: u8) -> Self;
    /// Bytewise subtraction.
    fn sub_bytes(self, other: Self) -> Self;
    /// Moves every rank one file east; the h-file drops out.
    fn east(self) -> Self;
    /// Moves every rank `FILES` (1, 2 or 4) files west; see [`WEST_WRAPS`](RankBytes::WEST_WRAPS).
    fn west<const FILES: i32>(self) -> Self;

    /// One step of an occluded fill: blocked by `occupied`, joined by the sliders of the rank.
    #[inline(always)]
    fn flood(self, occupied: Self, sliders: Self) -> Self {
        self & !occupied | sliders
    }

    /// The bits in which `a` or `b` differs from `from`.
    #[inline(always)]
    fn either_differs(a: Self, b: Self, from: Self) -> Self {
        (a ^ from) | (b ^ from)
    }

    /// The bits of `a` where `mask` has bits, else those of `b`.
    #[inline(always)]
    fn select(mask: Self, a: Self, b: Self) -> Self {
        (a ^ b) & mask ^ b
    }

    /// Exchanges the bits of `a` and `b` where `mask` has bits.
    #[inline(always)]
    fn exchange(mask: Self, a: Self, b: Self) -> [Self; 2] {
        let swap = (a ^ b) & mask;
        [a ^ swap, b ^ swap]
    }

    /// The sum of three sets as two: the bits of weight one and those of weight two (a carry-save
    /// adder).
    #[inline(always)]
    fn full_add(a: Self, b: Self, c: Self) -> [Self; 2] {
        let odd = a ^ b;
        [odd ^ c, a & b | odd & c]
    }

    /// Attacks eastward within each byte.
    ///
    /// The SSE2 instructions are `pandn`, `psubb` and two `pxor`. A slider borrows from the next
    /// occupied square above it. The subtraction also changes the slider's own bit, unless another
    /// slider attacks its square. The last xor therefore flips the sliders' bits, so a slider's
    /// square remains only if it is attacked.
    ///
    /// Source: Gerd Isenberg, Computer Chess Club, 22 May 2005.
    #[inline(always)]
    fn east_attacks(sliders: Self, occupied: Self) -> Self {
        let others = occupied & !sliders;
        others.sub_bytes(sliders) ^ others ^ sliders
    }

    /// Attacks westward within each byte. The arguments must come from [`westward`].
    #[inline(always)]
    fn west_attacks(sliders: Self, occupied: Self) -> Self {
        Self::West::attacks(sliders, occupied)
    }
}

/// Bytes whose bits are cheap to reverse.
pub(crate) trait ReverseBits: RankBytes {
    /// Reverses the files of every rank.
    fn reverse(self) -> Self;
}

/// Computes attacks to the west, the direction in which neither carries nor borrows propagate.
pub(crate) trait West<R> {
    /// Whether [`attacks`](West::attacks) is used on whole boards as well. True if it takes fewer
    /// instructions there than a Kogge-Stone fill.
    const ON_BOARDS: bool;

    /// Attacks westward within each byte; see [`RankBytes::west_attacks`].
    fn attacks(sliders: R, occupied: R) -> R;
}

/// Subtracts in reversed ranks (Hyperbola Quintessence, Chess Programming Wiki). Reversal
/// distributes over XOR, so only the difference is reversed back.
pub(crate) struct Reversed;

impl<R: ReverseBits> West<R> for Reversed {
    const ON_BOARDS: bool = true;

    #[inline(always)]
    fn attacks(sliders: R, occupied: R) -> R {
        let others = occupied & !sliders;
        let borrowed = others.reverse().sub_bytes(sliders.reverse());
        borrowed.reverse() ^ others ^ sliders
    }
}

/// Takes three Kogge-Stone steps, which propagate the blockers instead of the empty squares. A
/// shifted blocker may wrap into the high bits of the byte below. There it blocks only squares that
/// the fill of that byte does not enter in the same step.
pub(crate) struct Shifted;

impl<R: RankBytes> West<R> for Shifted {
    const ON_BOARDS: bool = false;

    #[inline(always)]
    fn attacks(sliders: R, occupied: R) -> R {
        let g = sliders.west::<1>().flood(occupied, sliders);
        let blocked = occupied | occupied.west::<1>();
        let g = g.west::<2>() & !blocked | g;
        let blocked = blocked | blocked.west::<2>();
        (g.west::<4>() & !blocked | g).west::<1>()
    }
}

/// Prepares sliders and occupancy for rays to the west, north-west and south-west. If shifts wrap,
/// sliders on the a-file are removed, because they attack nothing westward, and every a-file square
/// blocks. So no flood contains a square that could wrap, and no result needs a mask.
#[inline(always)]
pub(crate) fn westward<R: RankBytes>(sliders: R, occupied: R) -> (R, R) {
    if R::WEST_WRAPS {
        let a_file = sliders.splat(0x01);
        (sliders & !a_file, occupied | a_file)
    } else {
        (sliders, occupied)
    }
}

/// Attacks along the ranks, in both directions.
#[inline(always)]
pub(crate) fn along_rank<R: RankBytes>(sliders: R, occupied: R) -> R {
    let (west_sliders, west_occupied) = westward(sliders, occupied);
    R::east_attacks(sliders, occupied) | R::west_attacks(west_sliders, west_occupied)
}

/// Like [`along_rank`], but by subtraction (`o - 2r`) in the ranks and in the reversed ranks.
/// `others` holds the occupied squares except the sliders. Cheaper than [`along_rank`] only if the
/// result is not combined with other attacks.
#[inline(always)]
pub(crate) fn by_borrows<R: ReverseBits>(sliders: R, others: R) -> R {
    let east = others.sub_bytes(sliders);
    let west = others.reverse().sub_bytes(sliders.reverse()).reverse();
    R::either_differs(east, west, others | sliders)
}
