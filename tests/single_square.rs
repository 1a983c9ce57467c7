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
const ROUNDS: usize = 301;

type Kernel = fn(&Kernels, &[Square], &[u64], &mut [u64]);
type LookUp = fn(CozySquare, BitBoard) -> BitBoard;

const OPERATIONS: [(&str, Kernel, LookUp); 3] = [
    ("rook_attacks_from", Kernels::rook_attacks_from, |s, o| {
        get_rook_moves(s, o)
    }),
    (
        "bishop_attacks_from",
        Kernels::bishop_attacks_from,
        |s, o| get_bishop_moves(s, o),
    ),
    ("queen_attacks_from", Kernels::queen_attacks_from, |s, o| {
        get_rook_moves(s, o) | get_bishop_moves(s, o)
    }),
];

#[test]
#[ignore = "a measurement"]
fn kernels_against_magic_look_ups() {
    let mut random = fastrand::Rng::with_seed(4096);
    let squares: Vec<Square> = (0..BOARDS)
        .map(|_| Square::new(random.u8(..64)).unwrap())
        .collect();
    let cozy: Vec<CozySquare> = squares.iter().map(|s| CozySquare::index(s.index())).collect();
    println!("ratio of throughputs, kernel : magic; {BOARDS} random boards, medians of {ROUNDS} rounds");
    for (density, fewer) in [("half of the squares occupied", 0), ("a quarter", 1)] {
        let occupied: Vec<u64> = (0..BOARDS)
            .map(|_| (0..fewer).fold(random.u64(..), |set, _| set & random.u64(..)))
            .collect();
        println!("{density}:");
        for (name, kernel, look_up) in OPERATIONS {
            match name {
                "rook_attacks_from" => compare(name, kernel, get_rook_moves, &squares, &cozy, &occupied),
                "bishop_attacks_from" => compare(name, kernel, get_bishop_moves, &squares, &cozy, &occupied),
                _ => compare(name, kernel, look_up, &squares, &cozy, &occupied),
            }
        }
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
    let mut attacks = vec![0; BOARDS];
    let mut times = vec![vec![]; kernels.len() + 1];
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for ((attacks, &square), &occupied) in attacks.iter_mut().zip(cozy).zip(black_box(occupied)) {
            *attacks = look_up(square, BitBoard(occupied)).0;
        }
        times[0].push(start.elapsed());
        let expected = black_box(&mut attacks).clone();
        for (kernels, times) in kernels.iter().zip(&mut times[1..]) {
            let start = Instant::now();
            kernel(kernels, squares, black_box(occupied), &mut attacks);
            times.push(start.elapsed());
            assert_eq!(attacks, expected, "{name}, {}", kernels.name());
        }
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() / 2].as_secs_f64()
    };
    let magic = median(&mut times[0]);
    print!("  {name:20} magic {:.2} ns;", magic * 1e9 / BOARDS as f64);
    for (kernels, times) in kernels.iter().zip(&mut times[1..]) {
        print!("  {} {:.2}", kernels.name(), magic / median(times));
    }
    println!();
}
