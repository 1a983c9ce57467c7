//! The roof: reads what an operation reads, writes what it writes, in the widest registers of the CPU, and computes next to nothing.
//!
//! Once with stores that go through the caches, once with stores around them (non-temporal), which need not read the lines that they write.

use crate::batch::Computes;
use crate::column::{Column, Columns};
use crate::contender::Contender;
use crate::operation::Operation;
use setwise::Element;

/// With common stores.
pub const NAME: &str = "copy-xor";
/// With non-temporal stores.
pub const AROUND: &str = "copy-xor-nt";

/// Whether the CPU has stores around the caches that we use.
const HAS_AROUND: bool = cfg!(target_arch = "x86_64");

/// The roofs of an operation on sets; none for one that takes squares or counts.
#[must_use]
pub fn all(operation: Operation) -> Vec<Contender> {
    let mut arguments = operation.inputs.iter().chain(operation.outputs);
    // As many bytes must be read as written, and a single set gives nothing to combine.
    if operation.inputs.len() < 2 || arguments.any(|argument| argument.element() != Element::Set) {
        return Vec::new();
    }
    let mut roofs = vec![contender(NAME, false)];
    if HAS_AROUND {
        roofs.push(contender(AROUND, true));
    }
    roofs
}

fn contender(name: &'static str, around: bool) -> Contender {
    let mut roof = Contender::new(name, move |columns| {
        match (columns.inputs.len(), columns.outputs.len()) {
            (2, 1) => pass::<2, 1>(columns, around),
            (3, 1) => pass::<3, 1>(columns, around),
            (4, 1) => pass::<4, 1>(columns, around),
            (3, 2) => pass::<3, 2>(columns, around),
            (5, 2) => pass::<5, 2>(columns, around),
            (inputs, outputs) => {
                unreachable!("no operation takes {inputs} sets and gives {outputs}")
            }
        }
    });
    roof.computes = Computes::Xor;
    roof
}

fn pass<const N: usize, const M: usize>(columns: &mut Columns, around: bool) {
    let windows = columns.windows();
    let inputs: [&[u64]; N] = std::array::from_fn(|i| columns.inputs[i].slice());
    let mut outputs = columns.outputs.iter_mut().map(Column::slice_mut::<u64>);
    let mut outputs: [&mut [u64]; M] = std::array::from_fn(|_| outputs.next().expect("counted"));
    for window in windows {
        let inputs = inputs.map(|set| &set[window.clone()]);
        let outputs = outputs.each_mut().map(|set| &mut set[window.clone()]);
        widest(inputs, outputs, around);
    }
}

/// Every output becomes the exclusive or of the inputs. All slices are as long.
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

/// Every output becomes the exclusive or of the inputs. All slices are as long.
#[cfg(target_arch = "x86_64")]
fn widest<const N: usize, const M: usize>(
    inputs: [&[u64]; N],
    outputs: [&mut [u64]; M],
    around: bool,
) {
    let boards = outputs[0].len();
    assert!(
        inputs.iter().all(|set| set.len() == boards)
            && outputs.iter().all(|set| set.len() == boards)
    );
    let inputs = inputs.map(<[u64]>::as_ptr);
    let outputs = outputs.map(<[u64]>::as_mut_ptr);
    // SAFETY: there are so many boards in each slice, and the features are detected (of SSE2 the target is sure).
    unsafe {
        if is_x86_feature_detected!("avx512f") {
            x86::avx512(inputs, outputs, boards, around);
        } else if is_x86_feature_detected!("avx2") {
            x86::avx2(inputs, outputs, boards, around);
        } else {
            x86::sse2(inputs, outputs, boards, around);
        }
    }
}

/// The loops, once for each width. The only intrinsics of this package.
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
        ($($name:ident $feature:tt $register:ty: $zero:ident $load:ident $xor:ident $store:ident $around:ident;)*) => { $(
            /// # Safety
            /// The CPU has the feature, and all pointers are good for so many boards.
            #[target_feature(enable = $feature)]
            pub(super) unsafe fn $name<const N: usize, const M: usize>(
                inputs: [*const u64; N],
                outputs: [*mut u64; M],
                boards: usize,
                around: bool,
            ) {
                const WIDTH: usize = size_of::<$register>() / 8;
                let single = |i: usize| {
                    // SAFETY: below the number of boards.
                    unsafe {
                        let xor = inputs.iter().fold(0, |xor, set| xor ^ *set.add(i));
                        for output in outputs {
                            *output.add(i) = xor;
                        }
                    }
                };
                let mut i = 0;
                // Stores around the caches must be aligned; the outputs of a batch are alike in that.
                while i < boards && !(outputs[0].wrapping_add(i) as usize).is_multiple_of(size_of::<$register>()) {
                    single(i);
                    i += 1;
                }
                let alike = outputs.iter().all(|output| (output.wrapping_add(i) as usize).is_multiple_of(size_of::<$register>()));
                let around = around && alike;
                while i + WIDTH <= boards {
                    // SAFETY: a register's worth of boards is left; aligned where that is asked.
                    unsafe {
                        let mut xor = $zero();
                        for set in inputs {
                            xor = $xor(xor, $load(set.add(i).cast()));
                        }
                        for output in outputs {
                            let output = output.add(i).cast();
                            if around { $around(output, xor) } else { $store(output, xor) }
                        }
                    }
                    i += WIDTH;
                }
                (i..boards).for_each(single);
                if around {
                    // SAFETY: every x86-64 has it.
                    #[allow(unused_unsafe, reason = "only the oldest supported compiler needs it")]
                    unsafe {
                        _mm_sfence();
                    }
                }
            }
        )* };
    }

    streams! {
        avx512 "avx512f" __m512i: _mm512_setzero_si512 _mm512_loadu_si512 _mm512_xor_si512 _mm512_storeu_si512 _mm512_stream_si512;
        avx2 "avx2" __m256i: _mm256_setzero_si256 _mm256_loadu_si256 _mm256_xor_si256 _mm256_storeu_si256 _mm256_stream_si256;
        sse2 "sse2" __m128i: _mm_setzero_si128 _mm_loadu_si128 _mm_xor_si128 _mm_storeu_si128 _mm_stream_si128;
    }
}

#[cfg(test)]
mod tests {
    use crate::batch::{Batch, Order};
    use crate::boards::Boards;
    use crate::operation::Operation;

    /// Of every operation on sets, in calls of all kinds, at every alignment; and by every width that the CPU has.
    #[test]
    fn roofs_read_and_write_everything() {
        let boards = Boards::random(64);
        for operation in Operation::all() {
            for offset in [0, 8, 24] {
                if super::all(operation).is_empty() {
                    continue;
                }
                let mut batch = Batch::new(operation, &boards, Order::Same, 256, offset);
                for boards_a_call in [1, 7, 31, 32, 65, 256] {
                    batch.call(boards_a_call);
                    for roof in super::all(operation) {
                        roof.check(&mut batch).unwrap();
                    }
                }
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn narrower_registers_do_the_same() {
        let (a, b) = ([1u64, 2, 3, 4, 5, 6, 7, 8, 9], [16u64; 9]);
        for around in [false, true] {
            for narrow in [super::x86::sse2::<2, 1>, super::x86::avx2::<2, 1>] {
                if narrow as *const () == super::x86::avx2::<2, 1> as *const ()
                    && !is_x86_feature_detected!("avx2")
                {
                    continue;
                }
                let mut xor = [0; 9];
                // SAFETY: nine boards each; AVX2 is detected where it is used.
                unsafe { narrow([a.as_ptr(), b.as_ptr()], [xor.as_mut_ptr()], 9, around) };
                assert_eq!(xor, a.map(|word| word ^ 16));
            }
        }
    }
}
