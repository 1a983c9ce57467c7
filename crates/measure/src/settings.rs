//! The options of a run, and the names and sizes that several sections use.

use setwise::Kernel;

use crate::boards::BoardSet;
use crate::counters::Opened;
use crate::machine::Machine;
use crate::operation::Operation;
use crate::walk::Starts;

/// The kernel that the others are compared with: plain `u64` code, which the compiler vectorises
/// with SSE2 on x86-64.
pub const BASELINE: &str = "scalar";
/// The operations that engines use most.
pub const MAIN: [&str; 4] = ["rook_attacks", "bishop_attacks", "queen_attacks", "slider_attacks"];
/// The operation that is measured in sweeps over the number of boards.
pub const SWEPT: &str = "slider_attacks";
/// Boards per call in comparisons that stay in the caches. The buffers of a [main operation](MAIN)
/// take 96 or 128 KiB.
pub const IN_CACHE: usize = 4096;

/// The options of a run.
#[derive(Default)]
pub struct Options {
    /// Whether to measure fewer settings with shorter samples, for a first look.
    pub quick: bool,
    /// The time to measure, in seconds, without the time for checks.
    pub seconds: f64,
    /// The kernels to measure, in addition to the baseline.
    pub kernels: Vec<&'static Kernel>,
    /// The operations to measure. If empty, those of the usual run.
    pub operations: Vec<Operation>,
    /// The numbers of boards per call to measure. If empty, those of the usual run.
    pub boards: Vec<usize>,
    /// Positions to measure in addition to random boards, and a description of them.
    pub positions: Option<(BoardSet, String)>,
    /// Measures only calls in a search, whose games start in these positions.
    pub walk: Option<Starts>,
    /// Whether to measure the techniques of the literature as well.
    pub techniques: bool,
    /// Opens the counters of instructions, branch misses and others, if they are to be counted.
    pub counters: Option<fn(&Machine) -> Opened>,
    /// The options as given on the command line, for the record in the figures.
    pub given: Vec<String>,
}

impl Options {
    /// The kernels to measure and the baseline.
    pub(crate) fn with_baseline(&self) -> Vec<&'static Kernel> {
        let mut kernels = self.kernels.clone();
        if let Ok(baseline) = Kernel::by_name(BASELINE)
            && !kernels.contains(&baseline)
        {
            kernels.push(baseline);
        }
        kernels
    }
}
