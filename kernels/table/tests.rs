//! Of every entry of the table: what the safe methods cannot ask of it, and C can.

use std::ffi::c_void;

use super::Kernels;
use crate::{AttackMaps, Checks, Position, operations};

/// An entry for batches, whatever its arguments.
struct Entry {
    name: &'static str,
    /// How many numbers there are of its direction or line; 1 if it has none.
    numbers: u8,
    /// Bytes of an element of each argument, the inputs first.
    sizes: Vec<usize>,
    inputs: usize,
    /// Calls it with a number, the arguments and how many boards there are. Unsafe as the entry is.
    call: unsafe fn(&Kernels, u8, &[*mut c_void], usize),
}

/// `$a`, once for each `$b`.
macro_rules! first {
    ($a:expr, $b:ident) => {
        $a
    };
}

macro_rules! entries {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$index:ident: $Index:ident])? ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*) = $body:ident;
    )* })*) => {
        fn entries() -> Vec<Entry> {
            let mut entries = vec![];
            $($(add! { entries $group $name [$($Index)?] [$($In)*] [$($Out)*] })*)*
            entries
        }
    };
}

macro_rules! add {
    // By value, one board: there is nothing to ask.
    ($entries:ident one $($rest:tt)*) => {};
    ($entries:ident $group:ident $name:ident [$($Index:ident)?] [$($In:ident)*] [$($Out:ident)*]) => {
        let inputs = [$(size_of::<raw!($In)>()),*];
        $entries.push(Entry {
            name: stringify!($name),
            numbers: 1 $(* crate::$Index::ALL.len() as u8)?,
            sizes: inputs.into_iter().chain([$(size_of::<raw!($Out)>()),*]).collect(),
            inputs: inputs.len(),
            call: |table, _number, at, boards| {
                let mut at = at.iter();
                let mut next = || *at.next().unwrap();
                // SAFETY: the caller's contract.
                unsafe {
                    (table.$name)(
                        $(first!(_number, $Index),)?
                        $(next().cast::<raw!($In)>().cast_const(),)*
                        $(next().cast::<raw!($Out)>(),)*
                        boards,
                    );
                }
            },
        });
    };
}

operations!(all entries);

/// The bytes before and after the data, an odd number before.
const MARGIN: usize = 67;

impl Entry {
    /// Inputs for so many boards: sparse sets, and any bytes where squares are asked for.
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

    /// Its outputs: from inputs in the first buffers, which are at odd addresses, to buffers by their numbers.
    fn run(
        &self,
        table: &Kernels,
        number: u8,
        data: &[Vec<u8>],
        boards: usize,
        to: &[usize],
    ) -> Vec<Vec<u8>> {
        let end = |n: usize| MARGIN + self.sizes[n] * boards;
        let mut buffers: Vec<Vec<u8>> = (0..self.sizes.len())
            .map(|n| vec![0xa5; end(n) + MARGIN])
            .collect();
        for (buffer, data) in buffers.iter_mut().zip(data) {
            let bytes = data.len().min(buffer.len() - 2 * MARGIN);
            buffer[MARGIN..][..bytes].copy_from_slice(&data[..bytes]);
        }
        let before = buffers.clone();
        let at: Vec<_> = buffers
            .iter_mut()
            .map(|bytes| bytes[MARGIN..].as_mut_ptr().cast())
            .collect();
        let outputs = to.iter().map(|&n| at[n]);
        let arguments: Vec<_> = at[..self.inputs].iter().copied().chain(outputs).collect();
        // SAFETY: the arguments are of the entry's sizes and have at least so many elements; the kernel is available.
        unsafe { (self.call)(table, number, &arguments, boards) };
        for (n, (bytes, before)) in buffers.iter().zip(&before).enumerate() {
            let output = to.contains(&n);
            let kept = |i| bytes[i] == before[i] || output && (MARGIN..end(n)).contains(&i);
            let place = format!("{table:?}: {}, {boards} boards to {to:?}", self.name);
            assert!((0..bytes.len()).all(kept), "{place}: writes elsewhere");
        }
        to.iter()
            .map(|&n| buffers[n][MARGIN..end(n)].to_vec())
            .collect()
    }

    /// The buffers of outputs of their own.
    fn apart(&self) -> Vec<usize> {
        (self.inputs..self.sizes.len()).collect()
    }
}

/// C passes any byte: the low six bits are the square, and nothing is read beyond 64 squares' worth of tables; of
/// a direction the low three bits count, and of a line the low two.
#[test]
fn of_numbers_only_the_low_bits_count() {
    let numbers: Vec<u8> = (64..=255).collect();
    for entry in entries() {
        let mut data = entry.data(numbers.len());
        let squares = entry.sizes[..entry.inputs].iter().map(|&size| size == 1);
        let squares: Vec<bool> = squares.collect();
        if entry.numbers == 1 && !squares.contains(&true) {
            continue;
        }
        let mut masked = data.clone();
        for (n, _) in squares.iter().enumerate().filter(|(_, square)| **square) {
            // Two squares of a board are any two.
            data[n] = numbers
                .iter()
                .map(|number| number.wrapping_mul(1 + 36 * n as u8) | 64)
                .collect();
            masked[n] = data[n].iter().map(|number| number & 63).collect();
        }
        for kernels in Kernels::available() {
            // A whole number of any vectors, one of no vectors, and few.
            for boards in [numbers.len(), numbers.len() - 1, 3] {
                for number in 0..=if entry.numbers == 1 { 0 } else { 255 } {
                    let run =
                        |number, data| entry.run(kernels, number, data, boards, &entry.apart());
                    let (got, expected) =
                        (run(number, &data), run(number % entry.numbers, &masked));
                    assert_eq!(
                        got, expected,
                        "{kernels:?}: {} {number}, {boards} boards",
                        entry.name
                    );
                }
            }
        }
    }
}

/// What slices cannot express and the table's contract allows: arguments at any byte, and outputs that are inputs.
#[test]
fn arguments_may_be_anywhere_and_an_output_may_be_an_input() {
    const LONGEST: usize = 194;
    // All tails of a block; some blocks; and of the chunks of the composed operations.
    let lengths: Vec<usize> = (0..=72).chain([127, 128, 129, 133, 191, LONGEST]).collect();
    for entry in entries() {
        let data = entry.data(LONGEST);
        // For each output any buffer of its type, but not one for two.
        let mut choices = vec![vec![]];
        for output in entry.apart() {
            let places = (0..entry.sizes.len()).filter(|&n| entry.sizes[n] == entry.sizes[output]);
            let places: Vec<usize> = places.collect();
            let longer = |choice: Vec<usize>| {
                let free = places.iter().filter(|n| !choice.contains(n));
                free.map(|&n| [&choice[..], &[n]].concat())
                    .collect::<Vec<_>>()
            };
            choices = choices.into_iter().flat_map(longer).collect();
        }
        for kernels in Kernels::available() {
            for number in 0..entry.numbers {
                for &boards in &lengths {
                    let expected = entry.run(kernels, number, &data, boards, &entry.apart());
                    for to in &choices {
                        let got = entry.run(kernels, number, &data, boards, to);
                        assert!(
                            got == expected,
                            "{kernels:?}: {} {number}, {boards} boards to {to:?}",
                            entry.name
                        );
                    }
                }
            }
        }
    }
}
