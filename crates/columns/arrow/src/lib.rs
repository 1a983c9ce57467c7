#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

mod error;
mod fens;
mod functions;
mod input;
mod operation;
mod positions;

pub use error::Error;
pub use fens::{BadFens, Positions};
pub use functions::*;
pub use input::{Sets, Squares};
pub use operation::{Argument, Kind, OPERATIONS, Operation};
pub use positions::{attack_maps_fields, checks_fields, position_fields};

/// What appears in this crate's functions.
pub use setwise::{Direction, Line, Square};
/// What appears in this crate's functions.
pub use setwise_positions::{FenError, Piece, Side};
