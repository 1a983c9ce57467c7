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

/// Bytes before and after the data. The number is odd, so that the data is misaligned.
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
    /// indices `to`. The first buffers hold the inputs. All buffers are misaligned.
    fn run(
        &self,
        table: &Kernel,
        number: u8,
        data: &[Vec<u8>],
        boards: usize,
        to: &[usize],
    ) -> Vec<Vec<u8>> {
        let end = |n: usize| MARGIN + self.sizes[n] * boards;
        let mut buffers: Vec<Vec<u8>> =
            (0..self.sizes.len()).map(|n| vec![0xa5; end(n) + MARGIN]).collect();
        for (buffer, data) in buffers.iter_mut().zip(data) {
            let bytes = data.len().min(buffer.len() - 2 * MARGIN);
            buffer[MARGIN..][..bytes].copy_from_slice(&data[..bytes]);
        }
        let before = buffers.clone();
        let addresses: Vec<*mut u8> =
            buffers.iter_mut().map(|bytes| bytes[MARGIN..].as_mut_ptr()).collect();
        let inputs: Vec<*const u8> =
            addresses[..self.inputs].iter().map(|bytes| bytes.cast_const()).collect();
        let outputs: Vec<*mut u8> = to.iter().map(|&n| addresses[n]).collect();
        // SAFETY: each buffer has at least `boards` elements of the argument's size.
        unsafe {
            self.operation.call_raw(table, number, &inputs, &outputs, boards);
        };
        for (n, (bytes, before)) in buffers.iter().zip(&before).enumerate() {
            let output = to.contains(&n);
            let kept = |i| bytes[i] == before[i] || output && (MARGIN..end(n)).contains(&i);
            let place = format!("{table:?}: {}, {boards} boards to {to:?}", self.operation.name());
            assert!((0..bytes.len()).all(kept), "{place}: wrote outside the outputs");
        }
        to.iter().map(|&n| buffers[n][MARGIN..end(n)].to_vec()).collect()
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
        for kernels in Kernel::available() {
            // A length that is a multiple of every vector length, one that is not, and a short one.
            for boards in [numbers.len(), numbers.len() - 1, 3] {
                for number in 0..=if raw.parameters == 1 { 0 } else { 255 } {
                    let run = |number, data| raw.run(kernels, number, data, boards, &raw.apart());
                    let (got, expected) =
                        (run(number, &data), run(number % raw.parameters, &masked));
                    assert_eq!(
                        got,
                        expected,
                        "{kernels:?}: {} {number}, {boards} boards",
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
        for kernels in Kernel::available() {
            for number in 0..raw.parameters {
                for &boards in &lengths {
                    let expected = raw.run(kernels, number, &data, boards, &raw.apart());
                    for to in &choices {
                        let got = raw.run(kernels, number, &data, boards, to);
                        assert!(
                            got == expected,
                            "{kernels:?}: {} {number}, {boards} boards to {to:?}",
                            raw.operation.name()
                        );
                    }
                }
            }
        }
    }
}

/// Bytes per cache line.
const LINE: usize = 64;

/// Long batches at every address modulo a cache line. Both outputs are also inputs.
#[test]
fn long_batches_in_place_at_any_address() {
    let split = OperationInfo::by_name("slider_attacks_split").unwrap();
    let mut random = fastrand::Rng::with_seed(64);
    let boards = 1100;
    let sets: [Vec<u64>; 3] =
        std::array::from_fn(|_| (0..boards).map(|_| random.u64(..) & random.u64(..)).collect());
    let [rooks, bishops, occupied] = &sets;
    let mut expected = [vec![0; boards], vec![0; boards]];
    let [first, second] = &mut expected;
    let scalar = Kernel::by_name("scalar").unwrap();
    scalar.slider_attacks_split(rooks, bishops, occupied, first, second);

    for kernel in Kernel::available() {
        for off in 0..LINE {
            // The first output overwrites the rooks, the second the occupancy.
            let mut places = [rooks, occupied].map(|set| {
                let mut place = vec![0xa5_u8; 8 * boards + 3 * LINE];
                let start = place.as_ptr().align_offset(LINE) + off;
                place[start..start + 8 * boards].copy_from_slice(bytemuck::cast_slice(set));
                (place, start)
            });
            let [a, b] = places.each_mut().map(|(place, start)| place[*start..].as_mut_ptr());
            let inputs = [a.cast_const(), bishops.as_ptr().cast(), b.cast_const()];
            // SAFETY: all pointers are valid for `boards` elements, and an output may be an input.
            unsafe { split.call_raw(kernel, 0, &inputs, &[a, b], boards) };
            for ((place, start), expected) in places.iter().zip(&expected) {
                let end = start + 8 * boards;
                let name = kernel.name();
                assert!(
                    place[*start..end] == *bytemuck::cast_slice::<_, u8>(expected),
                    "{name}, {off} bytes off"
                );
                let around = place[..*start].iter().chain(&place[end..]);
                assert!(around.copied().all(|byte| byte == 0xa5), "{name}, {off} bytes off");
            }
        }
    }
}
