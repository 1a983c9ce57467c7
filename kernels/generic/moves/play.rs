//! The position after a move, in `const` code.

use crate::kernels::geometry::leapers::{NOT_A, NOT_H};
use crate::kernels::geometry::{Move, State};

/// The planes and the state after a move.
///
/// Squares stay as they are for both sides. The move need not be legal: whatever is on its square
/// goes where it says, and what an enemy has there vanishes. A pawn captures en passant only what
/// [`takers`](super::one::takers) finds, and makes two steps only from its first rank.
#[inline(always)]
pub(crate) const fn play(planes: [u64; 4], state: State, played: Move) -> ([u64; 4], State) {
    let [white, diagonal, straight, steppers] = planes;
    let occupied = diagonal | straight | steppers;
    let side = state.side & 1;
    // All ones for Black.
    let black = (side as u64).wrapping_neg();
    let own = (white ^ black) & occupied;
    let (from, to) = (1u64 << (played.0 & 63), 1u64 << (played.0 >> 6 & 63));
    let (pawns, kings) = (steppers & !diagonal & !straight, steppers & straight);
    let home = side as u32 * 56;

    let mut castling = [state.castling[0], state.castling[1]];
    let mine = side as usize;
    let mut en_passant = State::NO_EN_PASSANT;
    let (own_after, others);
    if kings & own & from != 0 && own & to != 0 && from != to {
        // The king castles with the rook on `to`.
        let (king_to, rook_to) = if to > from { (6, 5) } else { (2, 3) };
        let (king, rook) = (1u64 << home << king_to, 1u64 << home << rook_to);
        let keep = !(from | to | king | rook);
        own_after = own & keep | king | rook;
        others = [diagonal & keep, straight & keep | king | rook, steppers & keep | king];
    } else {
        let promotion = played.0 >> 12 & 7;
        let placed = match promotion {
            1 => [to, 0, to],
            2 => [to, 0, 0],
            3 => [0, to, 0],
            4 => [to, to, 0],
            _ => [moved(diagonal, from, to), moved(straight, from, to), moved(steppers, from, to)],
        };
        let pawn = pawns & own & from != 0;
        let behind = if side == 0 { to >> 8 } else { to << 8 };
        let takes = pawn
            && state.en_passant < 64
            && to == 1 << state.en_passant
            && state.en_passant >> 3 == if side == 0 { 5 } else { 2 }
            && occupied & to == 0
            && behind & pawns & !own != 0;
        let taken = if takes { behind } else { 0 };
        let keep = !(from | to | taken);
        own_after = own & keep | if own & from != 0 { to } else { 0 };
        others =
            [diagonal & keep | placed[0], straight & keep | placed[1], steppers & keep | placed[2]];
        let two = if side == 0 {
            from & 0xff << 8 != 0 && from << 16 == to
        } else {
            from & 0xff << 48 != 0 && from >> 16 == to
        };
        if pawn && two {
            let beside = (to & NOT_A) >> 1 | (to & NOT_H) << 1;
            if beside & pawns & !own != 0 {
                en_passant = if side == 0 {
                    to.trailing_zeros() as u8 - 8
                } else {
                    to.trailing_zeros() as u8 + 8
                };
            }
        }
    }
    if kings & own & from != 0 {
        castling[mine] = 0;
    }
    // A rook that moves or is taken has no right any more.
    let gone = from | to;
    castling[0] &= !(gone as u8);
    castling[1] &= !((gone >> 56) as u8);
    let occupied = others[0] | others[1] | others[2];
    let white = (own_after ^ black) & occupied;
    let state = State { side: side ^ 1, en_passant, castling };
    ([white, others[0], others[1], others[2]], state)
}

const fn moved(plane: u64, from: u64, to: u64) -> u64 {
    if plane & from != 0 { to } else { 0 }
}
