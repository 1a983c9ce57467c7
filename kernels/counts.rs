//! Population counts of an intersection: what mobility is made of.
//!
//! A plain loop, which the compiler turns into the instruction, `pshufb` look-ups or byte arithmetic,
//! whatever the instruction set of the shell around it has.

/// `counts[i]` = the number of squares in `a[i] & b[i]`.
///
/// # Safety
/// As [`BatchCounts`](super::table::BatchCounts).
#[inline(always)]
pub(super) unsafe fn intersections(a: *const u64, b: *const u64, counts: *mut u32, boards: usize) {
    for i in 0..boards {
        // SAFETY: the caller's contract.
        unsafe {
            let common = a.add(i).read_unaligned() & b.add(i).read_unaligned();
            counts.add(i).write_unaligned(common.count_ones());
        }
    }
}

/// # Safety
/// As [`BatchCounts`](super::table::BatchCounts).
pub(super) unsafe extern "C" fn batch(
    a: *const u64,
    b: *const u64,
    counts: *mut u32,
    boards: usize,
) {
    // SAFETY: the caller's contract.
    unsafe { intersections(a, b, counts, boards) }
}
