//! The size of tests that take long where code is emulated or instrumented.

use std::env;

/// `small` if `SETWISE_TEST_BUDGET` asks for few cases: `tiny` or `small`, or `miri`.
pub fn budget(small: usize, usual: usize) -> usize {
    match &*env::var("SETWISE_TEST_BUDGET").unwrap_or("quick".into()) {
        "miri" | "tiny" | "small" => small,
        "quick" | "long" => usual,
        budget => panic!("SETWISE_TEST_BUDGET={budget}: must be miri, tiny, small, quick or long"),
    }
}
