//! Batch operations that append their results to vectors (feature `std`). The kernel writes into
//! the spare capacity, so the memory is not zeroed first.
//!
//! ```
//! use setwise::append;
//! let mut attacks = vec![];
//! append::rook_attacks(&[1, 1], &[0, 4], &mut attacks);
//! append::rook_attacks(&[1], &[2], &mut attacks);
//! assert_eq!(attacks, [0x0101_0101_0101_01fe, 0x0101_0101_0101_0106, 0x0101_0101_0101_0102]);
//! ```

use crate::operations::{functions, length_mismatch};
use crate::{Direction, Kernel, Line, Side, operations};

macro_rules! function {
    (one $($rest:tt)*) => {};
    (side $($rest:tt)*) => {};
    ($group:ident $name:ident [$($parameter:ident: $Parameter:ident)?] ($first:ident: $First:ident $(, $input:ident: $In:ident)*) ($($output:ident: $Out:ident),*)) => {
        #[doc = concat!("Appends the results of [`", stringify!($name), "`](crate::", stringify!($name), ").")]
        ///
        /// Uses the active kernel.
        ///
        /// # Panics
        /// If the slices differ in length (before anything is written), or if no kernel can be
        /// chosen (see [`Kernel::active`]).
        #[track_caller]
        #[allow(clippy::too_many_arguments, reason = "each is a column of the batch")]
        pub fn $name($($parameter: $Parameter,)? $first: &[$crate::element!($First)] $(, $input: &[$crate::element!($In)])*, $($output: &mut Vec<$crate::element!($Out)>),*) {
            let kernels = Kernel::active();
            let boards = $first.len();
            $(if $input.len() != boards {
                length_mismatch(stringify!($input), $input.len(), stringify!($first), boards);
            })*
            $($output.reserve(boards);)*
            // SAFETY: the inputs are equally long. The outputs have spare capacity for `boards`
            // elements, and this capacity overlaps no other memory. A `Square` is a byte. `kernels`
            // proves that the CPU can run this kernel.
            unsafe {
                (kernels.$name)(
                    $($parameter as u8,)?
                    $first.as_ptr().cast(),
                    $($input.as_ptr().cast(),)*
                    $($output.spare_capacity_mut().as_mut_ptr().cast(),)*
                    boards,
                );
            }
            // SAFETY: the kernel wrote `boards` elements, and any bit pattern is a valid element.
            $(unsafe { $output.set_len($output.len() + boards) };)*
        }
    };
}

operations!(functions);
