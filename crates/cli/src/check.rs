//! Compares what an evaluator computes with what is right, and draws the first difference.

use std::fmt::Write as _;

use crate::draw::Drawing;
use crate::operation::{Evaluator, Operation};
use crate::print::hex;

/// Fills the memory around an output, to notice a write outside of it.
const GUARD: u64 = 0x5a5a_c3c3_0ff0_9669;
/// Words of guard on each side: more than any kernel's block of boards.
const MARGIN: usize = 128;

/// Draws a board with a wrong output.
fn draw(operation: &Operation, inputs: &[u64], output: &str, expected: u64, got: u64) -> String {
    let sets = inputs.iter().zip(operation.inputs).map(|(&word, name)| {
        let is_square = ["squares", "a", "b"].contains(name);
        if is_square { 1 << word } else { word }
    });
    let sets: Vec<u64> = sets.collect();
    let mut text = String::new();
    for (i, (name, &set)) in operation.inputs.iter().zip(&sets).enumerate() {
        let _ = write!(text, "  {} {name} {}", i + 1, hex(set));
    }
    let (right, wrong) = (hex(expected), hex(got));
    let _ = writeln!(text, "\n  {output}: expected {right}  got {wrong}");
    let difference = Drawing::difference("* right, + too much, - missing", expected, got);
    text + &Drawing::inputs("the first input there", &sets).beside(&difference)
}

/// Boards for an operation, and what is right.
pub(crate) struct Case {
    pub(crate) operation: Operation,
    /// For each input a word a board.
    pub(crate) inputs: Vec<Vec<u64>>,
    /// For each board its outputs.
    pub(crate) expected: Vec<Vec<u64>>,
}

impl Case {
    /// All boards of the inputs, and what is right for each.
    pub(crate) fn new(
        operation: Operation,
        inputs: Vec<Vec<u64>>,
        right: impl Fn(&Operation, &[u64]) -> Vec<u64>,
    ) -> Case {
        let board = |i| inputs.iter().map(|words| words[i]).collect::<Vec<_>>();
        let boards = 0..inputs[0].len();
        let expected = boards.map(|i| right(&operation, &board(i))).collect();
        Case {
            operation,
            inputs,
            expected,
        }
    }

    /// Evaluates all boards as one batch and compares with the right results. Returns how many were compared, or tells and draws a wrong one.
    ///
    /// Each column starts `offset` elements and a bit after an allocation, so that vector loads meet every alignment.
    pub(crate) fn check(
        &self,
        evaluator: &(impl Evaluator + ?Sized),
        offset: usize,
    ) -> Result<usize, String> {
        let (operation, expected) = (&self.operation, &self.expected);
        let boards = expected.len();
        let mismatch = |place: String, drawing: &str| {
            let (name, title) = (evaluator.name(), &operation.title);
            Err(format!("{name}: {title} is wrong ({place})\n{drawing}"))
        };
        let shifted = |(i, words)| [&[GUARD; 8][..(offset + 3 * i) % 8], words].concat();
        let buffers: Vec<_> = self
            .inputs
            .iter()
            .map(Vec::as_slice)
            .enumerate()
            .map(shifted)
            .collect();
        let inputs: Vec<_> = buffers
            .iter()
            .map(|buffer| &buffer[buffer.len() - boards..])
            .collect();
        let start = MARGIN + (offset + 1) % 8;
        let end = start + boards;
        let mut outputs = vec![vec![GUARD; end + MARGIN]; operation.outputs.len()];
        let mut slices: Vec<_> = outputs
            .iter_mut()
            .map(|output| &mut output[start..end])
            .collect();
        evaluator.evaluate(operation, &inputs, &mut slices);
        for (n, (output, name)) in outputs.iter().zip(operation.outputs).enumerate() {
            let mut outside = output[..start].iter().chain(&output[end..]);
            if outside.any(|&word| word != GUARD) {
                let place =
                    format!("{boards} boards at offset {offset}: wrote outside the output slice");
                return mismatch(place, "");
            }
            for (i, (&got, right)) in output[start..end].iter().zip(expected).enumerate() {
                if got != right[n] {
                    let place = format!("board {i} of {boards} at offset {offset}");
                    let inputs: Vec<u64> = inputs.iter().map(|input| input[i]).collect();
                    return mismatch(place, &draw(operation, &inputs, name, right[n], got));
                }
            }
        }
        Ok(boards)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::Case;
    use crate::operation::{Evaluator, Inputs, Operation, Outputs};
    use setwise::Kernels;

    /// A kernel with a mistake in one operation, in the last output of one board.
    pub(crate) struct Faulty {
        pub(crate) operation: Operation,
        pub(crate) board: usize,
    }

    impl Evaluator for Faulty {
        fn name(&self) -> &'static str {
            "faulty"
        }

        fn evaluate(&self, operation: &Operation, inputs: Inputs, outputs: Outputs) {
            Kernels::active().evaluate(operation, inputs, outputs);
            if operation.title == self.operation.title
                && let Some(wrong) = outputs
                    .last_mut()
                    .and_then(|output| output.get_mut(self.board))
            {
                *wrong ^= 1 << 27;
            }
        }
    }

    #[test]
    fn a_wrong_board_is_found_and_drawn() {
        let sliders = [1, 2, 4];
        for name in ["rook_attacks", "rook_attacks_one"] {
            let operation = Operation::named(name);
            let inputs = vec![sliders.into(), vec![0; 3]];
            let case = Case::new(operation.clone(), inputs, |_, inputs| {
                vec![setwise::board::rook_attacks(inputs[0], inputs[1])]
            });
            assert_eq!(case.check(Kernels::active(), 5).unwrap(), 3);

            let faulty = Faulty {
                operation,
                board: 2,
            };
            let mismatch = case.check(&faulty, 5).unwrap_err();
            let text = anstream::adapter::strip_str(&mismatch).to_string();
            assert!(
                text.contains(&format!("faulty: {name} is wrong (board 2 of 3")),
                "{text}"
            );
            assert!(text.contains("4  .  .  *  +  .  .  .  ."), "{text}");
        }
    }

    #[test]
    fn a_write_next_to_the_output_is_found() {
        struct Overrun;
        impl Evaluator for Overrun {
            fn name(&self) -> &'static str {
                "overrun"
            }
            fn evaluate(&self, _: &Operation, _: Inputs, outputs: Outputs) {
                let output = &mut *outputs[0];
                // SAFETY: the checked output lies in a larger allocation, by design of the check.
                unsafe { *output.as_mut_ptr().add(output.len()) = 0 };
            }
        }
        let operation = Operation::named("rook_attacks");
        let case = Case::new(operation, vec![vec![]; 2], Operation::oracle);
        let mismatch = case.check(&Overrun, 0).unwrap_err();
        assert!(mismatch.contains("outside"));
    }
}
