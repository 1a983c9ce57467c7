#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// Set arithmetic on squares binds as written.
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
mod screen;
mod solver;
mod table;
mod verify;
mod wins;

pub use attacks::Attacks;
pub use bitmap::Bitmap;
pub use ending::{Ending, EndingError};
pub use file::FileError;
pub use generate::{Options, Passes, Progress, generate, start_threads};
pub use line::Step;
pub use piece::{Color, Piece};
pub use position::{Position, PositionError};
pub use report::{Counts, LongestWin, Report, Reverse, summary};
pub use screen::{Left, Selectivity, all_steps, selectivity, two_steps};
pub use table::{Table, Value};
pub use verify::{Verified, VerifyError, verify};
pub use wins::{Histogram, Longest, Wins};
