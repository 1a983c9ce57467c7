//! Columns with guard words on both sides.

use std::ops::Range;

use crate::{BatchFn, Boards, Operation, Results, call, compare};

/// The size of a cache line in bytes.
const LINE: usize = 64;
/// The size of the guard words on each side, in bytes. It exceeds one block of a column of sets (at
/// most 64 boards: 512 bytes), but not one chunk of positions (64 positions: 6,144 bytes in, 8,192
/// bytes out).
const MARGIN: usize = 1024;

/// A buffer with guard words before and after its data.
pub struct Guarded {
    words: Vec<u64>,
    data: Range<usize>,
}

impl Guarded {
    /// Makes a buffer with room for `bytes` bytes of data, at any offset from the start of a cache
    /// line.
    pub fn new(bytes: usize) -> Guarded {
        let words = (LINE + MARGIN + LINE + bytes + MARGIN).div_ceil(8);
        Guarded { words: (0..words).map(guard).collect(), data: 0..0 }
    }

    /// Copies the data to `offset` bytes past the start of a cache line, and fills the rest with
    /// guard words.
    ///
    /// # Panics
    /// If the data is longer than the buffer.
    pub fn place(&mut self, offset: usize, data: &[u8]) -> &mut [u8] {
        for (i, word) in self.words.iter_mut().enumerate() {
            *word = guard(i);
        }
        let line = 8 * self.words.as_ptr().align_offset(LINE);
        assert!(line < LINE, "a vector of words must start on a word");
        let start = line + MARGIN + offset % LINE;
        self.data = start..start + data.len();
        assert!(
            self.data.end + MARGIN <= 8 * self.words.len(),
            "the data is longer than the buffer"
        );
        let place = &mut bytemuck::cast_slice_mut(&mut self.words)[self.data.clone()];
        place.copy_from_slice(data);
        place
    }

    /// The data, without the guard words.
    pub fn data(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[self.data.clone()]
    }

    /// Finds an overwritten guard byte, and returns its offset in bytes from the start of the data.
    /// `None` if no guard byte was overwritten.
    pub fn written_outside(&self) -> Option<isize> {
        let bytes: &[u8] = bytemuck::cast_slice(&self.words);
        let Range { start, end } = self.data;
        // Compare whole words first, which is faster than single bytes.
        let words = (0..start / 8).chain(end.div_ceil(8)..self.words.len());
        let mut wrong = words.filter(|&i| self.words[i] != guard(i)).map(|i| 8 * i..8 * i + 8);
        let edges = [start / 8 * 8..start, end..end.next_multiple_of(8)];
        let mut bytes_of = edges.into_iter().chain(wrong.next()).flatten();
        let wrong = bytes_of.find(|&i| bytes[i] != guard(i / 8).to_ne_bytes()[i % 8])?;
        Some(wrong.cast_signed() - start.cast_signed())
    }
}

impl Operation {
    /// Makes a buffer for each argument, with room for `boards` boards.
    pub fn guarded(&self, boards: usize) -> Vec<Guarded> {
        self.arguments().map(|argument| Guarded::new(argument.element().size() * boards)).collect()
    }

    /// Runs a batch function on the boards in `range`, with each argument at its own offset from
    /// the start of a cache line. Checks the results, and that the function wrote nothing else. For
    /// `number`, see [`compare`]. An error is the first wrong board, or names an argument that was
    /// overwritten, or whose guard words were.
    pub fn check_guarded(
        &self,
        (boards, range): (&Boards, Range<usize>),
        (buffers, offsets): (&mut [Guarded], &[usize]),
        (expected, number): (&Results, impl Fn(usize) -> usize),
        batch: BatchFn<'_>,
    ) -> Result<u64, String> {
        let before = boards.memory(self, range.clone());
        let placed = buffers.iter_mut().zip(offsets).zip(&before);
        let placed = placed.map(|((buffer, &offset), data)| buffer.place(offset, data));
        let outputs = call(self, placed, batch);
        let results = compare(self, &boards.cases[range], &outputs, expected, number);
        for (argument, buffer) in self.arguments().zip(&*buffers) {
            if let Some(offset) = buffer.written_outside() {
                return Err(format!("wrote outside `{}`, at byte {offset}", argument.name()));
            }
        }
        if let Some(name) = self.changed_input(before, buffers.iter().map(Guarded::data)) {
            return Err(format!("wrote to the input `{name}`"));
        }
        results.map_err(|mismatch| mismatch.to_string())
    }

    /// The name of the first input whose memory has changed.
    pub fn changed_input<'a>(
        &self,
        before: impl IntoIterator<Item = &'a [u8]>,
        after: impl IntoIterator<Item = &'a [u8]>,
    ) -> Option<&'static str> {
        let mut inputs = self.info.inputs().iter().zip(before).zip(after);
        let changed = inputs.find(|((_, before), after)| before != after);
        changed.map(|((input, _), _)| input.name())
    }
}

/// The guard word at index `n`. No two guard words are equal.
fn guard(n: usize) -> u64 {
    (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::Guarded;

    #[test]
    fn a_write_next_to_the_data_is_found() {
        for (n, offset) in [(0, -1), (16, 16)] {
            let mut guarded = Guarded::new(16);
            guarded.place(3, &[7; 16]);
            assert_eq!(guarded.written_outside(), None);
            let start = guarded.data.start;
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut guarded.words);
            bytes[start + n - usize::from(n == 0)] ^= 1;
            assert_eq!(guarded.written_outside(), Some(offset));
        }
    }
}
