#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![allow(clippy::precedence, reason = "`a & b << c` is usual for sets of squares")]

mod batch;
pub mod binpack;
mod blocks;
#[cfg(feature = "compressed")]
mod compressed;
mod error;
#[cfg(feature = "famous-games")]
#[doc(hidden)]
pub mod famous_games;
mod fen;
mod fen_fields;
mod foreign;
mod format;
mod game;
mod lines;
mod placement;
mod placement_field;
mod printable;
mod record;
mod suite;
mod uci;

pub use batch::Batch;
pub use blocks::{Block, Blocks};
#[cfg(feature = "compressed")]
pub use compressed::decompress;
pub use error::{FenError, Field, LineError};
pub use fen::Fen;
pub use foreign::foreign;
pub use format::{Detected, Format, extension};
pub use game::Game;
pub use lines::{Lines, MAX_LINE, trim_line};
pub use placement::{Placement, letter};
pub use printable::{printable, printable_lines};
pub use record::{RECORD, Record};
pub use setwise::{Piece, Side};
pub use suite::{PerftCase, perft_suite};
