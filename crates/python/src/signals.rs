//! Long work that Ctrl-C can end.

use std::ops::Range;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// The time between looks for signals. A step takes about half of it.
const BETWEEN: Duration = Duration::from_millis(50);

/// Runs the handlers of signals that have arrived. Fails with what one of them raises, such as
/// `KeyboardInterrupt`.
pub(crate) fn handle(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}

/// When Python last looked for signals.
pub(crate) struct Looks(Instant);

impl Looks {
    pub(crate) fn new() -> Looks {
        Looks(Instant::now())
    }

    /// Whether it is time to look again.
    fn is_due(&mut self) -> bool {
        let is_due = self.0.elapsed() >= BETWEEN;
        if is_due {
            self.0 = Instant::now();
        }
        is_due
    }

    /// Runs the handlers of signals that have arrived, if it is time.
    pub(crate) fn look(&mut self, py: Python<'_>) -> PyResult<()> {
        if self.is_due() { handle(py) } else { Ok(()) }
    }
}

/// Does work on items without the GIL, and looks for signals between the steps. The first step has
/// `first` items. Later steps have more, as long as they are short.
pub(crate) fn in_steps(
    py: Python<'_>,
    count: usize,
    first: usize,
    mut work: impl FnMut(Range<usize>) -> PyResult<()> + Send,
) -> PyResult<()> {
    py.detach(|| {
        let (mut looks, mut start, mut step) = (Looks::new(), 0, first);
        while start < count {
            let (end, begun) = (count.min(start.saturating_add(step)), Instant::now());
            work(start..end)?;
            start = end;
            if begun.elapsed() < BETWEEN / 4 {
                step = step.saturating_mul(2);
            }
            if start < count && looks.is_due() {
                Python::attach(handle)?;
            }
        }
        Ok(())
    })
}
