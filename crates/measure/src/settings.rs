//! What a run may be asked for, and what its parts agree on.

use setwise::Kernels;

use crate::boards::Boards;
use crate::operation::Operation;

/// The kernel that the others are compared with.
pub const BASELINE: &str = "scalar";
/// The operations that engines ask most for.
pub const MAIN: [&str; 4] = [
    "rook_attacks",
    "bishop_attacks",
    "queen_attacks",
    "slider_attacks",
];
/// That of which the sweeps are.
pub const SWEPT: &str = "slider_attacks";

/// Boards of the comparisons in the caches: 96 to 160 KiB.
pub const IN_CACHE: usize = 4096;

/// What to measure.
pub struct Options {
    /// Less of everything: for a first look.
    pub quick: bool,
    /// How long to measure; the checks come on top.
    pub seconds: f64,
    /// Who. The baseline is measured anyway.
    pub kernels: Vec<&'static Kernels>,
    /// Only these operations, if any are given.
    pub operations: Vec<Operation>,
    /// Only calls of so many boards, if any are given.
    pub boards: Vec<usize>,
    /// Positions, and what they are.
    pub positions: Option<(Boards, String)>,
    /// The forms of the literature too.
    pub techniques: bool,
    /// Up to so many threads at once.
    pub threads: usize,
    /// The options as they were given.
    pub given: Vec<String>,
    /// A kernel that is slowed by a part of its time: for tests that must notice.
    pub slowed: Option<(String, f64)>,
    /// A kernel whose results are wrong: for tests that must notice.
    pub broken: Option<String>,
}
