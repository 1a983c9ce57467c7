//! The benchmark of `setwise`. It has contenders, boards, interleaved rounds, statistics and a
//! report.
//!
//! [`run::measure`] runs the whole benchmark. Its parts can also be used alone: a [`batch`] of
//! [`boards`] for an [`operation`], and a [`race`] between [contenders](contender).
//!
//! Every result is compared with a square-by-square oracle before it is timed. All contenders of a
//! comparison are timed in interleaved rounds of one process.
//!
//! ```
//! use setwise_measure::batch::{Batch, Order};
//! use setwise_measure::boards::Boards;
//! use setwise_measure::contender;
//! use setwise_measure::operation::Operation;
//! use setwise_measure::race::{Entry, Length, race};
//!
//! let rooks = Operation::named("rook_attacks").unwrap();
//! let mut batch = Batch::new(rooks, &Boards::random(256), Order::New, 256, 0);
//! let kernels = contender::kernels(rooks);
//! for kernel in &kernels {
//!     kernel.check(&mut batch).unwrap();
//! }
//! let entries: Vec<_> = kernels.iter().map(|contender| Entry { contender, batch: 0 }).collect();
//! let times = race(&entries, &mut [batch], Length::ONCE);
//! let ratio = times.ratio(0, 1).median;
//! println!("{} takes {ratio} times as long as {}", kernels[0].name, kernels[1].name);
//! ```

pub mod batch;
pub mod boards;
pub mod bounds;
pub mod clock;
mod column;
pub mod compare;
pub mod contender;
pub mod copy_xor;
pub mod counters;
mod drawing;
pub mod figures;
mod forms;
pub mod issue;
mod kind;
mod latency;
pub mod machine;
pub mod maps;
mod microarchitecture;
pub mod number;
mod one_board;
pub mod operation;
#[cfg(feature = "peers")]
pub mod peers;
mod plan;
#[cfg(feature = "peers")]
pub mod playouts;
pub mod printable;
pub mod race;
pub mod report;
pub mod run;
pub mod settings;
mod threads;
mod valid;

pub use drawing::drawing;
