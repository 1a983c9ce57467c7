//! Geometry: directions, lines, the squares between two squares, leapers, and the types of a whole
//! position and of moves. Depends on nothing else in the crate.

pub(crate) mod between;
pub(crate) mod direction;
pub(crate) mod game;
pub(crate) mod leapers;
pub(crate) mod line;
pub(crate) mod position;
pub(crate) mod threats;

pub use direction::Direction;
pub(crate) use direction::RayDirection;
pub(crate) use game::{AfterColumns, PieceColumns, PlaneColumns};
pub use game::{GamePosition, Move, State};
pub use line::Line;
pub use position::{AttackMaps, Checks, Piece, Position, Side, SideAttacks};
pub(crate) use position::{KingColumns, MapColumns};
pub use threats::{CODES, Changes, MOST, Rules, Threat};
