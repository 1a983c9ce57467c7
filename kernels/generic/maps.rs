//! Whole positions, one by one: what every kind of piece of both sides attacks, and checks and pins of both kings.
//!
//! A board's four sets of a kind of slider (rooks and queens, or bishops and queens, of both sides) lie side by side in a vector, as in
//! batches four boards do: so both sides' sliders take eight rays, and the queens' attacks come apart from the others'. Everything else is a few
//! steps on words, beside which the vectors' work goes on.

use core::marker::PhantomData;

use super::boards::Boards;
use super::technique::Technique;
use crate::kernels::geometry::direction::{ANY, Course};
use crate::kernels::geometry::leapers::{king_attacks, knight_attacks, pawn_attacks};
use crate::kernels::geometry::{AttackMaps, Checks, Direction, Position, Side};

/// What is computed of a position.
pub(crate) trait OnPosition: Copy {
    type Result;

    fn of<R: Rays>(self, position: &Position, rays: R) -> Self::Result;
}

/// The rays of four sets on one board.
pub(crate) trait Rays: Copy {
    fn rook(self, sets: [u64; 4], occupied: u64) -> [u64; 4];
    fn bishop(self, sets: [u64; 4], occupied: u64) -> [u64; 4];
    /// In a direction in which squares' numbers grow, for the first `count` sets at least.
    fn up(self, direction: Direction, sets: [u64; 4], occupied: u64, count: usize) -> [u64; 4];
    /// In one in which they shrink.
    fn down(self, direction: Direction, sets: [u64; 4], occupied: u64, count: usize) -> [u64; 4];
}

/// By vectors of two or four boards.
pub(crate) struct InVectors<B, T>(PhantomData<(B, T)>);

impl<B, T> Clone for InVectors<B, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<B, T> Copy for InVectors<B, T> {}

impl<B: Boards, T: Technique<B>> InVectors<B, T> {
    /// # Safety
    /// The CPU has the features of these types.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Self {
        const { assert!(4 % B::BOARDS == 0) };
        InVectors(PhantomData)
    }
}

/// Evaluates an expression of sliders and occupancy for each vector of some sets. (A closure would stay a call, without the features.)
macro_rules! each_vector {
    ($B:ident, $sets:expr, $occupied:expr, $count:expr, |$sliders:ident, $all:ident| $attacks:expr) => {{
        let (sets, mut attacks) = ($sets, [0; 4]);
        let mut i = 0;
        while i < $count {
            // SAFETY: `self` proves the features, and a vector of the four sets is left.
            unsafe {
                let $sliders = $B::load(sets.as_ptr().add(i));
                let $all = $sliders.same($occupied);
                $attacks.store(attacks.as_mut_ptr().add(i));
            }
            i += $B::BOARDS;
        }
        attacks
    }};
}

impl<B: Boards, T: Technique<B>> Rays for InVectors<B, T> {
    #[inline(always)]
    fn rook(self, sets: [u64; 4], occupied: u64) -> [u64; 4] {
        each_vector!(B, sets, occupied, 4, |sliders, all| T::rook(sliders, all))
    }
    #[inline(always)]
    fn bishop(self, sets: [u64; 4], occupied: u64) -> [u64; 4] {
        each_vector!(B, sets, occupied, 4, |sliders, all| T::bishop(sliders, all))
    }
    #[inline(always)]
    fn up(self, direction: Direction, sets: [u64; 4], occupied: u64, count: usize) -> [u64; 4] {
        let course = Course::<true, ANY>::of(direction);
        each_vector!(B, sets, occupied, count, |sliders, all| T::ray(
            course, sliders, all
        ))
    }
    #[inline(always)]
    fn down(self, direction: Direction, sets: [u64; 4], occupied: u64, count: usize) -> [u64; 4] {
        let course = Course::<false, ANY>::of(direction);
        each_vector!(B, sets, occupied, count, |sliders, all| T::ray(
            course, sliders, all
        ))
    }
}

/// `results[i] = op(positions[i])`.
///
/// # Safety
/// Both pointers are valid for so many, of any alignment.
#[inline(always)]
pub(crate) unsafe fn each<Op: OnPosition, R: Rays>(
    op: Op,
    rays: R,
    positions: *const Position,
    results: *mut Op::Result,
    count: usize,
) {
    for i in 0..count {
        // SAFETY: the caller's contract.
        unsafe {
            let position = positions.add(i).read_unaligned();
            results.add(i).write_unaligned(op.of(&position, rays));
        }
    }
}

/// The rays of a technique on words: what is around them kernels share.
#[derive(Clone, Copy)]
pub(crate) struct OnWords {
    rook: fn(u64, u64) -> u64,
    bishop: fn(u64, u64) -> u64,
    up: fn(Direction, u64, u64) -> u64,
    down: fn(Direction, u64, u64) -> u64,
}

impl OnWords {
    pub(crate) const fn of<T: Technique<u64>>() -> Self {
        const { assert!(T::ANY_CPU, "these functions have no features") };
        OnWords {
            rook: T::rook,
            bishop: T::bishop,
            up: |direction, sliders, occupied| {
                T::ray(Course::<true, ANY>::of(direction), sliders, occupied)
            },
            down: |direction, sliders, occupied| {
                T::ray(Course::<false, ANY>::of(direction), sliders, occupied)
            },
        }
    }
}

/// [`each`] on words.
///
/// # Safety
/// As [`each`].
#[inline(never)]
pub(crate) unsafe fn each_on_words<Op: OnPosition>(
    op: Op,
    rays: &OnWords,
    positions: *const Position,
    results: *mut Op::Result,
    count: usize,
) {
    // SAFETY: the caller's contract.
    unsafe { each(op, rays, positions, results, count) }
}

impl Rays for &OnWords {
    #[inline(always)]
    fn rook(self, sets: [u64; 4], occupied: u64) -> [u64; 4] {
        sets.map(|sliders| (self.rook)(sliders, occupied))
    }
    #[inline(always)]
    fn bishop(self, sets: [u64; 4], occupied: u64) -> [u64; 4] {
        sets.map(|sliders| (self.bishop)(sliders, occupied))
    }
    #[inline(always)]
    fn up(self, direction: Direction, mut sets: [u64; 4], occupied: u64, count: usize) -> [u64; 4] {
        for set in sets.iter_mut().take(count) {
            *set = (self.up)(direction, *set, occupied);
        }
        sets
    }
    #[inline(always)]
    fn down(
        self,
        direction: Direction,
        mut sets: [u64; 4],
        occupied: u64,
        count: usize,
    ) -> [u64; 4] {
        for set in sets.iter_mut().take(count) {
            *set = (self.down)(direction, *set, occupied);
        }
        sets
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Maps;

impl OnPosition for Maps {
    type Result = AttackMaps;

    #[inline(always)]
    fn of<R: Rays>(self, position: &Position, rays: R) -> AttackMaps {
        let occupied = position.occupied();
        let [w, b] = &position.pieces;
        let straight = rays.rook([w[3], w[4], b[3], b[4]], occupied);
        let diagonal = rays.bishop([w[2], w[4], b[2], b[4]], occupied);
        of_sliders(position, straight, diagonal)
    }
}

/// The maps, once the sliders' attacks are known: of White's rooks, White's queens, Black's; and the same of bishops.
#[inline(always)]
pub(crate) const fn of_sliders(
    position: &Position,
    straight: [u64; 4],
    diagonal: [u64; 4],
) -> AttackMaps {
    let [w, b] = &position.pieces;
    let white = [
        pawn_attacks(Side::White, w[0]),
        knight_attacks(w[1]),
        diagonal[0],
        straight[0],
        straight[1] | diagonal[1],
        king_attacks(w[5]),
    ];
    let black = [
        pawn_attacks(Side::Black, b[0]),
        knight_attacks(b[1]),
        diagonal[2],
        straight[2],
        straight[3] | diagonal[3],
        king_attacks(b[5]),
    ];
    let (white_all, white_threats) = of_side(&white, b);
    let (black_all, black_threats) = of_side(&black, w);
    AttackMaps {
        attacks: [white, black],
        all: [white_all, black_all],
        threats: [white_threats, black_threats],
    }
}

/// The union of a side's attacks, and its threats to the other's pieces.
#[inline(always)]
const fn of_side(attacks: &[u64; 6], others: &[u64; 6]) -> (u64, u64) {
    let [pawns, knights, bishops, rooks, queens, kings] = *attacks;
    let [
        _,
        other_knights,
        other_bishops,
        other_rooks,
        other_queens,
        _,
    ] = *others;
    let minor = pawns | knights | bishops;
    let to_rooks = minor & other_rooks;
    let to_queens = (minor | rooks) & other_queens;
    (
        minor | rooks | queens | kings,
        pawns & (other_knights | other_bishops) | to_rooks | to_queens,
    )
}

#[derive(Clone, Copy)]
pub(crate) struct ChecksAndPins;

/// What a king meets going one way and a slider coming the other.
#[inline(always)]
fn between(to: [u64; 4], from: [u64; 4], own: [u64; 2]) -> [u64; 4] {
    [to[0] & from[2] & own[0], to[1] & from[3] & own[1], 0, 0]
}

/// The directions in which squares' numbers grow: a rook's two, a bishop's two.
const UP: [Direction; 4] = [
    Direction::North,
    Direction::East,
    Direction::NorthEast,
    Direction::NorthWest,
];

impl OnPosition for ChecksAndPins {
    type Result = Checks;

    /// As pins of batches (see [`through`](super::through)), line by line, with both kings and the sliders that look at each side by side.
    #[inline(always)]
    fn of<R: Rays>(self, position: &Position, rays: R) -> Checks {
        let occupied = position.occupied();
        let [w, b] = &position.pieces;
        let own = [position.of(Side::White), position.of(Side::Black)];
        let kings = [w[5], b[5]];
        let mut checks = Checks {
            checkers: [
                pawn_attacks(Side::White, kings[0]) & b[0] | knight_attacks(kings[0]) & b[1],
                pawn_attacks(Side::Black, kings[1]) & w[0] | knight_attacks(kings[1]) & w[1],
            ],
            ..Checks::default()
        };
        for (i, there) in UP.into_iter().enumerate() {
            let back = there.opposite();
            // The sliders along this line that White's king fears, and Black's.
            let foes = if i < 2 {
                [b[3] | b[4], w[3] | w[4]]
            } else {
                [b[2] | b[4], w[2] | w[4]]
            };
            let sets = [kings[0], kings[1], foes[0], foes[1]];
            let up = rays.up(there, sets, occupied, 4);
            let down = rays.down(back, sets, occupied, 4);
            // First from the king on, and first from a slider back.
            let pinned_up = between(up, down, own);
            let pinned_down = between(down, up, own);
            let beyond_up = rays.up(there, pinned_up, occupied, 2);
            let beyond_down = rays.down(back, pinned_down, occupied, 2);
            for side in 0..2 {
                checks.checkers[side] |= (up[side] | down[side]) & foes[side];
                checks.pinned[side] |= pinned_up[side] | pinned_down[side];
                checks.pinners[side] |= (beyond_up[side] | beyond_down[side]) & foes[side];
            }
        }
        checks
    }
}
