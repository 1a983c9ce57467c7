//! The board: its eight directions, its lines, and what lies between two squares. Knows nothing else of the crate.

pub(crate) mod between;
pub(crate) mod direction;
pub(crate) mod line;

pub use direction::Direction;
pub(crate) use direction::Towards;
pub use line::Line;
