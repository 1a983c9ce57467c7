//! Bytes that are ranks: what the rank-sliced algorithm computes with.
//!
//! A value of a register type exists only where the CPU has the type's features, because the only way to make the first
//! one is to [load](super::boards::Boards::load) it. So everything but memory access is safe.

use core::ops::{BitAnd, BitOr, BitXor, Not};

/// A value whose bytes are ranks.
pub(crate) trait Lanes:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// Whether [`west`](Lanes::west) carries bit 0 of a byte into bit 7 of the byte below.
    const WEST_LEAKS: bool;

    /// A value with every byte equal to `byte`.
    fn splat(self, byte: u8) -> Self;
    /// Bytewise difference.
    fn minus(self, other: Self) -> Self;
    /// Each rank one file to the east; the h-file drops out.
    fn east(self) -> Self;
    /// Each rank `FILES` (1, 2 or 4) files to the west; see [`WEST_LEAKS`](Lanes::WEST_LEAKS).
    fn west<const FILES: i32>(self) -> Self;

    /// Whether [`flood`](Lanes::flood) is a selection, for which `occupied` must contain the sliders.
    const FLOOD_SELECTS: bool = false;

    /// One step of an occluded fill: blocked by what is occupied, joined by the sliders of the rank.
    #[inline(always)]
    fn flood(self, occupied: Self, sliders: Self) -> Self {
        self & !occupied | sliders
    }

    /// Whether the bits of a byte are reversed in few operations: then so the westward ray is computed.
    const REVERSES: bool = false;

    /// Every rank with its files in reverse. Only if [`REVERSES`](Lanes::REVERSES).
    #[inline(always)]
    fn reverse(self) -> Self {
        unreachable!()
    }

    /// The bits in which `a` or `b` differs from `from`.
    #[inline(always)]
    fn either_differs(a: Self, b: Self, from: Self) -> Self {
        (a ^ from) | (b ^ from)
    }

    /// Attacks eastward within each byte.
    ///
    /// `pandn`, `psubb`, `pxor`: a slider borrows from the next occupied square above it. The bit of a slider in the
    /// difference tells that the slider was *not* reached, so the sliders are changed back, too.
    ///
    /// Source: Gerd Isenberg, Computer Chess Club, 22 May 2005.
    #[inline(always)]
    fn east_attacks(sliders: Self, occupied: Self) -> Self {
        let others = occupied & !sliders;
        others.minus(sliders) ^ others ^ sliders
    }

    /// Attacks westward within each byte. If the west shift leaks and ranks are not reversed, `sliders` has no a-file square and
    /// `occupied` has all of them (which changes no attack): see [`westward`].
    ///
    /// A borrow only runs upward, so it takes reversed ranks (Hyperbola Quintessence, Chess Programming Wiki); as reversal distributes
    /// over xor, only the difference is reversed back. Otherwise three Kogge-Stone steps in terms of
    /// the blockers: where a shifted blocker leaks into the byte below, it blocks a square that no slider of that
    /// byte reaches from above.
    #[inline(always)]
    fn west_attacks(sliders: Self, occupied: Self) -> Self {
        if Self::REVERSES {
            let others = occupied & !sliders;
            let borrowed = others.reverse().minus(sliders.reverse());
            return borrowed.reverse() ^ others ^ sliders;
        }
        let g = sliders.west::<1>().flood(occupied, sliders);
        let blocked = occupied | occupied.west::<1>();
        let g = g.west::<2>() & !blocked | g;
        let blocked = blocked | blocked.west::<2>();
        (g.west::<4>() & !blocked | g).west::<1>()
    }
}

/// Sliders and occupancy as the west-moving rays need them: where the shift carries a file across
/// a byte's edge, a-file sliders, which attack nothing westward, are removed, and every a-file
/// square blocks. Then no flood ever holds a square that could be carried, and no result needs a mask.
#[inline(always)]
pub(crate) fn westward<L: Lanes>(sliders: L, occupied: L) -> (L, L) {
    if L::WEST_LEAKS {
        let a_file = sliders.splat(0x01);
        (sliders & !a_file, occupied | a_file)
    } else {
        (sliders, occupied)
    }
}

/// Attacks along the ranks, both ways.
#[inline(always)]
pub(crate) fn along_rank<L: Lanes>(sliders: L, occupied: L) -> L {
    let (west_sliders, west_occupied) = westward(sliders, occupied);
    L::east_attacks(sliders, occupied) | L::west_attacks(west_sliders, west_occupied)
}

/// The same by a borrow in the ranks and one in the reversed ranks; `others` are the occupied squares without sliders. For attacks that are united with nothing yet: united,
/// [`along_rank`] takes no more operations. Only if [`REVERSES`](Lanes::REVERSES).
#[inline(always)]
pub(crate) fn by_borrows<L: Lanes>(sliders: L, others: L) -> L {
    let east = others.minus(sliders);
    let west = others.reverse().minus(sliders.reverse()).reverse();
    L::either_differs(east, west, others | sliders)
}
