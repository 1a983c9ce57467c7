//! Operations made of several rays: attacks in two sets, x-rays, pins.
//!
//! Each is a type with two forms: on one board by any [`Technique`], and on rank slices.
//! One cut of the occupancy serves all rays of an operation.
//!
//! Everything is said per ray. Where a ray's first occupied square is a given one, the same ray starts there
//! once more: that is an x-ray, and if what it meets is a slider that moves along
//! the line, a pin. As every occupied square has one nearest neighbour in each direction, no ray of a set is
//! taken for another's.
//!
//! Source: "X-ray Attacks (Bitboards)" and "Checks and Pinned Pieces (Bitboards)", Chess Programming Wiki, for one slider;
//! the set-wise form is this project's.

use super::batch::align_stack;
use super::compass::Direction;
use super::elementwise::Technique;
use super::lanes::{Lanes, Ranks};
use super::rank_slices::{sliced, westward};

/// An operation with `N` sets in and `M` out.
pub(super) trait Compound<const N: usize, const M: usize> {
    /// On one board.
    fn one<T: Technique>(sets: [u64; N]) -> [u64; M];
    /// On rank slices.
    fn sliced<R: Ranks>(sets: [[R; 8]; N]) -> [[R; 8]; M];
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

    #[inline(always)]
    fn sliced<R: Ranks>([orthogonal, diagonal, occupied]: [[R; 8]; 3]) -> [[R; 8]; 2] {
        let occupied = union(union(occupied, &orthogonal), &diagonal);
        [
            sliced::<R, true, false, true>(&orthogonal, &orthogonal, &occupied),
            sliced::<R, false, true, true>(&diagonal, &diagonal, &occupied),
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

    #[inline(always)]
    fn sliced<R: Ranks>([sliders, blockers, occupied]: [[R; 8]; 3]) -> [[R; 8]; 1] {
        let occupied = union(occupied, &sliders);
        let transparent = intersection(blockers, &occupied);
        let mut attacks = empty(&occupied);
        macro_rules! through {
            ($direction:literal $opposite:literal) => {
                if [ORTHOGONAL, DIAGONAL][$direction % 2] {
                    let seen = ray::<R, $direction>(&sliders, &occupied);
                    let first = intersection(seen, &transparent);
                    attacks = union(attacks, &ray::<R, $direction>(&first, &occupied));
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

    #[inline(always)]
    fn sliced<R: Ranks>([kings, own, orthogonal, diagonal, occupied]: [[R; 8]; 5]) -> [[R; 8]; 2] {
        let occupied = union(union(occupied, &kings), &own);
        let occupied = union(union(occupied, &orthogonal), &diagonal);
        let (mut pinned, mut pinners) = (empty(&occupied), empty(&occupied));
        macro_rules! along {
            ($direction:literal $opposite:literal) => {
                let line = [&orthogonal, &diagonal][$direction % 2];
                let from_kings = ray::<R, $direction>(&kings, &occupied);
                let from_sliders = ray::<R, $opposite>(line, &occupied);
                let between = intersection(intersection(from_kings, &from_sliders), &own);
                pinned = union(pinned, &between);
                let beyond = ray::<R, $direction>(&between, &occupied);
                pinners = union(pinners, &intersection(beyond, line));
            };
        }
        each_direction!(along);
        [pinned, pinners]
    }
}

/// One ray on rank slices; see [`rank_slices`](super::rank_slices).
#[inline(always)]
fn ray<R: Ranks, const DIRECTION: usize>(sliders: &[R; 8], occupied: &[R; 8]) -> [R; 8] {
    let mut attacks = empty(occupied);
    /// From rank `$start` over the others in order, unrolled by hand.
    macro_rules! sweep {
        ($step:ident, $files:ident; $start:literal: $($i:literal)*) => {{
            let (mut flood, _) = $files(sliders[$start], occupied[$start]);
            $(
                flood = $step(flood);
                attacks[$i] = flood;
                let (joining, blocking) = $files(sliders[$i], occupied[$i]);
                flood = flood.flood(blocking, joining);
            )*
            let _ = flood;
        }};
    }
    match const { Direction::ALL[DIRECTION] } {
        Direction::North => sweep!(stay, as_is; 0: 1 2 3 4 5 6 7),
        Direction::NorthEast => sweep!(east, as_is; 0: 1 2 3 4 5 6 7),
        Direction::NorthWest => sweep!(west, westward; 0: 1 2 3 4 5 6 7),
        Direction::South => sweep!(stay, as_is; 7: 6 5 4 3 2 1 0),
        Direction::SouthEast => sweep!(east, as_is; 7: 6 5 4 3 2 1 0),
        Direction::SouthWest => sweep!(west, westward; 7: 6 5 4 3 2 1 0),
        Direction::East => {
            for i in 0..8 {
                attacks[i] = R::east_attacks(sliders[i], occupied[i]);
            }
        }
        Direction::West => {
            for i in 0..8 {
                let (sliders, occupied) = westward(sliders[i], occupied[i]);
                attacks[i] = R::west_attacks(sliders, occupied);
            }
        }
    }
    attacks
}

#[inline(always)]
fn stay<R: Ranks>(flood: R) -> R {
    flood
}

#[inline(always)]
fn east<R: Ranks>(flood: R) -> R {
    flood.east()
}

#[inline(always)]
fn west<R: Ranks>(flood: R) -> R {
    flood.west::<1>()
}

#[inline(always)]
fn as_is<R: Ranks>(sliders: R, occupied: R) -> (R, R) {
    (sliders, occupied)
}

#[inline(always)]
fn empty<R: Ranks>(like: &[R; 8]) -> [R; 8] {
    [like[0].xor(like[0]); 8]
}

#[inline(always)]
fn union<R: Ranks>(mut a: [R; 8], b: &[R; 8]) -> [R; 8] {
    for i in 0..8 {
        a[i] = a[i].or(b[i]);
    }
    a
}

#[inline(always)]
fn intersection<R: Ranks>(mut a: [R; 8], b: &[R; 8]) -> [R; 8] {
    for i in 0..8 {
        // Compilers make one instruction of it.
        a[i] = a[i].without(a[i].without(b[i]));
    }
    a
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

/// A compound on blocks of eight vectors; a rest of less than a vector goes one by one.
///
/// One loop does the last block too (its vectors are moved back onto the last boards, which are then
/// computed twice with the same result): these operations are long, and a second copy of
/// the code for the tail costs more in size than it saves.
///
/// # Safety
/// As [`one_by_one`], and the CPU has the features of `L` and what `T` needs.
#[inline(always)]
pub(super) unsafe fn run<Op, L, T, const N: usize, const M: usize>(
    inputs: [*const u64; N],
    outputs: [*mut u64; M],
    boards: usize,
) where
    Op: Compound<N, M>,
    L: Lanes,
    T: Technique,
{
    align_stack();
    let mut done = 0;
    // SAFETY: the caller's contract; each vector starts between `done` and `boards - L::BOARDS`, and
    // all loads of a block come before its first store.
    unsafe {
        while boards - done >= FEWEST.max(L::BOARDS) {
            let last = boards - L::BOARDS;
            let offset = |v: usize| (done + v * L::BOARDS).min(last);
            let mut sets = [[L::load(inputs[0].add(done)); 8]; N];
            for n in 0..N {
                for v in 0..8 {
                    sets[n][v] = L::load(inputs[n].add(offset(v)));
                }
                sets[n] = L::slice(sets[n]);
            }
            let results = Op::sliced(sets);
            for m in 0..M {
                let boards = L::unslice(results[m]);
                for v in 0..8 {
                    boards[v].store(outputs[m].add(offset(v)));
                }
            }
            done = (done + 8 * L::BOARDS).min(boards);
        }
        one_by_one::<Op, T, N, M>(inputs, outputs, done..boards);
    }
}

/// Fewer boards than this go one by one.
const FEWEST: usize = 3;
