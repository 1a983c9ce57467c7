#![cfg_attr(not(any(feature = "std", test)), no_std)]
//! Set-wise rook, bishop and queen attacks over batches of chess bitboards, with the best SIMD
//! kernel for the CPU chosen at start-up.
//!
//! "Set-wise" means that all rooks (or bishops, queens) of a board are filled at once, not square
//! by square; a batch, because a SIMD register holds many boards. One probe of the CPU, one table of
//! function pointers, one binary for many CPUs.
//!
//! ```
//! // Three boards: the rooks of each, and everything that stands on it.
//! let rooks = [0x0000_0000_0000_0081, 1 << 27, 0];
//! let occupied = [0x0000_0000_0000_ff81, 1 << 27 | 1 << 29, 1 << 5];
//! let mut attacks = [0; 3];
//! setwise::rook_attacks(&rooks, &occupied, &mut attacks);
//! assert_eq!(attacks[1], 0x0808_0808_3708_0808); // d4: up to and with the piece on f4
//! ```
//!
//! # Which function
//!
//! | you have | call |
//! |---|---|
//! | many boards | the functions of this page, e.g. [`slider_attacks`], which use the active kernel |
//! | many boards, and a kernel of your choice | the same as methods of [`Kernels`] |
//! | one board, in a hot loop | [`board`]: `const`, portable, inlined, no dispatch |
//! | a whole position, in a search | [`Kernels::attack_maps_one`], [`Kernels::checks_one`]; many: [`attack_maps`], [`checks`] |
//! | one board, by the CPU's best instructions | [`Kernels::queen_attacks_one`] and its like |
//! | a wish to know how it is done, or one of the literature's forms | [`techniques`] |
//!
//! # Meaning
//!
//! BoardVector are little-endian rank-file: a1 is bit 0, h1 bit 7, a8 bit 56, h8 bit 63. An attack set contains the
//! squares that a slider reaches, up to and with the first occupied one, and a slider's own
//! square only if another slider attacks it. **Every slider passed also blocks**, whether it is in
//! `occupied` or not. All kernels agree bit for bit on every input.
//!
//! # Kernels
//!
//! [`Kernels::active`] picks the best kernel that this CPU can run at first use.
//! [`Kernels::available`] lists those that can run, best first, [`Kernels::by_name`] gives one by
//! its name, [`Kernels::catalogue`] tells of all, also of those that cannot run here, and why.
//! [`Kernels::activate`] makes one the active one, and [`Kernels::init`] lets the program say how it is chosen; so do the environment variables `SETWISE_FORCE_KERNEL=name` and
//! `SETWISE_DISABLE=name,name` (with feature `std`). An unknown name fails loudly, but
//! where [`Kernels::try_active`] was called, with an error.
//!
//! # Features
//!
//! * `std` (default): detection by the standard library, and the environment variables. Without it the crate is
//!   `no_std` and still detects the CPU. The crate allocates nothing, but for the text of a `SETWISE_` variable that is set.
//! * `avx512bw`: the kernel of that name, for CPUs with AVX-512 and without GFNI (Skylake-X, Cascade Lake), which takes 0.65 of the time of `avx2`
//!   and 55 KB. Without it they are given `avx2`.
//! * `rayon`: the module `par`, the batch operations by several threads.
//! * `switch`: the kernel `switch`, whose generated source becomes 37 KB.
//! * `lookup`: the kernels `magic` and `pext`, with tables of 841 KiB each.
//! * `serde`: [`Square`] as its number, [`Direction`] and [`Line`] by name.
//!
//! # Limits
//!
//! * Batches of a handful of boards do not fill the registers; a board at a time is for [`board`].
//! * The choice of the kernel is by the order of the catalogue, which was measured on few CPUs; where it
//!   matters, time [`Kernels::available`] on your own boards and [`activate`](Kernels::activate) the best.
//! * Slices passed to one call must not overlap (Rust sees to that); the sets are plain `u64`s, so
//!   that nothing checks that they make sense as chess.

#[path = "../kernels/mod.rs"]
mod kernels;

mod active;
#[cfg(feature = "std")]
pub mod append;
pub mod board;
#[cfg(feature = "std")]
mod calibrate;
mod catalogue;
mod choice;
#[cfg(all(feature = "std", target_arch = "x86_64", not(target_feature = "avx2")))]
mod clone;
mod detect;
mod drawing;
mod operation_info;
mod operations;
#[cfg(feature = "rayon")]
pub mod par;
mod square;
mod streaming;
pub mod techniques;

#[cfg(feature = "std")]
pub use calibrate::{Calibration, Figure, UnknownOperation};
pub use catalogue::{
    KernelError, KernelInfo, KernelStatus, Kernels, MissingFeatures, RequestedName,
};
pub use choice::{Choice, ChoiceError};
pub use kernels::geometry::{AttackMaps, Checks, Direction, Line, Piece, Position, Side};
pub use operation_info::{Argument, Column, ColumnMut, Element, OperationInfo, Parameter, Role};
pub use operations::*;
pub use square::{InvalidSquare, ParseSquareError, Square};
pub use streaming::{set_streaming_threshold, streaming_threshold};

/// The README's examples are tested too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../docs/engines.md")]
struct Engines;

#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct Library;

/// Its items if the crate has no feature `std`: for the C library, whose own manifest cannot know what else a build asks for. Not part of
/// the stable interface.
#[cfg(feature = "std")]
#[doc(hidden)]
#[macro_export]
macro_rules! without_std {
    ($($items:item)*) => {};
}

/// As above.
#[cfg(not(feature = "std"))]
#[doc(hidden)]
#[macro_export]
macro_rules! without_std {
    ($($items:item)*) => { $($items)* };
}
