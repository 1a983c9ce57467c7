//! The first scan: what is illegal, and the mates.

use rayon::prelude::*;

use super::Solver;
use super::boards::Slab;
use crate::Piece;
use crate::attacks::AttackSets;
use crate::bitmap::{Bitmap, Packed, pack};
use crate::geometry::{attacks, between, king_steps};
use crate::lanes::Lanes;
use crate::moves::wide;

wide! {
    fn mates(solver: &Solver<'_>, slab: &mut Slab<'_>, attacked: &[u64]) {
        solver.mates(slab, attacked);
    }
}

/// What a thread needs for a slab, kept between slabs.
#[derive(Default)]
struct Scratch {
    attacked: Vec<u64>,
    won: Vec<Lanes>,
    open: Vec<Lanes>,
    lost: Vec<Lanes>,
    words: Vec<u64>,
}

impl Solver<'_> {
    /// Marks what is illegal or occupied, and finds the mates. `store` puts a slab to its place among `slabs`, those of
    /// the first piece's squares. Returns the numbers of legal positions of the attacker and of the defender to move.
    pub(super) fn start<T: Send>(
        &self,
        slabs: Vec<T>,
        sets: &dyn AttackSets,
        store: impl Fn(T, &Slab<'_>) + Sync,
    ) -> (u64, u64, Bitmap) {
        let checks = self.men.second_defender().map(Checks::new);
        let lanes = self.men.places() * 8;
        let start = |scratch: &mut Scratch, (first, to)| {
            scratch.attacked.resize(lanes * 8, 0);
            for board in [&mut scratch.won, &mut scratch.open, &mut scratch.lost] {
                board.resize(lanes, Lanes::ZERO);
            }
            let attacked = &mut scratch.attacked;
            let mut slab = Slab {
                first,
                won: &mut scratch.won,
                open: &mut scratch.open,
                lost: &mut scratch.lost,
            };
            sets.slab(first, attacked);
            let legal = self.legality(&mut slab, checks.as_ref(), attacked);
            mates(self, &mut slab, attacked);
            store(to, &slab);
            (legal, pack(slab.lost, &mut scratch.words))
        };
        let slabs = slabs.into_par_iter().enumerate();
        let slabs: Vec<_> = slabs.map_init(Scratch::default, start).collect();
        let legal_attacker = slabs.iter().map(|slab| slab.0.0).sum();
        let legal_defender = slabs.iter().map(|slab| slab.0.1).sum();
        let mates: Vec<Packed> = slabs.into_iter().map(|slab| slab.1).collect();
        (legal_attacker, legal_defender, Bitmap::join(mates))
    }

    /// Fills `won` and `open`, and counts the legal positions of the attacker and of the defender to move.
    fn legality(
        &self,
        slab: &mut Slab<'_>,
        checks: Option<&Checks>,
        attacked: &[u64],
    ) -> (u64, u64) {
        let (mut legal_attacker, mut legal_defender) = (0, 0);
        for second in 0..self.men.places() {
            let (pieces, together) = match self.men.second {
                Some(_) => (1 << slab.first | 1 << second, slab.first == second),
                None => (1 << slab.first, false),
            };
            // The defender's king may take an attacker, but not step on his own piece.
            let own = if checks.is_some() { 1 << second } else { 0 };
            for king in 0..64 {
                let at = second * 64 + king;
                let won = &mut slab.won[at / 8].0[at % 8];
                let open = &mut slab.open[at / 8].0[at % 8];
                if together || pieces >> king & 1 != 0 {
                    (*won, *open) = (!0, 0);
                    continue;
                }
                let occupied = pieces | 1 << king;
                *won = attacked[at] | own | 1 << king;
                *open = !(occupied | king_steps(1 << king));
                if let Some(checks) = checks {
                    *open &= checks.parried(slab.first, second, king);
                }
                legal_attacker += u64::from((!(attacked[at] | occupied)).count_ones());
                legal_defender += u64::from(open.count_ones());
            }
        }
        (legal_attacker, legal_defender)
    }

    /// Moves the mates from `open` to `lost`, and drops the stalemates.
    #[inline(always)]
    fn mates(&self, slab: &mut Slab<'_>, attacked: &[u64]) {
        for rank in 0..8 {
            let places = self.men.places();
            self.stuck(slab, rank, || 0..places, |second| second * 8 + rank);
            for at in (0..self.men.places()).map(|second| second * 8 + rank) {
                slab.open[at] = slab.open[at] & !slab.lost[at];
                // The others that cannot move are stalemates, which are never open again.
                for lane in 0..8 {
                    slab.lost[at].0[lane] &= attacked[at * 8 + lane];
                }
            }
        }
    }
}

/// Where the defender's king has to stand so that his piece does not check the attacker's king.
struct Checks {
    attacks: Vec<[u64; 64]>,
    between: Vec<[u64; 64]>,
}

impl Checks {
    fn new(piece: Piece) -> Self {
        let table = |entry: &dyn Fn(usize, usize) -> u64| {
            (0..64)
                .map(|square| std::array::from_fn(|other| entry(square, other)))
                .collect()
        };
        Self {
            attacks: table(&|square, blocker| attacks(piece, square, 1 << blocker)),
            between: table(&between),
        }
    }

    /// All squares, unless the piece sees the king past the attackers' first piece.
    fn parried(&self, first: usize, second: usize, king: usize) -> u64 {
        if self.attacks[second][first] >> king & 1 == 0 {
            !0
        } else {
            self.between[second][king]
        }
    }
}
