//! The names and sizes that several sections share.

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
