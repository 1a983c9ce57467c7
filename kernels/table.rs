//! The table of entry points that every kernel fills, laid out for C. Also defines the same entries
//! with type-erased arguments, and the catalogue entry of a kernel.

use core::ffi::c_char;

use super::geometry::{Checks, GamePosition, KingColumns, PieceColumns, Position};
use crate::calls;

/// Incremented when the meaning of an existing field of the table changes.
pub(crate) const ABI_VERSION: u32 = 1;

/// The number of names in a list.
macro_rules! count {
    ($($name:ident)*) => {
        [$(stringify!($name)),*].len()
    };
}
pub(crate) use count;

/// The element type of a role in the table. A square is a byte whose low six bits count.
macro_rules! raw {
    (Squares) => {
        u8
    };
    ($Role:ident) => {
        $crate::element!($Role)
    };
}
pub(crate) use raw;

/// The type of a function on mailboxes.
macro_rules! mailbox_function {
    ([] [$($raw:tt)*] [$returned:ty] $typed:tt $checks:tt $passed:tt) => {
        unsafe extern "C" fn($($raw)*) -> $returned
    };
}
pub(crate) use mailbox_function;

/// The type of an entry, for a batch or for one board by value. A one-board entry with a single
/// result returns it. If there are several results, the entry writes them to consecutive words.
/// Directions, lines and sides are bytes. Only the low three bits of a direction, the low two of a
/// line and the lowest of a side count.
macro_rules! entry {
    (one [] ($($input:ident: $In:ident),*) ($output:ident: $Out:ident)) => {
        unsafe extern "C" fn(
            $($input: $crate::kernels::table::raw!($In)),*
        ) -> $crate::kernels::table::raw!($Out)
    };
    (one [] ($($input:ident: $In:ident),*) ($($output:ident: $Out:ident),*)) => {
        unsafe extern "C" fn(
            $($input: $crate::kernels::table::raw!($In),)*
            results: *mut u64,
        )
    };
    (threats [] ($($input:ident: $In:ident),*) ($($output:ident: $Out:ident),*)) => {
        $crate::kernels::operations::mailbox_call! {
            $crate::kernels::table::mailbox_function [] $($input: $In,)* $($output: $Out,)*
        }
    };
    (maps [] ($columns:ident: $Columns:ident) ()) => {
        unsafe extern "C" fn(
            $columns: *const $crate::kernels::geometry::$Columns,
            positions: usize,
        )
    };
    (lists [] ($columns:ident: PlaneColumns) ($offsets:ident: Offsets, $moves:ident: Moves)) => {
        $crate::kernels::generic::moves::Lists
    };
    (
        lists []
        ($columns:ident: PlaneColumns, $offsets:ident: GivenOffsets, $moves:ident: GivenMoves)
        ($after:ident: AfterColumns)
    ) => {
        $crate::kernels::generic::moves::After
    };
    (arrays [] ($positions:ident: Games) ($moves:ident: MoveCounts, $checks:ident: CheckCounts)) => {
        unsafe extern "C" fn(
            $positions: *const $crate::kernels::geometry::GamePosition,
            $moves: *mut u8,
            $checks: *mut u8,
            count: usize,
        )
    };
    (games [] ($columns:ident: $Columns:ident) ()) => {
        $crate::kernels::table::entry!(maps [] ($columns: $Columns) ())
    };
    (side [$side:ident] $inputs:tt ($output:ident: $Out:ident)) => {
        unsafe extern "C" fn($side: u8, pieces: *const [u64; 6], occupied: u64) -> u64
    };
    (side [$side:ident] $inputs:tt $outputs:tt) => {
        unsafe extern "C" fn($side: u8, pieces: *const [u64; 6], occupied: u64, results: *mut u64)
    };
    (
        $group:ident [$($parameter:ident)?]
        ($($input:ident: $In:ident),*) ($($output:ident: $Out:ident),*)
    ) => {
        unsafe extern "C" fn(
            $($parameter: u8,)?
            $($input: *const $crate::kernels::table::raw!($In),)*
            $($output: *mut $crate::kernels::table::raw!($Out),)*
            boards: usize,
        )
    };
}

pub(crate) use entry;

/// Defines a function that calls an entry with its arguments in arrays. A one-board entry is called
/// once per board. Mailboxes and columns are not arrays of boards.
macro_rules! erased {
    (mailboxes $($rest:tt)*) => {};
    (columns $($rest:tt)*) => {};
    (
        single_boards $group:ident $name:ident [$($parameter:ident)?]
        ($($input:ident: $In:ident),*) ($($output:ident: $Out:ident),*)
    ) => {
        #[allow(clippy::cast_ptr_alignment, reason = "accesses may be unaligned")]
        pub(crate) unsafe fn $name(
            kernel: &Kernel,
            parameter: u8,
            inputs: *const *const u8,
            outputs: *const *mut u8,
            boards: usize,
        ) {
            let _ = parameter; // Most operations have no parameter.
            // SAFETY: the lists have a pointer for each argument, and each argument has `boards`
            // elements.
            unsafe {
                let mut inputs = inputs;
                $(let $input = inputs.read().cast::<raw!($In)>(); inputs = inputs.add(1);)*
                let _ = inputs;
                for i in 0..boards {
                    let results = by_value!(
                        $group kernel.$name [$($parameter = parameter)?]
                        ($($input.add(i).read_unaligned()),*) ($($output)*)
                    );
                    for (n, result) in results.into_iter().enumerate() {
                        outputs.add(n).read().cast::<u64>().add(i).write_unaligned(result);
                    }
                }
            }
        }
    };
    (
        batches $group:ident $name:ident [$($parameter:ident)?]
        ($($input:ident: $In:ident),*) ($($output:ident: $Out:ident),*)
    ) => {
        pub(crate) unsafe fn $name(
            kernel: &Kernel,
            parameter: u8,
            inputs: *const *const u8,
            outputs: *const *mut u8,
            boards: usize,
        ) {
            let _ = parameter; // Most operations have no parameter.
            // SAFETY: the lists have a pointer for each argument, and each argument has `boards`
            // elements.
            unsafe {
                let (mut inputs, mut outputs) = (inputs, outputs);
                $(let $input = inputs.read(); inputs = inputs.add(1);)*
                $(let $output = outputs.read(); outputs = outputs.add(1);)*
                let _ = (inputs, outputs);
                $(let $parameter = parameter;)?
                (kernel.$name)($($parameter,)? $($input.cast(),)* $($output.cast(),)* boards);
            }
        }
    };
}

/// Calls an entry for one board. Evaluates to an array of its results.
macro_rules! by_value {
    (one $kernels:ident.$name:ident [] ($($input:expr),*) ($output:ident)) => {
        [($kernels.$name)($($input),*)]
    };
    (one $kernels:ident.$name:ident [] ($($input:expr),*) ($($output:ident)*)) => {{
        let mut results = [0; count!($($output)*)];
        ($kernels.$name)($($input,)* results.as_mut_ptr());
        results
    }};
    (
        side $kernels:ident.$name:ident [$side:ident = $value:expr]
        ($a:expr, $b:expr, $c:expr, $d:expr, $e:expr, $f:expr, $occupied:expr) ($output:ident)
    ) => {
        [($kernels.$name)($value, &[$a, $b, $c, $d, $e, $f], $occupied)]
    };
    (
        side $kernels:ident.$name:ident [$side:ident = $value:expr]
        ($a:expr, $b:expr, $c:expr, $d:expr, $e:expr, $f:expr, $occupied:expr) ($($output:ident)*)
    ) => {{
        let mut results = [0; count!($($output)*)];
        ($kernels.$name)($value, &[$a, $b, $c, $d, $e, $f], $occupied, results.as_mut_ptr());
        results
    }};
}

macro_rules! table {
    ([] $($list:ident { $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$parameter:ident: $Parameter:ident])?
            ($($input:ident: $In:ident $(of $Of:ident)?),*) -> ($($output:ident: $Out:ident),*)
            = $body:ident $(($argument:ident))?;
    )* })* })*) => {
        /// One kernel: an implementation of every operation with one technique or instruction set.
        ///
        /// A `&'static Kernel` proves that this CPU can run the kernel:
        /// [`active`](Kernel::active), [`available`](Kernel::available) and
        /// [`by_name`](Kernel::by_name) check the CPU first. Only
        /// [`of_target`](Kernel::of_target) does not: it returns a kernel that needs nothing
        /// beyond what the whole program is compiled for.
        ///
        /// ```
        /// let kernel = setwise::Kernel::active();
        /// let mut attacks = [0; 3];
        /// kernel.rook_attacks(&[1, 2, 4], &[0; 3], &mut attacks);
        /// assert_eq!(attacks[0], kernel.rook_attacks_one(1, 0));
        /// ```
        //
        // The contract of the entries: the CPU has the kernel's features. Every pointer is valid
        // for `boards` elements and needs no alignment, except `pieces`, which is aligned. An
        // output may be the same array as one input of the same type, but overlaps no other array.
        // (`Entries` has the contract of those on mailboxes, `Driver` of those on columns.)
        // The table is append-only within a major version.
        #[repr(C)]
        pub struct Kernel {
            /// The size of this struct in this build of the library, as C sees it.
            pub(crate) size: u32,
            pub(crate) abi_version: u32,
            /// NUL-terminated.
            pub(crate) name: *const c_char,
            $($($(
                pub(crate) $name:
                    entry!($group [$($parameter)?] ($($input: $In),*) ($($output: $Out),*)),
            )*)*)*
            /// See [`beats_look_ups`](Kernel::beats_look_ups). C does not see this field: it may
            /// move when the table grows, and `size` does not include it.
            pub(crate) beats_look_ups: bool,
        }

        /// The offset of each field of the table that C sees.
        pub(crate) static OFFSETS: &[(&str, usize)] = &[
            ("size", core::mem::offset_of!(Kernel, size)),
            ("abi_version", core::mem::offset_of!(Kernel, abi_version)),
            ("name", core::mem::offset_of!(Kernel, name)),
            $($($((stringify!($name), core::mem::offset_of!(Kernel, $name)),)*)*)*
        ];

        /// Every entry as an [`ErasedCall`], by name.
        pub(crate) mod erased {
            use super::Kernel;

            $($($(
                erased! {
                    $list $group $name [$($parameter)?] ($($input: $In),*) ($($output: $Out),*)
                }
            )*)*)*
        }
    };
}

calls!(table);

/// Loops over chunks of positions, which bring each chunk into another layout and call entries of
/// the kernel that is passed. So kernels share loops that would be the same instructions, although
/// the entries differ. The contract is that of the entries; the CPU has the features of the kernel
/// whose loops they are, and of the one passed.
#[derive(Clone, Copy)]
pub(crate) struct ChunkLoops {
    pub(crate) checks: unsafe fn(*const Position, *mut Checks, usize, &Kernel),
    pub(crate) check_columns: unsafe fn(&KingColumns, usize, &Kernel),
    pub(crate) column_counts: unsafe fn(&PieceColumns, usize, &Kernel),
    pub(crate) array_counts: unsafe fn(*const GamePosition, *mut u8, *mut u8, usize, &Kernel),
}

/// Calls an entry with its parameter (0 if it has none), pointers to its inputs and outputs, and
/// the number of boards.
///
/// # Safety
/// The table's contract. The arrays hold as many pointers as the operation has inputs and outputs.
pub(crate) type ErasedCall = unsafe fn(&Kernel, u8, *const *const u8, *const *mut u8, usize);

// SAFETY: the only pointer is to a string literal, and function pointers are plain values.
unsafe impl Sync for Kernel {}
// SAFETY: as above.
unsafe impl Send for Kernel {}

/// A kernel's catalogue entry, whether or not this CPU can run the kernel.
///
/// ```
/// for info in setwise::Kernel::catalogue() {
///     println!("{:14} {:?}  {}", info.name(), info.status(), info.description());
/// }
/// ```
pub struct KernelInfo {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    /// The CPU features that the kernel needs, as named by `std::arch::is_*_feature_detected!`.
    pub(crate) needs: &'static [&'static str],
    /// `None` if the kernel is not compiled in.
    pub(crate) table: Option<&'static Kernel>,
}

/// Whether every CPU that has `features` also has `others`.
pub(crate) const fn includes(features: &[&str], others: &[&str]) -> bool {
    let mut i = 0;
    while i < others.len() {
        let mut found = cfg!(target_feature = "sse2") && str_eq(others[i], "sse2");
        let mut n = 0;
        while n < features.len() {
            found |= str_eq(others[i], features[n]);
            n += 1;
        }
        if !found {
            return false;
        }
        i += 1;
    }
    true
}

/// `a == b`, usable in constants.
pub(crate) const fn str_eq(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
