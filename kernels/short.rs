//! Few boards: fills on a vector of boards as loaded, for tails and for single rays.
//!
//! A block of rank slices costs the same however few boards are in it; up to a number of vectors
//! ([`Operation::SHORT`](super::rank_slices::Operation::SHORT)) this is cheaper. A single ray does not repay slices at all.

use super::compass::Direction;
use super::kogge_stone;
use super::lanes::Lanes;
use super::rank_slices::{BishopAttacks, RookAttacks, SliderAttacks};

/// An operation on one vector of boards as loaded: `N` sets in, one out.
///
/// A type and not a function argument, because the shim by which a function is called as
/// an argument is not `inline(always)`.
pub(super) trait Vectorwise<const N: usize> {
    fn vector<L: Lanes>(sets: [L; N]) -> L;
}

#[inline(always)]
fn shift<L: Lanes>(boards: L, squares: i32) -> L {
    if squares >= 0 {
        boards.shift_left(squares.unsigned_abs())
    } else {
        boards.shift_right(squares.unsigned_abs())
    }
}

/// The squares that a step in a direction may enter, of a set.
#[inline(always)]
fn enterable<L: Lanes>(direction: Direction, squares: L) -> L {
    match direction {
        Direction::North | Direction::South => squares,
        _ => squares.and_squares(direction.may_enter()),
    }
}

/// One step beyond the fill of the empty squares, which is that of [`kogge_stone::occluded_fill`].
#[inline(always)]
fn ray<L: Lanes>(direction: Direction, sliders: L, empty: L) -> L {
    let k = direction.offset();
    let mut g = sliders;
    let mut p = enterable(direction, empty);
    g = g.or(shift(g, k).and(p));
    p = p.and(shift(p, k));
    g = g.or(shift(g, 2 * k).and(p));
    p = p.and(shift(p, 2 * k));
    g = g.or(shift(g, 4 * k).and(p));
    enterable(direction, shift(g, k))
}

#[inline(always)]
fn not<L: Lanes>(set: L) -> L {
    set.splat(0xff).without(set)
}

/// The ray eastward, which alone needs no fill.
pub(super) struct East;

impl Vectorwise<2> for East {
    #[inline(always)]
    fn vector<L: Lanes>([sliders, occupied]: [L; 2]) -> L {
        L::east_attacks(sliders, occupied)
    }
}

/// What a fill through empty squares, or through propagators, takes by direction: one function does them all, for
/// shifts by a number in a register take no longer.
pub(super) struct Course {
    /// Whether square numbers grow along the ray.
    upward: bool,
    /// The size of a step.
    squares: u32,
    /// The squares that it may enter.
    may_enter: u64,
    /// Whether the second set are blockers, and the result is a step beyond the fill.
    attacks: bool,
}

impl Course {
    /// The fill of generators through propagators.
    pub(super) const fn fill(direction: u8) -> Course {
        let direction = Direction::ALL[direction as usize % 8];
        Course {
            upward: direction.offset() > 0,
            squares: direction.offset().unsigned_abs(),
            may_enter: direction.may_enter(),
            attacks: false,
        }
    }

    /// The attacks of sliders on an occupancy.
    pub(super) const fn ray(direction: u8) -> Course {
        Course {
            attacks: true,
            ..Course::fill(direction)
        }
    }

    /// All whole vectors; returns the number of boards done.
    ///
    /// # Safety
    /// As [`batch::blocks`](super::batch::blocks).
    #[inline(always)]
    pub(super) unsafe fn run<L: Lanes>(
        &self,
        inputs: [*const u64; 2],
        output: *mut u64,
        boards: usize,
    ) -> usize {
        let whole = boards - boards % L::BOARDS;
        // SAFETY: the caller's contract.
        unsafe {
            if self.upward {
                self.each(inputs, output, whole, L::shift_left);
            } else {
                self.each(inputs, output, whole, L::shift_right);
            }
        }
        whole
    }

    /// # Safety
    /// As [`run`](Course::run), of a whole number of vectors.
    #[inline(always)]
    unsafe fn each<L: Lanes>(
        &self,
        [sliders, others]: [*const u64; 2],
        output: *mut u64,
        boards: usize,
        shift: impl Fn(L, u32) -> L,
    ) {
        let (k, beyond) = (self.squares, if self.attacks { self.squares } else { 0 });
        let (blockers, beyond_enter) = if self.attacks {
            (!0, self.may_enter)
        } else {
            (0, !0)
        };
        let mut start = 0;
        while start < boards {
            // SAFETY: the caller's contract.
            unsafe {
                let mut g = L::load(sliders.add(start));
                let ones = g.splat(0xff);
                let mut p = L::load(others.add(start))
                    .xor(ones.and_squares(blockers))
                    .and_squares(self.may_enter);
                g = g.or(shift(g, k).and(p));
                p = p.and(shift(p, k));
                g = g.or(shift(g, 2 * k).and(p));
                p = p.and(shift(p, 2 * k));
                g = g.or(shift(g, 4 * k).and(p));
                let filled = shift(g, beyond).and_squares(beyond_enter);
                filled.store(output.add(start));
            }
            start += L::BOARDS;
        }
    }
}

/// [`Course::run`] for one instruction set.
pub(super) type Fill =
    unsafe extern "C" fn(&Course, *const u64, *const u64, *mut u64, usize) -> usize;
/// [`vectors`](super::batch::vectors) of [`East`] for one instruction set.
pub(super) type Eastward = unsafe extern "C" fn(*const u64, *const u64, *mut u64, usize) -> usize;

/// Attacks along a ray; what is no whole vector goes the way of `kogge-stone`.
///
/// # Safety
/// As [`BatchRay`](super::table::BatchRay), for the CPU that the functions need.
#[inline(never)]
pub(super) unsafe extern "C" fn ray_attacks(
    direction: u8,
    sliders: *const u64,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
    fill: Fill,
    east: Eastward,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let done = if direction % 8 == Direction::East as u8 {
            east(sliders, occupied, attacks, boards)
        } else {
            fill(&Course::ray(direction), sliders, occupied, attacks, boards)
        };
        if done < boards {
            let (sliders, occupied) = (sliders.add(done), occupied.add(done));
            let rest = kogge_stone::TABLE.ray_attacks;
            rest(
                direction,
                sliders,
                occupied,
                attacks.add(done),
                boards - done,
            );
        }
    }
}

/// The fill along a ray, in the same way.
///
/// # Safety
/// As [`BatchRay`](super::table::BatchRay), for the CPU that the function needs.
#[inline(never)]
pub(super) unsafe extern "C" fn occluded_fill(
    direction: u8,
    generators: *const u64,
    propagators: *const u64,
    filled: *mut u64,
    boards: usize,
    fill: Fill,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let done = fill(
            &Course::fill(direction),
            generators,
            propagators,
            filled,
            boards,
        );
        if done < boards {
            let (generators, propagators) = (generators.add(done), propagators.add(done));
            let rest = kogge_stone::TABLE.occluded_fill;
            rest(
                direction,
                generators,
                propagators,
                filled.add(done),
                boards - done,
            );
        }
    }
}

impl Vectorwise<2> for RookAttacks {
    #[inline(always)]
    fn vector<L: Lanes>([rooks, occupied]: [L; 2]) -> L {
        let empty = not(occupied);
        L::east_attacks(rooks, occupied)
            .or(ray(Direction::North, rooks, empty))
            .or(ray(Direction::South, rooks, empty))
            .or(ray(Direction::West, rooks, empty))
    }
}

impl Vectorwise<2> for BishopAttacks {
    #[inline(always)]
    fn vector<L: Lanes>([bishops, occupied]: [L; 2]) -> L {
        let empty = not(occupied);
        ray(Direction::NorthEast, bishops, empty)
            .or(ray(Direction::SouthEast, bishops, empty))
            .or(ray(Direction::SouthWest, bishops, empty))
            .or(ray(Direction::NorthWest, bishops, empty))
    }
}

impl Vectorwise<3> for SliderAttacks {
    #[inline(always)]
    fn vector<L: Lanes>([orthogonal, diagonal, occupied]: [L; 3]) -> L {
        let occupied = occupied.or(orthogonal).or(diagonal);
        RookAttacks::vector([orthogonal, occupied]).or(BishopAttacks::vector([diagonal, occupied]))
    }
}
