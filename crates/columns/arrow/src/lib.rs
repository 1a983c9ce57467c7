#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

mod description;
mod error;
mod evaluate;
mod fens;
mod functions;
mod input;
mod positions;
mod threats;

pub use description::description;
pub use error::Error;
pub use evaluate::{evaluate, output_type};
pub use fens::{BadFens, Positions};
pub use functions::*;
pub use positions::{attack_maps_fields, checks_fields, position_fields};
pub use setwise_loader::{NAMES, named_rules, rules};
pub use threats::threat_field;

pub use setwise::error::InvalidSquare;
/// Types in the signatures of this crate's functions.
pub use setwise::{Direction, Line, Piece, Side, Square};
/// The error of a FEN, contained in [`Error`].
pub use setwise_positions::FenError;
