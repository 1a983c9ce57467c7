//! The retrograde solver: from the mates backwards, one number of moves after the other.
//!
//! [`leap`] does it in one pass over its [`rows`], [`unmove`] and [`reply`] in two over their [`boards`]; the
//! crate's page draws both. All start with the same scan, [`start`].

mod boards;
mod leap;
mod reply;
mod rows;
mod start;
mod unmove;

use self::boards::Boards;
pub(crate) use self::boards::Slab;
use self::rows::{Row, Rows};
use crate::attacks::AttackSets;
use crate::bitmap::Bitmap;
use crate::moves::{Passable, Paths};
use crate::wins::{Men, Wins};
use crate::{Ending, Passes};

/// The three-men runs that captures lead to, by the piece that is taken.
#[derive(Clone, Copy, Default)]
pub(crate) struct Captures<'a> {
    /// The attackers take the defender's piece: what is left of the first piece and the kings.
    pub defender: Option<&'a Wins>,
    /// The defender takes the attackers' first piece: the second is left.
    pub first: Option<&'a Wins>,
    /// The defender takes the attackers' second piece: the first is left.
    pub second: Option<&'a Wins>,
}

impl Captures<'_> {
    /// The number of moves after which no capture is news.
    fn last(&self) -> usize {
        let lost = self.defender.map_or(0, |wins| wins.lost.len());
        let won = |wins: Option<&Wins>| wins.map_or(0, |wins| wins.won.len());
        lost.max(won(self.first)).max(won(self.second))
    }
}

/// What stays the same from pass to pass.
struct Solver<'a> {
    men: Men,
    captures: Captures<'a>,
    passable: Passable,
    first: Paths,
    second_attacker: Option<Paths>,
    second_defender: Option<Paths>,
}

impl<'a> Solver<'a> {
    fn new(men: Men, captures: Captures<'a>) -> Self {
        Self {
            men,
            captures,
            passable: Passable::new(),
            first: Paths::new(men.first),
            second_attacker: men.second_attacker().map(Paths::new),
            second_defender: men.second_defender().map(Paths::new),
        }
    }
}

/// The first scan alone: `look` sees each slab, with the mates in `lost`, and an item of `slabs`.
pub(crate) fn first_scan<T: Send>(
    men: Men,
    sets: &dyn AttackSets,
    slabs: Vec<T>,
    look: impl Fn(T, &Slab<'_>) + Sync,
) {
    Solver::new(men, Captures::default()).start(slabs, sets, look);
}

/// What is known after one more move of depth.
pub(crate) struct Depth {
    pub moves: usize,
    pub won: u64,
    pub lost: u64,
    /// The memory of the boards and of all bitmaps.
    pub bytes: usize,
    /// The bytes of bitmaps that this move's passes loaded and stored.
    pub moved: usize,
}

/// What one more move of depth has found.
struct Step {
    won: Bitmap,
    lost: Bitmap,
    /// The bytes of bitmaps loaded and stored.
    moved: usize,
}

impl Step {
    /// From slabs, each with what is won, what is lost, and the bytes it moved.
    fn new<P>(slabs: Vec<(P, P, usize)>, join: impl Fn(Vec<P>) -> Bitmap) -> Self {
        let moved: usize = slabs.iter().map(|slab| slab.2).sum();
        let (won, lost) = slabs.into_iter().map(|slab| (slab.0, slab.1)).unzip();
        let (won, lost) = (join(won), join(lost));
        let moved = moved + won.bytes() + lost.bytes();
        Self { won, lost, moved }
    }
}

/// The bitmaps of either way.
enum Way {
    Two(Boards),
    One(Rows),
}

impl Way {
    fn bytes(&self) -> usize {
        match self {
            Self::Two(boards) => boards.bytes(),
            Self::One(rows) => rows.bytes(),
        }
    }
}

/// Solves one side's wins, and tells `deeper` of each number of moves.
pub(crate) fn solve(
    ending: &Ending,
    men: Men,
    sets: &dyn AttackSets,
    captures: Captures<'_>,
    passes: Passes,
    deeper: &(dyn Fn(Depth) + Sync),
) -> Wins {
    let solver = Solver::new(men, captures);
    let (mut way, (legal_attacker, legal_defender, mates), moved) = match passes {
        Passes::Two => {
            let mut boards = Boards::new(men);
            let store = |mut to: Slab<'_>, slab: &Slab<'_>| to.copy_from(slab);
            let started = solver.start(boards.slabs().0, sets, store);
            (Way::Two(boards), started, 0)
        }
        Passes::One => {
            let mut rows = Rows::new(men);
            let store = |mut to: Vec<Row<'_>>, slab: &Slab<'_>| {
                for row in &mut to {
                    row.copy_from(slab);
                }
            };
            let started = solver.start(rows.firsts(), sets, store);
            let moved = solver.begin(&mut rows);
            (Way::One(rows), started, moved)
        }
    };
    let mut wins = Wins {
        ending: ending.clone(),
        legal_attacker,
        legal_defender,
        won: vec![Bitmap::empty(men.blocks())],
        lost: vec![mates],
    };
    let mut bytes = way.bytes() + wins.bytes();
    deeper(Depth {
        moves: 0,
        won: 0,
        lost: wins.lost[0].count(),
        bytes,
        moved,
    });
    for depth in 1.. {
        let Step { won, lost, moved } = match &mut way {
            Way::Two(boards) => {
                let moved = solver.attackers_unmove(boards, &wins.lost[depth - 1], depth - 1);
                let mut step = solver.defender_replies(boards, depth);
                step.moved += moved;
                step
            }
            Way::One(rows) => solver.leap(rows, depth),
        };
        if won.is_empty() && lost.is_empty() && depth >= captures.last() {
            break;
        }
        bytes += won.bytes() + lost.bytes();
        deeper(Depth {
            moves: depth,
            won: won.count(),
            lost: lost.count(),
            bytes,
            moved,
        });
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
