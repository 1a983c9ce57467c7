//! Every length from every misalignment, with guard words on both sides of every buffer.

use crate::check::{Batch, Checked, Plan, Prepared, columns, drawn};

/// The boards in one block of the widest kernel.
const BLOCK: usize = 64;
/// Lengths up to four blocks and one board more: every tail after every number of blocks.
pub(crate) const LONGEST: usize = 4 * BLOCK + 1;
/// Lengths up to a block and a vector: every tail.
pub(crate) const TAILS: usize = BLOCK + 8;
/// A 64-byte line: the start of a buffer is tried on each of its words. (A `&[u64]` is never
/// misaligned by less than a word.)
const LINE: usize = 8;

/// A buffer between guard words.
struct Guarded {
    words: Vec<u64>,
    /// What the words are where there is no data: no two in a neighbourhood are alike.
    guards: Vec<u64>,
    /// The first word of a line, a block behind the first guard.
    line: usize,
}

impl Guarded {
    fn new() -> Guarded {
        let guard = |n: u64| (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let length = LINE + BLOCK + LINE + LONGEST + BLOCK;
        let guards: Vec<u64> = (0..length as u64).map(guard).collect();
        let words = guards.clone();
        let line = words.as_ptr().align_offset(64);
        assert!(line < LINE, "a vector of words starts on a word");
        Guarded {
            words,
            guards,
            line: line + BLOCK,
        }
    }

    /// Puts the data `offset` words after the start of a line, and guards everywhere else.
    fn place(&mut self, offset: usize, data: &[u64]) {
        self.words.copy_from_slice(&self.guards);
        self.data(offset, data.len()).copy_from_slice(data);
    }

    fn data(&mut self, offset: usize, length: usize) -> &mut [u64] {
        let start = self.line + offset;
        &mut self.words[start..start + length]
    }

    /// Where the buffer is not this data between whole guards, in words from the data's start.
    fn differs_from(&self, offset: usize, data: &[u64]) -> Option<isize> {
        let start = self.line + offset;
        let end = start + data.len();
        let parts = [
            (0, &self.words[..start], &self.guards[..start]),
            (start, &self.words[start..end], data),
            (end, &self.words[end..], &self.guards[end..]),
        ];
        parts.into_iter().find_map(|(from, got, expected)| {
            if got == expected {
                return None;
            }
            let index = (0..got.len()).find(|&index| got[index] != expected[index])?;
            Some((from + index).cast_signed() - start.cast_signed())
        })
    }
}

/// Every length, each from some misalignments: of the 512 ways to place two inputs (a third
/// goes with them) and an output, as many as the budget says, others at each length.
pub(crate) fn every_length(plan: &Plan, prepared: &Prepared, batch: Batch) -> Checked {
    let operation = &prepared.operation;
    let (cases, expected) = plan.random_cases(prepared);
    let columns = columns(operation, &cases);
    let mut buffers: Vec<Guarded> = columns.iter().map(|_| Guarded::new()).collect();
    let mut output = Guarded::new();
    let (mut boards, mut call) = (0, 0);
    let long = (TAILS + 1..=LONGEST).step_by(plan.config.budget.long_lengths_every);
    for length in (0..=TAILS).chain(long) {
        for _ in 0..plan.config.budget.misalignments {
            // 211 is odd, so 512 calls in a row go through all placements.
            let placement = call * 211 % 512;
            let offset = |n: usize| (placement >> (3 * (n % 3)) & 7) ^ (n / 3 * 5);
            let from = call * 31 % (cases.len() - LONGEST);
            call += 1;

            let inputs: Vec<&[u64]> = columns.iter().map(|c| &c[from..from + length]).collect();
            for (n, buffer) in buffers.iter_mut().enumerate() {
                buffer.place(offset(n + 1), inputs[n]);
            }
            output.place(offset(0), &vec![0xdead_beef_dead_beef; length]);
            let placed = buffers.iter_mut().enumerate();
            let placed: Vec<&[u64]> = placed
                .map(|(n, buffer)| &*buffer.data(offset(n + 1), length))
                .collect();
            batch(&placed, output.data(offset(0), length));

            let expected = &expected[from..from + length];
            let place = || {
                let offsets: Vec<usize> = (0..=inputs.len()).map(offset).collect();
                format!(
                    "{}, {length} boards, output and inputs {offsets:?} words into a 64-byte line",
                    operation.title()
                )
            };
            for (n, buffer) in buffers.iter().enumerate() {
                if let Some(at) = buffer.differs_from(offset(n + 1), inputs[n]) {
                    let (name, _) = operation.inputs[n];
                    return Err(format!(
                        "{}: wrote to the input `{name}` at word {at}",
                        place()
                    ));
                }
            }
            match output.differs_from(offset(0), expected) {
                Some(at) if at < 0 || at >= length.cast_signed() => {
                    return Err(format!(
                        "{}: wrote outside the output, at word {at}",
                        place()
                    ));
                }
                Some(at) => {
                    let at = at.cast_unsigned();
                    let got = output.data(offset(0), length)[at];
                    let inputs: Vec<u64> = inputs.iter().map(|input| input[at]).collect();
                    let drawn = drawn(operation, &inputs, got, expected[at]);
                    return Err(format!("{}, board {at}:\n{drawn}", place()));
                }
                None => boards += length as u64,
            }
        }
    }
    Ok(boards)
}
