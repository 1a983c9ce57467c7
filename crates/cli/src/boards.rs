//! The boards of positions, as kernels take them.

use setwise_positions::{Placement, Side};

/// One board per position and side: white's, then black's.
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

    /// The sets for an operation's argument.
    pub(crate) fn column(&self, input: &str) -> &[u64] {
        match input {
            "rooks" | "queens" | "orthogonal" => &self.orthogonal,
            "bishops" | "diagonal" => &self.diagonal,
            "occupied" => &self.occupied,
            _ => unreachable!("positions have no {input}"),
        }
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
