//! Controls when kernels use non-temporal stores.

use crate::kernels::generic::streaming;
use crate::kernels::generic::trials::Mode;

/// Whether long calls write their results with non-temporal stores, past the caches. A call is long
/// if its results exceed the [threshold](streaming_threshold).
///
/// Only kernels with AVX2 or AVX-512 have such stores. A non-temporal store does not first read the
/// memory that it overwrites, but leaves no results in the caches. Both kinds of store write the
/// same results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Streaming {
    /// Long calls use non-temporal stores if these are faster (the default). Each function of a
    /// kernel times both kinds of store in its first long calls, on twelve parts of the results. A
    /// part is 16 MiB, or the [threshold](streaming_threshold) if that is less. Without the feature
    /// `std` there is no clock, and this setting is like [`Never`](Streaming::Never).
    Measured,
    /// Every long call uses non-temporal stores.
    Always,
    /// No call uses non-temporal stores.
    Never,
}

/// Whether long calls use non-temporal stores: the setting for all threads.
#[must_use]
pub fn streaming() -> Streaming {
    match Mode::current() {
        Mode::Measured => Streaming::Measured,
        Mode::Always => Streaming::Always,
        Mode::Never => Streaming::Never,
    }
}

/// Sets whether long calls use non-temporal stores, for all threads.
///
/// ```
/// use setwise::{Streaming, set_streaming, streaming};
/// assert_eq!(streaming(), Streaming::Measured);
/// set_streaming(Streaming::Never);
/// assert_eq!(streaming(), Streaming::Never);
/// set_streaming(Streaming::Measured);
/// ```
pub fn set_streaming(streaming: Streaming) {
    let mode = match streaming {
        Streaming::Measured => Mode::Measured,
        Streaming::Always => Mode::Always,
        Streaming::Never => Mode::Never,
    };
    mode.set();
}

/// The size of results, in bytes, above which a call is long and may use non-temporal stores: 16
/// MiB (two million boards) unless [set](set_streaming_threshold).
#[must_use]
pub fn streaming_threshold() -> usize {
    streaming::threshold()
}

/// Sets the size of results, in bytes (8 per board and output), above which a call is long and may
/// use non-temporal stores: [`Streaming`] says when. Applies to all threads. With `usize::MAX` no
/// call is long; values below 1,024 count as 1,024.
///
/// Raise the threshold if the last-level cache is large and the results are soon read again. Lower
/// it if many threads share the cache. The threshold never changes a result.
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
