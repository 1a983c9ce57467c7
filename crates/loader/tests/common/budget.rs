//! The size of tests that take long under Valgrind.

use std::env;

/// `small` if `SETWISE_TEST_BUDGET` is `tiny` or `small`, as for Valgrind, else `usual`.
pub fn budget(small: usize, usual: usize) -> usize {
    match env::var("SETWISE_TEST_BUDGET").as_deref() {
        Ok("tiny" | "small") => small,
        _ => usual,
    }
}
