//! A measurement: attacks from one square a board against the magic look-ups of a published crate.
//!
//! ```text
//! cargo test --release --test single_square -- --ignored --nocapture
//! ```

use std::hint::black_box;
use std::time::{Duration, Instant};

use cozy_chess::{BitBoard, Square as CozySquare, get_bishop_moves, get_rook_moves};
use setwise::{Kernels, Square};

const BOARDS: usize = 4096;
const ROUNDS: usize = 256;
/// Passes over the boards in a row, so that one contender's memory does not cost the next.
const PASSES: usize = 20;
/// The boards of a page of memory. Loads are slower behind stores to the same place in another
/// page, so each round has the output at another place.
const PAGE: usize = 512;

type Kernel = fn(&Kernels, &[Square], &[u64], &mut [u64]);

#[test]
#[ignore = "a measurement"]
fn kernels_against_magic_look_ups() {
    let mut random = fastrand::Rng::with_seed(4096);
    let squares: Vec<Square> = (0..BOARDS)
        .map(|_| Square::new(random.u8(..64)).unwrap())
        .collect();
    let cozy: Vec<CozySquare> = squares
        .iter()
        .map(|s| CozySquare::index(s.index()))
        .collect();
    println!(
        "ratio of throughputs, kernel : magic; {BOARDS} random boards, medians of {ROUNDS} rounds"
    );
    for (density, fewer) in [("half of the squares occupied", 0), ("a quarter", 1)] {
        let occupied: Vec<u64> = (0..BOARDS)
            .map(|_| (0..fewer).fold(random.u64(..), |set, _| set & random.u64(..)))
            .collect();
        println!("{density}:");
        macro_rules! compare {
            ($operation:ident, $look_up:expr) => {
                let (name, kernel) = (stringify!($operation), Kernels::$operation);
                compare(name, kernel, $look_up, &squares, &cozy, &occupied);
            };
        }
        compare!(rook_attacks_from, get_rook_moves);
        compare!(bishop_attacks_from, get_bishop_moves);
        compare!(queen_attacks_from, |square, occupied| {
            get_rook_moves(square, occupied) | get_bishop_moves(square, occupied)
        });
    }
}

fn compare(
    name: &str,
    kernel: Kernel,
    look_up: impl Fn(CozySquare, BitBoard) -> BitBoard,
    squares: &[Square],
    cozy: &[CozySquare],
    occupied: &[u64],
) {
    let kernels: Vec<&'static Kernels> = Kernels::available().collect();
    let mut buffer = vec![0; BOARDS + PAGE];
    let mut times = vec![vec![]; kernels.len() + 1];
    for round in 0..ROUNDS {
        let attacks = &mut buffer[round * 74 % PAGE..][..BOARDS];
        let start = Instant::now();
        for _ in 0..PASSES {
            for ((attacks, &square), &occupied) in
                attacks.iter_mut().zip(cozy).zip(black_box(occupied))
            {
                *attacks = look_up(square, BitBoard(occupied)).0;
            }
            black_box(&mut *attacks);
        }
        times[0].push(start.elapsed());
        let expected = black_box(&mut *attacks).to_vec();
        for (kernels, times) in kernels.iter().zip(&mut times[1..]) {
            let start = Instant::now();
            for _ in 0..PASSES {
                kernel(kernels, squares, black_box(occupied), attacks);
            }
            times.push(start.elapsed());
            assert_eq!(attacks, expected, "{name}, {}", kernels.name());
        }
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() / 2].as_secs_f64()
    };
    let magic = median(&mut times[0]);
    print!(
        "  {name:20} magic {:.2} ns;",
        magic * 1e9 / (BOARDS * PASSES) as f64
    );
    for (kernels, times) in kernels.iter().zip(&mut times[1..]) {
        print!("  {} {:.2}", kernels.name(), magic / median(times));
    }
    println!();
}
