//! Operations on two squares a board: arithmetic that is the same in every kernel.

use crate::kernels::geometry::between;

macro_rules! pairs {
    ($($operation:ident)*) => { $(
        /// # Safety
        /// As the table's entries.
        pub(crate) unsafe extern "C" fn $operation(
            a: *const u8, b: *const u8, squares: *mut u64, boards: usize,
        ) {
            for i in 0..boards {
                // SAFETY: the caller's contract.
                unsafe {
                    let result = between::$operation(a.add(i).read(), b.add(i).read());
                    squares.add(i).write_unaligned(result);
                }
            }
        }
    )* };
}
pairs!(between line_through);
