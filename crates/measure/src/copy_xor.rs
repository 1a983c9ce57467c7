//! A copy reads and writes the same number of bytes as an operation, in the widest registers of the
//! CPU. It computes only an exclusive or, so its time shows the limit set by memory.
//!
//! One copy stores through the caches. The other uses non-temporal stores, which do not read the
//! cache lines that they write.

use crate::buffers::{Buffer, Buffers};
use crate::contender::{Contender, Kind};
use crate::operation::Operation;
use setwise::reflection::Element;

/// The name of the copy with ordinary stores.
pub const NAME: &str = "copy-xor";
/// The name of the copy with non-temporal stores.
pub const NON_TEMPORAL: &str = "copy-xor-nt";

/// The copies for an operation on sets. Operations on squares or counts have none.
#[must_use]
pub fn all(operation: Operation) -> Vec<Contender> {
    let mut arguments = operation.inputs.iter().chain(operation.outputs);
    // A copy handles only sets, and combines at least two of them.
    if operation.inputs.len() < 2 || arguments.any(|argument| argument.element() != Element::Set) {
        return Vec::new();
    }
    let Some(copy) = in_widest(operation.inputs.len(), operation.outputs.len()) else {
        return vec![contender(NAME, |buffers, _| any_copy(buffers), false)];
    };
    let mut copies = vec![contender(NAME, copy, false)];
    if cfg!(target_arch = "x86_64") {
        copies.push(contender(NON_TEMPORAL, copy, true));
    }
    copies
}

/// A function that runs the copy on a workload's buffers. The flag selects non-temporal stores.
type Copy = fn(&mut Buffers, bool);

fn contender(name: &'static str, copy: Copy, non_temporal: bool) -> Contender {
    Contender::new(name, Kind::Roof, move |buffers| copy(buffers, non_temporal))
}

/// The copy that uses the widest registers, for an operation with these numbers of inputs and
/// outputs. `None` if no such copy is compiled.
fn in_widest(inputs: usize, outputs: usize) -> Option<Copy> {
    Some(match (inputs, outputs) {
        (2, 1) => copy::<2, 1>,
        (3, 1) => copy::<3, 1>,
        (4, 1) => copy::<4, 1>,
        (3, 2) => copy::<3, 2>,
        (4, 3) => copy::<4, 3>,
        (5, 2) => copy::<5, 2>,
        (7, 1) => copy::<7, 1>,
        (7, 7) => copy::<7, 7>,
        _ => return None,
    })
}

/// A copy for any numbers of inputs and outputs, compiled for the benchmark's own target. It
/// combines the inputs in a small buffer, so it reads every input once and writes every output
/// once.
fn any_copy(buffers: &mut Buffers) {
    const BUFFER: usize = 64;
    let windows = buffers.windows();
    let inputs: Vec<&[u64]> = buffers.inputs.iter().map(Buffer::slice).collect();
    let mut outputs: Vec<&mut [u64]> =
        buffers.outputs.iter_mut().map(Buffer::slice_mut::<u64>).collect();
    for window in windows {
        for start in window.clone().step_by(BUFFER) {
            let part = start..window.end.min(start + BUFFER);
            let mut buffer = [0; BUFFER];
            let xor = &mut buffer[..part.len()];
            for input in &inputs {
                xor.iter_mut().zip(&input[part.clone()]).for_each(|(xor, word)| *xor ^= word);
            }
            for output in &mut outputs {
                output[part.clone()].copy_from_slice(xor);
            }
        }
    }
}

fn copy<const N: usize, const M: usize>(buffers: &mut Buffers, non_temporal: bool) {
    let windows = buffers.windows();
    let inputs: [&[u64]; N] = std::array::from_fn(|i| buffers.inputs[i].slice());
    let mut outputs = buffers.outputs.iter_mut().map(Buffer::slice_mut::<u64>);
    let mut outputs: [&mut [u64]; M] = std::array::from_fn(|_| outputs.next().expect("counted"));
    for window in windows {
        let inputs = inputs.map(|set| &set[window.clone()]);
        let outputs = outputs.each_mut().map(|set| &mut set[window.clone()]);
        widest(inputs, outputs, non_temporal);
    }
}

/// Sets every output to the exclusive or of the inputs.
#[cfg(not(target_arch = "x86_64"))]
fn widest<const N: usize, const M: usize>(
    inputs: [&[u64]; N],
    mut outputs: [&mut [u64]; M],
    _: bool,
) {
    for i in 0..outputs[0].len() {
        let xor = inputs.iter().fold(0, |xor, set| xor ^ set[i]);
        outputs.iter_mut().for_each(|output| output[i] = xor);
    }
}

/// Sets every output to the exclusive or of the inputs.
#[cfg(target_arch = "x86_64")]
fn widest<const N: usize, const M: usize>(
    inputs: [&[u64]; N],
    outputs: [&mut [u64]; M],
    non_temporal: bool,
) {
    let boards = outputs[0].len();
    assert!(
        inputs.iter().all(|set| set.len() == boards)
            && outputs.iter().all(|set| set.len() == boards)
    );
    let inputs = inputs.map(<[u64]>::as_ptr);
    let outputs = outputs.map(<[u64]>::as_mut_ptr);
    // SAFETY: every slice has `boards` elements. The features are detected; x86-64 includes SSE2.
    unsafe {
        if is_x86_feature_detected!("avx512f") {
            x86::avx512(inputs, outputs, boards, non_temporal);
        } else if is_x86_feature_detected!("avx2") {
            x86::avx2(inputs, outputs, boards, non_temporal);
        } else {
            x86::sse2(inputs, outputs, boards, non_temporal);
        }
    }
}

/// The copy loop, in three widths of registers.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m128i, __m256i, __m512i, _mm_loadu_si128, _mm_setzero_si128, _mm_sfence,
        _mm_storeu_si128, _mm_stream_si128, _mm_xor_si128, _mm256_loadu_si256,
        _mm256_setzero_si256, _mm256_storeu_si256, _mm256_stream_si256, _mm256_xor_si256,
        _mm512_loadu_si512, _mm512_setzero_si512, _mm512_storeu_si512, _mm512_stream_si512,
        _mm512_xor_si512,
    };

    macro_rules! streams {
        ($(
            $name:ident $feature:tt $register:ty:
            $zero:ident $load:ident $xor:ident $store:ident $stream:ident;
        )*) => { $(
            /// # Safety
            /// The CPU must have the feature, and all pointers must be valid for `boards` elements.
            #[target_feature(enable = $feature)]
            pub(super) unsafe fn $name<const N: usize, const M: usize>(
                inputs: [*const u64; N],
                outputs: [*mut u64; M],
                boards: usize,
                non_temporal: bool,
            ) {
                const WIDTH: usize = size_of::<$register>() / 8;
                let single = |i: usize| {
                    // SAFETY: `i` is below the number of boards.
                    unsafe {
                        let xor = inputs.iter().fold(0, |xor, set| xor ^ *set.add(i));
                        for output in outputs {
                            *output.add(i) = xor;
                        }
                    }
                };
                let mut i = 0;
                // Non-temporal stores must be aligned. All outputs of a workload usually have the
                // same alignment.
                let aligned = |output: *mut u64, i: usize| {
                    (output.wrapping_add(i) as usize).is_multiple_of(size_of::<$register>())
                };
                while i < boards && !aligned(outputs[0], i) {
                    single(i);
                    i += 1;
                }
                let non_temporal = non_temporal && outputs.iter().all(|&output| aligned(output, i));
                while i + WIDTH <= boards {
                    // SAFETY: at least `WIDTH` boards are left. For non-temporal stores, all
                    // outputs are aligned.
                    unsafe {
                        let mut xor = $zero();
                        for set in inputs {
                            xor = $xor(xor, $load(set.add(i).cast()));
                        }
                        for output in outputs {
                            let output = output.add(i).cast();
                            if non_temporal { $stream(output, xor) } else { $store(output, xor) }
                        }
                    }
                    i += WIDTH;
                }
                (i..boards).for_each(single);
                if non_temporal {
                    // SAFETY: x86-64 includes SSE.
                    #[allow(unused_unsafe, reason = "unsafe in the oldest supported compiler")]
                    unsafe {
                        _mm_sfence();
                    }
                }
            }
        )* };
    }

    streams! {
        avx512 "avx512f" __m512i:
            _mm512_setzero_si512 _mm512_loadu_si512 _mm512_xor_si512
            _mm512_storeu_si512 _mm512_stream_si512;
        avx2 "avx2" __m256i:
            _mm256_setzero_si256 _mm256_loadu_si256 _mm256_xor_si256
            _mm256_storeu_si256 _mm256_stream_si256;
        sse2 "sse2" __m128i:
            _mm_setzero_si128 _mm_loadu_si128 _mm_xor_si128
            _mm_storeu_si128 _mm_stream_si128;
    }
}

#[cfg(test)]
mod tests {
    use super::any_copy;
    use crate::boards::BoardSet;
    use crate::operation::Operation;
    use crate::workload::{Order, Workload};

    /// Checks the copies of every operation on sets, with several call sizes and alignments. Also
    /// checks the copy for any numbers of inputs and outputs.
    #[test]
    fn copies_read_and_write_everything() {
        let boards = BoardSet::random(64);
        for operation in Operation::all() {
            for offset in [0, 8, 24] {
                if super::all(operation).is_empty() {
                    continue;
                }
                let mut workload = Workload::new(operation, &boards, Order::Same, 256, offset);
                for boards_a_call in [1, 7, 31, 32, 65, 256] {
                    workload.call(boards_a_call);
                    let any = super::contender(super::NAME, |buffers, _| any_copy(buffers), false);
                    for copy in super::all(operation).into_iter().chain([any]) {
                        copy.check(&mut workload).unwrap();
                    }
                }
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn narrower_registers_copy_the_same() {
        use super::x86::{avx2, sse2};

        let (a, b) = ([1u64, 2, 3, 4, 5, 6, 7, 8, 9], [16u64; 9]);
        let inputs = [a.as_ptr(), b.as_ptr()];
        for non_temporal in [false, true] {
            let mut xor = [0; 9];
            // SAFETY: all arrays have nine boards, and x86-64 includes SSE2.
            unsafe { sse2(inputs, [xor.as_mut_ptr()], 9, non_temporal) };
            assert_eq!(xor, a.map(|word| word ^ 16));
            if is_x86_feature_detected!("avx2") {
                xor.fill(0);
                // SAFETY: all arrays have nine boards, and AVX2 is detected.
                unsafe { avx2(inputs, [xor.as_mut_ptr()], 9, non_temporal) };
                assert_eq!(xor, a.map(|word| word ^ 16));
            }
        }
    }
}
