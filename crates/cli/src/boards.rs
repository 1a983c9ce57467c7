//! The sets of sliders that a kernel takes.

use setwise_positions::{Placement, Side};

/// The sets of many boards in the layout that the kernels take: for each position white's, then black's.
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

    /// What an operation takes by this name.
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
