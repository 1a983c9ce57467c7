//! Results that do not stay in the caches.

use crate::kernels::generic::long;

/// From how many bytes of results on a call writes past the caches; 16 MiB (two million boards) unless
/// [set](set_streaming_threshold).
#[must_use]
pub fn streaming_threshold() -> usize {
    long::streamed_beyond()
}

/// Sets from how many bytes of results on, 8 a board and output, a call writes past the caches, in all threads; `usize::MAX` for never. (Less than
/// 1,024 counts as 1,024.)
///
/// For kernels with vector instructions of x86-64. Such a call takes less time, as memory need not be read before it is overwritten; but the results
/// are not in a cache for who reads them next. Greater is better where the last-level cache is large and all yours, and the results are used at once;
/// smaller where many threads share it. It changes no result.
///
/// ```
/// let before = setwise::streaming_threshold();
/// setwise::set_streaming_threshold(64 << 20);
/// assert_eq!(setwise::streaming_threshold(), 64 << 20);
/// setwise::set_streaming_threshold(before);
/// ```
pub fn set_streaming_threshold(bytes: usize) {
    long::stream_beyond(bytes);
}
