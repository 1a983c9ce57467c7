//! Converts positions to the columns of boards that kernels take.

use setwise_positions::{Placement, Side};

/// The input columns of slider attacks. Each position has two boards: white's, then black's.
#[derive(Default)]
pub(crate) struct Boards {
    pub(crate) orthogonal: Vec<u64>,
    pub(crate) diagonal: Vec<u64>,
    pub(crate) occupied: Vec<u64>,
}

impl Boards {
    pub(crate) fn len(&self) -> usize {
        self.occupied.len()
    }
}

impl<'a> FromIterator<&'a Placement> for Boards {
    fn from_iter<I: IntoIterator<Item = &'a Placement>>(placements: I) -> Boards {
        let mut boards = Boards::default();
        for placement in placements {
            for side in Side::BOTH {
                boards.orthogonal.push(placement.orthogonal(side));
                boards.diagonal.push(placement.diagonal(side));
                boards.occupied.push(placement.occupied());
            }
        }
        boards
    }
}
