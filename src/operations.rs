//! Generates code from the lists of operations: methods of [`Kernel`], and functions at the crate's
//! root that use the active kernel.

use core::fmt::Display;
use core::mem::MaybeUninit;

use crate::position::{AttackMaps, Checks, Position, SideAttacks};
use crate::{Direction, Kernel, Line, Side, batches, single_boards};

/// Defines a method of [`Kernel`] and a function at the crate's root for each operation on batches.
macro_rules! for_batches {
    ([] $($group:ident { $(
        $(#[doc = $doc:literal])*
        $name:ident $([$parameter:ident: $Parameter:ident])?
            ($($input:ident: $In:ident $(of $Of:ident)?),*) -> ($($output:ident: $Out:ident),*)
            = $body:ident $(($argument:ident))?;
    )* })*) => {
        /// Operations on batches.
        impl Kernel {
            $($(
                #[doc = concat!("See [`", stringify!($name), "`](crate::", stringify!($name), ").")]
                ///
                /// # Panics
                /// If the slices differ in length, before anything is written.
                #[inline]
                #[track_caller]
                #[allow(clippy::too_many_arguments, reason = "each is a column of the batch")]
                pub fn $name(
                    &self,
                    $($parameter: $Parameter,)?
                    $($input: &[$crate::element!($In)],)*
                    $($output: &mut [$crate::element!($Out)]),*
                ) {
                    let boards = check_lengths!([$($output)*] $($input)*);
                    // SAFETY: the lengths are equal, no slice overlaps a mutable one, and a
                    // `Square` is a byte. `self` proves that the CPU can run this kernel.
                    unsafe {
                        (self.$name)(
                            $($parameter as u8,)?
                            $($input.as_ptr().cast(),)*
                            $($output.as_mut_ptr(),)*
                            boards,
                        );
                    }
                }
            )*)*
        }

        $($(
            $(#[doc = $doc])*
            ///
            /// Uses the active kernel.
            ///
            /// # Panics
            /// If the slices differ in length (before anything is written), or if no kernel can be
            /// chosen (see [`Kernel::active`]).
            #[inline]
            #[track_caller]
            #[allow(clippy::too_many_arguments, reason = "each is a column of the batch")]
            pub fn $name(
                $($parameter: $Parameter,)?
                $($input: &[$crate::element!($In)],)*
                $($output: &mut [$crate::element!($Out)]),*
            ) {
                Kernel::active().$name($($parameter,)? $($input,)* $($output),*);
            }
        )*)*
    };
}

/// Defines a method of [`Kernel`] for each operation on a single board.
macro_rules! for_single_boards {
    ([] $($group:ident { $(
        $(#[doc = $doc:literal])*
        $name:ident $([$parameter:ident: $Parameter:ident])? ($($input:ident: $In:ident),*)
            -> ($($output:ident: $Out:ident),*) = $body:ident;
    )* })*) => {
        /// Operations on a single board, by value.
        impl Kernel {
            $($(single_board_method! { $group [$(#[doc = $doc])*] $name [$($parameter: $Parameter)?] ($($input: $In),*) ($($output: $Out),*) })*)*
        }
    };
}

/// Defines a method of [`Kernel`] for a single board.
macro_rules! single_board_method {
    (one [$(#[doc = $doc:literal])*] $name:ident [] ($($input:ident: $In:ident),*) ($output:ident: $Out:ident)) => {
        $(#[doc = $doc])*
        #[inline]
        #[must_use]
        pub fn $name(&self, $($input: $crate::element!($In)),*) -> $crate::element!($Out) {
            // SAFETY: `self` proves that the CPU can run this kernel.
            unsafe { (self.$name)($($input),*) }
        }
    };
    (one [$(#[doc = $doc:literal])*] $name:ident [] ($($input:ident: $In:ident),*) ($($output:ident: $Out:ident),*)) => {
        $(#[doc = $doc])*
        #[inline]
        #[must_use]
        pub fn $name(
            &self,
            $($input: $crate::element!($In)),*
        ) -> [u64; $crate::kernels::table::count!($($output)*)] {
            let mut results = MaybeUninit::<[u64; _]>::uninit();
            // SAFETY: `self` proves that the CPU can run this kernel, which writes all results.
            unsafe {
                (self.$name)($($input,)* results.as_mut_ptr().cast());
                results.assume_init()
            }
        }
    };
    (side [$(#[doc = $doc:literal])*] $name:ident [$side:ident: Side] $inputs:tt ($output:ident: Set)) => {
        $(#[doc = $doc])*
        #[inline]
        #[must_use]
        pub fn $name(&self, $side: Side, pieces: &[u64; 6], occupied: u64) -> u64 {
            // SAFETY: `self` proves that the CPU can run this kernel.
            unsafe { (self.$name)($side as u8, pieces, occupied) }
        }
    };
    (side [$(#[doc = $doc:literal])*] $name:ident [$side:ident: Side] $inputs:tt $outputs:tt) => {
        $(#[doc = $doc])*
        #[inline]
        #[must_use]
        pub fn $name(&self, $side: Side, pieces: &[u64; 6], occupied: u64) -> SideAttacks {
            let mut results = MaybeUninit::<SideAttacks>::uninit();
            // SAFETY: `self` proves that the CPU can run this kernel, which writes all results.
            unsafe {
                (self.$name)($side as u8, pieces, occupied, results.as_mut_ptr().cast());
                results.assume_init()
            }
        }
    };
}

/// Returns the length of the first output. Panics unless all other slices have the same length.
macro_rules! check_lengths {
    ([$output:ident $($other:ident)*] $($input:ident)*) => {{
        let boards = $output.len();
        $(check_lengths!(@ $other, boards, stringify!($output));)*
        let outputs = concat!(stringify!($output) $(, "`, `", stringify!($other))*);
        $(check_lengths!(@ $input, boards, outputs);)*
        boards
    }};
    (@ $slice:ident, $boards:ident, $outputs:expr) => {
        if $slice.len() != $boards {
            $crate::operations::length_mismatch(stringify!($slice), $slice.len(), &$outputs, $boards);
        }
    };
}

#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn length_mismatch(
    input: &str,
    length: usize,
    output: &dyn Display,
    expected: usize,
) -> ! {
    panic!(
        "`{input}` has length {length}, `{output}` has length {expected}: all slices must have the same length"
    );
}

batches!(for_batches);
single_boards!(for_single_boards);

/// Methods for one position.
impl Kernel {
    /// Whether this kernel's [`side_attacks_one`](Kernel::side_attacks_one) and
    /// [`sliders_by_kind_one`](Kernel::sliders_by_kind_one) make a search faster than a magic
    /// look-up for each slider does, on every CPU that was measured. If not, an engine should keep
    /// its look-ups. The kernels with AVX2 or AVX-512 gain, and so does `sse2`: on a Zen 5, without
    /// intervals, and `avx2` and `sse2` also on a Zen 3, with intervals of 99 %: they add 0.07 to
    /// 0.42 of what look-ups add. `scalar` gains on the Zen 3 (0.46 to 0.72) and loses on the Zen
    /// 5. Measure your CPU with `setwise bench --walk`. Kernels that have not been measured return
    /// `false`.
    ///
    /// ```
    /// let scalar = setwise::Kernel::by_name("scalar").unwrap();
    /// assert!(!scalar.beats_look_ups());
    /// ```
    #[inline]
    #[must_use]
    pub fn beats_look_ups(&self) -> bool {
        self.beats_look_ups
    }

    /// [`attack_maps`](crate::attack_maps) of one position: one indirect call.
    ///
    /// ```
    /// use setwise::Kernel;
    /// use setwise::position::Position;
    /// assert_eq!(Kernel::active().attack_maps_one(&Position::default()), Default::default());
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
        // SAFETY: `self` proves that the CPU can run this kernel, which writes one result.
        unsafe {
            (self.checks)(position, checks.as_mut_ptr(), 1);
            checks.assume_init()
        }
    }
}
