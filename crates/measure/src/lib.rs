//! The benchmark of `setwise`. It has contenders, boards, interleaved rounds, statistics and a
//! report.
//!
//! [`run::measure`] runs the whole benchmark: `plan.rs` says how to add a section. Its parts can
//! also be used alone: a [`workload`] of [`boards`] for an [`operation`], and a [`race`] between
//! [contenders](contender).
//!
//! Every result is compared with a square-by-square oracle before it is timed. All contenders of a
//! comparison are timed in interleaved rounds of one process.
//!
//! ```
//! use setwise_measure::boards::BoardSet;
//! use setwise_measure::contender;
//! use setwise_measure::operation::Operation;
//! use setwise_measure::race::{Length, race};
//! use setwise_measure::workload::{Order, Workload};
//!
//! let rooks = Operation::named("rook_attacks").unwrap();
//! let mut workload = Workload::new(rooks, &BoardSet::random(256), Order::New, 256, 0);
//! let kernels = contender::kernels(rooks);
//! for kernel in &kernels {
//!     kernel.check(&mut workload).unwrap();
//! }
//! let entries: Vec<_> = kernels.iter().map(|contender| (contender, 0)).collect();
//! let times = race(&entries, &mut [workload], Length::ONCE);
//! let ratio = times.ratio(0, 1).median;
//! println!("{} takes {ratio} times as long as {}", kernels[0].name, kernels[1].name);
//! ```

pub mod boards;
mod buffers;
mod clock;
pub mod compare;
pub mod contender;
pub mod copy_xor;
mod drawing;
pub mod figures;
mod latency;
pub mod machine;
mod microarchitecture;
pub mod number;
mod one_board;
pub mod operation;
#[cfg(feature = "peers")]
pub mod peers;
mod plan;
pub mod positions;
pub mod printable;
pub mod race;
pub mod report;
pub mod run;
pub mod settings;
pub mod tables;
mod techniques;
pub mod workload;

pub use drawing::drawing;
