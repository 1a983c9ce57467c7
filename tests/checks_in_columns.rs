//! Checks of positions in columns, by every kernel, against the oracle.

use std::ptr::null_mut;

use setwise::Kernel;
use setwise::position::{CheckColumns, Checks, Position, PositionColumns};
use setwise_check::oracle;

/// Elements before and after everything that is written.
const GUARD: usize = 8;
const UNTOUCHED: u64 = 0xa5a5_5a5a_a5a5_5a5a;

/// Positions of any density. Few have sliders only near the kings, so that there are many pins.
fn any_positions(count: usize) -> Vec<Position> {
    let mut random = fastrand::Rng::with_seed(11);
    let mut any = |_| {
        let mut position = Position::default();
        for _ in 0..random.u32(2..40) {
            let square = 1 << random.u32(..64);
            if position.occupied() & square == 0 || random.u32(..50) == 0 {
                position.pieces[random.usize(..2)][random.usize(..5)] |= square;
            }
        }
        for sets in &mut position.pieces {
            // Sometimes none or two.
            for _ in 0..[0, 1, 1, 1, 1, 1, 1, 2][random.usize(..8)] {
                sets[5] |= 1 << random.u32(..64);
            }
        }
        position
    };
    (0..count).map(&mut any).collect()
}

fn words(checks: &Checks) -> [u64; 6] {
    bytemuck::cast(*checks)
}

#[test]
fn all_results_of_many_positions() {
    let positions = any_positions(5000);
    let expected: Vec<[u64; 6]> = positions.iter().map(|p| words(&oracle::checks(p))).collect();
    for word in 0..6 {
        let some = expected.iter().filter(|words| words[word] != 0).count();
        assert!(some > 500, "result {word}: {some} of {}", expected.len());
    }
    let sets: [Vec<u64>; 12] =
        std::array::from_fn(|n| positions.iter().map(|p| p.pieces.as_flattened()[n]).collect());
    let pieces = [0, 6].map(|first| std::array::from_fn(|kind| sets[first + kind].as_slice()));
    for kernel in Kernel::available() {
        let mut results: [Vec<u64>; 6] = std::array::from_fn(|_| vec![UNTOUCHED; positions.len()]);
        let [a, b, c, d, e, f] = results.each_mut().map(|set| Some(set.as_mut_slice()));
        let mut checks = CheckColumns { checkers: [a, b], pinned: [c, d], pinners: [e, f] };
        kernel.checks_in_columns(&PositionColumns { pieces }, &mut checks);
        for (i, expected) in expected.iter().enumerate() {
            let found: [u64; 6] = std::array::from_fn(|word| results[word][i]);
            assert_eq!(found, *expected, "{}, {i}: {:?}", kernel.name(), positions[i]);
        }
    }
}

/// Every length up to three chunks, at addresses that are not aligned, with each result and with
/// each pair of results absent. Nothing else is written.
#[test]
fn lengths_addresses_and_absent_results() {
    let positions = any_positions(200);
    let expected: Vec<[u64; 6]> = positions.iter().map(|p| words(&oracle::checks(p))).collect();
    let by = 3;
    let moved: [Vec<u8>; 12] = std::array::from_fn(|n| {
        let sets = positions.iter().flat_map(|p| p.pieces.as_flattened()[n].to_ne_bytes());
        [0; 3].into_iter().chain(sets).collect()
    });
    for kernel in Kernel::available() {
        for count in (0..=200).filter(|count| count % 5 == 0 || count % 64 < 3) {
            for absent in 0..64_u8 {
                // All choices of one chunk, few of other lengths.
                if count != 65 && absent.count_ones() > 1 && usize::from(absent) != count % 64 {
                    continue;
                }
                let mut results: [Vec<u8>; 6] =
                    std::array::from_fn(|_| UNTOUCHED.to_ne_bytes().repeat(200 + 2 * GUARD));
                let mut word = 0;
                let to = results.each_mut().map(|result| {
                    word += 1;
                    if absent >> (word - 1) & 1 == 1 {
                        null_mut()
                    } else {
                        result[8 * GUARD + by..].as_mut_ptr().cast()
                    }
                });
                let from = moved.each_ref().map(|set| set[by..].as_ptr().cast());
                // SAFETY: the inputs have 200 sets, and so have the results that are there.
                unsafe { kernel.checks_in_raw_columns(from, to, count) };
                for (word, result) in results.iter().enumerate() {
                    let mut right = UNTOUCHED.to_ne_bytes().repeat(200 + 2 * GUARD);
                    if absent >> word & 1 == 0 {
                        for (i, words) in expected[..count].iter().enumerate() {
                            right[8 * (GUARD + i) + by..][..8]
                                .copy_from_slice(&words[word].to_ne_bytes());
                        }
                    }
                    assert!(*result == right, "{}, {count}, {absent}, {word}", kernel.name());
                }
            }
        }
    }
}

/// Gives each column in turn a length that differs from that of all others.
#[test]
fn all_columns_have_the_same_length() {
    let call = |wrong: usize| {
        let length = |i: usize| if i == wrong { 2 } else { 3 };
        let sets: [Vec<u64>; 12] = std::array::from_fn(|i| vec![0; length(i)]);
        let mut results: [Vec<u64>; 6] = std::array::from_fn(|i| vec![0; length(12 + i)]);
        let pieces = [0, 6].map(|first| std::array::from_fn(|kind| sets[first + kind].as_slice()));
        let [a, b, c, d, e, f] = results.each_mut().map(|set| Some(set.as_mut_slice()));
        let mut checks = CheckColumns { checkers: [a, b], pinned: [c, d], pinners: [e, f] };
        Kernel::of_target().checks_in_columns(&PositionColumns { pieces }, &mut checks);
    };
    for wrong in 0..18 {
        assert!(std::panic::catch_unwind(|| call(wrong)).is_err(), "column {wrong}");
    }
    call(18);
}
