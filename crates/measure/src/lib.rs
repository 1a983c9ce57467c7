//! The benchmark of `setwise`. It has contenders, boards, interleaved rounds, statistics and a
//! report.
//!
//! [`run::measure`] runs the whole benchmark: `plan.rs` says how to add a section. Its parts can
//! also be used alone, such as a [`race`] or the [contenders](contender) of an [`operation`].
//!
//! Every result is compared with a square-by-square oracle before it is timed. All contenders of a
//! comparison are timed in interleaved rounds of one process.

pub mod boards;
mod buffers;
mod clock;
pub mod columns;
pub mod compare;
pub mod contender;
pub mod copy_xor;
pub mod counters;
mod drawing;
pub mod figures;
mod job;
mod latency;
pub mod machine;
pub mod names;
pub mod number;
mod one_board;
pub mod operation;
mod pairs;
pub mod peers;
mod plan;
pub mod positions;
pub mod race;
mod random_games;
pub mod report;
pub mod run;
mod saved;
pub mod settings;
pub mod starts;
pub mod statistics;
pub mod tables;
mod techniques;
pub mod walk;
pub mod workload;

pub use drawing::drawing;
