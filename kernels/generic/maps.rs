//! Whole positions, one by one: what every kind of piece of both sides attacks, and checks and pins of both kings.
//!
//! A board's four sets of a kind of slider (rooks and queens, or bishops and queens, of both sides) lie side by side in a vector, as in
//! batches four boards do: so both sides' sliders take eight rays, and the queens' attacks come apart from the others'. Everything else is a few
//! steps on words, beside which the vectors' work goes on.

use core::marker::PhantomData;

use super::boards::Boards;
use super::technique::Technique;
use crate::kernels::geometry::leapers::{king_attacks, knight_attacks, pawn_attacks};
use crate::kernels::geometry::line::line_of;
use crate::kernels::geometry::{AttackMaps, Checks, Line, Position, Side};

/// What is computed of a position.
pub(crate) trait OnPosition: Copy {
    type Result;
    /// Whether it takes the rays of a technique; if not, all kernels share it.
    const BY_RAYS: bool = true;

    fn of<R: Rays>(self, position: &Position, rays: R) -> Self::Result;
}

/// The rays of four sets on one board.
pub(crate) trait Rays: Copy {
    fn rook(self, sets: [u64; 4], occupied: u64) -> [u64; 4];
    fn bishop(self, sets: [u64; 4], occupied: u64) -> [u64; 4];
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
    ($B:ident, $sets:expr, $occupied:expr, |$sliders:ident, $all:ident| $attacks:expr) => {{
        let (sets, mut attacks) = ($sets, [0; 4]);
        let mut i = 0;
        while i < 4 {
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
        each_vector!(B, sets, occupied, |sliders, all| T::rook(sliders, all))
    }
    #[inline(always)]
    fn bishop(self, sets: [u64; 4], occupied: u64) -> [u64; 4] {
        each_vector!(B, sets, occupied, |sliders, all| T::bishop(sliders, all))
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
}

impl OnWords {
    pub(crate) const fn of<T: Technique<u64>>() -> Self {
        const { assert!(T::ANY_CPU, "these functions have no features") };
        OnWords {
            rook: T::rook,
            bishop: T::bishop,
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

impl OnPosition for ChecksAndPins {
    type Result = Checks;
    const BY_RAYS: bool = false;

    #[inline(always)]
    fn of<R: Rays>(self, position: &Position, _rays: R) -> Checks {
        checks(position)
    }
}

/// From each king along its four lines, both ways: the first occupied square and the second are two bits of one word, which takes a quarter of the
/// time of rays in vectors.
pub(crate) const fn checks(position: &Position) -> Checks {
    let mut checks = Checks {
        checkers: [0; 2],
        pinned: [0; 2],
        pinners: [0; 2],
    };
    let occupied = position.occupied();
    let mut i = 0;
    while i < 2 {
        let side = [Side::White, Side::Black][i];
        let (own, kings) = (position.of(side), position.pieces[i][5]);
        let [pawns, knights, bishops, rooks, queens, _] = position.pieces[1 - i];
        checks.checkers[i] = pawn_attacks(side, kings) & pawns | knight_attacks(kings) & knights;
        let mut rest = kings;
        while rest != 0 {
            let square = rest.trailing_zeros() as u8;
            rest &= rest - 1;
            let mut line = 0;
            while line < 4 {
                let foes = if line < 2 { rooks } else { bishops } | queens;
                let others = occupied & line_of(Line::ALL[line], square);
                let above = others & (!1 << square);
                let first = above & above.wrapping_neg();
                let beyond = above ^ first;
                let second = beyond & beyond.wrapping_neg();
                add(&mut checks, i, first, second, own, foes);
                let below = others ^ above;
                let first = highest(below);
                add(&mut checks, i, first, highest(below ^ first), own, foes);
                line += 1;
            }
        }
        i += 1;
    }
    checks
}

/// The highest square of a set, if there is one.
#[inline(always)]
const fn highest(set: u64) -> u64 {
    // Without a branch: what is shifted out of an empty set is nothing.
    ((1 << 63) >> ((set | 1).leading_zeros())) & set
}

/// What a king meets first and second one way.
#[inline(always)]
const fn add(checks: &mut Checks, side: usize, first: u64, second: u64, own: u64, foes: u64) {
    checks.checkers[side] |= first & foes;
    let pinned = first & own;
    if pinned != 0 && second & foes != 0 {
        checks.pinned[side] |= pinned;
        checks.pinners[side] |= second;
    }
}
