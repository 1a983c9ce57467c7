#![doc = include_str!("../../docs/techniques/mailbox.md")]

use crate::kernels::generic::threats::view::{IN_ORDER, Patterns, patterns, view_squares};
use crate::kernels::geometry::threats::kind;
use crate::{Piece, Side, Square};

pub use crate::kernels::generic::threats::OFF;

static VIEW_SQUARES: [[u8; 64]; 64] = view_squares(IN_ORDER);
static PATTERNS: Patterns = patterns(IN_ORDER);

/// All bytes without byte 0.
const RAY: u64 = !0xff;

/// The squares of a view: 8 for each ray, in the order of [`Direction`](crate::Direction), with a
/// knight's jump first. [`OFF`] is a byte off the board. The jumps are those by ascending square.
///
/// ```
/// use setwise::{Square, techniques::mailbox::{self, OFF}};
/// let [north, ..] = mailbox::squares(Square::A7).as_chunks::<8>().0 else { unreachable!() };
/// assert_eq!(north, &[OFF, Square::A8.index() as u8, OFF, OFF, OFF, OFF, OFF, OFF]);
/// ```
#[must_use]
#[inline]
pub const fn squares(square: Square) -> &'static [u8; 64] {
    &VIEW_SQUARES[square.index()]
}

/// The view of a square: a lane for each ray. Bytes off the board are 0.
///
/// ```
/// use setwise::{Square, techniques::mailbox};
/// let board = std::array::from_fn(|square| square as u8);
/// let view = mailbox::view(&board, Square::A1);
/// assert_eq!(view[2].to_le_bytes()[1..], [1, 2, 3, 4, 5, 6, 7]); // east
/// assert_eq!(view[4], 0); // south
/// ```
#[must_use]
#[inline]
pub const fn view(board: &[u8; 64], square: Square) -> [u64; 8] {
    let (squares, mut view, mut i) = (squares(square), [0; 8], 0);
    while i < 64 {
        if squares[i] != OFF {
            view[i / 8] |= (board[squares[i] as usize] as u64) << (i % 8 * 8);
        }
        i += 1;
    }
    view
}

/// The lowest set bit of a lane, without byte 0: three operations.
///
/// ```
/// use setwise::techniques::mailbox;
/// assert_eq!(mailbox::nearest(0x0100_0000_4000_0004), 0x4000_0000);
/// assert_eq!(mailbox::nearest(0x04), 0); // a knight's jump
/// ```
#[must_use]
#[inline(always)]
pub const fn nearest(lane: u64) -> u64 {
    let ray = lane & RAY;
    ray & ray.wrapping_neg()
}

/// The bytes of a view up to the nearest piece of each ray, from the bytes that hold a piece: one
/// bit per byte. Byte 0 of each ray is left out. Four operations for all rays.
///
/// ```
/// // A piece three steps to the north. The other rays are empty.
/// assert_eq!(setwise::techniques::mailbox::attacked_slots(0b0000_1000), 0xfefe_fefe_fefe_fe0e);
/// ```
#[must_use]
#[inline(always)]
pub const fn attacked_slots(pieces: u64) -> u64 {
    const BARRIERS: u64 = 0x8181_8181_8181_8181;
    // The subtraction clears bit 0 and borrows from bit 1, and no borrow leaves a byte.
    let pieces = pieces | BARRIERS;
    (pieces ^ pieces.wrapping_sub(0x0303_0303_0303_0303)) & !0x0101_0101_0101_0101
}

/// The bit of a kind of piece. Only pawns differ by side.
///
/// ```
/// use setwise::{Piece, Side, techniques::mailbox};
/// assert_eq!(mailbox::kind(Side::Black, Piece::Pawn), 2);
/// assert_eq!(mailbox::kind(Side::Black, Piece::King), 64);
/// ```
#[must_use]
#[inline]
pub const fn kind(side: Side, piece: Piece) -> u8 {
    kind::of(side, piece)
}

/// The attackers of a square on a board of [`kind`]s, 0 for an empty square.
///
/// ```
/// use setwise::{Piece, Side, Square, techniques::mailbox};
/// let mut board = [0; 64];
/// board[Square::A1.index()] = mailbox::kind(Side::White, Piece::Queen);
/// board[Square::B2.index()] = mailbox::kind(Side::Black, Piece::King);
/// let attackers = mailbox::attackers_to(&board, Square::C3);
/// assert_eq!(attackers, Square::B2.bitboard()); // the queen is hidden
/// ```
#[must_use]
pub const fn attackers_to(board: &[u8; 64], square: Square) -> u64 {
    let (view, mut slots, mut i) = (view(board, square), 0, 0);
    while i < 64 {
        let ray = nearest(view[i / 8]) >> (i % 8 * 8) & PATTERNS.attackers[i] as u64;
        let jump = view[i / 8] >> (i % 8 * 8) & PATTERNS.knights[i] as u64;
        slots |= ((ray | jump != 0) as u64) << i;
        i += 1;
    }
    on_board(square, slots)
}

/// Attacks of a rook, by [`nearest`] on the even rays.
///
/// ```
/// use setwise::{Square, board, techniques::mailbox};
/// let attacks = mailbox::rook_attacks(Square::D4, 1 << 51);
/// assert_eq!(attacks, board::rook_attacks_from(Square::D4, 1 << 51));
/// ```
#[must_use]
pub const fn rook_attacks(square: Square, occupied: u64) -> u64 {
    rays(square, occupied, 0)
}

/// Attacks of a bishop, by [`nearest`] on the odd rays.
///
/// ```
/// use setwise::{Square, board, techniques::mailbox};
/// let attacks = mailbox::bishop_attacks(Square::D4, 1 << 45);
/// assert_eq!(attacks, board::bishop_attacks_from(Square::D4, 1 << 45));
/// ```
#[must_use]
pub const fn bishop_attacks(square: Square, occupied: u64) -> u64 {
    rays(square, occupied, 1)
}

/// Attacks of a queen, by [`attacked_slots`].
///
/// ```
/// use setwise::{Square, board, techniques::mailbox};
/// let attacks = mailbox::queen_attacks(Square::D4, 1 << 51 | 1 << 45);
/// assert_eq!(attacks, board::queen_attacks_from(Square::D4, 1 << 51 | 1 << 45));
/// ```
#[must_use]
pub const fn queen_attacks(square: Square, occupied: u64) -> u64 {
    on_board(square, attacked_slots(in_view(square, occupied)))
}

/// The bytes of a view whose squares are in a set, one bit per byte.
///
/// ```
/// use setwise::{Square, techniques::mailbox};
/// assert_eq!(mailbox::in_view(Square::D4, Square::D7.bitboard()), 1 << 3);
/// ```
#[must_use]
pub const fn in_view(square: Square, set: u64) -> u64 {
    let (squares, mut slots, mut i) = (squares(square), 0, 0);
    while i < 64 {
        if squares[i] != OFF {
            slots |= (set >> squares[i] & 1) << i;
        }
        i += 1;
    }
    slots
}

/// The squares of these bytes of a view, given one bit per byte.
///
/// ```
/// use setwise::{Square, techniques::mailbox};
/// assert_eq!(mailbox::on_board(Square::D4, 1 << 3 | 1 << 7), Square::D7.bitboard());
/// ```
#[must_use]
pub const fn on_board(square: Square, slots: u64) -> u64 {
    let (squares, mut set, mut i) = (squares(square), 0, 0);
    while i < 64 {
        if slots >> i & 1 == 1 && squares[i] != OFF {
            set |= 1 << squares[i];
        }
        i += 1;
    }
    set
}

/// The squares up to the nearest piece on every other ray.
const fn rays(square: Square, occupied: u64, first: usize) -> u64 {
    let (mut board, mut i) = ([0; 64], 0);
    while i < 64 {
        board[i] = (occupied >> i & 1) as u8;
        i += 1;
    }
    let (view, mut slots, mut ray) = (view(&board, square), 0, first);
    while ray < 8 {
        // All bits up to the nearest piece's; all if there is none.
        let nearest = nearest(view[ray]);
        let reached = (nearest ^ nearest.wrapping_sub(1)).to_le_bytes();
        let mut steps = 1;
        while steps < 8 {
            slots |= ((reached[steps] != 0) as u64) << (8 * ray + steps);
            steps += 1;
        }
        ray += 2;
    }
    on_board(square, slots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board;

    #[test]
    fn attackers_attack_alone_too() {
        let mut random = 1_u64;
        for round in 0..2000 {
            let mailbox: [Option<(Side, Piece)>; 64] = core::array::from_fn(|_| {
                random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                let side = [Side::White, Side::Black][(random >> 33) as usize % 2];
                let piece = Piece::ALL[(random >> 40) as usize % 6];
                (random >> 60 < round % 16).then_some((side, piece))
            });
            let kinds = mailbox.map(|place| place.map_or(0, |(side, piece)| kind(side, piece)));
            let occupied = (0..64).filter(|&i| mailbox[i].is_some()).fold(0, |set, i| set | 1 << i);
            for square in (0..64).map(|square| Square::new(square).unwrap()) {
                let attacks = |&from: &u8| {
                    let from = Square::new(from).unwrap();
                    let attacked = match mailbox[from.index()] {
                        None => 0,
                        Some((side, Piece::Pawn)) => board::pawn_attacks(side, from.bitboard()),
                        Some((_, Piece::Knight)) => board::knight_attacks(from.bitboard()),
                        Some((_, Piece::King)) => board::king_attacks(from.bitboard()),
                        Some((_, Piece::Bishop)) => board::bishop_attacks_from(from, occupied),
                        Some((_, Piece::Rook)) => board::rook_attacks_from(from, occupied),
                        Some((_, Piece::Queen)) => board::queen_attacks_from(from, occupied),
                    };
                    attacked & square.bitboard() != 0
                };
                let expected = (0..64).filter(attacks).fold(0, |set, from| set | 1 << from);
                assert_eq!(attackers_to(&kinds, square), expected);
            }
        }
    }

    #[test]
    fn each_square_is_in_a_view_once() {
        for square in (0..64).map(|square| Square::new(square).unwrap()) {
            let all = in_view(square, !0);
            let set = on_board(square, all);
            assert_eq!(all.count_ones(), set.count_ones());
            let jumps = board::knight_attacks(square.bitboard());
            assert_eq!(set, jumps | board::queen_attacks_from(square, 0));
            assert_eq!(in_view(square, jumps), all & 0x0101_0101_0101_0101);
        }
    }

    #[test]
    fn both_ways_find_the_nearest_piece() {
        let mut lane = 1_u64;
        for _ in 0..10_000 {
            lane = lane.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            // Bytes of 0 or one bit.
            let mut bytes = (lane & lane >> 7 & lane >> 19).to_le_bytes();
            for byte in &mut bytes {
                *byte &= byte.wrapping_neg();
            }
            let pieces = bytes.iter().enumerate().map(|(i, &byte)| u64::from(byte != 0) << i).sum();
            let near = nearest(u64::from_le_bytes(bytes)).to_le_bytes();
            let place = near.iter().position(|&byte| byte != 0);
            assert_eq!(place, (1..8).find(|&i| bytes[i] != 0));
            let reached = attacked_slots(pieces) & 0xff;
            assert_eq!(reached, (2 << place.unwrap_or(7)) - 2);
        }
    }
}
