//! Population counts of an intersection: what mobility is made of.

use core::mem::MaybeUninit;

/// Boards whose attacks are on the stack between being computed and being counted.
const CHUNK: usize = 256;

/// `counts[i]` = the number of squares in `a[i] & b[i]`. A plain loop, which the compiler turns into the instruction, `pshufb` look-ups
/// or byte arithmetic, whatever the instruction set of the shell around it has.
///
/// # Safety
/// The sets are readable and `counts` is writable for `boards` elements (of any alignment).
#[inline(always)]
pub(crate) unsafe fn intersections(a: *const u64, b: *const u64, counts: *mut u32, boards: usize) {
    for i in 0..boards {
        // SAFETY: the caller's contract.
        unsafe {
            let common = a.add(i).read_unaligned() & b.add(i).read_unaligned();
            counts.add(i).write_unaligned(common.count_ones());
        }
    }
}

/// [`intersections`] by what every CPU of the target has: one copy for all kernels that have nothing better.
///
/// # Safety
/// As [`intersections`].
#[inline(never)]
pub(crate) unsafe fn on_any_cpu(a: *const u64, b: *const u64, counts: *mut u32, boards: usize) {
    // SAFETY: the caller's contract.
    unsafe { intersections(a, b, counts, boards) }
}

/// The table's entry for attacks of two sets, and that for three.
pub(crate) type Attacks2 = unsafe extern "C" fn(*const u64, *const u64, *mut u64, usize);
pub(crate) type Attacks3 =
    unsafe extern "C" fn(*const u64, *const u64, *const u64, *mut u64, usize);
/// [`intersections`] for one instruction set.
pub(crate) type Count = unsafe fn(*const u64, *const u64, *mut u32, usize);

/// Attacks chunk by chunk, and how many of them are on targets.
macro_rules! counts {
    ($name:ident: $Attacks:ident($($set:ident)*)) => {
        /// # Safety
        /// As the table's entries; the CPU has what the two functions need.
        #[inline(never)]
        #[allow(clippy::too_many_arguments, reason = "each is a column of the batch")]
        pub(crate) unsafe fn $name(
            attacks: $Attacks, count: Count, $($set: *const u64,)* targets: *const u64, counts: *mut u32, boards: usize,
        ) {
            let mut chunk = [const { MaybeUninit::<u64>::uninit() }; CHUNK];
            let mut done = 0;
            while done < boards {
                let left = CHUNK.min(boards - done);
                // SAFETY: the caller's contract; `left` boards are left, and the first function sets as many of the chunk.
                unsafe {
                    attacks($($set.add(done),)* chunk.as_mut_ptr().cast(), left);
                    count(chunk.as_ptr().cast(), targets.add(done), counts.add(done), left);
                }
                done += left;
            }
        }
    };
}
counts!(of_two: Attacks2(sliders occupied));
counts!(of_three: Attacks3(orthogonal diagonal occupied));
