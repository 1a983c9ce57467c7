//! Kernels for any CPU: board-by-board techniques, and rank slices in plain integers.

pub(crate) mod borrow;
pub(crate) mod dumb7fill;
pub(crate) mod hyperbola;
pub(crate) mod kogge_stone;
#[cfg(feature = "lookup")]
pub(super) mod lookup;
pub(crate) mod magic;
pub(crate) mod portable;
pub(crate) mod scalar;
pub(crate) mod switch;
