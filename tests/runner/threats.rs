//! The calls for threats, on random boards. `tests/threats.rs` has the moves of games.

use std::sync::OnceLock;

use setwise::Kernel;
use setwise_check::threats::{Expected, Form, any};

use crate::check::{Checked, Plan};

/// Compares all calls of a kernel with the oracle, which is asked only once for all kernels.
pub(crate) fn agree(plan: &Plan, kernel: &'static Kernel) -> Checked {
    static EXPECTED: OnceLock<Vec<Expected>> = OnceLock::new();
    let expected = EXPECTED.get_or_init(|| {
        let mut random = fastrand::Rng::with_seed(plan.config.seed);
        (0..plan.config.budget.random_boards.min(20_000) / 5)
            .map(|_| any(|| random.u64(..)))
            .collect()
    });
    for expected in expected {
        expected.check(Form::Kernel(kernel))?;
    }
    Ok(expected.len() as u64)
}
