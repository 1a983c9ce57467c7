//! The seed of the random boards, here and in `tests/threats.rs`.

use std::env;

/// The seed in `SETWISE_TEST_SEED`, or else a random one.
pub(crate) fn seed() -> Result<u64, String> {
    let Ok(text) = env::var("SETWISE_TEST_SEED") else { return Ok(fastrand::u64(..)) };
    let seed = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    seed.map_err(|_| format!("SETWISE_TEST_SEED={text}: must be a number, decimal or 0x..."))
}
