//! The positions after moves, in columns.

use super::list::{planes, state};
use super::play::play;
use crate::kernels::geometry::leapers::{NOT_A, NOT_H};
use crate::kernels::geometry::{AfterColumns, Move, PlaneColumns, State};

/// Writes the position after each move of positions `from` to `count`. See
/// [`successors_in_planes`](crate::Kernel::successors_in_planes).
///
/// # Safety
/// The columns are valid for `count` positions, `offsets` for one more, `moves` and the results for
/// the last offset.
#[inline(always)]
pub(crate) unsafe fn successors<P: Play>(
    vectors: P,
    columns: &PlaneColumns,
    count: usize,
    offsets: *const u32,
    moves: *const Move,
    after: &AfterColumns,
) {
    for i in 0..count {
        // SAFETY: the columns have a position `i`, and the others its moves.
        unsafe {
            let (first, end) = (offsets.add(i).read() as usize, offsets.add(i + 1).read() as usize);
            let before = Before::new(planes(columns, i), state(columns, i));
            let done = vectors.play(&before, moves, first, end, after);
            for n in done..end {
                before.one(moves, n, after);
            }
        }
    }
}

/// A position, and what all its moves need.
pub(crate) struct Before {
    planes: [u64; 4],
    state: State,
    pub(crate) white: u64,
    pub(crate) boards: [u64; 3],
    pub(crate) own: u64,
    pub(crate) own_pawns: u64,
    pub(crate) king: u64,
    /// Where a pawn's arrival needs another look: en passant, and after two steps beside a pawn.
    pub(crate) odd: u64,
    /// Castling rights as rooks: White's on the first rank, Black's on the last.
    pub(crate) rights: u64,
    /// The first rank of the side to move.
    pub(crate) home: u64,
    /// All ones if White moves.
    pub(crate) whites: u64,
    /// The side to move next.
    pub(crate) side: u8,
}

impl Before {
    #[inline(always)]
    fn new(planes: [u64; 4], state: State) -> Before {
        let [white, diagonal, straight, steppers] = planes;
        let occupied = diagonal | straight | steppers;
        let is_black = state.side & 1 != 0;
        let white = white & occupied;
        let own = if is_black { occupied ^ white } else { white };
        let pawns = steppers & !diagonal & !straight;
        let enemy_pawns = pawns & !own;
        let beside = (enemy_pawns & NOT_A) >> 1 | (enemy_pawns & NOT_H) << 1;
        let fourth = if is_black { 0xff << 32 } else { 0xff << 24 };
        let mut odd = beside & fourth;
        if state.en_passant < 64 {
            odd |= 1 << state.en_passant;
        }
        Before {
            planes,
            state,
            white,
            boards: [diagonal, straight, steppers],
            own,
            own_pawns: pawns & own,
            king: steppers & straight & own,
            odd,
            rights: u64::from(state.castling[0]) | u64::from(state.castling[1]) << 56,
            home: if is_black { 0xff << 56 } else { 0xff },
            whites: if is_black { 0 } else { !0 },
            side: state.side & 1 ^ 1,
        }
    }

    /// Writes the position after move `n`.
    ///
    /// # Safety
    /// As [`successors`].
    #[inline(always)]
    unsafe fn one(&self, moves: *const Move, n: usize, after: &AfterColumns) {
        // SAFETY: the caller's contract.
        unsafe {
            let coded = moves.add(n).read_unaligned().0;
            let (from, to) = (1u64 << (coded & 63), 1u64 << (coded >> 6 & 63));
            let is_odd = self.own_pawns & from != 0 && self.odd & to != 0;
            if is_odd || coded >> 12 != 0 || self.own & to != 0 || self.own & from == 0 {
                return self.rare(moves, n, after);
            }
            let both = from | to;
            after.planes[0].add(n).write_unaligned(self.white & !both | to & self.whites);
            for i in 0..3 {
                let moved = if self.boards[i] & from != 0 { to } else { 0 };
                after.planes[i + 1].add(n).write_unaligned(self.boards[i] & !both | moved);
            }
            let lost = both | if self.king & from != 0 { self.home } else { 0 };
            let rights = self.rights & !lost;
            after.side.add(n).write(self.side);
            after.en_passant.add(n).write(State::NO_EN_PASSANT);
            after.castling[0].add(n).write(rights as u8);
            after.castling[1].add(n).write((rights >> 56) as u8);
        }
    }

    /// Writes the position after any move: castling, en passant, two steps beside a pawn,
    /// promotions, and moves that are not legal.
    ///
    /// # Safety
    /// As [`successors`].
    #[inline(never)]
    pub(crate) unsafe fn rare(&self, moves: *const Move, n: usize, after: &AfterColumns) {
        // SAFETY: the caller's contract.
        unsafe {
            let (planes, state) = play(self.planes, self.state, moves.add(n).read_unaligned());
            for i in 0..4 {
                after.planes[i].add(n).write_unaligned(planes[i]);
            }
            after.side.add(n).write(state.side);
            after.en_passant.add(n).write(state.en_passant);
            after.castling[0].add(n).write(state.castling[0]);
            after.castling[1].add(n).write(state.castling[1]);
        }
    }
}

/// Makes several moves of a position at once.
pub(crate) trait Play: Copy {
    /// Writes the positions after moves from `first` on, and returns the first that is left.
    ///
    /// # Safety
    /// As [`successors`].
    unsafe fn play(
        self,
        before: &Before,
        moves: *const Move,
        first: usize,
        end: usize,
        after: &AfterColumns,
    ) -> usize;
}

/// One move after the other.
#[derive(Clone, Copy)]
pub(crate) struct Singly;

impl Play for Singly {
    #[inline(always)]
    unsafe fn play(
        self,
        _: &Before,
        _: *const Move,
        first: usize,
        _: usize,
        _: &AfterColumns,
    ) -> usize {
        first
    }
}
