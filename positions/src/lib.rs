#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// Set arithmetic on squares binds as written.
#![allow(clippy::precedence)]

mod batch;
mod error;
mod fen;
mod lines;
mod placement;

pub use batch::Batch;
pub use error::{FenError, Field, LineError};
pub use fen::Fen;
pub use lines::{Block, Blocks, Lines, MAX_LINE};
pub use placement::{Piece, Placement, Side};
