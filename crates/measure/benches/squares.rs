//! Times attacks from one square per board: every kernel against the magic look-ups of the crate
//! `cozy-chess`.
//!
//! `cargo bench -p setwise-measure --features setwise/lookup,setwise/switch --bench squares` prints
//! nanoseconds per board. Every result is first compared with a square-by-square oracle. Without
//! `--bench`, which `cargo bench` passes, nothing is timed.

use std::hint::black_box;
use std::time::{Duration, Instant};

use cozy_chess::{BitBoard, Square, get_bishop_moves, get_rook_moves};
use setwise::Kernel;
use setwise_check::{Case, Operation, call};
use setwise_measure::race::{Length, Race};

/// The number of boards. With this number, no two columns are a multiple of 4 KiB apart. Otherwise
/// loads would be slower after stores to the same offset in another page (4K aliasing).
const BOARDS: usize = 4000;

const LENGTH: Length = Length { rounds: 101, sample: Duration::from_micros(150) };

fn main() {
    let timed = std::env::args().any(|argument| argument == "--bench");
    for (density, sets) in [("half", 1), ("a quarter", 2)] {
        if timed {
            println!("{BOARDS} boards, {density} of the squares occupied; ns per board:");
        }
        let mut random = fastrand::Rng::with_seed(4096);
        let cases: Vec<Case> = (0..BOARDS)
            .map(|_| Case {
                sliders: 1 << random.u32(..64),
                occupied: (0..sets).fold(!0, |set, _| set & random.u64(..)),
                ..Case::default()
            })
            .collect();
        compare("rook_attacks_from", &cases, timed, get_rook_moves);
        compare("bishop_attacks_from", &cases, timed, get_bishop_moves);
        compare("queen_attacks_from", &cases, timed, |square, occupied| {
            get_rook_moves(square, occupied) | get_bishop_moves(square, occupied)
        });
    }
    if !timed {
        println!("squares: every result is correct; `cargo bench` times them");
    }
}

/// Checks the look-ups and every kernel on the same columns and, if `timed`, prints their times.
fn compare(
    title: &str,
    cases: &[Case],
    timed: bool,
    look_up: impl Fn(Square, BitBoard) -> BitBoard,
) {
    let operation = Operation::named(title).expect("an operation of the list");
    let kernels: Vec<&Kernel> = Kernel::available().collect();
    let mut columns = operation.columns(cases);
    let squares: Vec<Square> =
        cases.iter().map(|case| Square::index(case.sliders.trailing_zeros() as usize)).collect();
    let look_ups = |inputs: &[setwise::reflection::Column<'_>],
                    outputs: &mut [setwise::reflection::ColumnMut<'_>]| {
        let (
            [_, setwise::reflection::Column::Sets(occupied)],
            [setwise::reflection::ColumnMut::Sets(attacks)],
        ) = (inputs, outputs)
        else {
            unreachable!("{title} takes squares and occupancies")
        };
        for ((attacks, &square), &occupied) in attacks.iter_mut().zip(&squares).zip(*occupied) {
            *attacks = look_up(square, BitBoard(occupied)).0;
        }
    };
    let run = |i: usize,
               inputs: &[setwise::reflection::Column<'_>],
               outputs: &mut [setwise::reflection::ColumnMut<'_>]| {
        match kernels.get(i) {
            Some(kernel) => operation.info.call(kernel, operation.parameter, inputs, outputs),
            None => look_ups(inputs, outputs),
        }
    };
    for i in 0..=kernels.len() {
        let checked = operation.check(cases, &|inputs, outputs| run(i, inputs, outputs));
        checked.unwrap_or_else(|wrong| panic!("contender {i}, {title}: {wrong}"));
    }
    if !timed {
        return;
    }
    let mut race = Race::default();
    race.continue_for(kernels.len() + 1, LENGTH, |i, iterations| {
        let start = Instant::now();
        for _ in 0..iterations {
            call(&operation, black_box(&mut columns), &|inputs, outputs| {
                run(i, inputs, outputs);
            });
        }
        start.elapsed()
    });
    let names = kernels.iter().map(|kernel| kernel.name());
    print!("  {title:20}");
    for (i, name) in names.chain(["look-ups"]).enumerate() {
        print!("  {name} {:.2}", race.times.nanoseconds(i, cases.len()).median);
    }
    println!();
}
