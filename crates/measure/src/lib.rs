//! The measuring engine of `setwise`, for its benchmarks and its command line: who is measured ([`contender`], [`forms`], [`roof`], and others with the feature `peers`), with what
//! ([`operation`], [`boards`], [`batch`]), and how ([`clock`], [`race`]).
//!
//! Every result is compared with a square-by-square walk before it is timed, and everything that is compared is timed in
//! interleaved rounds of one process.
//!
//! ```
//! use setwise_measure::{batch::{Batch, Order}, boards::Boards, contender, operation::Operation, race::{Entry, Length, race}};
//!
//! let rooks = Operation::named("rook_attacks").unwrap();
//! let mut batch = Batch::new(rooks, &Boards::random(256), Order::New, 256, 0);
//! let kernels = contender::kernels(rooks);
//! for kernel in &kernels {
//!     kernel.check(&mut batch).unwrap();
//! }
//! let entries: Vec<_> = kernels.iter().map(|contender| Entry { contender, batch: 0 }).collect();
//! let times = race(&entries, &mut [batch], Length::ONCE);
//! println!("{} takes {} of the time of {}", kernels[0].name, times.ratio(0, 1).median, kernels[1].name);
//! ```

pub mod batch;
pub mod boards;
pub mod clock;
mod column;
pub mod compare;
pub mod contender;
pub mod counters;
pub mod figures;
pub mod forms;
pub mod latency;
pub mod machine;
pub mod operation;
#[cfg(feature = "peers")]
pub mod peers;
pub mod plan;
#[cfg(feature = "peers")]
pub mod playouts;
pub mod race;
pub mod report;
pub mod roof;
pub mod settings;
mod threads;
