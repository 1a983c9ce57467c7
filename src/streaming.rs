//! The threshold for non-temporal stores.

use crate::kernels::generic::streaming;

/// The size of results, in bytes, above which a call uses non-temporal stores: 16 MiB (two million
/// boards) unless [set](set_streaming_threshold).
#[must_use]
pub fn streaming_threshold() -> usize {
    streaming::threshold()
}

/// Sets the size of results, in bytes (8 per board and output), above which a call uses
/// non-temporal stores. Applies to all threads. `usize::MAX` disables them; values below 1,024
/// count as 1,024.
///
/// Only kernels with AVX2 or AVX-512 use non-temporal stores. These stores are usually faster,
/// because memory is not read before it is overwritten, but the results do not end up in a cache.
/// Raise the threshold if the last-level cache is large and the results are used at once. Lower it
/// if many threads share the cache. The threshold never changes a result.
///
/// ```
/// let before = setwise::streaming_threshold();
/// setwise::set_streaming_threshold(64 << 20);
/// assert_eq!(setwise::streaming_threshold(), 64 << 20);
/// setwise::set_streaming_threshold(before);
/// ```
pub fn set_streaming_threshold(bytes: usize) {
    streaming::set_threshold(bytes);
}
