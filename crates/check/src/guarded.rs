//! Columns with guard words on both sides.

use std::ops::Range;

/// The size of a cache line in bytes.
const LINE: usize = 64;
/// The guarded bytes on each side: more than a block of boards of the widest kernel.
const MARGIN: usize = 1024;

/// A buffer of bytes with data between guards.
pub struct Guarded {
    words: Vec<u64>,
    data: Range<usize>,
}

impl Guarded {
    /// A buffer with room for `bytes` bytes at any offset in a cache line.
    pub fn new(bytes: usize) -> Guarded {
        let words = (LINE + MARGIN + LINE + bytes + MARGIN).div_ceil(8);
        Guarded {
            words: (0..words).map(guard).collect(),
            data: 0..0,
        }
    }

    /// Copies data to `offset` bytes after the start of a cache line, and fills the rest with
    /// guards.
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

    /// The data.
    pub fn data(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[self.data.clone()]
    }

    /// The offset of an overwritten guard byte, from the start of the data.
    pub fn written_outside(&self) -> Option<isize> {
        let bytes: &[u8] = bytemuck::cast_slice(&self.words);
        let Range { start, end } = self.data;
        // Whole words first, which is faster.
        let words = (0..start / 8).chain(end.div_ceil(8)..self.words.len());
        let mut wrong = words
            .filter(|&i| self.words[i] != guard(i))
            .map(|i| 8 * i..8 * i + 8);
        let edges = [start / 8 * 8..start, end..end.next_multiple_of(8)];
        let mut bytes_of = edges.into_iter().chain(wrong.next()).flatten();
        let at = bytes_of.find(|&i| bytes[i] != guard(i / 8).to_ne_bytes()[i % 8])?;
        Some(at.cast_signed() - start.cast_signed())
    }
}

/// The guard word at an index. All are different.
fn guard(n: usize) -> u64 {
    (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::Guarded;

    #[test]
    fn a_write_next_to_the_data_is_found() {
        for (n, at) in [(0, -1), (16, 16)] {
            let mut guarded = Guarded::new(16);
            guarded.place(3, &[7; 16]);
            assert_eq!(guarded.written_outside(), None);
            let start = guarded.data.start;
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut guarded.words);
            bytes[start + n - usize::from(n == 0)] ^= 1;
            assert_eq!(guarded.written_outside(), Some(at));
        }
    }
}
