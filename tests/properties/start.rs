//! A position with its state, to make moves from.

use std::fmt;

use quickcheck::{Arbitrary, Gen};
use setwise::moves::{GamePosition, State};

use crate::plain::{Plain, kind_of, side_of};

/// A board, the side to move, its castling rights and the square of en passant.
#[derive(Clone)]
pub(crate) struct Start {
    pub(crate) plain: Plain,
    pub(crate) state: State,
}

impl Arbitrary for Start {
    /// Pawns stand on their ranks. Half of the kings have rooks on both sides.
    fn arbitrary(g: &mut Gen) -> Start {
        let mut plain = Plain::arbitrary(g);
        for codes in [0..8, 56..64] {
            plain.0[codes]
                .iter_mut()
                .filter(|code| kind_of(**code) == 1)
                .for_each(|code| *code += 1);
        }
        for (side, first) in [(0, 0), (1, 56)] {
            if bool::arbitrary(g) || (first..first + 8).contains(&plain.king(1 - side)) {
                continue;
            }
            let king = plain.king(side);
            plain.0[king] = 0;
            plain.0[first..first + 8].fill(0);
            let (west, east) = (*g.choose(&[0, 1, 2]).unwrap(), *g.choose(&[5, 6, 7]).unwrap());
            let pieces = [(west, 4), (*g.choose(&[3, 4]).unwrap(), 6), (east, 4)];
            for (file, code) in pieces {
                plain.0[first + file] = code + 6 * side as u8;
            }
        }
        let side = u8::arbitrary(g) & 1;
        // A pawn of the other side that has just advanced two squares.
        let (square, back): (usize, isize) = if side == 0 { (32, 8) } else { (24, -8) };
        let advanced = (square..square + 8).filter(|&square| {
            let passed = [1, 2].map(|steps| plain.0[square.saturating_add_signed(steps * back)]);
            plain.0[square] == 7 - 6 * side && passed == [0, 0]
        });
        let advanced: Vec<usize> = advanced.collect();
        let en_passant =
            g.choose(&advanced).map_or(64, |square| square.saturating_add_signed(back) as u8);
        Start { plain, state: State { side, en_passant, castling: Arbitrary::arbitrary(g) } }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Start>> {
        let Start { plain, state } = self.clone();
        let states = [
            State { castling: [0; 2], ..state },
            State { en_passant: State::NO_EN_PASSANT, ..state },
        ];
        let simpler = states.into_iter().filter(move |simpler| *simpler != state);
        let simpler = simpler.map(move |state| Start { plain: plain.clone(), state });
        Box::new(simpler.chain(self.plain.shrink().map(move |plain| Start { plain, state })))
    }
}

impl fmt::Debug for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}  {:?}", self.plain, self.state)
    }
}

impl Start {
    pub(crate) fn position(&self) -> GamePosition {
        GamePosition::new(self.plain.position(), self.state)
    }

    /// The side to move.
    pub(crate) fn side(&self) -> usize {
        usize::from(self.state.side)
    }

    /// The position with exchanged colours, and with files mirrored if castling is not possible.
    pub(crate) fn mirrored(&self, files: bool) -> Start {
        let to = |square: usize| square ^ 0o70 ^ if files { 7 } else { 0 };
        let mut codes = [0; 64];
        for (square, &code) in self.plain.0.iter().enumerate().filter(|(_, code)| **code != 0) {
            codes[to(square)] = kind_of(code) + 6 * (1 - side_of(code)) as u8;
        }
        let State { side, en_passant, castling: [white, black] } = self.state;
        let en_passant = if en_passant < 64 { to(en_passant.into()) as u8 } else { en_passant };
        let castling = if files { [0; 2] } else { [black, white] };
        Start { plain: Plain(codes), state: State { side: side ^ 1, en_passant, castling } }
    }
}
