//! Compares what an evaluator computes with what is right, and draws the first difference.

use std::fmt;

use crate::draw::Drawing;
use crate::operation::{Evaluator, Operation};
use crate::print::hex;

/// Fills the memory around an output, to notice a write outside of it.
const GUARD: u64 = 0x5a5a_c3c3_0ff0_9669;
/// Words of guard on each side: more than any kernel's block of boards.
const MARGIN: usize = 128;

/// A wrong result.
#[derive(Debug)]
pub(crate) struct Mismatch {
    pub(crate) kernel: String,
    pub(crate) operation: Operation,
    /// In which batch and where in it.
    place: String,
    /// The board's inputs, the right result and the wrong one; none if it wrote outside the output.
    board: Option<([u64; 3], u64, u64)>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch {
            kernel,
            operation,
            place,
            ..
        } = self;
        writeln!(f, "{kernel}: {operation} is wrong ({place})")?;
        let Some((inputs, expected, got)) = self.board else {
            return Ok(());
        };
        let [sliders, diagonal, occupied] = inputs.map(hex);
        write!(f, "  sliders {sliders}")?;
        if *operation == Operation::Slider {
            write!(f, "  diagonal {diagonal}")?;
        }
        writeln!(f, "  occupied {occupied}")?;
        writeln!(f, "  expected {}  got {}", hex(expected), hex(got))?;
        let inputs = self.drawn_inputs(inputs);
        let difference = Drawing::difference("* right, + too much, - missing", expected, got);
        f.write_str(&inputs.beside(&difference))
    }
}

impl Mismatch {
    fn drawn_inputs(&self, [sliders, diagonal, occupied]: [u64; 3]) -> Drawing {
        match self.operation {
            Operation::Slider => {
                Drawing::inputs("s rook, d bishop, b both", [sliders, diagonal, occupied])
            }
            Operation::Fill(_) => {
                Drawing::inputs("s generator, o propagator", [sliders, 0, occupied])
            }
            _ => Drawing::inputs("s slider, o occupied", [sliders, 0, occupied]),
        }
    }
}

/// Boards for an operation, each input starting `offset` words and a bit after an allocation, so
/// that vector loads meet every alignment.
pub(crate) struct Batch {
    buffers: [Vec<u64>; 3],
    starts: [usize; 3],
    boards: usize,
    offset: usize,
}

impl Batch {
    pub(crate) fn new(inputs: [&[u64]; 3], offset: usize) -> Batch {
        let starts = [offset, offset + 3, offset + 6].map(|start| start % 8);
        let mut buffers = [const { Vec::new() }; 3];
        for ((buffer, start), input) in buffers.iter_mut().zip(starts).zip(inputs) {
            buffer.resize(start, GUARD);
            buffer.extend_from_slice(input);
        }
        Batch {
            buffers,
            starts,
            boards: inputs[0].len(),
            offset,
        }
    }

    fn inputs(&self) -> [&[u64]; 3] {
        [0, 1, 2].map(|i| &self.buffers[i][self.starts[i]..])
    }

    /// Evaluates all boards as one batch and compares with the right results.
    pub(crate) fn check(
        &self,
        evaluator: &(impl Evaluator + ?Sized),
        operation: Operation,
        expected: &[u64],
    ) -> Result<(), Box<Mismatch>> {
        let mismatch = |place: String, board| {
            Box::new(Mismatch {
                kernel: evaluator.name().to_owned(),
                operation,
                place,
                board,
            })
        };
        let inputs = self.inputs();
        let start = MARGIN + (self.offset + 1) % 8;
        let end = start + self.boards;
        let mut output = vec![GUARD; end + MARGIN];
        evaluator.batch(operation, inputs, &mut output[start..end]);
        let (boards, offset) = (self.boards, self.offset);
        let outside = output[..start].iter().chain(&output[end..]);
        if outside.into_iter().any(|&word| word != GUARD) {
            let place =
                format!("{boards} boards at offset {offset}: wrote outside the output slice");
            return Err(mismatch(place, None));
        }
        for (i, (&got, &right)) in output[start..end].iter().zip(expected).enumerate() {
            if got != right {
                let place = format!("board {i} of {boards} at offset {offset}");
                let board = inputs.map(|input| input[i]);
                return Err(mismatch(place, Some((board, right, got))));
            }
        }
        Ok(())
    }

    /// Evaluates the boards one at a time and compares. Returns how many were compared.
    pub(crate) fn check_each(
        &self,
        evaluator: &(impl Evaluator + ?Sized),
        operation: Operation,
        expected: &[u64],
    ) -> Result<usize, Box<Mismatch>> {
        let inputs = self.inputs();
        for (i, &right) in expected.iter().enumerate() {
            let board = inputs.map(|input| input[i]);
            let Some(got) = evaluator.one(operation, board) else {
                return Ok(0);
            };
            if got != right {
                return Err(Box::new(Mismatch {
                    kernel: evaluator.name().to_owned(),
                    operation,
                    place: "one board by value".into(),
                    board: Some((board, right, got)),
                }));
            }
        }
        Ok(expected.len())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::Batch;
    use crate::operation::{Evaluator, Operation};
    use setwise::Kernels;

    /// A kernel with a mistake in one operation.
    pub(crate) struct Faulty {
        pub(crate) operation: Operation,
        /// The board of a batch whose result is wrong; `None` for a mistake in the one-board form.
        pub(crate) board: Option<usize>,
    }

    impl Evaluator for Faulty {
        fn name(&self) -> &'static str {
            "faulty"
        }

        fn batch(&self, operation: Operation, inputs: [&[u64]; 3], output: &mut [u64]) {
            Kernels::active().batch(operation, inputs, output);
            if operation == self.operation
                && let Some(wrong) = self.board.and_then(|board| output.get_mut(board))
            {
                *wrong ^= 1 << 27;
            }
        }

        fn one(&self, operation: Operation, inputs: [u64; 3]) -> Option<u64> {
            let right = Kernels::active().one(operation, inputs)?;
            let wrong = operation == self.operation && self.board.is_none();
            Some(right ^ (u64::from(wrong) << 27))
        }
    }

    #[test]
    fn a_wrong_board_is_found_and_drawn() {
        let sliders = [1, 2, 4];
        let batch = Batch::new([&sliders, &[0; 3], &[0; 3]], 5);
        let expected = sliders.map(|rook| setwise::board::rook_attacks(rook, 0));
        let rook = Operation::Rook;
        batch.check(Kernels::active(), rook, &expected).unwrap();
        assert_eq!(
            batch
                .check_each(Kernels::active(), rook, &expected)
                .unwrap(),
            3
        );

        let faulty = Faulty {
            operation: rook,
            board: Some(2),
        };
        let mismatch = batch.check(&faulty, rook, &expected).unwrap_err();
        let text = anstream::adapter::strip_str(&mismatch.to_string()).to_string();
        assert!(
            text.contains("faulty: rook_attacks is wrong (board 2 of 3"),
            "{text}"
        );
        assert!(text.contains("4  .  .  *  +  .  .  .  ."), "{text}");

        let faulty = Faulty {
            operation: rook,
            board: None,
        };
        let mismatch = batch.check_each(&faulty, rook, &expected).unwrap_err();
        assert!(mismatch.to_string().contains("one board"));
    }

    #[test]
    fn a_write_next_to_the_output_is_found() {
        struct Overrun;
        impl Evaluator for Overrun {
            fn name(&self) -> &'static str {
                "overrun"
            }
            fn batch(&self, _: Operation, _: [&[u64]; 3], output: &mut [u64]) {
                // SAFETY: the checked output lies in a larger allocation, by design of the check.
                unsafe { *output.as_mut_ptr().add(output.len()) = 0 };
            }
            fn one(&self, _: Operation, _: [u64; 3]) -> Option<u64> {
                None
            }
        }
        let batch = Batch::new([&[], &[], &[]], 0);
        let mismatch = batch.check(&Overrun, Operation::Rook, &[]).unwrap_err();
        assert!(mismatch.to_string().contains("outside"));
    }
}
