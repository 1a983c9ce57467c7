//! Compares every batch operation on several threads with the same operation on one thread. The
//! lengths cover all ways in which `par` splits a batch.

use setwise::{Kernel, par};
use setwise_check::{Case, Operation, call};

/// Batch lengths with zero, one or several full chunks (at least 4,096 boards each), with and
/// without a remainder.
const LENGTHS: [usize; 8] = [0, 1, 4095, 4096, 4097, 8192, 20_001, 70_000];

fn check(operation: &Operation, threads: &[usize]) {
    let mut rng = fastrand::Rng::with_seed(8);
    for boards in LENGTHS {
        let cases: Vec<Case> = (0..boards).map(|_| Case::random(&mut || rng.u64(..))).collect();
        let mut expected = operation.columns(&cases);
        let unwritten = expected.clone();
        call(operation, &mut expected, &|inputs, outputs| {
            operation.info.call(Kernel::active(), operation.parameter, inputs, outputs);
        });
        for &threads in threads {
            let mut columns = unwritten.clone();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            call(operation, &mut columns, &|inputs, outputs| {
                pool.install(|| par::call(operation.info, operation.parameter, inputs, outputs));
            });
            assert!(columns == expected, "{boards} boards, {threads} threads");
        }
    }
}

#[test]
fn every_operation() {
    for operation in Operation::all().filter(|operation| !operation.info.by_value()) {
        check(&operation, &[1, 2, 3]);
    }
}

/// Tests batches that use non-temporal stores.
#[test]
fn streaming() {
    let before = setwise::streaming_threshold();
    setwise::set_streaming_threshold(0);
    for name in ["rook_attacks", "slider_attacks_split", "rook_mobility"] {
        check(&Operation::named(name).unwrap(), &[2, 3]);
    }
    setwise::set_streaming_threshold(before);
}

/// Tests functions of `par` that take sets, squares or a side.
#[test]
fn typed_functions() {
    use setwise::{Side, Square};
    let boards = 10_000;
    let (sets, squares) = (vec![1 << 27; boards], vec![Square::D4; boards]);
    let (mut by_one, mut by_many) = (vec![0; boards], vec![0; boards]);
    setwise::rook_attacks(&sets, &sets, &mut by_one);
    par::rook_attacks(&sets, &sets, &mut by_many);
    assert_eq!(by_one, by_many);
    par::rook_attacks_from(&squares, &sets, &mut by_many);
    assert_eq!(by_one, by_many);
    setwise::pawn_attacks(Side::Black, &sets, &mut by_one);
    par::pawn_attacks(Side::Black, &sets, &mut by_many);
    assert_eq!(by_one, by_many);
}

#[test]
#[should_panic(expected = "`occupied` has length 3, `attacks` has length 2")]
fn lengths_must_match() {
    par::rook_attacks(&[0; 2], &[0; 3], &mut [0; 2]);
}
