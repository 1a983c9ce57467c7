//! Whole positions, one by one: what every kind of piece of both sides attacks, and checks and pins of both kings.
//!
//! Both sides' sets of a kind lie beside each other in a vector of two boards, a *pair*. So pawns, knights, kings, unions and threats of both
//! sides take the steps of one; and two pairs, rooks and queens or bishops and queens, are four boards for the rays. Left to the compiler (words, of which it
//! makes vectors) it took 1.09 of the time with `avx2`, 1.03 with `sse2`, and 1.85 with `avx512`, where it gathered. (Emerald Rapids.)

use core::marker::PhantomData;

use super::boards::Boards;
use super::technique::Technique;
use crate::kernels::geometry::direction::{
    EAST, NORTH, NORTH_EAST, NORTH_WEST, SOUTH, SOUTH_EAST, SOUTH_WEST, WEST,
};
use crate::kernels::geometry::leapers::{
    NOT_AB, NOT_GH, king_attacks, knight_attacks, pawn_attacks,
};
use crate::kernels::geometry::line::line_of;
use crate::kernels::geometry::{AttackMaps, Checks, Line, Position, Side};

/// What is computed of a position.
pub(crate) trait OnPosition: Copy {
    type Result;
    /// Whether it takes the rays of a technique; if not, all kernels share it.
    const BY_RAYS: bool = true;

    fn of<R: Rays>(self, position: &Position, rays: R) -> Self::Result;
}

/// How sliders are computed, and with them the maps.
pub(crate) trait Rays: Copy {
    fn maps(self, position: &Position) -> AttackMaps;
}

/// By vectors of two or four boards (`B`); what is around the rays by vectors of two (`P`), both sides' sets of a kind beside each other.
pub(crate) struct InVectors<B, P, T>(PhantomData<(B, P, T)>);

impl<B, P, T> Clone for InVectors<B, P, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<B, P, T> Copy for InVectors<B, P, T> {}

impl<B: Boards, P: Boards, T: Technique<B>> InVectors<B, P, T> {
    /// # Safety
    /// The CPU has the features of these types.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Self {
        const { assert!(4 % B::BOARDS == 0 && P::BOARDS == 2) };
        InVectors(PhantomData)
    }

    /// # Safety
    /// The CPU has the features of these types.
    #[inline(always)]
    unsafe fn pair(white: u64, black: u64) -> P {
        // SAFETY: the caller's contract; two words.
        unsafe { P::load([white, black].as_ptr()) }
    }
}

/// The two sets of a pair.
#[inline(always)]
fn words<P: Boards>(pair: P) -> [u64; 2] {
    let mut words = [0; 2];
    // SAFETY: two words; the value proves the features.
    unsafe { pair.store(words.as_mut_ptr()) };
    words
}

#[inline(always)]
fn swapped<P: Boards>(pair: P) -> P {
    let [white, black] = words(pair);
    // SAFETY: as above.
    unsafe { P::load([black, white].as_ptr()) }
}

/// The two low sets, and the two high ones, of two pairs.
#[inline(always)]
fn unpacked<P: Boards>(low: P, high: P) -> [P; 2] {
    let (low, high) = (words(low), words(high));
    // SAFETY: as above.
    unsafe {
        [
            P::load([low[0], high[0]].as_ptr()),
            P::load([low[1], high[1]].as_ptr()),
        ]
    }
}

/// Evaluates an expression of sliders and occupancy for two pairs of sets. (A closure would stay a call, without the features.)
macro_rules! two_pairs {
    ($B:ident, $P:ident, $pairs:expr, $occupied:expr, |$sliders:ident, $all:ident| $attacks:expr) => {{
        let [first, second] = $pairs;
        let (mut sets, mut occupied, mut attacks) = ([0; 4], [0; 4], [0; 4]);
        // SAFETY: `self` proves the features; each array is four words. (They never reach memory.)
        unsafe {
            first.store(sets.as_mut_ptr());
            second.store(sets.as_mut_ptr().add(2));
            $occupied.store(occupied.as_mut_ptr());
            $occupied.store(occupied.as_mut_ptr().add(2));
            let mut i = 0;
            while i < 4 {
                let $sliders = $B::load(sets.as_ptr().add(i));
                let $all = $B::load(occupied.as_ptr().add(i));
                $attacks.store(attacks.as_mut_ptr().add(i));
                i += $B::BOARDS;
            }
            [
                $P::load(attacks.as_ptr()),
                $P::load(attacks.as_ptr().add(2)),
            ]
        }
    }};
}

impl<B: Boards, P: Boards, T: Technique<B>> Rays for InVectors<B, P, T> {
    #[inline(always)]
    fn maps(self, position: &Position) -> AttackMaps {
        let [w, b] = &position.pieces;
        // SAFETY: `self` proves the features.
        let [pawns, knights, bishops, rooks, queens, kings] = unsafe {
            [
                Self::pair(w[0], b[0]),
                Self::pair(w[1], b[1]),
                Self::pair(w[2], b[2]),
                Self::pair(w[3], b[3]),
                Self::pair(w[4], b[4]),
                Self::pair(w[5], b[5]),
            ]
        };
        let own = pawns | knights | bishops | rooks | queens | kings;
        let occupied = own | swapped(own);
        let [of_rooks, straight] =
            two_pairs!(B, P, [rooks, queens], occupied, |s, o| T::rook(s, o));
        let [of_bishops, diagonal] =
            two_pairs!(B, P, [bishops, queens], occupied, |s, o| T::bishop(s, o));
        // SAFETY: `self` proves the features.
        let white = unsafe { Self::pair(!0, 0) };
        let up = pawns & white;
        let down = pawns & !white;
        let of_pawns = up.step(NORTH_EAST)
            | up.step(NORTH_WEST)
            | down.step(SOUTH_EAST)
            | down.step(SOUTH_WEST);
        let one = knights.step(EAST) | knights.step(WEST);
        let two = knights.steps(EAST, 2) & knights.same(NOT_AB)
            | knights.steps(WEST, 2) & knights.same(NOT_GH);
        let of_knights =
            one.steps(NORTH, 2) | one.steps(SOUTH, 2) | two.steps(NORTH, 1) | two.steps(SOUTH, 1);
        let beside = kings.step(EAST) | kings.step(WEST);
        let row = kings | beside;
        let of_kings = beside | row.steps(NORTH, 1) | row.steps(SOUTH, 1);
        let of_queens = straight | diagonal;
        let minor = of_pawns | of_knights | of_bishops;
        let all = minor | of_rooks | of_queens | of_kings;
        let threats = of_pawns & swapped(knights | bishops)
            | minor & swapped(rooks)
            | (minor | of_rooks) & swapped(queens);
        let mut maps = AttackMaps::default();
        let [w01, b01] = unpacked(of_pawns, of_knights);
        let [w23, b23] = unpacked(of_bishops, of_rooks);
        let [w45, b45] = unpacked(of_queens, of_kings);
        // SAFETY: words of the maps, two at a time; the values prove the features.
        unsafe {
            let [w, b] = &mut maps.attacks;
            w01.store(w.as_mut_ptr());
            w23.store(w.as_mut_ptr().add(2));
            w45.store(w.as_mut_ptr().add(4));
            b01.store(b.as_mut_ptr());
            b23.store(b.as_mut_ptr().add(2));
            b45.store(b.as_mut_ptr().add(4));
            all.store(maps.all.as_mut_ptr());
            threats.store(maps.threats.as_mut_ptr());
        }
        maps
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

/// The rays of a technique on words.
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
    fn maps(self, position: &Position) -> AttackMaps {
        let occupied = position.occupied();
        let [w, b] = &position.pieces;
        let straight = [w[3], w[4], b[3], b[4]].map(|sliders| (self.rook)(sliders, occupied));
        let diagonal = [w[2], w[4], b[2], b[4]].map(|sliders| (self.bishop)(sliders, occupied));
        of_sliders(position, straight, diagonal)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Maps;

impl OnPosition for Maps {
    type Result = AttackMaps;

    #[inline(always)]
    fn of<R: Rays>(self, position: &Position, rays: R) -> AttackMaps {
        rays.maps(position)
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

/// Each of the other side's sliders that has a line to a king: it gives check if nothing stands between, and pins if one own piece does. There
/// are few, so this takes less time than rays from the kings: to the first and second occupied square along each line both ways took 2.5 times
/// as long (Emerald Rapids), rays in vectors four times that.
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
            let king = rest & rest.wrapping_neg();
            rest ^= king;
            let square = king.trailing_zeros() as u8;
            let rank = line_of(Line::Rank, square);
            let file = line_of(Line::File, square);
            let diagonal = line_of(Line::Diagonal, square);
            let antidiagonal = line_of(Line::Antidiagonal, square);
            let mut sliders =
                (rank | file) & (rooks | queens) | (diagonal | antidiagonal) & (bishops | queens);
            while sliders != 0 {
                let slider = sliders & sliders.wrapping_neg();
                sliders ^= slider;
                // Selections, not branches: what stands where is not to be guessed.
                let straight = if slider & rank != 0 { rank } else { file };
                let oblique = if slider & diagonal != 0 {
                    diagonal
                } else {
                    antidiagonal
                };
                let line = if slider & (rank | file) != 0 {
                    straight
                } else {
                    oblique
                };
                let (low, high) = if slider < king {
                    (slider, king)
                } else {
                    (king, slider)
                };
                // The difference is every square from the low one up to the high one, which is not in it.
                let between = line & (high - low) & !low & occupied;
                let own = if between & between.wrapping_sub(1) == 0 {
                    between & own
                } else {
                    0
                };
                checks.checkers[i] |= if between == 0 { slider } else { 0 };
                checks.pinned[i] |= own;
                checks.pinners[i] |= if own != 0 { slider } else { 0 };
            }
        }
        i += 1;
    }
    checks
}
