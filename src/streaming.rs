//! The threshold for non-temporal stores.

use crate::kernels::generic::streaming;

/// The bytes of results above which a call writes with non-temporal stores: 16 MiB (two million boards) unless
/// [set](set_streaming_threshold).
#[must_use]
pub fn streaming_threshold() -> usize {
    streaming::threshold()
}

/// Sets the bytes of results, 8 per board and output, above which a call writes with non-temporal stores, for all
/// threads; `usize::MAX` for never. Values below 1,024 count as 1,024.
///
/// Kernels with AVX2 or AVX-512 stream. Such a call is usually faster, because memory is not read before it is
/// overwritten, but leaves the results in no cache. Raise the threshold if the last-level cache is large and the
/// results are used at once; lower it if many threads share the cache. It never changes a result.
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
