//! `kernel!`: the list of operations for one instruction set.
//!
//! A shell is an entry of the table: a function compiled for the kernel's features, into which the driver and
//! the operation are inlined.

/// Defines `KERNEL`, the catalogue's line, and behind it the table with its shells.
///
/// ```text
/// kernel! {
///     name: c"avx2",
///     technique: "...",                       a line for people
///     on: target_arch = "x86_64",             where it is compiled at all
///     features: ["avx2"],                     what the shells are compiled for, and what detection asks for
///     detected: ["xop"],                      what it uses by inline assembly, and is only detected
///     slow_on: "slow-pext",                   CPUs where it stands behind all others
///     driver: RankSlices<...>,                a `Driver`
/// }
/// ```
///
/// Where `on` does not hold, the kernel is known but not compiled. The driver's names are resolved in the module around the kernel's.
macro_rules! kernel {
    (
        name: $name:literal,
        technique: $technique:literal,
        on: $on:meta,
        features: [$($feature:literal),*],
        $(detected: [$($detected:literal),*],)?
        $(slow_on: $slow:literal,)?
        driver: $driver:ty $(,)?
    ) => {
        pub(in crate::kernels) const KERNEL: $crate::kernels::table::KernelInfo = $crate::kernels::table::KernelInfo {
            name: $crate::kernels::table::text($name),
            technique: $technique,
            needs: &[$($feature,)* $($($detected),*)?],
            slow_on: &[$($slow)?],
            #[cfg($on)]
            table: Some(&shell::TABLE),
            #[cfg(not($on))]
            table: None,
        };

        #[cfg($on)]
        mod shell {
            #[allow(unused_imports, reason = "the driver's names")]
            use super::super::*;
            #[allow(unused_imports, reason = "the operations")]
            use $crate::kernels::generic::{
                attacks::*, batch::*, counts, from_square::*, long, maps::{ChecksAndPins, Maps}, one_board::{self, Shared}, pairs, plain_slices::*, rays::*, technique::*, through::*,
            };

            use $crate::kernels::shells::shells;
            $crate::operations!(all shells
                $name, $driver, cfg_attr(all(), allow(clippy::too_many_arguments), $(target_feature(enable = $feature),)*));
        }
    };
}

/// Every operation of the list as a function for one instruction set, and the table of them.
macro_rules! shells {
    ([$kernel:literal, $driver:ty, $features:meta] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$index:ident: $Index:ident])? ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*) = $body:ident;
    )* })*) => {
        // A constant, not a static: so a program that names a kernel at compile time knows the functions in it, and calls them directly.
        pub(super) const TABLE: $crate::kernels::table::Kernels = $crate::kernels::table::Kernels {
            size: size_of::<$crate::kernels::table::Kernels>() as u32,
            abi_version: $crate::kernels::table::ABI_VERSION,
            name: $kernel.as_ptr(),
            $($($name,)*)*
        };

        /// The squares of a chunk of attacks that are targets: what the counts share.
        #[$features]
        unsafe fn intersections(attacks: *const u64, targets: *const u64, counts: *mut u32, boards: usize) {
            // SAFETY: the caller's contract.
            unsafe { counts::intersections(attacks, targets, counts, boards) }
        }

        /// Lines past the caches.
        #[$features]
        unsafe fn copy(from: *const u8, to: *mut u8, lines: usize) {
            // SAFETY: the caller's contract; the features are those of this function.
            unsafe { <<$driver as Driver>::Lines as long::Lines>::copy(from, to, lines) }
        }

        static STREAMING: long::Streaming = long::Streaming {
            copy,
            fetch: <<$driver as Driver>::Lines as long::Lines>::fetch,
            fence: <<$driver as Driver>::Lines as long::Lines>::fence,
        };

        const COUNT: counts::Count = match <$driver>::COUNT {
            Some(count) => count,
            None => intersections,
        };

        $($($crate::kernels::shells::shell! {
            $group, $driver, [$features]
            $name [$($index: $Index)?] [$($input: $In)*] [$($output: $Out)*] $body
        })*)*
    };
}

/// One operation, by its group.
macro_rules! shell {
    (sets, $driver:ty, [$features:meta] $name:ident [] [$($input:ident: u64)*] [$($output:ident: u64)*] $body:ident) => {
        #[$features]
        unsafe extern "C" fn $name($($input: *const u64,)* $($output: *mut u64,)* boards: usize) {
            if long::is_long::<<$driver as Driver>::Lines>([$(stringify!($output)),*].len(), [$($output),*][0], boards) {
                // SAFETY: the table's contract, which is this function's.
                return unsafe { $crate::kernels::shells::long!($($input)* => $($output)*)($($input,)* $($output,)* boards, $name, &STREAMING) };
            }
            // SAFETY: the table's contract; the features are those of this function.
            unsafe { <$driver>::sets($body, [$($input),*], [$($output),*], boards) }
        }
    };
    (rays, $driver:ty, [$features:meta] $name:ident [$index:ident: Direction] [$($input:ident: u64)*] [$output:ident: u64] $body:ident) => {
        #[$features]
        unsafe extern "C" fn $name($index: u8, $($input: *const u64,)* $output: *mut u64, boards: usize) {
            if long::is_long::<<$driver as Driver>::Lines>(1, $output, boards) {
                // SAFETY: the table's contract, which is this function's.
                return unsafe { long::ray($index, $($input,)* $output, boards, $name, &STREAMING) };
            }
            let direction = $crate::kernels::geometry::Direction::numbered($index);
            // SAFETY: the table's contract; the features are those of this function.
            unsafe { <$driver>::rays::<$body>(direction, [$($input),*], [$output], boards) }
        }
    };
    (counts, $driver:ty, [$features:meta] $name:ident [] [$a:ident: u64 $b:ident: u64 $targets:ident: u64] [$counts:ident: u32] $attacks:ident) => {
        unsafe extern "C" fn $name($a: *const u64, $b: *const u64, $targets: *const u64, $counts: *mut u32, boards: usize) {
            // SAFETY: the table's contract.
            unsafe { counts::of_two($attacks, COUNT, $a, $b, $targets, $counts, boards) }
        }
    };
    (counts, $driver:ty, [$features:meta] $name:ident [] [$a:ident: u64 $b:ident: u64 $c:ident: u64 $targets:ident: u64] [$counts:ident: u32] $attacks:ident) => {
        unsafe extern "C" fn $name($a: *const u64, $b: *const u64, $c: *const u64, $targets: *const u64, $counts: *mut u32, boards: usize) {
            // SAFETY: the table's contract.
            unsafe { counts::of_three($attacks, COUNT, $a, $b, $c, $targets, $counts, boards) }
        }
    };
    (squares, $driver:ty, [$features:meta] $name:ident [] [$squares:ident: Square $occupied:ident: u64] [$attacks:ident: u64] $body:ident) => {
        #[$features]
        unsafe extern "C" fn $name($squares: *const u8, $occupied: *const u64, $attacks: *mut u64, boards: usize) {
            if long::is_long::<<$driver as Driver>::Lines>(1, $attacks, boards) {
                // SAFETY: the table's contract, which is this function's.
                return unsafe { long::from_squares($squares, $occupied, $attacks, boards, $name, &STREAMING) };
            }
            // SAFETY: the table's contract; the features are those of this function.
            unsafe { <$driver>::squares($body, $squares, $occupied, $attacks, boards) }
        }
    };
    (squares, $driver:ty, [$features:meta] $name:ident [$index:ident: Line] [$squares:ident: Square $occupied:ident: u64] [$attacks:ident: u64] $body:ident) => {
        #[$features]
        unsafe extern "C" fn $name($index: u8, $squares: *const u8, $occupied: *const u64, $attacks: *mut u64, boards: usize) {
            if long::is_long::<<$driver as Driver>::Lines>(1, $attacks, boards) {
                // SAFETY: the table's contract, which is this function's.
                return unsafe { long::along_line($index, $squares, $occupied, $attacks, boards, $name, &STREAMING) };
            }
            let line = $crate::kernels::geometry::Line::numbered($index);
            // SAFETY: the table's contract; the features are those of this function.
            unsafe { <$driver>::squares($body(line), $squares, $occupied, $attacks, boards) }
        }
    };
    (pairs, $driver:ty, [$features:meta] $name:ident [] [$($input:ident: Square)*] [$output:ident: u64] $body:ident) => {
        use pairs::$body as $name;
    };
    (positions, $driver:ty, [$features:meta] $name:ident [] [$positions:ident: Position] [$results:ident: $Result:ident] $body:ident) => {
        #[$features]
        unsafe extern "C" fn $name(
            $positions: *const $crate::kernels::geometry::Position,
            $results: *mut $crate::kernels::geometry::$Result,
            count: usize,
        ) {
            // SAFETY: the table's contract; the features are those of this function.
            unsafe { <$driver>::positions($body, $positions, $results, count) }
        }
    };
    (one, $driver:ty, [$features:meta] $name:ident [] [$($input:ident: u64)*] [$output:ident: u64] $body:ident) => {
        /// The kernel's own form, or the one that kernels share; never by a jump from the one to the other.
        #[allow(non_upper_case_globals, reason = "an entry of the table, as the functions around it")]
        const $name: unsafe extern "C" fn($($input: u64),*) -> u64 = {
            #[$features]
            unsafe extern "C" fn own($($input: u64),*) -> u64 {
                // SAFETY: the features are those of this function.
                unsafe { one_board::own::<<$driver as Driver>::One, _, _>($body, [$($input),*]) }
            }
            if one_board::owns::<<$driver as Driver>::One, _, _>($body) { own } else { $crate::kernels::shells::shared!($body $($input)*) }
        };
    };
}

/// The function for one board that kernels share, by the number of sets.
macro_rules! shared {
    ($body:ident $a:ident $b:ident) => {
        one_board::of_two::<$body>
    };
    ($body:ident $a:ident $b:ident $c:ident) => {
        one_board::of_three::<$body>
    };
}

/// The function for long batches, by the number of sets and of results.
macro_rules! long {
    ($a:ident $b:ident => $o:ident) => {
        long::of_two
    };
    ($a:ident $b:ident $c:ident => $o:ident) => {
        long::of_three
    };
    ($a:ident $b:ident $c:ident => $o:ident $p:ident) => {
        long::two_of_three
    };
    ($a:ident $b:ident $c:ident $d:ident $e:ident => $o:ident $p:ident) => {
        long::two_of_five
    };
}

pub(crate) use {kernel, long, shared, shell, shells};
