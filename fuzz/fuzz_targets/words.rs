//! Numbers of a fuzzer's input.

/// As many numbers as one wants: the input's in words of eight bytes, over and over, turned by a bit more each time.
pub(crate) struct Words<'a>(pub(crate) &'a [u8]);

impl Words<'_> {
    pub(crate) fn at(&self, number: usize) -> u64 {
        let words = self.0.len().div_ceil(8).max(1);
        let start = self.0.len().min(number % words * 8);
        let some = &self.0[start..self.0.len().min(start + 8)];
        let mut bytes = [0; 8];
        bytes[..some.len()].copy_from_slice(some);
        u64::from_le_bytes(bytes).rotate_left((number / words % 64) as u32)
    }
}
