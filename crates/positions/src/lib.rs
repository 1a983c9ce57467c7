#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![allow(clippy::precedence, reason = "`a & b << c` is usual for sets of squares")]

mod batch;
pub mod binpack;
mod block;
mod blocks;
#[cfg(feature = "compressed")]
mod compressed;
mod cut_lines;
mod cut_records;
mod error;
#[cfg(feature = "famous-games")]
#[doc(hidden)]
pub mod famous_games;
mod fen;
mod fen_fields;
mod file_format;
mod formats;
mod lines;
mod pending;
mod placement;
mod placement_field;
mod printable;
mod record;
#[cfg(feature = "tables")]
mod rows;
mod sample;
mod suite;
mod uci;

pub use batch::Batch;
pub use block::Block;
pub use blocks::Blocks;
#[cfg(feature = "compressed")]
pub use compressed::decompress;
pub use error::{FenError, Field, LineError};
pub use fen::Fen;
pub use file_format::{Unit, Units, Value, Whole};
pub use formats::{Detected, Format, Game, PGN, extension};
pub use lines::{Lines, MAX_LINE, trim_line};
pub use placement::{Placement, letter};
pub use printable::{printable, printable_lines};
pub use record::{RECORD, Record};
pub use setwise::{Piece, Side};
pub use suite::{PerftCase, perft_suite};
pub use uci::play_moves;

/// Tests the example of the repository's documentation.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/moves.md")]
struct Moves;
