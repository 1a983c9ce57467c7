//! A copy reads and writes the same number of bytes as an operation, in the widest registers of the
//! CPU. It computes only an exclusive or, so its time shows the limit set by memory.

use crate::buffers::{Buffer, Buffers};
use crate::contender::Contender;
use crate::figures::Kind;
use crate::operation::Operation;
use setwise::reflection::Element;

/// The copy's name in the figures.
pub const NAME: &str = "copy-xor";

/// The copy for an operation on at least two sets. Operations on squares or counts have none.
#[must_use]
pub fn copy(operation: Operation) -> Option<Contender> {
    let mut arguments = operation.inputs.iter().chain(operation.outputs);
    if operation.inputs.len() < 2 || arguments.any(|argument| argument.element() != Element::Set) {
        return None;
    }
    let copy = match (operation.inputs.len(), operation.outputs.len()) {
        (2, 1) => windows::<2, 1>,
        (3, 1) => windows::<3, 1>,
        (4, 1) => windows::<4, 1>,
        (3, 2) => windows::<3, 2>,
        (4, 3) => windows::<4, 3>,
        (5, 2) => windows::<5, 2>,
        (7, 1) => windows::<7, 1>,
        (7, 7) => windows::<7, 7>,
        _ => return None,
    };
    Some(Contender::new(NAME, Kind::Roof, copy))
}

/// Copies each window of a workload.
fn windows<const N: usize, const M: usize>(buffers: &mut Buffers) {
    let windows = buffers.windows();
    let inputs: [&[u64]; N] = std::array::from_fn(|i| buffers.inputs[i].slice());
    let mut outputs = buffers.outputs.iter_mut().map(Buffer::slice_mut::<u64>);
    let mut outputs: [&mut [u64]; M] = std::array::from_fn(|_| outputs.next().expect("counted"));
    for window in windows {
        let inputs = inputs.map(|set| &set[window.clone()]);
        xor(inputs, outputs.each_mut().map(|set| &mut set[window.clone()]));
    }
}

/// Sets every output to the exclusive or of the inputs, eight boards at a time. The compiler
/// vectorises this for the widest registers of the CPU.
#[multiversion::multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn xor<const N: usize, const M: usize>(inputs: [&[u64]; N], outputs: [&mut [u64]; M]) {
    let inputs = inputs.map(<[u64]>::as_chunks::<8>);
    let mut outputs = outputs.map(<[u64]>::as_chunks_mut::<8>);
    for i in 0..inputs[0].0.len() {
        let mut xor = [0; 8];
        for (chunks, _) in &inputs {
            xor = std::array::from_fn(|lane| xor[lane] ^ chunks[i][lane]);
        }
        for (chunks, _) in &mut outputs {
            chunks[i] = xor;
        }
    }
    for i in 0..inputs[0].1.len() {
        let xor = inputs.iter().fold(0, |xor, (_, tail)| xor ^ tail[i]);
        for (_, tail) in &mut outputs {
            tail[i] = xor;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::boards::BoardSet;
    use crate::operation::Operation;
    use crate::workload::{Order, Workload};

    /// Checks the copies of every operation on sets, with several call sizes and alignments.
    #[test]
    fn copies_read_and_write_everything() {
        let boards = BoardSet::random(64);
        let mut checked = 0;
        for operation in Operation::all() {
            let Some(copy) = super::copy(operation) else { continue };
            for offset in [0, 8, 24] {
                let mut workload = Workload::new(operation, &boards, Order::Same, 256, offset);
                for boards_a_call in [1, 7, 31, 32, 65, 256] {
                    workload.call(boards_a_call);
                    copy.check(&mut workload).unwrap();
                    checked += 1;
                }
            }
        }
        assert!(checked > 500);
    }
}
