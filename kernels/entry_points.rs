//! `kernel!`, which generates a kernel's catalogue entry, table and entry points from the list of
//! operations.
//!
//! An entry point is a function compiled for the kernel's CPU features. The driver and the
//! operation are inlined into it.

/// Defines `KERNEL`, the kernel's catalogue entry, and the kernel's table of entry points.
///
/// ```text
/// kernel! {
///     name: "avx2",
///     description: "...",             a one-line description
///     targets: target_arch = "x86_64",  those for which the kernel is compiled
///     features: ["avx2"],             enabled in the entry points and required at run time
///     detected: ["xop"],              required at run time only, for inline assembly or threats
///     imports: { generic::..., },     what the next two lines name, from `crate::kernels`
///     threats: AVX2_THREATS,          its `Entries`; without this line, `PORTABLE`
///     moves: AVX2_MOVES,              the same for lists of moves
///     driver: RankSlices<...>,        a `Driver`
///     shares: avx512 [king_attacks, ...],  entries taken from a kernel of the same folder, because
///                                     their code would be the same instructions; the kernels also
///                                     share their `ChunkLoops`
/// }
/// ```
///
/// If `targets` does not hold, or the build leaves the kernel out, the catalogue lists it as not
/// compiled. The variable `SETWISE_KERNELS` leaves out kernels, and so do the library's unit tests,
/// which need only `scalar`.
macro_rules! kernel {
    (
        name: $name:literal,
        description: $description:literal,
        targets: $targets:meta,
        features: [$($feature:literal),*],
        $(detected: [$($detected:literal),*],)?
        imports: { $($imports:tt)* },
        $(threats: $threats:ident,)?
        $(moves: $moves:ident,)?
        driver: $driver:ty,
        $(shares: $base:ident [$($shared:ident),* $(,)?],)?
    ) => {
        const NEEDS: &[&str] = &[$($feature,)* $($($detected),*)?];

        pub(in crate::kernels) const KERNEL: $crate::kernels::table::KernelInfo =
            $crate::kernels::table::KernelInfo {
                name: $name,
                description: $description,
                needs: NEEDS,
                #[cfg(all($targets, any(all(setwise_kernels = "all", not(test)), setwise_kernels = $name)))]
                table: Some(&entries::TABLE),
                #[cfg(not(all($targets, any(all(setwise_kernels = "all", not(test)), setwise_kernels = $name))))]
                table: None,
            };

        /// The kernel's loops, for kernels that share them; `None` if it is not compiled.
        #[cfg(all($targets, any(all(setwise_kernels = "all", not(test)), setwise_kernels = $name)))]
        #[allow(dead_code, reason = "most kernels share nothing")]
        pub(in crate::kernels) const LOOPS: Option<$crate::kernels::table::ChunkLoops> =
            Some(entries::LOOPS);
        #[cfg(not(all($targets, any(all(setwise_kernels = "all", not(test)), setwise_kernels = $name))))]
        #[allow(dead_code, reason = "most kernels share nothing")]
        pub(in crate::kernels) const LOOPS: Option<$crate::kernels::table::ChunkLoops> = None;

        #[cfg(all($targets, any(all(setwise_kernels = "all", not(test)), setwise_kernels = $name)))]
        mod entries {
            use $crate::kernels::{$($imports)*};
            // The bodies of the operations, and what the entry points call.
            use $crate::kernels::generic::{attacks::*, leapers::*, rays::*, xray::*};
            use $crate::kernels::generic::one_board::{self, OneBoard as _};
            use $crate::kernels::generic::{driver::Driver, mobility, moves, shared};
            use $crate::kernels::entry_points::{
                chunk_loops, entry_point, first_of, loops_of, table_of, with_shared,
            };
            use $crate::kernels::geometry;
            use $crate::kernels::table::count;
            use $crate::kernels::generic::threats::Entries;
            use $crate::kernels::table::{ChunkLoops, Kernel};

            const THREATS: Entries =
                first_of!($($threats,)? $crate::kernels::generic::threats::scan_all::PORTABLE);

            const MOVES: moves::Entries = first_of!($($moves,)? moves::PORTABLE);

            // A constant, not a static, so that calls are direct if the kernel is chosen at compile
            // time.
            pub(super) const TABLE: Kernel = with_shared!($($base $($shared)*)?);

            pub(super) const LOOPS: ChunkLoops = loops_of!($($base)?);

            $crate::calls!(table_of
                $name, $driver, cfg_attr(
                    all(),
                    allow(clippy::too_many_arguments),
                    $(target_feature(enable = $feature),)*
                ));
        }
    };
}

/// The first of several values: a given one, or else the default.
macro_rules! first_of {
    ($first:expr $(, $rest:expr)*) => {
        $first
    };
}

/// The kernel's table: its own entries, except those that it shares with another kernel, if that
/// one is compiled.
macro_rules! with_shared {
    () => { OWN };
    ($base:ident $($shared:ident)*) => {{
        let base = super::super::$base::KERNEL;
        assert!(
            $crate::kernels::table::includes(super::NEEDS, base.needs),
            "the shared code needs more CPU features"
        );
        match base.table {
            Some(base) => Kernel { $($shared: base.$shared,)* ..OWN },
            None => OWN,
        }
    }};
}

/// The kernel's [`ChunkLoops`]: those of a kernel with which it shares code, if that one is
/// compiled, or its own. Both must have the same registers and slice the same operations: another
/// loop would give the same results, but slower. `with_shared!` checks the CPU features.
macro_rules! loops_of {
    () => {
        OWN_LOOPS
    };
    ($base:ident) => {
        match super::super::$base::LOOPS {
            Some(base) => base,
            None => OWN_LOOPS,
        }
    };
}

/// Defines the loops of `ChunkLoops`.
macro_rules! chunk_loops {
    ([$features:meta] $driver:ty;
        $($name:ident($($argument:ident: $Argument:ty),*) = $method:ident;)*
    ) => {
        const OWN_LOOPS: ChunkLoops = ChunkLoops { $($name: loops::$name,)* };

        mod loops {
            use super::*;

            $(
                #[$features]
                pub(super) unsafe fn $name($($argument: $Argument,)* kernel: &Kernel) {
                    // SAFETY: the contract of the table's entries; this function enables the CPU
                    // features.
                    unsafe { <$driver as Driver>::$method(kernel, $($argument),*) }
                }
            )*
        }
    };
}

/// Defines an entry point for each operation of the list, and the table of entry points.
macro_rules! table_of {
    ([$kernel:literal, $driver:ty, $features:meta] $($list:ident { $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$parameter:ident: $Parameter:ident])?
            ($($input:ident: $In:ident $(of $Of:ident)?),*) -> ($($output:ident: $Out:ident),*)
            = $body:ident $(($argument:ident))?;
    )* })* })*) => {
        const OWN: $crate::kernels::table::Kernel = $crate::kernels::table::Kernel {
            size: core::mem::offset_of!($crate::kernels::table::Kernel, beats_look_ups) as u32,
            abi_version: $crate::kernels::table::ABI_VERSION,
            name: concat!($kernel, "\0").as_ptr().cast(),
            $($($($name,)*)*)*
            beats_look_ups: <<$driver as Driver>::One as one_board::OneBoard>::BEATS_LOOK_UPS,
        };

        /// See [`mobility::intersections`].
        #[$features]
        unsafe fn intersections(
            attacks: *const u64,
            targets: *const u64,
            counts: *mut u32,
            boards: usize,
        ) {
            // SAFETY: the sets and the counts have `boards` elements.
            unsafe { mobility::intersections(attacks, targets, counts, boards) }
        }

        chunk_loops! {
            [$features] $driver;
            checks(
                positions: *const geometry::Position, checks: *mut geometry::Checks, count: usize
            ) = checks;
            check_columns(columns: &geometry::KingColumns, count: usize) = check_columns;
            column_counts(columns: &geometry::PieceColumns, count: usize) = column_counts;
            array_counts(
                positions: *const geometry::GamePosition, moves: *mut u8, checks: *mut u8,
                count: usize
            ) = array_counts;
        }

        $($($(entry_point! {
            $group, $driver, [$features]
            $name [$($parameter: $Parameter)?] [$($input: $In)*] [$($output: $Out)*]
            ($body $(($argument))?)
        })*)*)*
    };
}

/// Defines the entry point of one operation. The arguments and the driver's method depend on the
/// operation's group.
macro_rules! entry_point {
    (sets, $($rest:tt)*) => {
        entry_point! { @ sets, $($rest)* }
    };
    (boards, $($rest:tt)*) => {
        entry_point! { @ boards, $($rest)* }
    };
    // Calls the driver's method `$method`.
    (@ $method:ident, $driver:ty, [$features:meta]
        $name:ident [$($parameter:ident: $Parameter:ident)?] [$($input:ident: $In:ident)*]
        [$($output:ident: $Out:ident)*] ($body:expr)
    ) => {
        #[$features]
        unsafe extern "C" fn $name(
            $($parameter: u8,)?
            $($input: *const u64,)*
            $($output: *mut u64,)*
            boards: usize,
        ) {
            $(let $parameter = $crate::kernels::geometry::$Parameter::from_index($parameter);)?
            // SAFETY: the table's contract; this function enables the CPU features.
            unsafe { <$driver>::$method($body, [$($input),*], [$($output),*], boards) }
        }
    };
    (rays, $driver:ty, [$features:meta]
        $name:ident [$direction:ident: Direction] [$($input:ident: $In:ident)*]
        [$output:ident: $Out:ident] ($Body:ident)
    ) => {
        #[$features]
        unsafe extern "C" fn $name(
            $direction: u8,
            $($input: *const u64,)*
            $output: *mut u64,
            boards: usize,
        ) {
            let direction = $crate::kernels::geometry::Direction::from_index($direction);
            // SAFETY: the table's contract; this function enables the CPU features.
            unsafe { <$driver>::rays::<$Body>(direction, [$($input),*], [$output], boards) }
        }
    };
    (squares, $driver:ty, [$features:meta]
        $name:ident [] [$squares:ident: $In:ident $occupied:ident: Occupied]
        [$attacks:ident: Set] ($body:ident)
    ) => {
        #[$features]
        unsafe extern "C" fn $name(
            $squares: *const u8,
            $occupied: *const u64,
            $attacks: *mut u64,
            boards: usize,
        ) {
            // SAFETY: the table's contract; this function enables the CPU features.
            unsafe { <$driver>::squares($body, $squares, $occupied, $attacks, boards) }
        }
    };
    (lines, $driver:ty, [$features:meta]
        $name:ident [$line:ident: Line] [$squares:ident: $In:ident $occupied:ident: Occupied]
        [$attacks:ident: Set] ($Body:ident)
    ) => {
        #[$features]
        unsafe extern "C" fn $name(
            $line: u8,
            $squares: *const u8,
            $occupied: *const u64,
            $attacks: *mut u64,
            boards: usize,
        ) {
            let line = $crate::kernels::geometry::Line::from_index($line);
            // SAFETY: the table's contract; this function enables the CPU features.
            unsafe {
                <$driver>::line_squares($Body(line), $squares, $occupied, $attacks, boards)
            }
        }
    };
    (counts, $driver:ty, [$features:meta]
        $name:ident [] [$($input:ident: $In:ident)*] [$counts:ident: Count] ($attacks:ident)
    ) => {
        unsafe extern "C" fn $name($($input: *const u64,)* $counts: *mut u32, boards: usize) {
            // SAFETY: the table's contract; both functions belong to this kernel.
            unsafe {
                mobility::count_attacked(
                    ($crate::kernels::table::erased::$attacks, &TABLE),
                    intersections,
                    &[$($input),*],
                    $counts,
                    boards,
                );
            }
        }
    };
    (shared, $driver:ty, [$features:meta]
        $name:ident [] [$($input:ident: $In:ident)*] [$output:ident: $Out:ident] ($function:ident)
    ) => {
        use shared::$function as $name;
    };
    (one, $driver:ty, [$features:meta]
        $name:ident [] [$($input:ident: $In:ident)*] [$output:ident: $Out:ident] ($method:ident)
    ) => {
        #[$features]
        unsafe extern "C" fn $name($($input: u64),*) -> u64 {
            // SAFETY: this function enables the CPU features.
            unsafe { <<$driver as Driver>::One as one_board::OneBoard>::new() }.$method($($input),*)
        }
    };
    (one, $driver:ty, [$features:meta]
        $name:ident [] [$($input:ident: $In:ident)*] [$($output:ident: $Out:ident)*]
        ($method:ident)
    ) => {
        #[$features]
        unsafe extern "C" fn $name($($input: u64,)* results: *mut u64) {
            // SAFETY: this function enables the CPU features; the table's contract.
            unsafe {
                let one = <<$driver as Driver>::One as one_board::OneBoard>::new();
                let words = one.$method($($input),*);
                results.cast::<[u64; count!($($output)*)]>().write_unaligned(words);
            }
        }
    };
    (side, $driver:ty, [$features:meta]
        $name:ident [$side:ident: Side] $inputs:tt [$output:ident: Set] ($method:ident)
    ) => {
        #[$features]
        unsafe extern "C" fn $name($side: u8, pieces: *const [u64; 6], occupied: u64) -> u64 {
            let side = $crate::kernels::geometry::Side::from_index($side);
            // SAFETY: this function enables the CPU features; the table's contract.
            unsafe {
                let pieces = one_board::load_singly(pieces);
                let one = <<$driver as Driver>::One as one_board::OneBoard>::new();
                one.$method(side, &pieces, occupied)
            }
        }
    };
    (side, $driver:ty, [$features:meta]
        $name:ident [$side:ident: Side] $inputs:tt [$($output:ident: Set)*] ($method:ident)
    ) => {
        #[$features]
        unsafe extern "C" fn $name(
            $side: u8,
            pieces: *const [u64; 6],
            occupied: u64,
            results: *mut u64,
        ) {
            let side = $crate::kernels::geometry::Side::from_index($side);
            // SAFETY: this function enables the CPU features; the table's contract.
            unsafe {
                let pieces = one_board::load_singly(pieces);
                let one = <<$driver as Driver>::One as one_board::OneBoard>::new();
                let sets = one.$method(side, &pieces, occupied);
                results.cast::<$crate::kernels::geometry::SideAttacks>().write_unaligned(sets);
            }
        }
    };
    (threats, $driver:ty, [$features:meta]
        $name:ident [] [$($input:ident: $In:ident)*] [$($output:ident: $Out:ident)*] ($field:ident)
    ) => {
        #[allow(non_upper_case_globals, reason = "named as the other entry points")]
        const $name: $crate::kernels::table::entry!(
            threats [] ($($input: $In),*) ($($output: $Out),*)
        ) = THREATS.$field;
    };
    (lists, $driver:ty, [$features:meta]
        $name:ident [] [$($input:ident: $In:ident)*] [$($output:ident: $Out:ident)*] ($field:ident)
    ) => {
        #[allow(non_upper_case_globals, reason = "named as the other entry points")]
        const $name: $crate::kernels::table::entry!(
            lists [] ($($input: $In),*) ($($output: $Out),*)
        ) = MOVES.$field;
    };
    (arrays, $driver:ty, [$features:meta]
        $name:ident [] [$positions:ident: Games] [$moves:ident: $M:ident $checks:ident: $C:ident]
        ($method:ident)
    ) => {
        #[$features]
        unsafe extern "C" fn $name(
            $positions: *const $crate::kernels::geometry::GamePosition,
            $moves: *mut u8,
            $checks: *mut u8,
            count: usize,
        ) {
            // SAFETY: the table's contract; this function enables the CPU features.
            unsafe { (LOOPS.$method)($positions, $moves, $checks, count, &TABLE) }
        }
    };
    (games, $($rest:tt)*) => {
        entry_point! { maps, $($rest)* }
    };
    (maps, $driver:ty, [$features:meta]
        $name:ident [] [$columns:ident: $Columns:ident] [] (check_columns)
    ) => {
        entry_point! { call columns, [$features] $name $columns: $Columns, positions,
            (LOOPS.check_columns)(&*$columns, positions, &TABLE) }
    };
    (maps, $driver:ty, [$features:meta]
        $name:ident [] [$columns:ident: $Columns:ident] [] (column_counts)
    ) => {
        entry_point! { call columns, [$features] $name $columns: $Columns, positions,
            (LOOPS.column_counts)(&*$columns, positions, &TABLE) }
    };
    (maps, $driver:ty, [$features:meta]
        $name:ident [] [$columns:ident: $Columns:ident] [] ($method:ident)
    ) => {
        entry_point! { call columns, [$features] $name $columns: $Columns, positions,
            <$driver as Driver>::$method(&TABLE, &*$columns, positions) }
    };
    // Does `$call`, if there are positions.
    (call columns, [$features:meta]
        $name:ident $columns:ident: $Columns:ident, $positions:ident, $call:expr
    ) => {
        #[$features]
        unsafe extern "C" fn $name(
            $columns: *const $crate::kernels::geometry::$Columns,
            $positions: usize,
        ) {
            if $positions == 0 {
                return;
            }
            // SAFETY: the table's contract; this function enables the CPU features.
            unsafe { $call }
        }
    };
    (positions, $driver:ty, [$features:meta]
        $name:ident [] [$positions:ident: Positions] [$results:ident: $Result:ident] (checks)
    ) => {
        entry_point! { call positions, [$features] $name $positions, $results: $Result, count,
            (LOOPS.checks)($positions, $results, count, &TABLE) }
    };
    (positions, $driver:ty, [$features:meta]
        $name:ident [] [$positions:ident: Positions] [$results:ident: $Result:ident] ($method:ident)
    ) => {
        entry_point! { call positions, [$features] $name $positions, $results: $Result, count,
            <$driver>::$method(&TABLE, $positions, $results, count) }
    };
    (call positions, [$features:meta]
        $name:ident $positions:ident, $results:ident: $Result:ident, $count:ident, $call:expr
    ) => {
        #[$features]
        unsafe extern "C" fn $name(
            $positions: *const $crate::kernels::geometry::Position,
            $results: *mut $crate::kernels::geometry::$Result,
            $count: usize,
        ) {
            // SAFETY: the table's contract; this function enables the CPU features.
            unsafe { $call }
        }
    };
}

pub(crate) use {chunk_loops, entry_point, first_of, kernel, loops_of, table_of, with_shared};
