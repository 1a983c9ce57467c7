//! The retrograde solver, which works backwards from the mates, one depth at a time.
//!
//! [`start`] scans for the mates, [`leap`] takes back moves, and [`reply`] finds the defender's
//! losses. All three work on the [`Rows`] of bitmaps. The crate's README explains the method.

mod leap;
mod reply;
mod rows;
mod start;

use self::rows::Rows;
use crate::moves::{Passable, Paths};
use crate::wins::{Men, Wins};
use crate::{Bitmap, Ending, Options, Progress};

/// The solved three-man endings that captures lead to, one for each piece that can be captured.
#[derive(Clone, Copy, Default)]
pub(crate) struct Captures<'a> {
    /// The ending after the defender's piece is taken. The first piece and the kings are left.
    pub defender: Option<&'a Wins>,
    /// The ending after the defender takes the first piece. The second piece and the kings are
    /// left.
    pub first: Option<&'a Wins>,
    /// The ending after the defender takes the attacker's second piece. The first piece and the
    /// kings are left.
    pub second: Option<&'a Wins>,
}

impl Captures<'_> {
    /// The last depth at which captures can add positions.
    fn last(&self) -> usize {
        let lost = self.defender.map_or(0, |wins| wins.lost.len());
        let won = |wins: Option<&Wins>| wins.map_or(0, |wins| wins.won.len());
        lost.max(won(self.first)).max(won(self.second))
    }
}

/// The ending's men and their paths, which are the same in every pass.
struct Solver<'a> {
    men: Men,
    captures: Captures<'a>,
    passable: Passable,
    first: Paths,
    second_attacker: Option<Paths>,
    second_defender: Option<Paths>,
}

/// Solves one side's wins. `kept` is the memory of the bitmaps from earlier runs, in bytes. The
/// reported progress includes it.
pub(crate) fn solve(
    ending: &Ending,
    men: Men,
    captures: Captures<'_>,
    kept: usize,
    options: &Options<'_>,
) -> Wins {
    let solver = Solver {
        men,
        captures,
        passable: Passable::new(),
        first: Paths::new(men.first),
        second_attacker: men.second_attacker.map(Paths::new),
        second_defender: men.second_defender.map(Paths::new),
    };
    let mut rows = Rows::new(men.places());
    let sets = options.attacks.prepare(men);
    let ([legal_attacker, legal_defender], mates) = solver.start(&mut rows, &*sets);
    let mut wins = Wins {
        ending: ending.clone(),
        legal_attacker,
        legal_defender,
        won: vec![Bitmap::empty(men.blocks())],
        lost: vec![mates],
    };
    let mut bytes = kept + rows.bytes() + wins.bytes();
    for moves in 0.. {
        if let Some(progress) = options.progress {
            let [won, lost] = [&wins.won[moves], &wins.lost[moves]].map(Bitmap::count);
            progress(&Progress { ending: ending.clone(), moves, won, lost, bytes });
        }
        let [won, lost] = solver.leap(&mut rows, moves + 1);
        if won.is_empty() && lost.is_empty() && moves + 1 >= captures.last() {
            break;
        }
        bytes += won.bytes() + lost.bytes();
        wins.won.push(won);
        wins.lost.push(lost);
    }
    for depths in [&mut wins.won, &mut wins.lost] {
        while depths.len() > 1 && depths.last().is_some_and(Bitmap::is_empty) {
            depths.pop();
        }
    }
    wins
}
