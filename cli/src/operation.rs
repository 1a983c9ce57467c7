//! The operations of a kernel as values, so that one loop can go through all of them.

use std::fmt;

use setwise::{Direction, Kernels};

/// An operation. Its inputs are three boards: `sliders` (or the orthogonal sliders, or the generators),
/// `diagonal` (used by [`Slider`](Operation::Slider) alone) and `occupied` (or the propagators).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Rook,
    Bishop,
    Queen,
    Slider,
    Ray(Direction),
    Fill(Direction),
}

impl Operation {
    /// The operations that also exist for one board.
    pub(crate) const SETS: [Operation; 4] = [
        Operation::Rook,
        Operation::Bishop,
        Operation::Queen,
        Operation::Slider,
    ];

    /// All operations.
    pub(crate) fn all() -> impl Iterator<Item = Operation> {
        let rays = Direction::ALL.into_iter().map(Operation::Ray);
        let fills = Direction::ALL.into_iter().map(Operation::Fill);
        Operation::SETS.into_iter().chain(rays).chain(fills)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operation::Rook => f.write_str("rook_attacks"),
            Operation::Bishop => f.write_str("bishop_attacks"),
            Operation::Queen => f.write_str("queen_attacks"),
            Operation::Slider => f.write_str("slider_attacks"),
            Operation::Ray(direction) => write!(f, "ray_attacks {direction:?}"),
            Operation::Fill(direction) => write!(f, "occluded_fill {direction:?}"),
        }
    }
}

/// Whatever claims to compute the operations: the kernels, and in tests also wrong ones.
pub(crate) trait Evaluator {
    fn name(&self) -> &str;

    /// All boards of three slices of the same length.
    fn batch(&self, operation: Operation, inputs: [&[u64]; 3], output: &mut [u64]);

    /// One board by value; `None` for an operation without such a form.
    fn one(&self, operation: Operation, inputs: [u64; 3]) -> Option<u64>;
}

impl Evaluator for Kernels {
    fn name(&self) -> &str {
        Kernels::name(self)
    }

    fn batch(
        &self,
        operation: Operation,
        [sliders, diagonal, occupied]: [&[u64]; 3],
        output: &mut [u64],
    ) {
        match operation {
            Operation::Rook => self.rook_attacks(sliders, occupied, output),
            Operation::Bishop => self.bishop_attacks(sliders, occupied, output),
            Operation::Queen => self.queen_attacks(sliders, occupied, output),
            Operation::Slider => self.slider_attacks(sliders, diagonal, occupied, output),
            Operation::Ray(towards) => self.ray_attacks(towards, sliders, occupied, output),
            Operation::Fill(towards) => self.occluded_fill(towards, sliders, occupied, output),
        }
    }

    fn one(&self, operation: Operation, [sliders, diagonal, occupied]: [u64; 3]) -> Option<u64> {
        match operation {
            Operation::Rook => Some(self.rook_attacks_one(sliders, occupied)),
            Operation::Bishop => Some(self.bishop_attacks_one(sliders, occupied)),
            Operation::Queen => Some(self.queen_attacks_one(sliders, occupied)),
            Operation::Slider => Some(self.slider_attacks_one(sliders, diagonal, occupied)),
            Operation::Ray(_) | Operation::Fill(_) => None,
        }
    }
}
