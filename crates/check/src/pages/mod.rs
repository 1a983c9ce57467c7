//! Memory that detects accesses outside a buffer.

#[cfg(miri)]
mod interpreted;
#[cfg(not(miri))]
mod mapped;

#[cfg(miri)]
pub use interpreted::Pages;
#[cfg(not(miri))]
pub use mapped::Pages;
