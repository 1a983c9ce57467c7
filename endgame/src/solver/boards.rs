//! The bitmaps that are worked on.

use rayon::prelude::*;

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
    /// that the pass that fills it writes one stretch of memory for each of those squares. Only two passes
    /// need it; empty until then.
    pub before: Vec<Lanes>,
}

/// The boards with one square of the first piece.
pub(super) struct Slab<'a> {
    pub first: usize,
    pub won: &'a mut [Lanes],
    pub open: &'a mut [Lanes],
    pub lost: &'a mut [Lanes],
}

impl Boards {
    pub(super) fn new(men: Men) -> Self {
        let board = || vec![Lanes::ZERO; men.blocks() * 8];
        Self {
            won: board(),
            open: board(),
            lost: board(),
            before: Vec::new(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        3 * size_of_val(&*self.won) + size_of_val(&*self.before)
    }

    /// The slabs, and what the pass before has left for them.
    pub(super) fn slabs(&mut self) -> (impl IndexedParallelIterator<Item = Slab<'_>>, &[Lanes]) {
        let size = self.won.len() / 64;
        let slabs = self
            .won
            .par_chunks_mut(size)
            .zip(self.open.par_chunks_mut(size))
            .zip(self.lost.par_chunks_mut(size))
            .enumerate()
            .map(|(first, ((won, open), lost))| Slab {
                first,
                won,
                open,
                lost,
            });
        (slabs, &self.before)
    }
}
