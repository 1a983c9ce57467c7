//! The bitmaps that are worked on.

use crate::lanes::Lanes;
use crate::wins::Men;

/// One bit a position, in blocks of eight ranks of the attacker's king.
pub(super) struct Boards {
    /// Attacker to move: won, illegal, or no square for the defender's king to step on.
    pub won: Vec<Lanes>,
    /// Defender to move: legal, not stalemate, and not known to be lost.
    pub open: Vec<Lanes>,
    /// Defender to move: lost in exactly the current number of moves.
    pub lost: Vec<Lanes>,
    /// Attacker to move: a move away from `lost`. The second piece's square is the outermost index here, so
    /// that the pass that fills it writes one stretch of memory for each of those squares.
    pub before: Vec<Lanes>,
}

/// The boards with one square of the first piece.
pub(crate) struct Slab<'a> {
    pub first: usize,
    pub won: &'a mut [Lanes],
    pub open: &'a mut [Lanes],
    pub lost: &'a mut [Lanes],
}

impl Slab<'_> {
    pub(super) fn copy_from(&mut self, slab: &Slab<'_>) {
        self.won.copy_from_slice(slab.won);
        self.open.copy_from_slice(slab.open);
        self.lost.copy_from_slice(slab.lost);
    }
}

impl Boards {
    pub(super) fn new(men: Men) -> Self {
        let board = || vec![Lanes::ZERO; men.blocks() * 8];
        Self {
            won: board(),
            open: board(),
            lost: board(),
            before: board(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        4 * size_of_val(&*self.won)
    }

    /// The slabs, and what the pass before has left for them.
    pub(super) fn slabs(&mut self) -> (Vec<Slab<'_>>, &[Lanes]) {
        let size = self.won.len() / 64;
        let slabs = self
            .won
            .chunks_exact_mut(size)
            .zip(self.open.chunks_exact_mut(size))
            .zip(self.lost.chunks_exact_mut(size))
            .enumerate()
            .map(|(first, ((won, open), lost))| Slab {
                first,
                won,
                open,
                lost,
            });
        (slabs.collect(), &self.before)
    }
}
