//! Operations made of several rays: attacks in two sets, x-rays, pins.
//!
//! Each is a type with its form on one board by any [`Technique`]; the same on rank slices is in
//! [`sliced_compound`](super::sliced_compound).
//!
//! Everything is said per ray. Where a ray's first occupied square is a given one, the same ray starts there
//! once more: that is an x-ray, and if what it meets is a slider that moves along
//! the line, a pin. As every occupied square has one nearest neighbour in each direction, no ray of a set is
//! taken for another's.
//!
//! Source: "X-ray Attacks (Bitboards)" and "Checks and Pinned Pieces (Bitboards)", Chess Programming Wiki, for one slider;
//! the set-wise form is this project's.

use super::compass::Direction;
use super::elementwise::Technique;

/// An operation with `N` sets in and `M` out.
pub(super) trait Compound<const N: usize, const M: usize> {
    /// On one board.
    fn one<T: Technique>(sets: [u64; N]) -> [u64; M];
}

/// Does something for each direction, given it and the opposite as literals. (A loop over the directions keeps
/// the compiler from vectorising a batch.)
macro_rules! each_direction {
    ($do:ident) => {
        $do!(0 4);
        $do!(1 5);
        $do!(2 6);
        $do!(3 7);
        $do!(4 0);
        $do!(5 1);
        $do!(6 2);
        $do!(7 3);
    };
}

/// Rook attacks of the first set and bishop attacks of the second: `(orthogonal, diagonal, occupied)`.
pub(super) struct Split;

impl Compound<3, 2> for Split {
    #[inline(always)]
    fn one<T: Technique>([orthogonal, diagonal, occupied]: [u64; 3]) -> [u64; 2] {
        let occupied = occupied | orthogonal | diagonal;
        [
            T::rook_attacks(orthogonal, occupied),
            T::bishop_attacks(diagonal, occupied),
        ]
    }
}

/// Attacks through the first occupied square of a ray, if it is a given one: `(sliders, blockers, occupied)`.
pub(super) struct Xray<const ORTHOGONAL: bool, const DIAGONAL: bool>;

impl<const ORTHOGONAL: bool, const DIAGONAL: bool> Compound<3, 1> for Xray<ORTHOGONAL, DIAGONAL> {
    #[inline(always)]
    fn one<T: Technique>([sliders, blockers, occupied]: [u64; 3]) -> [u64; 1] {
        let occupied = occupied | sliders;
        let transparent = blockers & occupied;
        let mut attacks = 0;
        macro_rules! through {
            ($direction:literal $opposite:literal) => {
                if [ORTHOGONAL, DIAGONAL][$direction % 2] {
                    let direction = Direction::ALL[$direction];
                    let first = T::ray_attacks(direction, sliders, occupied) & transparent;
                    attacks |= T::ray_attacks(direction, first, occupied);
                }
            };
        }
        each_direction!(through);
        [attacks]
    }
}

/// Pinned pieces and pinners: `(kings, own, orthogonal, diagonal, occupied)`.
///
/// A square is pinned along a direction if it is the first that a king meets and, the other way, the first
/// that a slider of the line meets: two fills. The third, onward from it, finds the pinner.
pub(super) struct Pins;

impl Compound<5, 2> for Pins {
    #[inline(always)]
    fn one<T: Technique>([kings, own, orthogonal, diagonal, occupied]: [u64; 5]) -> [u64; 2] {
        let occupied = occupied | kings | own | orthogonal | diagonal;
        let (mut pinned, mut pinners) = (0, 0);
        macro_rules! along {
            ($direction:literal $opposite:literal) => {
                let line = [orthogonal, diagonal][$direction % 2];
                let from_kings = T::ray_attacks(Direction::ALL[$direction], kings, occupied);
                let from_sliders = T::ray_attacks(Direction::ALL[$opposite], line, occupied);
                let between = from_kings & from_sliders & own;
                pinned |= between;
                let beyond = T::ray_attacks(Direction::ALL[$direction], between, occupied);
                pinners |= beyond & line;
            };
        }
        each_direction!(along);
        [pinned, pinners]
    }
}

/// A compound on boards one by one.
///
/// # Safety
/// Every pointer is valid for `boards` boards, of any alignment; an output may be exactly one of the
/// inputs, but overlaps nothing else.
#[inline(always)]
pub(super) unsafe fn one_by_one<Op, T, const N: usize, const M: usize>(
    inputs: [*const u64; N],
    outputs: [*mut u64; M],
    boards: core::ops::Range<usize>,
) where
    Op: Compound<N, M>,
    T: Technique,
{
    for i in boards {
        let mut sets = [0; N];
        // SAFETY: the caller's contract.
        unsafe {
            for n in 0..N {
                sets[n] = inputs[n].add(i).read_unaligned();
            }
            let results = Op::one::<T>(sets);
            for m in 0..M {
                outputs[m].add(i).write_unaligned(results[m]);
            }
        }
    }
}
