//! Calls that C can make but the safe methods cannot express: arguments at any address, outputs
//! that are inputs, bytes that are not squares.

use setwise::Kernel;
use setwise::reflection::{Element, OPERATIONS, OperationInfo};

/// A batch operation whose arguments are passed as bytes.
struct Raw {
    operation: &'static OperationInfo,
    /// The number of values of the operation's parameter; 1 if it has none.
    parameters: u8,
    /// The element size of each argument in bytes, inputs first.
    sizes: Vec<usize>,
    inputs: usize,
}

fn operations() -> impl Iterator<Item = Raw> {
    let batches = OPERATIONS.iter().filter(|operation| !operation.by_value());
    batches.map(|operation| {
        let arguments = operation.inputs().iter().chain(operation.outputs());
        Raw {
            operation,
            parameters: operation.parameter().map_or(1, |parameter| parameter.names().len()) as u8,
            sizes: arguments.map(|argument| argument.element().size()).collect(),
            inputs: operation.inputs().len(),
        }
    })
}

/// The usual number of bytes before and after the data. It is odd, so that the data is misaligned.
const MARGIN: usize = 67;

impl Raw {
    /// Makes input data: sparse sets, and arbitrary bytes as squares.
    fn data(&self, boards: usize) -> Vec<Vec<u8>> {
        let mut random = fastrand::Rng::with_seed(7);
        let mut column = |&size: &usize| -> Vec<u8> {
            if size == 1 {
                return (0..boards).map(|_| random.u8(..)).collect();
            }
            let mut sparse = || random.u64(..) & random.u64(..) & random.u64(..);
            let words = boards * size.div_ceil(8);
            (0..words).flat_map(|_| sparse().to_ne_bytes()).collect()
        };
        self.sizes[..self.inputs].iter().map(&mut column).collect()
    }

    /// Runs the operation and returns the outputs, which are written to the buffers with the
    /// indices `to`. The first buffers hold the inputs. Each buffer has a margin on both sides.
    fn run(
        &self,
        table: &Kernel,
        number: u8,
        data: &[Vec<u8>],
        boards: usize,
        to: &[usize],
        margin: usize,
    ) -> Vec<Vec<u8>> {
        let end = |n: usize| margin + self.sizes[n] * boards;
        let mut buffers: Vec<Vec<u8>> =
            (0..self.sizes.len()).map(|n| vec![0xa5; end(n) + margin]).collect();
        for (buffer, data) in buffers.iter_mut().zip(data) {
            let bytes = data.len().min(buffer.len() - 2 * margin);
            buffer[margin..][..bytes].copy_from_slice(&data[..bytes]);
        }
        let before = buffers.clone();
        let addresses: Vec<*mut u8> =
            buffers.iter_mut().map(|bytes| bytes[margin..].as_mut_ptr()).collect();
        let inputs: Vec<*const u8> =
            addresses[..self.inputs].iter().map(|bytes| bytes.cast_const()).collect();
        let outputs: Vec<*mut u8> = to.iter().map(|&n| addresses[n]).collect();
        // SAFETY: each buffer has at least `boards` elements of the argument's size.
        unsafe {
            self.operation.call_raw(table, number, &inputs, &outputs, boards);
        };
        for (n, (bytes, before)) in buffers.iter().zip(&before).enumerate() {
            let output = to.contains(&n);
            let kept = |i| bytes[i] == before[i] || output && (margin..end(n)).contains(&i);
            let place = format!("{table:?}: {}, {boards} boards to {to:?}", self.operation.name());
            assert!((0..bytes.len()).all(kept), "{place}: wrote outside the outputs");
        }
        to.iter().map(|&n| buffers[n][margin..end(n)].to_vec()).collect()
    }

    /// The indices of the buffers that are not inputs.
    fn apart(&self) -> Vec<usize> {
        (self.inputs..self.sizes.len()).collect()
    }
}

/// C may pass any byte as a square or a parameter. Only the low bits count, and no table is read
/// out of bounds.
#[test]
fn only_the_low_bits_of_squares_and_parameters_count() {
    let numbers: Vec<u8> = (64..=255).collect();
    for raw in operations() {
        let mut data = raw.data(numbers.len());
        let inputs = raw.operation.inputs().iter();
        let squares: Vec<bool> = inputs.map(|input| input.element() == Element::Square).collect();
        if raw.parameters == 1 && !squares.contains(&true) {
            continue;
        }
        let mut masked = data.clone();
        for (n, _) in squares.iter().enumerate().filter(|(_, square)| **square) {
            // If an operation takes two squares per board, the two squares differ.
            data[n] =
                numbers.iter().map(|number| number.wrapping_mul(1 + 36 * n as u8) | 64).collect();
            masked[n] = data[n].iter().map(|number| number & 63).collect();
        }
        for kernel in Kernel::available() {
            // A length that is a multiple of every vector length, one that is not, and a short one.
            for boards in [numbers.len(), numbers.len() - 1, 3] {
                for number in 0..=if raw.parameters == 1 { 0 } else { 255 } {
                    let run =
                        |number, data| raw.run(kernel, number, data, boards, &raw.apart(), MARGIN);
                    let (got, expected) =
                        (run(number, &data), run(number % raw.parameters, &masked));
                    assert_eq!(
                        got,
                        expected,
                        "{kernel:?}: {} {number}, {boards} boards",
                        raw.operation.name()
                    );
                }
            }
        }
    }
}

#[test]
fn arguments_need_no_alignment_and_an_output_may_be_an_input() {
    const LONGEST: usize = 194;
    // Lengths with every remainder of a block, with several blocks, and around the chunk lengths of
    // operations that call other entries.
    let lengths: Vec<usize> = (0..=72).chain([127, 128, 129, 133, 191, LONGEST]).collect();
    for raw in operations() {
        let data = raw.data(LONGEST);
        // Any buffer of an output's type may receive the output, but no buffer receives two
        // outputs.
        let mut choices = vec![vec![]];
        for output in raw.apart() {
            let places = (0..raw.sizes.len()).filter(|&n| raw.sizes[n] == raw.sizes[output]);
            let places: Vec<usize> = places.collect();
            let longer = |choice: Vec<usize>| {
                let free = places.iter().filter(|n| !choice.contains(n));
                free.map(|&n| [&choice[..], &[n]].concat()).collect::<Vec<_>>()
            };
            choices = choices.into_iter().flat_map(longer).collect();
        }
        for kernel in Kernel::available() {
            for number in 0..raw.parameters {
                for &boards in &lengths {
                    let expected = raw.run(kernel, number, &data, boards, &raw.apart(), MARGIN);
                    for to in &choices {
                        let got = raw.run(kernel, number, &data, boards, to, MARGIN);
                        assert!(
                            got == expected,
                            "{kernel:?}: {} {number}, {boards} boards to {to:?}",
                            raw.operation.name()
                        );
                    }
                }
            }
        }
    }
}

/// Long batches at every address modulo a cache line. Every output is also an input.
#[test]
fn long_batches_in_place_at_any_address() {
    // The second output of `split` overwrites the occupancy.
    for (name, to) in [("rook_attacks", &[0][..]), ("slider_attacks_split", &[0, 2])] {
        let raw = operations().find(|raw| raw.operation.name() == name).unwrap();
        let data = raw.data(1100);
        for kernel in Kernel::available() {
            let expected = raw.run(kernel, 0, &data, 1100, &raw.apart(), MARGIN);
            for margin in MARGIN..MARGIN + 64 {
                let got = raw.run(kernel, 0, &data, 1100, to, margin);
                assert!(got == expected, "{kernel:?}: {name}, {margin} bytes off");
            }
        }
    }
}
