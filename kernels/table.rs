//! The one table that every kernel fills, shaped for C; and what the catalogue knows of a kernel.

use core::ffi::{CStr, c_char};

use crate::kernels::geometry::{AttackMaps, Checks, Position};
use crate::operations;

/// Raised when the meaning of an existing field of the table changes.
pub(crate) const ABI_VERSION: u32 = 1;

/// The type of an element in the table: squares, directions and lines are bytes, of which the low six, three and two bits count.
macro_rules! raw {
    (Square) => {
        u8
    };
    (Direction) => {
        u8
    };
    (Line) => {
        u8
    };
    ($Set:ident) => {
        $Set
    };
}

macro_rules! table {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$index:ident: $Index:ident])? ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*) = $body:ident;
    )* })*) => {
        /// One kernel: an implementation of every operation by one technique or instruction set.
        ///
        /// A `&'static Kernels` proves that this CPU can run it: what gives one, such as [`active`](Kernels::active),
        /// [`available`](Kernels::available) and [`by_name`](Kernels::by_name), asks the CPU first, but for
        /// [`of_target`](Kernels::of_target), whose kernel needs nothing that the whole program does not.
        ///
        /// ```
        /// use setwise::Kernels;
        /// let kernels = Kernels::active();
        /// let mut attacks = [0; 3];
        /// kernels.rook_attacks(&[1, 2, 4], &[0; 3], &mut attacks);
        /// assert_eq!(attacks[0], kernels.rook_attacks_one(1, 0));
        /// ```
        //
        // The contract of the entries: the CPU has the features of the kernel; every pointer is valid for `boards` elements
        // and needs no alignment; an output may be exactly one of the inputs of its type, but overlaps nothing else. Append-only within a
        // major version.
        #[repr(C)]
        pub struct Kernels {
            /// The size of this struct in this build of the library.
            pub(crate) size: u32,
            pub(crate) abi_version: u32,
            /// NUL-terminated.
            pub(crate) name: *const c_char,
            $($(pub(crate) $name: entry!($group ($($Index)?) ($($input: $In),*) ($($output: $Out),*)),)*)*
        }
    };
}

/// The type of an entry: of a batch, or of one board by value.
macro_rules! entry {
    (one () ($($input:ident: $In:ident),*) ($output:ident: $Out:ident)) => {
        unsafe extern "C" fn($($input: $In),*) -> $Out
    };
    ($group:ident ($($Index:ident)?) ($($input:ident: $In:ident),*) ($($output:ident: $Out:ident),*)) => {
        unsafe extern "C" fn(
            $($crate::kernels::table::raw!($Index),)?
            $($input: *const $crate::kernels::table::raw!($In),)*
            $($output: *mut $crate::kernels::table::raw!($Out),)*
            boards: usize,
        )
    };
}

pub(crate) use raw;

operations!(all table);

// SAFETY: the only pointer is to a string literal, and function pointers are plain values.
unsafe impl Sync for Kernels {}
// SAFETY: as above.
unsafe impl Send for Kernels {}

/// What is known of one kernel, also of one that cannot run here.
///
/// ```
/// for info in setwise::Kernels::catalogue() {
///     println!("{:14} {:?}  {}", info.name(), info.status(), info.technique());
/// }
/// ```
pub struct KernelInfo {
    pub(crate) name: &'static str,
    pub(crate) technique: &'static str,
    /// CPU features by the names of `std::arch::is_*_feature_detected!`.
    pub(crate) needs: &'static [&'static str],
    /// Properties of CPUs on which it stands behind all others.
    pub(crate) slow_on: &'static [&'static str],
    /// None if it is not compiled in.
    pub(crate) table: Option<&'static Kernels>,
}

/// The text of a name, which is ASCII.
pub(crate) const fn text(name: &'static CStr) -> &'static str {
    match name.to_str() {
        Ok(name) => name,
        Err(_) => panic!("kernel names are ASCII"),
    }
}

#[cfg(test)]
mod tests;
