//! Checks attack maps in columns, which are not in the list of operations.

use std::ptr::null_mut;

use setwise::Kernels;
use setwise_check::Guarded;

use crate::buffers::{LONGEST, TAILS};
use crate::check::{Checked, Plan};

const SETS: usize = 12;
const RESULTS: usize = 16;

/// Compares them with the oracle at every length and many misalignments. Each call asks for other
/// results: all, none, one, or any.
pub(crate) fn agree(plan: &Plan, kernel: &Kernels) -> Checked {
    let prepared = plan.operations.iter().find(|op| op.operation.info.name() == "attack_maps");
    let prepared = prepared.expect("the operation whose results are in columns");
    let (cases, _) = plan.random_cases(prepared);
    let cases = &cases[..cases.len().min(LONGEST)];
    let column = |words: &[Vec<u64>], i: usize| -> Vec<u8> {
        words.iter().flat_map(|words| words[i].to_ne_bytes()).collect()
    };
    let inputs: Vec<Vec<u64>> = cases.iter().map(|case| case.inputs(&prepared.operation)).collect();
    let expected: Vec<Vec<u64>> =
        inputs.iter().map(|words| prepared.operation.oracle(words)).collect();
    let inputs: [Vec<u8>; SETS] = std::array::from_fn(|i| column(&inputs, i));
    let expected: [Vec<u8>; RESULTS] = std::array::from_fn(|i| column(&expected, i));

    let mut random = fastrand::Rng::with_seed(plan.config.seed);
    let mut guarded: Vec<Guarded> =
        (0..SETS + RESULTS).map(|_| Guarded::new(8 * cases.len())).collect();
    let mut compared = 0;
    let long = (TAILS + 1..=LONGEST).step_by(plan.config.budget.long_lengths_every);
    for length in (0..=TAILS).chain(long).filter(|length| *length <= cases.len()) {
        for _ in 0..plan.config.budget.misalignments.max(1) {
            let wanted: u16 = match random.u8(..4) {
                0 => !0,
                1 => 1 << random.u8(..16),
                2 => !(1 << random.u8(..16)),
                _ => random.u16(..) & random.u16(..),
            };
            let bytes = 8 * length;
            let empty = vec![0xa5; bytes];
            let data = inputs.iter().map(|data| &data[..bytes]);
            let places: Vec<*mut u8> = (guarded.iter_mut())
                .zip(data.chain([&empty[..]; RESULTS]))
                .map(|(guarded, data)| guarded.place(random.usize(..64), data).as_mut_ptr())
                .collect();
            let sets = std::array::from_fn(|i| places[i].cast_const().cast());
            let results = std::array::from_fn(|i| {
                if wanted >> i & 1 == 1 { places[SETS + i].cast() } else { null_mut() }
            });
            // SAFETY: each place has room for `length` sets, and none overlaps another.
            unsafe { kernel.attack_maps_in_raw_columns(sets, results, length) };
            let unchanged = inputs.iter().map(|data| &data[..bytes]);
            let written = expected.iter().enumerate().map(|(i, expected)| {
                if wanted >> i & 1 == 1 { &expected[..bytes] } else { &empty[..] }
            });
            for (i, (guarded, expected)) in guarded.iter().zip(unchanged.chain(written)).enumerate()
            {
                if guarded.data() != expected || guarded.written_outside().is_some() {
                    return Err(format!(
                        "attack maps in columns: {length} positions, results {wanted:#018b}: \
                         wrong column {i} of 28, seed {:#x}",
                        plan.config.seed
                    ));
                }
            }
            compared += length as u64;
        }
    }
    Ok(compared)
}
