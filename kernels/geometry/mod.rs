//! The board: its eight directions, its lines, and what lies between two squares. Knows nothing else of the crate.

pub(crate) mod between;
pub(crate) mod direction;
pub(crate) mod leapers;
pub(crate) mod line;
pub(crate) mod position;

pub use direction::Direction;
pub(crate) use direction::RayDirection;
pub use line::Line;
pub use position::{AttackMaps, Checks, Piece, Position, Side};
