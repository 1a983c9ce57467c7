//! The features of the evaluation: attack maps, pins, and batteries of rooks and queens.
//!
//! Three calls to setwise compute the features. One of them, `board::checks`, is inlined. With the
//! Cargo feature `magic-eval`, look-ups compute the same features slider by slider.

use cozy_chess::{Board, Color, Piece as Kind};
use setwise::position::{AttackMaps, Position};

/// The features of a position. Arrays are indexed by side, White first.
#[derive(Debug, PartialEq, Eq)]
pub struct Features {
    pub maps: AttackMaps,
    /// Pieces pinned to their king.
    pub pinned: [u64; 2],
    /// Squares that a side's rooks and queens attack along ranks and files through its other rooks
    /// and queens.
    pub batteries: [u64; 2],
}

pub fn position(board: &Board) -> Position {
    let sets = |color| Kind::ALL.map(|kind| board.colored_pieces(color, kind).0);
    Position { pieces: [sets(Color::White), sets(Color::Black)] }
}

/// The rooks and queens of each side.
fn heavy(position: &Position) -> [u64; 2] {
    position.pieces.map(|[_, _, _, rooks, queens, _]| rooks | queens)
}

#[cfg(any(test, not(feature = "magic-eval")))]
pub fn by_setwise(position: &Position) -> Features {
    let kernel = setwise::Kernel::active();
    let heavy = heavy(position);
    let mut batteries = [0; 2];
    // The two sides are a batch of two boards.
    kernel.xray_rook_attacks(&heavy, &heavy, &[position.occupied(); 2], &mut batteries);
    Features {
        maps: kernel.attack_maps_one(position),
        pinned: setwise::board::checks(position).pinned,
        batteries,
    }
}

#[cfg(any(test, feature = "magic-eval"))]
pub fn by_look_ups(position: &Position) -> Features {
    use cozy_chess::{
        BitBoard, get_between_rays, get_bishop_moves, get_bishop_rays, get_king_moves,
        get_knight_moves, get_pawn_attacks, get_rook_moves, get_rook_rays,
    };
    let occupied = BitBoard(position.occupied());
    let mut features = Features { maps: AttackMaps::default(), pinned: [0; 2], batteries: [0; 2] };
    let heavy = heavy(position);
    for (side, color) in Color::ALL.into_iter().enumerate() {
        for (kind, &set) in position.pieces[side].iter().enumerate() {
            for square in BitBoard(set) {
                features.maps.attacks[side][kind] |= match kind {
                    0 => get_pawn_attacks(square, color),
                    1 => get_knight_moves(square),
                    2 => get_bishop_moves(square, occupied),
                    3 => get_rook_moves(square, occupied),
                    4 => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
                    _ => get_king_moves(square),
                }
                .0;
            }
        }
        for square in BitBoard(heavy[side]) {
            let first = get_rook_moves(square, occupied);
            let through = occupied ^ (first & BitBoard(heavy[side]));
            features.batteries[side] |= (get_rook_moves(square, through) ^ first).0;
        }
        let [_, _, bishops, _, queens, _] = position.pieces[1 - side];
        let own = BitBoard(position.pieces[side].iter().fold(0, |all, set| all | set));
        for king in BitBoard(position.pieces[side][5]) {
            let straight = get_rook_rays(king) & BitBoard(heavy[1 - side]);
            let diagonal = get_bishop_rays(king) & BitBoard(bishops | queens);
            for slider in straight | diagonal {
                let between = get_between_rays(king, slider) & occupied;
                if between.len() == 1 {
                    features.pinned[side] |= (between & own).0;
                }
            }
        }
    }
    for side in 0..2 {
        let [pawns, knights, bishops, rooks, queens, kings] = features.maps.attacks[side];
        let [_, n, b, r, q, _] = position.pieces[1 - side];
        let minor = pawns | knights | bishops;
        features.maps.all[side] = minor | rooks | queens | kings;
        features.maps.by_lesser[side] = pawns & (n | b) | minor & r | (minor | rooks) & q;
    }
    features
}

#[cfg(feature = "magic-eval")]
pub use by_look_ups as of;
#[cfg(not(feature = "magic-eval"))]
pub use by_setwise as of;
