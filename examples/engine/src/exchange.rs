//! Exchanges of pieces on one square, which order the captures.

use cozy_chess::{Board, Color, Move};
use setwise::threats::Rules;
use setwise::{Piece, Side, Square};

use crate::evaluation::MATERIAL;

/// A code per square: White's pawn to king are 1 to 6, Black's 9 to 14, 0 is an empty square.
pub type Mailbox = [u8; 64];

static RULES: Rules = {
    let kinds = [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King];
    let (mut codes, mut i) = ([None; 16], 0);
    while i < 6 {
        codes[1 + i] = Some((Side::White, kinds[i]));
        codes[9 + i] = Some((Side::Black, kinds[i]));
        i += 1;
    }
    Rules::new(codes, [!0; 16])
};

/// By code.
static VALUES: [i32; 16] = {
    let (mut values, mut i) = ([0; 16], 0);
    while i < 6 {
        values[1 + i] = MATERIAL[i];
        values[9 + i] = MATERIAL[i];
        i += 1;
    }
    values
};

pub fn mailbox(board: &Board) -> Mailbox {
    let mut mailbox = [0; 64];
    for color in Color::ALL {
        for kind in cozy_chess::Piece::ALL {
            for square in board.colored_pieces(color, kind) {
                mailbox[square as usize] = 1 + kind as u8 + 8 * color as u8;
            }
        }
    }
    mailbox
}

/// Whether the exchange that a capture starts loses material.
pub fn loses(mailbox: &Mailbox, capture: Move) -> bool {
    let [from, to] = [capture.from, capture.to].map(|at| Square::new(at as u8).expect("a square"));
    #[cfg(not(feature = "magic-eval"))]
    let wins = setwise::Kernel::active().exchange_wins(mailbox, from, to, &VALUES, 0, &RULES);
    // Without a kernel, so that this build's signature checks those of the kernels.
    #[cfg(feature = "magic-eval")]
    let wins = setwise::board::exchange_wins(mailbox, from, to, &VALUES, 0, &RULES);
    !wins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queen_loses_against_a_protected_pawn() {
        let board: Board = "4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1".parse().expect("a position");
        let capture: Move = "d1d5".parse().expect("a move");
        assert!(loses(&mailbox(&board), capture));
        let board: Board = "4k3/8/8/3p4/8/8/8/3QK3 w - - 0 1".parse().expect("a position");
        assert!(!loses(&mailbox(&board), capture));
    }
}
