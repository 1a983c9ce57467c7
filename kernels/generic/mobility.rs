//! Mobility: the number of targets that the attacks of each board hit. Attacks come from another
//! entry of the same kernel, chunk by chunk, so that a kernel needs no second copy of their code.

use core::mem::MaybeUninit;

use crate::kernels::table::{ErasedCall, Kernel};

/// Boards per chunk. The attacks on these boards stay on the stack until they are counted.
const CHUNK: usize = 256;

/// The function [`intersections`], compiled for one instruction set.
type Count = unsafe fn(*const u64, *const u64, *mut u32, usize);

/// `counts[i]` = the number of squares in `a[i] & b[i]`. A plain loop, which the compiler turns
/// into the best code for the features of the calling function: `popcnt`, `pshufb` look-ups or byte
/// arithmetic.
///
/// # Safety
/// The sets are readable and `counts` is writable for `boards` elements (of any alignment).
#[inline(always)]
pub(crate) unsafe fn intersections(a: *const u64, b: *const u64, counts: *mut u32, boards: usize) {
    for i in 0..boards {
        // SAFETY: the sets and the counts have an element `i`.
        unsafe {
            let common = a.add(i).read_unaligned() & b.add(i).read_unaligned();
            counts.add(i).write_unaligned(common.count_ones());
        }
    }
}

/// Computes attacks chunk by chunk and counts the attacked targets. `inputs` holds the inputs of
/// the attack operation, then the targets.
///
/// # Safety
/// The table's contract for the entry `attacks`. `count` is a function of the same kernel.
#[inline(never)]
pub(crate) unsafe fn count_attacked(
    (attacks, kernel): (ErasedCall, &Kernel),
    count: Count,
    inputs: &[*const u64],
    counts: *mut u32,
    boards: usize,
) {
    let Some((targets, sets)) = inputs.split_last() else {
        return;
    };
    let mut chunk = [const { MaybeUninit::<u64>::uninit() }; CHUNK];
    let mut done = 0;
    while done < boards {
        let left = CHUNK.min(boards - done);
        let mut rest = [core::ptr::null(); 3];
        for (rest, set) in rest.iter_mut().zip(sets) {
            *rest = set.wrapping_add(done).cast();
        }
        // SAFETY: at least `left` boards are left, and `attacks` writes `left` boards of the chunk.
        unsafe {
            attacks(kernel, 0, rest.as_ptr(), &chunk.as_mut_ptr().cast(), left);
            count(chunk.as_ptr().cast(), targets.add(done), counts.add(done), left);
        }
        done += left;
    }
}
