#![doc = include_str!("../docs/techniques.md")]

pub mod adder;
pub mod borrow;
pub mod cpu;
pub mod dumb7fill;
pub mod hyperbola;
pub mod kindergarten;
pub mod kogge_stone;
#[cfg(feature = "lookup")]
pub mod magic;
pub mod mailbox;
#[cfg(all(feature = "lookup", target_arch = "x86_64"))]
pub mod pext;
pub mod rank_slices;
#[cfg(feature = "techniques")]
pub mod switch;
pub mod turned;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub mod variable_shifts;

/// The instruction set for which the running code of the kernel `portable` was compiled: `avx512`
/// (Ice Lake, Zen 4 and later), `avx2`, `sve`, `lasx`, or `baseline`, the compile target. Without
/// the feature `std` it is always `baseline`.
///
/// The kernel's loop is compiled once per instruction set. The best copy for the CPU runs.
///
/// ```
/// println!("portable: {}", setwise::techniques::portable_target());
/// ```
#[must_use]
pub fn portable_target() -> &'static str {
    crate::kernels::any_cpu::portable::target()
}

mod forms;
pub use forms::{FORMS, Form, FormFunction};
