//! The operations, from the list: methods of [`Kernels`], and at the crate's root functions of the active kernel.

use core::mem::MaybeUninit;

use crate::kernels::geometry::line::line_of;
use crate::{AttackMaps, Checks, Direction, Kernels, Line, Position, Square, operations};

macro_rules! methods {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$index:ident: $Index:ident])? ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*) = $body:ident;
    )* })*) => {
        impl Kernels {
            $($(method! { $group $(#[$doc])* $name [$($index: $Index)?] ($($input: $In),*) ($($output: $Out),*) })*)*
        }
        $($(function! { $group $(#[$doc])* $name [$($index: $Index)?] ($($input: $In),*) ($($output: $Out),*) })*)*
    };
}

/// A method of a kernel: one board by value, or slices of equal length.
macro_rules! method {
    (one $(#[$doc:meta])* $name:ident [] ($($input:ident: $In:ident),*) ($output:ident: $Out:ident)) => {
        $(#[$doc])*
        #[inline]
        #[must_use]
        pub fn $name(&self, $($input: $In),*) -> $Out {
            // SAFETY: `self` proves that the CPU can run this kernel.
            unsafe { (self.$name)($($input),*) }
        }
    };
    ($group:ident $(#[$doc:meta])* $name:ident [$($index:ident: $Index:ident)?] ($($input:ident: $In:ident),*) ($($output:ident: $Out:ident),*)) => {
        #[doc = concat!("See [`", stringify!($name), "`](crate::", stringify!($name), ").")]
        ///
        /// # Panics
        /// If the slices differ in length, before anything is written.
        #[inline]
        #[track_caller]
        #[allow(clippy::too_many_arguments, reason = "each is a column of the batch")]
        pub fn $name(&self, $($index: $Index,)? $($input: &[$In],)* $($output: &mut [$Out]),*) {
            let boards = check_lengths!([$($output)*] $($input)*);
            // SAFETY: the lengths are equal, no slice overlaps a mutable one, a `Square` is a byte, and `self` proves
            // that the CPU can run this kernel.
            unsafe {
                (self.$name)(
                    $($index as u8,)?
                    $($input.as_ptr().cast(),)*
                    $($output.as_mut_ptr(),)*
                    boards,
                );
            }
        }
    };
}

/// A function at the crate's root; there is none for one board, for which [`board`](crate::board) is.
macro_rules! function {
    (one $($rest:tt)*) => {};
    ($group:ident $(#[$doc:meta])* $name:ident [$($index:ident: $Index:ident)?] ($($input:ident: $In:ident),*) ($($output:ident: $Out:ident),*)) => {
        $(#[$doc])*
        ///
        /// By the active kernel.
        ///
        /// # Panics
        /// If the slices differ in length, before anything is written; and at first use if
        /// `SETWISE_FORCE_KERNEL` or `SETWISE_DISABLE` asks for what cannot be (see [`Kernels::active`]).
        #[inline]
        #[track_caller]
        #[allow(clippy::too_many_arguments, reason = "each is a column of the batch")]
        pub fn $name($($index: $Index,)? $($input: &[$In],)* $($output: &mut [$Out]),*) {
            Kernels::active().$name($($index,)? $($input,)* $($output),*);
        }
    };
}

/// The length of the first output; panics unless all others are as long.
macro_rules! check_lengths {
    ([$output:ident $($other:ident)?] $($input:ident)*) => {{
        let boards = $output.len();
        $(check_lengths!(@ $other, boards, stringify!($output));)?
        let outputs = concat!(stringify!($output) $(, "`, `", stringify!($other))?);
        $(check_lengths!(@ $input, boards, outputs);)*
        boards
    }};
    (@ $slice:ident, $boards:ident, $outputs:expr) => {
        if $slice.len() != $boards {
            $crate::operations::length_mismatch(stringify!($slice), $slice.len(), $outputs, $boards);
        }
    };
}

#[cfg(feature = "rayon")]
pub(crate) use check_lengths;

#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn length_mismatch(input: &str, length: usize, output: &str, expected: usize) -> ! {
    panic!(
        "`{input}` is of length {length}, but `{output}` of {expected}: all slices must have the same length"
    );
}

operations!(all methods);

/// One square and one board: the set of the one square.
impl Kernels {
    /// [`rook_attacks_from`](Kernels::rook_attacks_from) for one board.
    #[inline]
    #[must_use]
    pub fn rook_attacks_from_one(&self, square: Square, occupied: u64) -> u64 {
        self.rook_attacks_one(square.bitboard(), occupied)
    }

    /// [`bishop_attacks_from`](Kernels::bishop_attacks_from) for one board.
    #[inline]
    #[must_use]
    pub fn bishop_attacks_from_one(&self, square: Square, occupied: u64) -> u64 {
        self.bishop_attacks_one(square.bitboard(), occupied)
    }

    /// [`queen_attacks_from`](Kernels::queen_attacks_from) for one board.
    #[inline]
    #[must_use]
    pub fn queen_attacks_from_one(&self, square: Square, occupied: u64) -> u64 {
        self.queen_attacks_one(square.bitboard(), occupied)
    }

    /// [`line_attacks_from`](Kernels::line_attacks_from) for one board.
    #[inline]
    #[must_use]
    pub fn line_attacks_from_one(&self, line: Line, square: Square, occupied: u64) -> u64 {
        let attacks = match line {
            Line::Rank | Line::File => self.rook_attacks_from_one(square, occupied),
            Line::Diagonal | Line::Antidiagonal => self.bishop_attacks_from_one(square, occupied),
        };
        attacks & line_of(line, square.number())
    }
}

/// One position.
impl Kernels {
    /// [`attack_maps`](crate::attack_maps) of one position: one indirect call.
    ///
    /// ```
    /// use setwise::{Kernels, Position};
    /// assert_eq!(Kernels::active().attack_maps_one(&Position::default()), Default::default());
    /// ```
    #[inline]
    #[must_use]
    pub fn attack_maps_one(&self, position: &Position) -> AttackMaps {
        let mut maps = MaybeUninit::uninit();
        // SAFETY: `self` proves that the CPU can run this kernel, which writes the one result.
        unsafe {
            (self.attack_maps)(position, maps.as_mut_ptr(), 1);
            maps.assume_init()
        }
    }

    /// [`checks`](crate::checks) of one position: one indirect call.
    #[inline]
    #[must_use]
    pub fn checks_one(&self, position: &Position) -> Checks {
        let mut checks = MaybeUninit::uninit();
        // SAFETY: as above.
        unsafe {
            (self.checks)(position, checks.as_mut_ptr(), 1);
            checks.assume_init()
        }
    }
}
