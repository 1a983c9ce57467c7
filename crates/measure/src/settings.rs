//! The options of a run.

use setwise::Kernel;

use crate::boards::BoardSet;
use crate::counters::Opened;
use crate::machine::Machine;
use crate::names::BASELINE;
use crate::operation::Operation;
use crate::starts::Starts;

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
