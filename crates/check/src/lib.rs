#![doc = include_str!("../README.md")]
#![allow(
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "for tests, which panic when they fail"
)]

mod calls;
mod case;
mod column;
mod compare;
mod guarded;
#[allow(missing_docs, reason = "as the oracle")]
pub mod moves;
mod operation;
#[allow(missing_docs, reason = "the operations are documented in `setwise`")]
pub mod oracle;
#[cfg(unix)]
mod pages;
pub mod threats;

#[doc(hidden)]
pub use calls::write_board;
pub use case::Case;
pub use column::{BatchFn, Column, call};
pub use compare::{Boards, Mismatch, Results, compare, draw, side_by_side, word_names};
pub use guarded::Guarded;
pub use operation::Operation;
#[cfg(unix)]
pub use pages::Pages;
