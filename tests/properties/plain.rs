//! A plain board of 64 squares, which knows nothing of sets.

use std::fmt;

use quickcheck::{Arbitrary, Gen};
use setwise::Side;
use setwise::position::Position;
use setwise_check::oracle::{BISHOP, KNIGHT, Place, QUEEN, ROOK, Steps as _};
use setwise_check::threats::Codes;

/// A board with one king per side, in the codes of [`setwise::threats::CODES`].
#[derive(Clone)]
pub(crate) struct Plain(pub(crate) Codes);

pub(crate) const PIECES: [u8; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

const fn is_king(code: u8) -> bool {
    kind_of(code) == 6
}

impl Arbitrary for Plain {
    /// Any number of pieces on any squares.
    fn arbitrary(g: &mut Gen) -> Plain {
        let density = u64::arbitrary(g) % 60;
        let others: Vec<u8> = PIECES.into_iter().filter(|&code| !is_king(code)).collect();
        let mut codes = [0; 64];
        for code in &mut codes {
            if u64::arbitrary(g) % 64 < density {
                *code = *g.choose(&others).expect("a piece");
            }
        }
        let white = u64::arbitrary(g) % 64;
        let black = (white + 1 + u64::arbitrary(g) % 63) % 64;
        (codes[white as usize], codes[black as usize]) = (6, 12);
        Plain(codes)
    }

    /// Without half of the other pieces, or without one of them.
    fn shrink(&self) -> Box<dyn Iterator<Item = Plain>> {
        let codes = self.0;
        let without = move |squares: std::ops::Range<usize>| {
            let mut codes = codes;
            codes[squares].iter_mut().filter(|code| !is_king(**code)).for_each(|code| *code = 0);
            Plain(codes)
        };
        let halves = [0..64, 0..32, 32..64].into_iter();
        let fewer = halves.chain((0..64).map(|square| square..square + 1)).map(without);
        Box::new(fewer.filter(move |plain| plain.0 != codes))
    }
}

impl fmt::Debug for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |code: &u8| b".PNBRQKpnbrqk"[usize::from(*code)] as char;
        for rank in self.0.chunks(8).rev() {
            write!(f, "\n  {}", rank.iter().map(name).collect::<String>())?;
        }
        writeln!(f)
    }
}

/// The number of a side: 0 is White's.
pub(crate) const fn side_of(code: u8) -> usize {
    (code > 6) as usize
}

/// The kind of a piece: 1 (pawn) to 6 (king); 0 if there is none.
pub(crate) const fn kind_of(code: u8) -> u8 {
    code - 6 * side_of(code) as u8
}

impl From<&Position> for Plain {
    /// The board with these pieces, one per square.
    fn from(position: &Position) -> Plain {
        let mut codes = [0; 64];
        for (code, &set) in PIECES.iter().zip(position.pieces.as_flattened()) {
            Place::of(set).for_each(|place| codes[place.number()] = *code);
        }
        Plain(codes)
    }
}

impl Plain {
    /// Whether both kings are on the board, on neighbouring squares.
    pub(crate) fn kings_touch(&self) -> bool {
        let kings = Place::all().filter(|place| is_king(self.0[place.number()]));
        let [white, black] = kings.collect::<Vec<_>>()[..] else { return false };
        (white.file - black.file).abs().max((white.rank - black.rank).abs()) == 1
    }

    pub(crate) fn position(&self) -> Position {
        let mut position = Position::default();
        for (square, &code) in self.0.iter().enumerate().filter(|(_, code)| **code != 0) {
            position.pieces[side_of(code)][usize::from(kind_of(code)) - 1] |= 1 << square;
        }
        position
    }

    /// The square of a side's king.
    pub(crate) fn king(&self, side: usize) -> usize {
        let king = [6, 12][side];
        self.0.iter().position(|&code| code == king).expect("a king per side")
    }

    /// Whether a piece of the other side attacks the king of `side`. Kings attack no king.
    pub(crate) fn in_check(&self, side: usize) -> bool {
        let king = Place::at(self.king(side));
        let captures = [Side::White, Side::Black][side].steps();
        let hostile = |place: &Place| {
            let code = self.0[place.number()];
            (code != 0 && side_of(code) != side).then_some(kind_of(code))
        };
        let jump = |&step| king.after(step).as_ref().and_then(hostile) == Some(2);
        let slide = |step| {
            let mut walk = king.walk(step).enumerate();
            let (steps, first) = walk.find(|(_, place)| self.0[place.number()] != 0)?;
            Some(match hostile(&first)? {
                1 => steps == 0 && captures.contains(&step),
                3 => BISHOP.contains(&step),
                4 => ROOK.contains(&step),
                kind => kind == 5,
            })
        };
        KNIGHT.iter().any(jump) || QUEEN.into_iter().any(|step| slide(step) == Some(true))
    }
}
