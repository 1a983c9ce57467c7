//! Kernels for every CPU: techniques that go board by board, and rank slices in what the compiler knows.

pub(crate) mod borrow;
pub(crate) mod dumb7fill;
pub(crate) mod hyperbola;
pub(crate) mod kogge_stone;
#[cfg(feature = "lookup")]
pub(super) mod lookup;
pub(crate) mod magic;
pub(crate) mod per_slider;
pub(crate) mod portable;
pub(crate) mod scalar;
pub(crate) mod switch;
