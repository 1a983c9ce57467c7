//! A stream that delivers few bytes at a time, for several tests.

use std::io::{self, Read};

use fastrand::Rng;

/// A stream whose reads return a random number of bytes below `most`, or are interrupted.
pub(crate) struct Drops<'a> {
    bytes: &'a [u8],
    most: usize,
    random: Rng,
}

impl Drops<'_> {
    pub(crate) fn new(bytes: &[u8], most: usize, seed: u64) -> Drops<'_> {
        let random = Rng::with_seed(seed);
        Drops { bytes, most, random }
    }
}

impl Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.random.u8(..8) == 0 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let count = self.random.usize(1..self.most);
        let count = count.min(self.bytes.len()).min(buffer.len());
        let (bytes, rest) = self.bytes.split_at(count);
        buffer[..count].copy_from_slice(bytes);
        self.bytes = rest;
        Ok(count)
    }
}
