//! Checks `attack_maps_in_raw_columns`, which is not in the list of operations. It computes attack
//! maps of positions, with one column per set.

use std::ptr::null_mut;

use setwise::Kernel;
use setwise_check::Guarded;
#[cfg(unix)]
use setwise_check::Pages;

use crate::buffers::{LONGEST, TAILS};
use crate::check::{Checked, Plan};

const SETS: usize = 12;
const RESULTS: usize = 16;

/// Compares attack maps in columns with the oracle at every length, at many misalignments, and
/// right before and right after inaccessible pages. Each call asks for a random choice of results.
pub(crate) fn agree(plan: &Plan, kernel: &Kernel) -> Checked {
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
    let expected: &[Vec<u8>; RESULTS] = &std::array::from_fn(|i| column(&expected, i));

    let mut random = fastrand::Rng::with_seed(plan.config.seed);
    let mut guarded: Vec<Guarded> =
        (0..SETS + RESULTS).map(|_| Guarded::new(8 * cases.len())).collect();
    #[cfg(unix)]
    let mut pages: Vec<Pages> = (0..SETS + RESULTS).map(|_| Pages::new(8 * cases.len())).collect();
    let mut compared = 0;
    let long = (TAILS + 1..=LONGEST).step_by(plan.config.budget.long_lengths_every);
    for length in (0..=TAILS).chain(long).filter(|length| *length <= cases.len()) {
        let bytes = 8 * length;
        let empty = vec![0xa5; bytes];
        let before = || inputs.iter().map(|data| &data[..bytes]).chain([&empty[..]; RESULTS]);
        // Calls the kernel on columns at these places. Bit i of `wanted` asks for result i.
        let call = |wanted: u16, places: &[*mut u8]| {
            let sets = std::array::from_fn(|i| places[i].cast_const().cast());
            let results = std::array::from_fn(|i| {
                if wanted >> i & 1 == 1 { places[SETS + i].cast() } else { null_mut() }
            });
            // SAFETY: each place has room for `length` sets, and none overlaps another.
            unsafe { kernel.attack_maps_in_raw_columns(sets, results, length) };
        };
        let after = |wanted: u16| {
            before().zip(0..).map(move |(before, i)| match i {
                SETS.. if wanted >> (i - SETS) & 1 == 1 => &expected[i - SETS][..bytes],
                _ => before,
            })
        };
        let wrong = |wanted: u16, i: usize| {
            Err(format!(
                "attack maps in columns: {length} positions, results {wanted:#018b}: wrong column \
                 {i} of 28, seed {:#x}",
                plan.config.seed
            ))
        };
        for _ in 0..plan.config.budget.misalignments.max(1) {
            let wanted = some(&mut random);
            let places: Vec<*mut u8> = (guarded.iter_mut())
                .zip(before())
                .map(|(guarded, data)| guarded.place(random.usize(..64), data).as_mut_ptr())
                .collect();
            call(wanted, &places);
            for (i, (guarded, expected)) in guarded.iter().zip(after(wanted)).enumerate() {
                if guarded.data() != expected || guarded.written_outside().is_some() {
                    return wrong(wanted, i);
                }
            }
            compared += length as u64;
        }
        #[cfg(unix)]
        for at_end in [true, false] {
            let wanted = some(&mut random);
            let placed = pages.iter_mut().zip(before());
            let mut columns: Vec<&mut [u8]> =
                placed.map(|(pages, data)| pages.place(data, at_end)).collect();
            let places: Vec<*mut u8> = columns.iter_mut().map(|data| data.as_mut_ptr()).collect();
            call(wanted, &places);
            if let Some(i) = columns.iter().zip(after(wanted)).position(|(a, b)| **a != *b) {
                return wrong(wanted, i);
            }
            compared += length as u64;
        }
    }
    Ok(compared)
}

/// A random choice of results, with one bit per result. It has all results, one, all but one, or an
/// arbitrary subset.
fn some(random: &mut fastrand::Rng) -> u16 {
    match random.u8(..4) {
        0 => !0,
        1 => 1 << random.u8(..16),
        2 => !(1 << random.u8(..16)),
        _ => random.u16(..) & random.u16(..),
    }
}
