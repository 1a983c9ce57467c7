//! Operations that all kernels share, because vectors would not make them faster.

use crate::kernels::geometry::between as squares;

macro_rules! two_squares {
    ($($operation:ident)*) => { $(
        /// # Safety
        /// The contract of the table's entries.
        pub(crate) unsafe extern "C" fn $operation(
            a: *const u8, b: *const u8, squares: *mut u64, boards: usize,
        ) {
            for i in 0..boards {
                // SAFETY: the arrays have an element `i`, as `i` is below `boards`.
                unsafe {
                    let result = squares::$operation(a.add(i).read(), b.add(i).read());
                    squares.add(i).write_unaligned(result);
                }
            }
        }
    )* };
}
two_squares!(between line_through);
