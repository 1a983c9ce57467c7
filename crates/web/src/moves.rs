//! The position whose legal moves the page lists.

use setwise::moves::{GamePosition, State};
use setwise::position::Position;

/// The position with a side to move (0 White, 1 Black). Kings and rooks on the squares of the start
/// position may castle, because the page does not know which of them have moved.
///
/// ```
/// use setwise::board;
/// use setwise::position::Position;
/// let mut position = Position::default();
/// (position.pieces[0][3], position.pieces[0][5]) = (1 | 1 << 7, 1 << 4); // rooks a1, h1, king e1
/// position.pieces[1][5] = 1 << 60;
/// let white = setwise_web::moves::of_side(position, 0);
/// assert_eq!((white.state.castling, board::legal_counts(&white)), ([0x81, 0], (26, 0)));
/// ```
#[must_use]
pub fn of_side(position: Position, side: u8) -> GamePosition {
    let mut castling = [0; 2];
    for (side, rights) in castling.iter_mut().enumerate() {
        let [_, _, _, rooks, _, king] = position.pieces[side].map(|set| (set >> (56 * side)) as u8);
        if king == 1 << 4 {
            *rights = rooks & 0x81;
        }
    }
    GamePosition::new(position, State { side, castling, ..State::default() })
}
