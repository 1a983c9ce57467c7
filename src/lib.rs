#![cfg_attr(not(any(feature = "std", test)), no_std)]
//! Set-wise rook, bishop and queen attacks over batches of chess bitboards, with the best SIMD
//! kernel for the CPU.
//!
//! *Set-wise* means that the attacks of all rooks (or bishops, queens) of a board are computed at
//! once, not square by square. Boards come in batches, because a SIMD register holds many boards.
//! One binary serves many CPUs: the first call probes the CPU and picks a table of function
//! pointers.
//!
//! ```
//! // Three boards: the rooks and the occupied squares of each.
//! let rooks = [0x0000_0000_0000_0081, 1 << 27, 0];
//! let occupied = [0x0000_0000_0000_ff81, 1 << 27 | 1 << 29, 1 << 5];
//! let mut attacks = [0; 3];
//! setwise::rook_attacks(&rooks, &occupied, &mut attacks);
//! assert_eq!(attacks[1], 0x0808_0808_3708_0808); // d4: up to and including the piece on f4
//! ```
//!
//! # Which function
//!
//! | you have | call |
//! |---|---|
//! | many boards | the functions on this page, such as [`slider_attacks`]; they use the active kernel |
//! | many boards, and a kernel of your choice | the same functions as methods of [`Kernel`] |
//! | one board, in a hot loop | [`board`]: `const`, portable, inlined, no dispatch |
//! | one board, with the CPU's best instructions | [`Kernel::queen_attacks_one`] and similar methods |
//! | one position, in a search | [`Kernel::attack_maps_one`], [`Kernel::checks_one`] |
//! | many positions | [`attack_maps`], [`checks`] |
//! | positions whose legal moves you want, or their number | [`moves`] |
//! | an engine with a network: which pieces attack which | [`threats`] |
//! | a tool or a binding for every operation | [`reflection`], which any release may change |
//! | curiosity about how it works | [`techniques`], which any release may change |
//!
//! # Meaning
//!
//! Boards are little-endian rank-file: a1 is bit 0, h1 bit 7, a8 bit 56, h8 bit 63. An attack set
//! contains the squares that a slider reaches, up to and including the first occupied one. It
//! contains a slider's own square only if another slider attacks that square. **Every slider also
//! blocks**, whether or not it is in `occupied`. All kernels agree bit for bit on every input.
//!
//! # Kernels
//!
//! At first use, [`Kernel::active`] picks the best kernel that this CPU can run.
//! [`Kernel::available`] lists the kernels that can run, best first, and [`Kernel::catalogue`] says
//! why others cannot. To control the choice, call [`Kernel::init`] or [`Kernel::activate`]. With
//! feature `std`, users can set the environment variables `SETWISE_FORCE_KERNEL=name` and
//! `SETWISE_DISABLE=name,name`. A wrong name panics; [`Kernel::try_active`] returns an error.
//!
//! # Features
//!
//! * `std` (default): the environment variables, [`Kernel::fastest`], and copies of the kernel
//!   `portable` for several instruction sets. Without it the crate is `no_std`, still detects the
//!   CPU, and allocates nothing.
//! * `techniques`: kernels of the literature, which no CPU chooses: `borrow`, `kogge-stone`,
//!   `dumb7fill`, `hyperbola` and `switch`.
//! * `lookup`: the kernels `magic` and `pext`, with tables of 841 KiB each.
//! * `serde`: serialises [`Square`] as its number, [`Direction`] and [`Line`] by name.
//!
//! # Limits
//!
//! * Small batches do not fill the registers. For one board at a time, use [`board`].
//! * The order of the kernels was measured on only a few CPUs. Where speed matters, let
//!   [`Kernel::fastest`] time your own work.
//! * An output must not overlap another slice of the same call, which the borrow checker ensures.
//!   Sets are plain `u64`s: nothing checks that they make sense as chess.

#[path = "../kernels/mod.rs"]
mod kernels;

/// Defines a method for each of these fields, which returns it.
macro_rules! getters {
    ($Type:ident { $($(#[$doc:meta])* $field:ident: $Field:ty;)* }) => {
        impl $Type {
            $(
                $(#[$doc])*
                #[must_use]
                #[inline]
                pub const fn $field(&self) -> $Field {
                    self.$field
                }
            )*
        }
    };
}

pub mod board;
mod catalogue;
mod choice;
mod detect;
mod drawing;
pub mod moves;
mod operations;
pub mod position;
pub mod reflection;
mod square;
pub mod techniques;
pub mod threats;

pub use catalogue::{Kernel, KernelError, KernelInfo, KernelStatus};
pub use choice::Choice;
pub use kernels::geometry::{Direction, Line, Piece, Side};
pub use moves::legal_counts;
pub use operations::*;
pub use square::Square;

/// Errors other than [`KernelError`], and what errors contain.
pub mod error {
    pub use crate::catalogue::{MissingFeatures, RequestedName};
    pub use crate::choice::ChoiceError;
    pub use crate::square::{InvalidSquare, ParseSquareError};
}

/// Tests the examples in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../docs/engines.md")]
struct Engines;

#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct Library;

/// Expands to nothing, because the crate has feature `std`. Without `std`, expands to the given
/// items. The C library defines its panic handler with this macro: if another package of the build
/// enables `std`, a second handler would be an error. Not part of the stable interface.
#[cfg(feature = "std")]
#[doc(hidden)]
#[macro_export]
macro_rules! without_std {
    ($($items:item)*) => {};
}

/// Expands to the given items, because the crate lacks feature `std`. Not part of the stable
/// interface.
#[cfg(not(feature = "std"))]
#[doc(hidden)]
#[macro_export]
macro_rules! without_std {
    ($($items:item)*) => { $($items)* };
}
