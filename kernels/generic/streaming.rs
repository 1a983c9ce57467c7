//! Streaming of long batches: results that do not fit in the caches are written with non-temporal
//! stores. If registers are as long as cache lines, the start of an unaligned output is peeled
//! first.
//!
//! An ordinary store first reads the line that it overwrites. A *non-temporal* store of a whole
//! line does not, which saves a quarter to a third of the memory traffic. Kernels need no code for
//! this. The batch is cut into chunks of eight lines. The kernel's entry point writes the results
//! of each chunk to the stack, and [`run`] streams them from there to the output. The inputs of
//! later chunks are prefetched. The output may have any alignment.
//!
//! Whether this is faster depends on the CPU and its memory, so only [`stream_above`] turns it on.

use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::kernels::table::{ErasedCall, Kernel};

/// Bytes per cache line.
const LINE: usize = 64;

/// Boards per chunk: one block of the widest registers. Its results fill eight cache lines.
const CHUNK: usize = 64;

/// Prefetch distance, in chunks.
const PREFETCH_DISTANCE: usize = 4;

/// Shortest batch for which peeling to an aligned start pays off.
const PEEL_FROM: usize = 1024;

/// Batches with more bytes of results are streamed.
static THRESHOLD: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Makes calls with more than `bytes` of results (8 per board and output) write them with
/// non-temporal stores, past the caches. Applies to all threads. `usize::MAX`, the initial setting,
/// means never.
///
/// Only kernels with AVX2 or AVX-512 have such stores. They do not first read the memory that they
/// overwrite, but leave no results in the caches. Results are the same.
///
/// They gain on some CPUs only. For 8 Mi boards they took 0.71-0.89x the time of ordinary stores on
/// Sapphire or Emerald Rapids, but 1.08-1.22x on Cascade Lake, 1.01-1.75x on Zen 4 and 1.02-1.80x on Zen 5 (all
/// four in virtual machines). So time your own work before you set it. 16 MiB is a good threshold
/// where they gain: caches may still hold smaller results for their next reader.
///
/// ```
/// setwise::stream_above(16 << 20); // batches of more than two million boards
/// # setwise::stream_above(usize::MAX);
/// ```
pub fn stream_above(bytes: usize) {
    THRESHOLD.store(bytes, Ordering::Relaxed);
}

/// A register type's functions for writing past the caches.
pub(crate) struct Streaming {
    /// Copies whole cache lines with non-temporal stores. The arguments are the source, the
    /// destination and the number of lines. The CPU must have the features of the register type,
    /// and the destination must be aligned to a line.
    pub(crate) copy: unsafe fn(*const u8, *mut u8, usize),
    /// Prefetches the cache line that contains an address, which may lie outside the batch.
    pub(crate) prefetch: fn(*const u8),
    /// Orders non-temporal stores before later ones.
    pub(crate) fence: fn(),
    /// Whether a register is as long as a cache line, so that every unaligned access touches two
    /// lines. If so, long batches are peeled.
    pub(crate) peels: bool,
}

/// Whether [`run`] should compute a batch. `results` is the number of outputs; the first output is
/// written to `to`.
#[inline(always)]
pub(crate) fn is_long(
    streaming: &Streaming,
    results: usize,
    to: *const u64,
    boards: usize,
) -> bool {
    // Checked first, so that a short batch costs only one comparison.
    boards > CHUNK
        && (boards > longest(results)
            || streaming.peels
                && boards >= PEEL_FROM
                && !to.addr().is_multiple_of(LINE)
                && to.addr().is_multiple_of(8))
}

/// The length of the longest batch that is not streamed, in boards.
#[inline(always)]
fn longest(results: usize) -> usize {
    THRESHOLD.load(Ordering::Relaxed) / (8 * results)
}

/// An input array.
#[derive(Clone, Copy)]
pub(crate) struct Input {
    start: *const u8,
    /// Bytes per element.
    size: usize,
}

impl Input {
    pub(crate) fn new(start: *const u8, size: usize) -> Self {
        Input { start, size }
    }
}

/// The largest numbers of inputs and of outputs of any operation.
const INPUTS: usize = 5;
const OUTPUTS: usize = 2;

#[repr(align(64))]
struct Results([MaybeUninit<u64>; CHUNK]);

/// Computes a long batch with the kernel's entry, which is called for each chunk if the results are
/// streamed. Otherwise it is called for the boards before a cache line, and for all others.
///
/// # Safety
/// The table's contract for the entry. The CPU has the features of the register type.
#[cold]
#[inline(never)]
pub(crate) unsafe fn run(
    streaming: &Streaming,
    (entry, kernels, parameter): (ErasedCall, &Kernel, u8),
    inputs: &[Input],
    outputs: &[*mut u64],
    boards: usize,
) {
    debug_assert!(inputs.len() <= INPUTS && outputs.len() <= OUTPUTS);
    let call = |first: usize, boards: usize, outputs: [*mut u64; OUTPUTS]| {
        let mut at = [core::ptr::null(); INPUTS];
        for (at, input) in at.iter_mut().zip(inputs) {
            *at = input.start.wrapping_add(input.size * first);
        }
        let outputs = outputs.map(<*mut u64>::cast);
        // SAFETY: the caller's contract covers this part of the batch.
        unsafe { entry(kernels, parameter, at.as_ptr(), outputs.as_ptr(), boards) };
    };
    let from = |board: usize| {
        let mut at = [core::ptr::null_mut(); OUTPUTS];
        for (at, output) in at.iter_mut().zip(outputs) {
            *at = output.wrapping_add(board);
        }
        at
    };
    let [first_output, _] = from(0);
    let done = to_line(first_output).min(boards);
    if done > 0 {
        call(0, done, from(0));
    }
    if boards <= longest(outputs.len()) {
        return call(done, boards - done, from(done));
    }
    let mut results = [const { Results([MaybeUninit::uninit(); CHUNK]) }; OUTPUTS];
    for done in (done..boards).step_by(CHUNK) {
        let count = CHUNK.min(boards - done);
        for input in inputs {
            let ahead = done + PREFETCH_DISTANCE * CHUNK;
            let ahead = input.start.wrapping_add(input.size * ahead);
            for line in (0..input.size * CHUNK).step_by(LINE) {
                (streaming.prefetch)(ahead.wrapping_add(line));
            }
        }
        call(done, count, results.each_mut().map(|results| results.0.as_mut_ptr().cast()));
        for (results, to) in results.iter().zip(from(done)).take(outputs.len()) {
            // SAFETY: the caller's contract; the entry has written `count` results and no longer
            // reads any input of this chunk.
            unsafe { copy(streaming, results.0.as_ptr().cast(), to, count) };
        }
    }
    (streaming.fence)();
}

/// The number of whole boards before the first cache line boundary of an output.
fn to_line(to: *const u64) -> usize {
    to.cast::<u8>().align_offset(LINE) / 8
}

/// Copies results to an output. Whole lines are written with non-temporal stores.
///
/// # Safety
/// The pointers are valid for `boards` boards. The CPU has the features of the register type.
unsafe fn copy(streaming: &Streaming, from: *const u64, to: *mut u64, boards: usize) {
    let (from, to, bytes) = (from.cast::<u8>(), to.cast::<u8>(), 8 * boards);
    let first = to.align_offset(LINE).min(bytes);
    let lines = (bytes - first) / LINE;
    let last = first + lines * LINE;
    // SAFETY: the caller's contract; the three parts make up the `bytes` bytes.
    unsafe {
        to.copy_from_nonoverlapping(from, first);
        (streaming.copy)(from.add(first), to.add(first), lines);
        to.add(last).copy_from_nonoverlapping(from.add(last), bytes - last);
    }
}
