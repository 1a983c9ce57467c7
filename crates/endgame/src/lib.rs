#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// Bitboard expressions mix shifts, `&` and `|` without parentheses.
#![allow(clippy::precedence)]

mod attacks;
mod bitmap;
mod chess;
mod ending;
mod file;
mod generate;
mod geometry;
mod lanes;
mod legal;
mod line;
mod moves;
mod piece;
mod position;
mod report;
mod solver;
mod table;
mod verify;
mod wins;

pub use attacks::AttackSource;
pub use bitmap::Bitmap;
pub use ending::{Ending, EndingError};
pub use generate::{Options, Progress, check_resources, generate};
pub use line::Step;
pub use piece::Piece;
pub use position::{Position, PositionError};
pub use report::{Counts, LongestWin, Report, Reverse, summary};
pub use setwise::Side;
pub use table::{Table, Value};
pub use verify::{Verified, VerifyError, verify};
pub use wins::{Histogram, Longest, Wins};
