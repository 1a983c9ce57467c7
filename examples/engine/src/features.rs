//! The features of the evaluation: attack maps, pins, and batteries of rooks and queens.
//!
//! Three calls to setwise compute the features. One of them, `board::checks`, is inlined. With the
//! Cargo feature `magic-eval`, look-ups compute the same features slider by slider.

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

/// The squares of a set.
#[cfg(any(test, feature = "magic-eval"))]
fn squares(mut set: u64) -> impl Iterator<Item = setwise::Square> {
    std::iter::from_fn(move || {
        let square = setwise::Square::new(set.trailing_zeros() as u8)?;
        set &= set - 1;
        Some(square)
    })
}

#[cfg(any(test, feature = "magic-eval"))]
pub fn by_look_ups(position: &Position) -> Features {
    use setwise::techniques::magic::{bishop_attacks, rook_attacks};
    use setwise::{Side, board};

    let occupied = position.occupied();
    let mut features = Features { maps: AttackMaps::default(), pinned: [0; 2], batteries: [0; 2] };
    let heavy = heavy(position);
    for (side, of) in [Side::White, Side::Black].into_iter().enumerate() {
        for (kind, &set) in position.pieces[side].iter().enumerate() {
            features.maps.attacks[side][kind] = match kind {
                0 => board::pawn_attacks(of, set),
                1 => board::knight_attacks(set),
                5 => board::king_attacks(set),
                _ => squares(set).fold(0, |all, square| {
                    let straight = if kind == 2 { 0 } else { rook_attacks(square, occupied) };
                    let diagonal = if kind == 3 { 0 } else { bishop_attacks(square, occupied) };
                    all | straight | diagonal
                }),
            };
        }
        for square in squares(heavy[side]) {
            let first = rook_attacks(square, occupied);
            let through = occupied ^ (first & heavy[side]);
            features.batteries[side] |= rook_attacks(square, through) ^ first;
        }
        let [_, _, bishops, _, queens, _] = position.pieces[1 - side];
        let own = position.pieces[side].iter().fold(0, |all, set| all | set);
        for king in squares(position.pieces[side][5]) {
            let straight = rook_attacks(king, 0) & heavy[1 - side];
            let diagonal = bishop_attacks(king, 0) & (bishops | queens);
            for slider in squares(straight | diagonal) {
                let between = board::between(king, slider) & occupied;
                if between.count_ones() == 1 {
                    features.pinned[side] |= between & own;
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
