//! Operations on one board, by value. They use instruction-set-specific code if it is faster, else
//! general registers.
//!
//! Each choice weighs throughput against latency, because a search needs both.
//! `docs/performance.md` has the figures.

use core::marker::PhantomData;

use super::board_rays::{BoardRays, Borrow};
use super::board_vector::{BoardVector, pair, words};
use super::one_square::{self, SliderLines};
use super::one_word;
use crate::kernels::geometry::direction::Direction;
use crate::kernels::geometry::leapers::{king_attacks, knight_attacks, pawn_attacks};
use crate::kernels::geometry::{Side, SideAttacks};

/// The code for one board. A value proves that the CPU has the features that the code needs.
pub(crate) trait OneBoard: Sized {
    /// See [`Kernel::beats_look_ups`](crate::Kernel::beats_look_ups).
    const BEATS_LOOK_UPS: bool = false;

    /// # Safety
    /// The CPU has the features that the code needs.
    unsafe fn new() -> Self;

    #[inline(always)]
    fn rook(self, rooks: u64, occupied: u64) -> u64 {
        Borrow::rook(rooks, occupied)
    }

    #[inline(always)]
    fn bishop(self, bishops: u64, occupied: u64) -> u64 {
        Borrow::bishop(bishops, occupied)
    }

    #[inline(always)]
    fn queen(self, queens: u64, occupied: u64) -> u64 {
        self.slider(queens, queens, occupied)
    }

    #[inline(always)]
    fn slider(self, orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
        not_inlined::slider(orthogonal, diagonal, occupied)
    }

    /// Attacks of bishops, of rooks and of queens.
    #[inline(always)]
    fn sliders_by_kind(self, bishops: u64, rooks: u64, queens: u64, occupied: u64) -> [u64; 3] {
        not_inlined::sliders_by_kind(bishops, rooks, queens, occupied)
    }

    #[inline(always)]
    fn side_attacks(self, side: Side, pieces: &[u64; 6], occupied: u64) -> SideAttacks {
        let [_, _, bishops, rooks, queens, _] = *pieces;
        let sliders = self.sliders_by_kind(bishops, rooks, queens, occupied);
        with_leapers(side, pieces, sliders)
    }

    /// The squares that at least two of the pieces attack.
    #[inline(always)]
    fn doubly_attacked(self, side: Side, pieces: &[u64; 6], occupied: u64) -> u64 {
        not_inlined::doubly_attacked(side, pieces, occupied)
    }

    /// Attacks from one square below 64 along the operation's lines.
    #[inline(always)]
    fn attacks_from<Op: SliderLines>(self, op: Op, square: u8, occupied: u64) -> u64 {
        one_square::attacks(op, square, occupied)
    }
}

/// Loads sets one at a time. A vector load of two sets would wait until the caller's stores of
/// single sets have left the store buffer. In a walk through games, `checks_one` took 45 ns with
/// this wait, and takes 34 without it (Zen 5).
///
/// # Safety
/// The pointer is valid and aligned.
#[inline(always)]
pub(crate) unsafe fn load_singly<const N: usize>(sets: *const [u64; N]) -> [u64; N] {
    let mut loaded = [0; N];
    for (i, set) in loaded.iter_mut().enumerate() {
        // SAFETY: the array has a set `i`.
        *set = unsafe { sets.cast::<u64>().add(i).read_volatile() };
    }
    loaded
}

/// The code for one board in general registers, for any CPU.
pub(crate) struct General;

impl OneBoard for General {
    #[inline(always)]
    unsafe fn new() -> Self {
        General
    }
}

/// The code for one board in general registers, except for
/// [`sliders_by_kind`](OneBoard::sliders_by_kind). That method uses vectors of two boards (`P`):
/// bishops and queens for the diagonals, rooks and queens for ranks and files.
pub(crate) struct TwoKinds<P, T = Borrow>(PhantomData<(P, T)>);

impl<P: BoardVector, T: BoardRays<P>> OneBoard for TwoKinds<P, T> {
    /// True only on x86-64: this code was measured with SSE2, but not on other architectures.
    const BEATS_LOOK_UPS: bool = cfg!(target_arch = "x86_64");

    #[inline(always)]
    unsafe fn new() -> Self {
        TwoKinds(PhantomData)
    }

    #[inline(always)]
    fn sliders_by_kind(self, bishops: u64, rooks: u64, queens: u64, occupied: u64) -> [u64; 3] {
        let occupied = occupied | bishops | rooks | queens;
        // SAFETY: `self` proves that the CPU has the features of `P`.
        unsafe {
            let occupied = pair::<P>(occupied, occupied);
            let [bishops, diagonal] = words(T::bishop(pair(bishops, queens), occupied));
            let [rooks, orthogonal] = words(T::rook(pair(rooks, queens), occupied));
            [bishops, rooks, diagonal | orthogonal]
        }
    }
}

/// The longer functions, compiled once and shared by all kernels that use them.
mod not_inlined {
    use super::{BoardRays as _, Borrow, Side};

    #[inline(never)]
    pub(super) fn slider(orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
        Borrow::slider(orthogonal, diagonal, occupied | orthogonal | diagonal)
    }

    #[inline(never)]
    pub(super) fn sliders_by_kind(
        bishops: u64,
        rooks: u64,
        queens: u64,
        occupied: u64,
    ) -> [u64; 3] {
        super::sliders_by_kind(bishops, rooks, queens, occupied)
    }

    #[inline(never)]
    pub(super) fn doubly_attacked(side: Side, pieces: &[u64; 6], occupied: u64) -> u64 {
        super::doubly_attacked(side, pieces, occupied)
    }
}

/// Attacks of bishops, of rooks and of queens. All these sliders block.
#[inline]
pub(crate) const fn sliders_by_kind(
    bishops: u64,
    rooks: u64,
    queens: u64,
    occupied: u64,
) -> [u64; 3] {
    let occupied = occupied | bishops | rooks | queens;
    [
        one_word::bishop_attacks(bishops, occupied),
        one_word::rook_attacks(rooks, occupied),
        one_word::rook_attacks(queens, occupied) | one_word::bishop_attacks(queens, occupied),
    ]
}

/// The attacks of one side, given the attacks of its bishops, rooks and queens.
#[inline(always)]
pub(crate) const fn with_leapers(
    side: Side,
    pieces: &[u64; 6],
    [bishops, rooks, queens]: [u64; 3],
) -> SideAttacks {
    let pawns = pawn_attacks(side, pieces[0]);
    let knights = knight_attacks(pieces[1]);
    let kings = king_attacks(pieces[5]);
    SideAttacks {
        attacks: [pawns, knights, bishops, rooks, queens, kings],
        all: pawns | knights | bishops | rooks | queens | kings,
    }
}

/// The squares that at least two of the pieces attack.
///
/// The code counts one set of attacks for each direction of sliders, each direction of kings and
/// pawns, and each of the eight knight moves. Within such a set, pieces on different squares attack
/// different squares: sliders stop at each other, and equal steps never meet.
#[inline]
pub(crate) const fn doubly_attacked(side: Side, pieces: &[u64; 6], occupied: u64) -> u64 {
    let [pawns, knights, bishops, rooks, queens, kings] = *pieces;
    let occupied = occupied | bishops | rooks | queens;
    let [white, black] = match side {
        Side::White => [pawns, 0],
        Side::Black => [0, pawns],
    };
    let mut counts = [0; 2];
    macro_rules! count {
        ($($ray:ident: $sliders:expr, $pawns:expr;)*) => {$(
            let sliders = $sliders | queens;
            counts = counted(counts, one_word::ray_attacks(Direction::$ray, sliders, occupied));
            counts = counted(counts, Direction::$ray.step(kings | $pawns));
        )*};
    }
    count! {
        North: rooks, 0;
        East: rooks, 0;
        South: rooks, 0;
        West: rooks, 0;
        NorthEast: bishops, white;
        NorthWest: bishops, white;
        SouthEast: bishops, black;
        SouthWest: bishops, black;
    }
    macro_rules! count_knights {
        ($($diagonal:ident: $beside:ident $above:ident;)*) => {$(
            let diagonal = Direction::$diagonal.step(knights);
            counts = counted(counts, Direction::$beside.step(diagonal));
            counts = counted(counts, Direction::$above.step(diagonal));
        )*};
    }
    count_knights! {
        NorthEast: East North;
        SouthEast: East South;
        SouthWest: West South;
        NorthWest: West North;
    }
    counts[1]
}

/// Adds a set to the counts: the squares found at least once, and the squares found at least twice.
#[inline(always)]
const fn counted([once, twice]: [u64; 2], set: u64) -> [u64; 2] {
    [once | set, twice | once & set]
}
