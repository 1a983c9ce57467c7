//! Legal moves of one position, in `const` code.

use crate::kernels::generic::moves::one::{MoveSets, Seen};
use crate::kernels::generic::moves::play;
use crate::moves::{GamePosition, Move};
use crate::position::Position;

/// The number of legal moves and the number of pieces that give check: see
/// [`legal_counts`](crate::legal_counts).
///
/// ```
/// use setwise::board;
/// use setwise::moves::{GamePosition, State};
/// use setwise::position::Position;
/// let mut position = Position::default();
/// position.pieces[0][5] = 1; // White's king on a1
/// position.pieces[1][4] = 1 << 9; // Black's queen on b2
/// position.pieces[1][5] = 1 << 18; // its king on c3
/// let mate = GamePosition::new(position, State::default());
/// assert_eq!(board::legal_counts(&mate), (0, 1));
/// ```
#[must_use]
#[inline]
pub const fn legal_counts(position: &GamePosition) -> (u8, u8) {
    let seen = Seen::of(position);
    let sets = MoveSets::of(&seen);
    let (moves, checks) = (sets.count(), sets.checkers.count_ones());
    if checks > 2 || seen.is_impossible() {
        return (0, 255);
    }
    (if moves > 255 { 255 } else { moves as u8 }, checks as u8)
}

/// Writes the legal moves of a position to the start of `moves`, in the order of
/// [`legal_moves`](crate::moves::legal_moves_in_planes), and returns their number. Moves for which there is
/// no room are counted, but not written. Room for [`MOST`](crate::moves::MOST) is always enough for
/// a position of a game.
///
/// ```
/// use setwise::board;
/// use setwise::moves::{GamePosition, Move, State};
/// use setwise::position::Position;
/// use setwise::Square;
/// let mut position = Position::default();
/// position.pieces[0][5] = 1; // White's king on a1
/// position.pieces[1][3] = 1 << 57; // Black's rook on b8
/// position.pieces[1][5] = 1 << 63;
/// let position = GamePosition::new(position, State::default());
/// let mut moves = [Move::default(); 20];
/// assert_eq!(board::legal_moves(&position, &mut moves), 1);
/// assert_eq!(moves[0], Move::new(Square::A1, Square::A2, None));
/// ```
#[must_use]
#[inline]
pub const fn legal_moves(position: &GamePosition, moves: &mut [Move]) -> usize {
    let seen = Seen::of(position);
    let sets = MoveSets::of(&seen);
    if sets.checkers.count_ones() > 2 || seen.is_impossible() {
        return 0;
    }
    sets.write(flip(position), moves)
}

/// The position after a move: see
/// [`successors_in_planes`](crate::moves::successors_in_planes).
///
/// ```
/// use setwise::board;
/// use setwise::moves::{GamePosition, Move, State};
/// use setwise::position::Position;
/// use setwise::Square;
/// let mut position = Position::default();
/// position.pieces[0][0] = 1 << 12; // White's pawn on e2
/// position.pieces[1][0] = 1 << 29; // Black's on f4
/// let before = GamePosition::new(position, State::default());
/// let after = board::play(&before, Move::new(Square::E2, Square::E4, None));
/// assert_eq!(after.position.pieces[0][0], 1 << 28);
/// assert_eq!((after.state.side, after.state.en_passant), (1, 20)); // The pawn on f4 may take.
/// ```
#[must_use]
#[inline]
pub const fn play(position: &GamePosition, played: Move) -> GamePosition {
    let (planes, state) = play::play(position.planes(), position.state, played);
    GamePosition::new(Position::from_planes(planes), state)
}

/// What changes the squares that the side to move sees into those of the board.
const fn flip(position: &GamePosition) -> u16 {
    (position.state.side as u16 & 1) * 0o7070
}
