//! Long batches: results that will not stay in the caches are written past them, and where registers are as long as lines, a short first step
//! makes the rest aligned.
//!
//! An ordinary store first reads the line that it overwrites. A *non-temporal* one of whole lines does not: beyond the caches that is a
//! quarter to a third of the traffic. The kernel itself does not know: it is called for chunks of a few lines, whose results are on
//! the stack and go from there to memory (so any misalignment of the output will do, and the code of a kernel is there once), while the next
//! chunks' boards are fetched. What was measured is in `docs/performance.md`.

use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicUsize, Ordering};

/// The bytes of a line of the caches.
const LINE: usize = 64;

/// Boards of a chunk: eight lines, a block of the longest registers.
const CHUNK: usize = 64;

/// So many chunks ahead boards are fetched.
const AHEAD: usize = 4;

/// From so many boards on, a first step to aligned lines takes less time than it saves.
const ALIGNED_FROM: usize = 1024;

/// Results of more bytes are written past the caches. Not by CPUID: what it tells of the last-level cache is wrong in many
/// virtual machines, and how much of it is ours it never tells.
static BEYOND: AtomicUsize = AtomicUsize::new(DEFAULT);
const DEFAULT: usize = 16 << 20;

/// The least that can be asked for: with it a chunk is no long batch itself.
const LEAST: usize = 2 * 8 * CHUNK;

pub(crate) fn streamed_beyond() -> usize {
    BEYOND.load(Ordering::Relaxed)
}

pub(crate) fn stream_beyond(bytes: usize) {
    BEYOND.store(bytes.max(LEAST), Ordering::Relaxed);
}

/// How the lines of a register type are written past the caches, if they can be.
pub(crate) trait Lines {
    const STREAMS: bool = false;
    /// Whether a register is a line, so that one that is not aligned is two.
    const ALIGNS: bool = false;

    /// Copies so many lines.
    ///
    /// # Safety
    /// The CPU has the features of the register type; the pointers are valid for the lines, and `to` is the start of one.
    #[inline(always)]
    unsafe fn copy(_from: *const u8, _to: *mut u8, _lines: usize) {
        unreachable!()
    }
    /// Fetches the line of an address, which may be none of ours.
    fn fetch(_address: *const u8) {}
    /// To be called when all is copied, before others may look at it.
    fn fence() {}
}

/// Kernels that are not worth it.
pub(crate) struct Ordinary;
impl Lines for Ordinary {}

/// The functions of [`Lines`] for a kernel, compiled for its features where that matters.
pub(crate) struct Streaming {
    pub(crate) copy: unsafe fn(*const u8, *mut u8, usize),
    pub(crate) fetch: fn(*const u8),
    pub(crate) fence: fn(),
}

/// Whether a batch with so many results, the first of them to be written here, is to go through one of the functions below.
#[inline(always)]
pub(crate) fn is_long<L: Lines>(results: usize, to: *const u64, boards: usize) -> bool {
    // First of all, for calls with a few boards.
    boards > CHUNK
        && (L::STREAMS && streams(results, boards)
            || L::ALIGNS
                && boards >= ALIGNED_FROM
                && !to.addr().is_multiple_of(LINE)
                && to.addr().is_multiple_of(8))
}

#[inline(always)]
fn streams(results: usize, boards: usize) -> bool {
    boards > streamed_beyond() / (8 * results)
}

/// Boards before the first whole line of an output. (One that is not even on a word has none.)
fn to_line(to: *const u64) -> usize {
    to.cast::<u8>().align_offset(LINE) / 8
}

/// Copies results, whole lines past the caches.
///
/// # Safety
/// The pointers are valid for the boards; as [`Lines::copy`].
unsafe fn copy(streaming: &Streaming, from: *const u64, to: *mut u64, boards: usize) {
    let (from, to, bytes) = (from.cast::<u8>(), to.cast::<u8>(), 8 * boards);
    let first = to.align_offset(LINE).min(bytes);
    let lines = (bytes - first) / LINE;
    let last = first + lines * LINE;
    // SAFETY: the caller's contract; the three parts together are the boards.
    unsafe {
        to.copy_from_nonoverlapping(from, first);
        (streaming.copy)(from.add(first), to.add(first), lines);
        to.add(last)
            .copy_from_nonoverlapping(from.add(last), bytes - last);
    }
}

#[repr(align(64))]
struct Results([MaybeUninit<u64>; CHUNK]);

/// An entry's type, and its long batches.
macro_rules! long {
    ($(#[$doc:meta])* $name:ident, $Entry:ident: $([$index:ident])? $($input:ident: $In:ty),* => $first:ident $($second:ident)?) => {
        pub(crate) type $Entry = unsafe extern "C" fn($(stand_in!($index u8),)? $(*const $In,)* *mut u64, $(stand_in!($second *mut u64),)? usize);

        $(#[$doc])*
        ///
        /// # Safety
        /// As the table's entries, of which this is one; as [`Lines::copy`].
        #[cold]
        #[inline(never)]
        #[allow(clippy::too_many_arguments, reason = "each is a column of the batch")]
        pub(crate) unsafe fn $name(
            $($index: u8,)? $($input: *const $In,)* $first: *mut u64, $($second: *mut u64,)? boards: usize, entry: $Entry, streaming: &Streaming,
        ) {
            let results = 1 $(+ stand_in!($second 1))?;
            let step = to_line($first).min(boards);
            // SAFETY: the caller's contract; of the boards, `done` are done, and no chunk's boards are read after its results are written.
            unsafe {
                if step > 0 {
                    entry($($index,)? $($input,)* $first, $($second,)? step);
                }
                if !streams(results, boards) {
                    return entry($($index,)? $($input.add(step),)* $first.add(step), $($second.add(step),)? boards - step);
                }
                let mut $first = (Results([MaybeUninit::uninit(); CHUNK]), $first);
                $(let mut $second = (Results([MaybeUninit::uninit(); CHUNK]), $second);)?
                let mut done = step;
                while done < boards {
                    let count = CHUNK.min(boards - done);
                    $(
                        for line in (0..size_of::<$In>() * CHUNK).step_by(LINE) {
                            (streaming.fetch)($input.wrapping_add(done + AHEAD * CHUNK).cast::<u8>().wrapping_add(line));
                        }
                    )*
                    entry($($index,)? $($input.add(done),)* $first.0.0.as_mut_ptr().cast(), $($second.0.0.as_mut_ptr().cast(),)? count);
                    copy(streaming, $first.0.0.as_ptr().cast(), $first.1.add(done), count);
                    $(copy(streaming, $second.0.0.as_ptr().cast(), $second.1.add(done), count);)?
                    done += count;
                }
            }
            (streaming.fence)();
        }
    };
}
macro_rules! stand_in {
    ($name:ident $($what:tt)*) => { $($what)* };
}

long!(of_two, Two: a: u64, b: u64 => attacks);
long!(of_three, Three: a: u64, b: u64, c: u64 => attacks);
long!(two_of_three, TwoOfThree: a: u64, b: u64, c: u64 => first second);
long!(two_of_five, TwoOfFive: a: u64, b: u64, c: u64, d: u64, e: u64 => first second);
long!(ray, Ray: [direction] sliders: u64, occupied: u64 => attacks);
long!(from_squares, FromSquares: squares: u8, occupied: u64 => attacks);
long!(along_line, AlongLine: [line] squares: u8, occupied: u64 => attacks);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernels;

    /// What slices cannot be: outputs off their words, and the same memory as an input. Lengths and misalignments of slices are the runner's.
    #[test]
    #[allow(clippy::cast_ptr_alignment, reason = "the table's entries need none")]
    fn any_byte_and_in_place() {
        let mut random = fastrand::Rng::with_seed(64);
        let boards = 1100;
        let sets: [Vec<u64>; 3] = std::array::from_fn(|_| {
            (0..boards)
                .map(|_| random.u64(..) & random.u64(..))
                .collect()
        });
        let [rooks, bishops, occupied] = &sets;
        let mut expected = [vec![0; boards], vec![0; boards]];
        let [first, second] = &mut expected;
        let scalar = Kernels::by_name("scalar").unwrap();
        scalar.slider_attacks_split(rooks, bishops, occupied, first, second);

        let before = streamed_beyond();
        for threshold in [0, usize::MAX] {
            stream_beyond(threshold);
            for kernel in Kernels::available() {
                for off in 0..LINE {
                    // The first output in the place of the rooks, the second in that of the occupancy.
                    let mut places = [rooks, occupied].map(|set| {
                        let mut place = vec![0xa5_u8; 8 * boards + 3 * LINE];
                        let start = place.as_ptr().align_offset(LINE) + off;
                        place[start..start + 8 * boards].copy_from_slice(bytemuck::cast_slice(set));
                        (place, start)
                    });
                    let [a, b] = places
                        .each_mut()
                        .map(|(place, start)| place[*start..].as_mut_ptr().cast::<u64>());
                    // SAFETY: the table's contract: valid for so many boards, and in place.
                    unsafe {
                        (kernel.slider_attacks_split)(a, bishops.as_ptr(), b, a, b, boards);
                    }
                    for ((place, start), expected) in places.iter().zip(&expected) {
                        let end = start + 8 * boards;
                        let name = kernel.name();
                        assert!(
                            place[*start..end] == *bytemuck::cast_slice::<_, u8>(expected),
                            "{name}, {off} bytes off"
                        );
                        let around = place[..*start].iter().chain(&place[end..]);
                        assert!(
                            around.copied().all(|byte| byte == 0xa5),
                            "{name}, {off} bytes off"
                        );
                    }
                }
            }
        }
        stream_beyond(before);
    }
}
