//! The wins of one side, which are the result of one run of the generator.

use crate::{Bitmap, Ending, Piece, Position, Side};

/// The pieces in one run of the generator: the attacker's first piece, and at most one more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Men {
    pub first: Piece,
    pub second_attacker: Option<Piece>,
    pub second_defender: Option<Piece>,
}

impl Men {
    /// The men of the run in which white is the attacker. `None` if white has a bare king.
    pub(crate) fn new(ending: &Ending) -> Option<Self> {
        let mut attackers = ending.pieces(Side::White).iter().copied();
        let first = attackers.next()?;
        let second_defender = ending.pieces(Side::Black).first().copied();
        Some(Self { first, second_attacker: attackers.next(), second_defender })
    }

    /// The second piece, of either side.
    pub(crate) fn second(self) -> Option<Piece> {
        self.second_attacker.or(self.second_defender)
    }

    /// The number of men, kings included: 3 or 4.
    pub(crate) fn count(self) -> usize {
        3 + usize::from(self.second().is_some())
    }

    /// The number of squares on which the second piece can be. 1 if there is no second piece.
    pub(crate) fn places(self) -> usize {
        if self.second().is_some() { 64 } else { 1 }
    }

    /// The number of blocks of 4096 positions. There is one block for each placement of the pieces.
    pub(crate) fn blocks(self) -> usize {
        64 * self.places()
    }
}

/// The positions that one side, the *attacker*, can win, grouped by the number of moves to mate.
///
/// The attacker is always white here: black's wins are white's wins in the ending with the colours
/// swapped.
///
/// A position's *index* has one base-64 digit for the square of each man. From the highest to the
/// lowest digit, these are the attacker's first piece, the second piece of either side, the
/// attacker's king and the defender's king. With three men there is no digit for the second piece.
/// Identical pieces are distinguished, so every placement of two identical pieces counts twice.
///
/// ```
/// use setwise_endgame::{Side, Options, generate};
/// let table = generate(&"KRK".parse().unwrap(), &Options::default());
/// let wins = table.wins(Side::White);
/// assert_eq!(wins.longest().unwrap().moves, 16);
/// assert_eq!(wins.legal_defender_to_move(), 223_944);
/// assert!(table.wins(Side::Black).longest().is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wins {
    pub(crate) ending: Ending,
    pub(crate) legal_attacker: u64,
    pub(crate) legal_defender: u64,
    pub(crate) won: Vec<Bitmap>,
    pub(crate) lost: Vec<Bitmap>,
}

/// The numbers of positions that are won and lost in each number of moves to mate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Entry n is the number of positions in which the attacker, to move, mates in n. Entry 0 is 0.
    pub won: Vec<u64>,
    /// Entry n is the number of positions in which the defender, to move, is mated in n. Entry 0
    /// counts the mates.
    pub lost: Vec<u64>,
}

/// The longest win, or the deepest loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Longest {
    /// The number of moves to mate.
    pub moves: usize,
    /// A position with this number of moves to mate: the one with the lowest index.
    pub position: Position,
}

impl Wins {
    /// The empty wins of a side with a bare king. `reverse` has the opponent's wins, if the
    /// opponent has a piece.
    pub(crate) fn none(ending: &Ending, reverse: Option<&Self>) -> Self {
        let (legal_attacker, legal_defender) = reverse
            .map_or((BARE_KINGS, BARE_KINGS), |wins| (wins.legal_defender, wins.legal_attacker));
        let nothing = || vec![Bitmap::empty(0)];
        Self {
            ending: ending.clone(),
            legal_attacker,
            legal_defender,
            won: nothing(),
            lost: nothing(),
        }
    }

    /// The ending, with the attacker as white.
    #[must_use]
    pub fn ending(&self) -> &Ending {
        &self.ending
    }

    /// The number of legal positions with the attacker to move.
    #[must_use]
    pub fn legal_attacker_to_move(&self) -> u64 {
        self.legal_attacker
    }

    /// The number of legal positions with the defender to move.
    #[must_use]
    pub fn legal_defender_to_move(&self) -> u64 {
        self.legal_defender
    }

    /// The positions with the attacker to move that are won in `n` moves. `None` if all wins are
    /// shorter.
    #[must_use]
    pub fn won_in(&self, n: usize) -> Option<&Bitmap> {
        self.won.get(n)
    }

    /// The positions with the defender to move that are lost in `n` moves. `None` if all losses are
    /// shorter.
    #[must_use]
    pub fn lost_in(&self, n: usize) -> Option<&Bitmap> {
        self.lost.get(n)
    }

    /// The numbers of positions that are won and lost in each number of moves.
    #[must_use]
    pub fn histogram(&self) -> Histogram {
        let count = |depths: &[Bitmap]| depths.iter().map(Bitmap::count).collect();
        Histogram { won: count(&self.won), lost: count(&self.lost) }
    }

    /// The longest win, with the attacker to move. `None` if the attacker wins no position.
    #[must_use]
    pub fn longest(&self) -> Option<Longest> {
        self.deepest(Side::White, &self.won)
    }

    /// The deepest loss, with the defender to move. `None` if the defender loses no position.
    #[must_use]
    pub fn deepest_loss(&self) -> Option<Longest> {
        self.deepest(Side::Black, &self.lost)
    }

    fn deepest(&self, turn: Side, depths: &[Bitmap]) -> Option<Longest> {
        let index = depths.last()?.positions().next()?;
        Some(Longest { moves: depths.len() - 1, position: self.position(turn, index) })
    }

    /// The position with an index and a side to move.
    ///
    /// # Panics
    ///
    /// If two men would share a square, or the index is too high.
    #[must_use]
    pub fn position(&self, turn: Side, index: usize) -> Position {
        let digit = |place: u32| (index >> (6 * place) & 63) as u8;
        assert!(
            index >> (6 * self.ending.men()) == 0,
            "the index {index} is too high for {}",
            self.ending
        );
        let white = self.ending.pieces(Side::White).iter().map(|&piece| (Side::White, piece));
        let black = self.ending.pieces(Side::Black).iter().map(|&piece| (Side::Black, piece));
        let highest = self.ending.men() as u32 - 1;
        let pieces: Vec<_> = white
            .chain(black)
            .zip(0..)
            .map(|((color, piece), place)| (color, piece, digit(highest - place)))
            .collect();
        Position::new(turn, [digit(1), digit(0)], &pieces)
            .expect("an index with all men on different squares")
    }

    /// The index of a position. `None` if the position is of another ending. A position with two
    /// identical pieces has two indices, and the lower one is returned.
    #[must_use]
    pub fn index(&self, position: &Position) -> Option<usize> {
        if position.ending() != self.ending {
            return None;
        }
        let pieces = position.pieces().fold(0, |index, man| index << 6 | usize::from(man.2));
        let kings =
            usize::from(position.king(Side::White)) << 6 | usize::from(position.king(Side::Black));
        Some(pieces << 12 | kings)
    }

    /// The number of moves to mate in a position. `None` if the position is of another ending or
    /// white does not win.
    pub(crate) fn moves_to_mate(&self, position: &Position) -> Option<usize> {
        let index = self.index(position)?;
        let depths = if position.turn() == Side::White { &self.won } else { &self.lost };
        depths.iter().position(|depth| !depth.is_empty() && depth.contains(index))
    }

    /// The memory that the bitmaps use, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.won.iter().chain(&self.lost).map(Bitmap::bytes).sum()
    }
}

/// The number of legal positions of two bare kings with one side to move. There are 64 * 63
/// placements, of which 420 have adjacent kings.
pub(crate) const BARE_KINGS: u64 = 3612;

/// Converts an index in the colour-swapped ending to the index of the same position in `ending`.
pub(crate) fn swapped_index(ending: &Ending, index: usize) -> usize {
    let [white, black] = Side::BOTH.map(|color| ending.pieces(color).len());
    // In `index`, black's pieces have the high digits and white's pieces the low ones.
    let pieces = index >> 12;
    let (high, low) = (pieces >> (6 * white), pieces & ((1 << (6 * white)) - 1));
    (low << (6 * black) | high) << 12 | (index & 63) << 6 | index >> 6 & 63
}
