//! What several tests need: a stream that delivers few bytes at a time, and a reader of all blocks.

#![allow(dead_code, reason = "no test needs all of it")]

use std::io::{self, Read};

use fastrand::Rng;
use setwise_positions::{Batch, Block, Blocks, Format};

/// The positions of all blocks, and the error of the stream.
pub(crate) fn read_batch(format: Format, mut blocks: Blocks<'_>) -> (Batch, Option<String>) {
    let (mut block, mut batch) = (Block::default(), Batch::default());
    loop {
        match blocks.next(&mut block) {
            Ok(true) => batch.read_block(format, &block),
            Ok(false) => return (batch, None),
            Err(error) => return (batch, Some(error.to_string())),
        }
    }
}

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
