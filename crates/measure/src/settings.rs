//! The options of a run, and the names and sizes that its sections share.

use setwise::Kernels;

use crate::boards::Boards;
use crate::operation::Operation;

/// The kernel that the others are compared with.
pub const BASELINE: &str = "scalar";
/// The operations that engines use most.
pub const MAIN: [&str; 4] = ["rook_attacks", "bishop_attacks", "queen_attacks", "slider_attacks"];
/// The operation measured in size sweeps.
pub const SWEPT: &str = "slider_attacks";
/// Boards per call in the comparisons in the caches: 96 to 160 KiB.
pub const IN_CACHE: usize = 4096;

/// What to measure.
#[derive(Default)]
pub struct Options {
    /// Fewer settings and shorter samples, for a first look.
    pub quick: bool,
    /// How long to measure, in seconds. Checks come on top.
    pub seconds: f64,
    /// The kernels to measure, in addition to the baseline.
    pub kernels: Vec<&'static Kernels>,
    /// Only these operations; empty: those of the usual run.
    pub operations: Vec<Operation>,
    /// Only calls of these many boards; empty: those of the usual run.
    pub boards: Vec<usize>,
    /// Positions, and a description of them.
    pub positions: Option<(Boards, String)>,
    /// Also measure the forms in the literature.
    pub techniques: bool,
    /// The most threads to measure at once.
    pub threads: usize,
    /// The command-line options, for the record.
    pub given: Vec<String>,
    /// For tests: a kernel to slow down, and by which fraction of its time.
    pub slowed: Option<(String, f64)>,
    /// For tests: a kernel whose results are made wrong.
    pub broken: Option<String>,
}
