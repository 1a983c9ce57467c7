#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// Set arithmetic on squares binds as written.
#![allow(clippy::precedence)]

mod batch;
mod error;
mod fen;
mod format;
mod game;
mod lines;
mod placement;
mod record;
mod records;

pub use batch::Batch;
pub use error::{FenError, Field, LineError};
pub use fen::Fen;
pub use format::{Detected, Format};
pub use game::Game;
pub use lines::{Block, Blocks, Lines, MAX_LINE};
pub use placement::{Piece, Placement, Side};
pub use record::{RECORD, Record};
pub use records::Records;
