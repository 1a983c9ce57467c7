//! A buffer is an input or output of a workload: a slice at a chosen address. Buffers are filled
//! and compared as words.

use std::ops::Range;

use bytemuck::{CheckedBitPattern, Pod, cast_slice, cast_slice_mut};

/// The page size in bytes. A buffer starts at a chosen offset from the start of a page.
const PAGE: usize = 4096;

/// A buffer of squares (one byte each), counts (four bytes) or sets (eight bytes).
pub(crate) struct Buffer {
    storage: Vec<u64>,
    bytes: Range<usize>,
    size: usize,
}

impl Buffer {
    /// Makes a buffer of `length` elements of `size` bytes each, which starts `offset` bytes after
    /// the start of a page.
    pub(crate) fn new(size: usize, length: usize, offset: usize) -> Buffer {
        let bytes = size * length;
        let storage = vec![0u64; (PAGE + offset + bytes).div_ceil(8)];
        let start = storage.as_ptr().cast::<u8>().align_offset(PAGE) + offset;
        Buffer { storage, bytes: start..start + bytes, size }
    }

    fn bytes(&self) -> &[u8] {
        &cast_slice(&self.storage)[self.bytes.clone()]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut cast_slice_mut(&mut self.storage)[self.bytes.clone()]
    }

    /// Fills an input. Element `i` becomes word `step * i` of the supply, modulo its length, which
    /// must be a power of two.
    pub(crate) fn fill(&mut self, supply: &[u64], step: usize) {
        let mask = supply.len() - 1;
        let word = |i: usize| supply[step.wrapping_mul(i) & mask];
        match self.size {
            1 => (0..).zip(self.bytes_mut()).for_each(|(i, square)| *square = word(i) as u8 % 64),
            _ => (0..).zip(self.slice_mut()).for_each(|(i, set)| *set = word(i)),
        }
    }

    pub(crate) fn poison(&mut self) {
        self.bytes_mut().fill(0xad);
    }

    pub(crate) fn word(&self, i: usize) -> u64 {
        match self.bytes()[self.size * i..][..self.size] {
            [byte] => byte.into(),
            [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]).into(),
            [a, b, c, d, e, f, g, h] => u64::from_ne_bytes([a, b, c, d, e, f, g, h]),
            _ => unreachable!("elements of 1, 4 or 8 bytes"),
        }
    }

    /// The elements of an input.
    pub(crate) fn slice<T: CheckedBitPattern>(&self) -> &[T] {
        assert_eq!(size_of::<T>(), self.size);
        // SAFETY: an input holds sets, for which all bits are valid, or squares, filled with bytes
        // below 64.
        let (before, elements, after) = unsafe { self.bytes().align_to() };
        assert!(before.is_empty() && after.is_empty(), "buffers are aligned for their elements");
        elements
    }

    pub(crate) fn slice_mut<T: Pod>(&mut self) -> &mut [T] {
        assert_eq!(size_of::<T>(), self.size);
        cast_slice_mut(self.bytes_mut())
    }
}

/// The inputs and outputs of a workload, and how they are divided into calls.
pub struct Buffers {
    pub(crate) inputs: Vec<Buffer>,
    pub(crate) outputs: Vec<Buffer>,
    pub(crate) boards: usize,
    pub(crate) boards_a_call: usize,
}

/// The minimum distance between the starts of two calls, in boards. With it, calls of 31 boards
/// have the same alignment as calls of 32, and an iteration makes the same number of both.
const STRIDE: usize = 32;

impl Buffers {
    /// The range of boards for each call. Boards after the last full call are not computed.
    pub(crate) fn windows(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (boards, boards_a_call) = (self.boards, self.boards_a_call);
        (0..boards)
            .step_by(boards_a_call.max(STRIDE))
            .map(move |start| start..start + boards_a_call)
            .take_while(move |window| window.end <= boards)
    }
}

/// Evaluates `$call` for each window (the boards of one call), with the given names bound to the
/// window's slices.
macro_rules! for_windows {
    ($buffers:ident ($($input:ident: $In:ty),*) ($($output:ident: $Out:ty),*) $call:expr) => {{
        let windows = $buffers.windows();
        let mut inputs = $buffers.inputs.iter();
        let mut outputs = $buffers.outputs.iter_mut();
        $(let $input = inputs.next().expect("a buffer per name").slice::<$In>();)*
        $(let $output = outputs.next().expect("a buffer per name").slice_mut::<$Out>();)*
        for window in windows {
            $(let $input = &$input[window.clone()];)*
            $(let $output = &mut $output[window.clone()];)*
            $call;
        }
    }};
}
pub(crate) use for_windows;
