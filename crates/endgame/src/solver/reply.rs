//! Examines the defender's replies. Finds the positions in which all his moves lead to positions
//! that the attacker wins.

use super::Solver;
use super::rows::Row;
use crate::bitmap::bits;
use crate::lanes::Lanes;
use crate::moves::piece_moves;
use crate::wins::Wins;
use setwise::board::king_attacks;

impl Solver<'_> {
    /// Finds the `open` positions of a row in which every move leads to a won position, and writes
    /// them to `lost`. `seconds` has the squares of the second piece to examine.
    #[inline(always)]
    pub(super) fn stuck(&self, row: &mut Row<'_>, seconds: u64) {
        let mut any = Lanes::ZERO;
        // The king's eight steps rule out nearly all positions, 64 at a time.
        for second in bits(seconds) {
            let steps = row.won[second].map(|won| king_attacks(!won));
            row.lost[second] = row.open[second] & !steps;
            any |= row.lost[second];
        }
        let Some(paths) = self.second_defender.as_ref().filter(|_| !any.is_zero()) else {
            return;
        };
        let mut from: [Lanes; 64] = std::array::from_fn(|second| !row.won[second]);
        // If the defender's piece takes the attacker's only piece, the defender always escapes.
        from[row.first] = Lanes::FULL;
        let mut escapes = [Lanes::ZERO; 64];
        let passable = self.passable.rank_without(row.rank, Some(row.first));
        piece_moves(paths, &passable, &from, &mut escapes);
        for second in bits(seconds) {
            row.lost[second] = row.lost[second] & !escapes[second];
        }
    }

    /// The captures by the defender's king that still lose in exactly `depth` moves. `None` if
    /// there are none, which is always so unless the attacker has two pieces.
    pub(super) fn losing_captures(&self, depth: usize) -> Option<LosingCaptures> {
        let blocks = |wins: &Wins| -> Option<Vec<_>> {
            let won = wins.won.get(depth)?;
            Some((0..64).map(|square| won.block(square)).collect())
        };
        let of_first = blocks(self.captures.first?);
        let of_second = blocks(self.captures.second?);
        let any = of_first.is_some() || of_second.is_some();
        any.then_some(LosingCaptures { of_first, of_second })
    }
}

/// Captures by the defender's king after which the attacker still wins, in exactly `depth` moves
/// (see [`Solver::losing_captures`]).
pub(super) struct LosingCaptures {
    /// The positions won without the first piece, indexed by the square of the second piece.
    of_first: Option<Vec<[Lanes; 8]>>,
    /// The positions won without the second piece, indexed by the square of the first piece.
    of_second: Option<Vec<[Lanes; 8]>>,
}

impl LosingCaptures {
    /// The squares where the defender's king can capture a piece and the attacker still wins. There
    /// is one set for each file of the attacker's king on `rank`.
    #[inline(always)]
    pub(super) fn at(&self, first: usize, second: usize, rank: usize) -> Lanes {
        let mut lanes = Lanes::ZERO;
        if let Some(won) = &self.of_first {
            lanes |= won[second][rank].map(|word| word & 1 << first);
        }
        if let Some(won) = &self.of_second {
            lanes |= won[first][rank].map(|word| word & 1 << second);
        }
        lanes
    }
}
