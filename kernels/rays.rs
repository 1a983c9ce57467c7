//! Single rays on vectors of boards as loaded, and what is made of them: x-rays and pins.
//!
//! The direction is an argument: shifts by a number in a register take little longer than shifts by a constant, and what
//! there is of code is there twice, for the rays whose square numbers grow and for the others, not eight times.
//!
//! Everything is said per ray. Where a ray's first occupied square is a given one, the same ray starts there
//! once more: that is an x-ray, and if what it meets is a slider that moves along
//! the line, a pin. As every occupied square has one nearest neighbour in each direction, no ray of a set is
//! taken for another's. The second fill has the propagators of the first, of which the doubled ones are half the work.
//!
//! X-rays and pins are on words, of which the compiler makes vectors. On rank slices they take far less time and
//! more code: [`sliced_compound`](super::sliced_compound).
//!
//! Source: "X-ray Attacks (Bitboards)" and "Checks and Pinned Pieces (Bitboards)", Chess Programming Wiki, for one slider;
//! the set-wise form is this project's.

use core::hint::black_box;

use super::chunks::{BOARDS, Block};
use super::compass::{AVOID_WRAP, Direction};
use super::kogge_stone;
use super::lanes::Lanes;
use super::short::not;
use super::swar::Swar;

/// What a ray takes by direction.
#[derive(Clone, Copy)]
pub(super) struct Ray {
    direction: Direction,
    /// The size of a step.
    squares: u32,
    /// The squares that it may enter.
    may_enter: u64,
}

/// Square numbers grow along a ray, or fall.
trait Side {
    type Opposite: Side;
    fn shift<L: Lanes>(boards: L, squares: u32) -> L;
}

struct Up;
struct Down;

impl Side for Up {
    type Opposite = Down;
    #[inline(always)]
    fn shift<L: Lanes>(boards: L, squares: u32) -> L {
        boards.shift_left(squares)
    }
}

impl Side for Down {
    type Opposite = Up;
    #[inline(always)]
    fn shift<L: Lanes>(boards: L, squares: u32) -> L {
        boards.shift_right(squares)
    }
}

/// Calls a method by the side of a ray.
macro_rules! by_side {
    ($ray:ident . $method:ident :: <$L:ident>($($argument:expr),*)) => {
        if $ray.direction.offset() > 0 {
            $ray.$method::<Up, $L>($($argument),*)
        } else {
            $ray.$method::<Down, $L>($($argument),*)
        }
    };
}

impl Ray {
    #[inline(always)]
    pub(super) const fn new(direction: Direction) -> Ray {
        Ray {
            direction,
            squares: direction.offset().unsigned_abs(),
            may_enter: direction.may_enter(),
        }
    }

    const fn opposite(self) -> Ray {
        Ray::new(self.direction.opposite())
    }

    /// Of propagators those of one step, of two and of four, as [`kogge_stone`] has them.
    #[inline(always)]
    fn propagators<S: Side, L: Lanes>(self, propagators: L) -> [L; 3] {
        let k = self.squares;
        let one = propagators.and_squares(self.may_enter);
        let two = one.and(S::shift(one, k));
        [one, two, two.and(S::shift(two, 2 * k))]
    }

    #[inline(always)]
    fn filled<S: Side, L: Lanes>(self, generators: L, [one, two, four]: [L; 3]) -> L {
        let k = self.squares;
        let g = generators.or(S::shift(generators, k).and(one));
        let g = g.or(S::shift(g, 2 * k).and(two));
        g.or(S::shift(g, 4 * k).and(four))
    }

    #[inline(always)]
    fn attacks<S: Side, L: Lanes>(self, sliders: L, propagators: [L; 3]) -> L {
        let filled = self.filled::<S, L>(sliders, propagators);
        S::shift(filled, self.squares).and_squares(self.may_enter)
    }

    /// The attacks through a set of propagators.
    #[inline(always)]
    pub(super) fn attacks_through<L: Lanes>(self, sliders: L, propagators: L) -> L {
        by_side!(self.through::<L>(sliders, propagators))
    }

    #[inline(always)]
    fn through<S: Side, L: Lanes>(self, sliders: L, propagators: L) -> L {
        self.attacks::<S, L>(sliders, self.propagators::<S, L>(propagators))
    }

    /// The fill of generators through propagators, or if `attacks`, those of sliders on an occupancy, of whole vectors; returns
    /// the number of boards done.
    ///
    /// # Safety
    /// As [`batch::blocks`](super::batch::blocks).
    #[inline(always)]
    pub(super) unsafe fn run<L: Lanes>(
        self,
        inputs: [*const u64; 2],
        output: *mut u64,
        boards: usize,
        attacks: bool,
    ) -> usize {
        let whole = boards - boards % L::BOARDS;
        // SAFETY: the caller's contract.
        unsafe { by_side!(self.each::<L>(inputs, output, whole, attacks)) };
        whole
    }

    /// # Safety
    /// As [`run`](Ray::run), of whole vectors.
    #[inline(always)]
    unsafe fn each<S: Side, L: Lanes>(
        self,
        [sliders, others]: [*const u64; 2],
        output: *mut u64,
        boards: usize,
        attacks: bool,
    ) {
        // One loop for both: attacks are a step beyond the fill, through what is not occupied.
        let (blockers, step, enter) = if attacks {
            (!0, self.squares, self.may_enter)
        } else {
            (0, 0, !0)
        };
        let mut start = 0;
        while start < boards {
            // SAFETY: the caller's contract.
            unsafe {
                let sliders = L::load(sliders.add(start));
                let blockers = sliders.splat(0xff).and_squares(blockers);
                let propagators =
                    self.propagators::<S, L>(L::load(others.add(start)).xor(blockers));
                let filled = self.filled::<S, L>(sliders, propagators);
                S::shift(filled, step)
                    .and_squares(enter)
                    .store(output.add(start));
            }
            start += L::BOARDS;
        }
    }

    /// Adds what is attacked in a direction through a transparent square, all of which are occupied, of the first eights of a block.
    ///
    /// # Safety
    /// The eights of boards are set in all blocks.
    #[inline(never)]
    pub(super) unsafe fn add_xray(
        direction: Direction,
        sets: [&Block; 3],
        attacks: &mut Block,
        eights: usize,
    ) {
        let ray = Ray::new(direction);
        // SAFETY: the caller's contract.
        unsafe { by_side!(ray.each_xray::<Swar>(sets, attacks, eights)) }
    }

    /// # Safety
    /// As [`add_xray`](Ray::add_xray).
    #[inline(always)]
    unsafe fn each_xray<S: Side, L: Lanes>(
        self,
        [sliders, transparent, occupied]: [&Block; 3],
        attacks: &mut Block,
        eights: usize,
    ) {
        for i in (0..8 * eights.min(BOARDS / 8)).step_by(L::BOARDS) {
            // SAFETY: the caller's contract.
            unsafe {
                let propagators = self.propagators::<S, L>(not(occupied.vector(i)));
                let seen = self.attacks::<S, L>(sliders.vector(i), propagators);
                let through = seen.and(transparent.vector(i));
                let beyond = self.attacks::<S, L>(through, propagators);
                attacks.set_vector(i, attacks.vector::<L>(i).or(beyond));
            }
        }
    }

    /// Adds the own pieces that a ray of a king in a direction meets first, behind which it meets a slider of its line, and these sliders.
    ///
    /// # Safety
    /// As [`add_xray`](Ray::add_xray).
    #[inline(never)]
    pub(super) unsafe fn add_pins(
        direction: Direction,
        sets: [&Block; 4],
        pinned: &mut Block,
        pinners: &mut Block,
        eights: usize,
    ) {
        let ray = Ray::new(direction);
        // SAFETY: the caller's contract.
        unsafe { by_side!(ray.each_pin::<Swar>(sets, pinned, pinners, eights)) }
    }

    /// # Safety
    /// As [`add_xray`](Ray::add_xray).
    #[inline(always)]
    unsafe fn each_pin<S: Side, L: Lanes>(
        self,
        [kings, own, sliders, occupied]: [&Block; 4],
        pinned: &mut Block,
        pinners: &mut Block,
        eights: usize,
    ) {
        let back = self.opposite();
        for i in (0..8 * eights.min(BOARDS / 8)).step_by(L::BOARDS) {
            // SAFETY: the caller's contract.
            unsafe {
                let sliders = sliders.vector(i);
                let empty = not(occupied.vector(i));
                let behind = back.propagators::<S::Opposite, L>(empty);
                let propagators = self.propagators::<S, L>(empty);
                let between = self
                    .attacks::<S, L>(kings.vector(i), propagators)
                    .and(own.vector(i))
                    .and(back.attacks::<S::Opposite, L>(sliders, behind));
                let beyond = self.attacks::<S, L>(between, propagators).and(sliders);
                pinned.set_vector(i, pinned.vector::<L>(i).or(between));
                pinners.set_vector(i, pinners.vector::<L>(i).or(beyond));
            }
        }
    }
}

/// [`Ray::run`] for one instruction set.
pub(super) type Run =
    unsafe extern "C" fn(u8, *const u64, *const u64, *mut u64, usize, bool) -> usize;
/// [`batch::vectors`](super::batch::vectors) of [`East`](super::short::East) for one instruction set.
pub(super) type Eastward = unsafe extern "C" fn(*const u64, *const u64, *mut u64, usize) -> usize;

/// Fills along a ray, or if `attacks`, those: whole vectors, and what is left board by board.
///
/// # Safety
/// As [`BatchRay`](super::table::BatchRay), for the CPU that the functions need.
#[inline(never)]
pub(super) unsafe extern "C" fn by_vectors(
    direction: u8,
    sliders: *const u64,
    others: *const u64,
    output: *mut u64,
    boards: usize,
    attacks: bool,
    run: Run,
    east: Eastward,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let done = if attacks && Direction::numbered(direction) == Direction::East {
            east(sliders, others, output, boards)
        } else {
            run(direction, sliders, others, output, boards, attacks)
        };
        let (sliders, others) = (sliders.add(done), others.add(done));
        one_by_one(
            direction,
            sliders,
            others,
            output.add(done),
            boards - done,
            attacks,
        );
    }
}

/// A few boards by [`kogge_stone::generalised`]; the arguments are those of [`Run`].
///
/// # Safety
/// As [`BatchRay`](super::table::BatchRay).
#[inline(never)]
pub(super) unsafe extern "C" fn one_by_one(
    direction: u8,
    sliders: *const u64,
    others: *const u64,
    output: *mut u64,
    boards: usize,
    attacks: bool,
) {
    let direction = Direction::numbered(direction);
    // As in `Ray::each`, one loop for both.
    let (blockers, step, enter) = if attacks {
        (!0, direction.offset(), AVOID_WRAP[direction as usize])
    } else {
        (0, 0, !0)
    };
    for i in 0..boards {
        // SAFETY: the caller's contract.
        unsafe {
            // (Hidden, so that nothing is vectorised: they are few.)
            let sliders = black_box(sliders.add(i).read_unaligned());
            let propagators = others.add(i).read_unaligned() ^ blockers;
            let filled = kogge_stone::generalised(direction, sliders, propagators);
            let beyond = filled.rotate_left(step.rem_euclid(64).cast_unsigned());
            output.add(i).write_unaligned(beyond & enter);
        }
    }
}
