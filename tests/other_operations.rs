//! A measurement: what the benchmarks of attacks leave out, every kernel against one.
//!
//! ```text
//! cargo test --release --test other_operations -- --ignored --nocapture
//! ```

use std::hint::black_box;
use std::time::{Duration, Instant};

use setwise::{Direction, Kernels, Line, Square};

const BOARDS: usize = 4096;
const ROUNDS: usize = 31;
/// Calls in a row, so that one kernel's memory does not cost the next.
const PASSES: usize = 8;
/// What all times are divided by.
const REFERENCE: &str = "kogge-stone";

struct Sets {
    sliders: Vec<u64>,
    others: Vec<u64>,
    own: Vec<u64>,
    kings: Vec<u64>,
    occupied: Vec<u64>,
    squares: Vec<Square>,
}

struct Results {
    first: Vec<u64>,
    second: Vec<u64>,
    counts: Vec<u32>,
}

type Operation = (&'static str, fn(&Kernels, &Sets, &mut Results));

const OPERATIONS: [Operation; 8] = [
    ("queens", |k, s, r| {
        k.queen_attacks(&s.sliders, &s.occupied, &mut r.first);
    }),
    ("split", |k, s, r| {
        let results = (&mut r.first, &mut r.second);
        k.slider_attacks_split(&s.sliders, &s.others, &s.occupied, results.0, results.1);
    }),
    ("x-rays of rooks", |k, s, r| {
        k.xray_rook_attacks(&s.sliders, &s.own, &s.occupied, &mut r.first);
    }),
    ("x-rays of queens", |k, s, r| {
        k.xray_queen_attacks(&s.sliders, &s.own, &s.occupied, &mut r.first);
    }),
    ("pins", |k, s, r| {
        let results = (&mut r.first, &mut r.second);
        k.pins(
            &s.kings,
            &s.own,
            &s.sliders,
            &s.others,
            &s.occupied,
            results.0,
            results.1,
        );
    }),
    ("a ray", |k, s, r| {
        k.ray_attacks(Direction::NorthEast, &s.sliders, &s.occupied, &mut r.first);
    }),
    ("a line, from squares", |k, s, r| {
        k.line_attacks_from(Line::Diagonal, &s.squares, &s.occupied, &mut r.first);
    }),
    ("mobility of queens", |k, s, r| {
        k.queen_mobility(&s.sliders, &s.occupied, &s.own, &mut r.counts);
    }),
];

#[test]
#[ignore = "a measurement"]
fn every_kernel() {
    let mut random = fastrand::Rng::with_seed(4096);
    let mut sets = |sparse: u32| -> Vec<u64> {
        let mut set = || (0..sparse).fold(!0, |set, _| set & random.u64(..));
        (0..BOARDS).map(|_| set()).collect()
    };
    let sets = Sets {
        sliders: sets(4),
        others: sets(4),
        own: sets(2),
        kings: sets(6),
        occupied: sets(2),
        squares: (0..BOARDS)
            .map(|i| Square::new((i * 37 % 64) as u8).unwrap())
            .collect(),
    };
    let mut results = Results {
        first: vec![0; BOARDS],
        second: vec![0; BOARDS],
        counts: vec![0; BOARDS],
    };
    let kernels: Vec<&Kernels> = Kernels::available().collect();
    println!(
        "times of {BOARDS} random boards, those of {REFERENCE}'s queens being 1; medians of {ROUNDS} rounds\n"
    );
    println!(
        "| kernel | {} |",
        OPERATIONS.map(|(name, _)| name).join(" | ")
    );
    println!("|---{}|", "|---".repeat(OPERATIONS.len()));
    let mut times = vec![[const { vec![] }; OPERATIONS.len()]; kernels.len()];
    for _ in 0..ROUNDS {
        for (kernels, times) in kernels.iter().zip(&mut times) {
            for ((_, run), times) in OPERATIONS.iter().zip(times) {
                let start = Instant::now();
                for _ in 0..PASSES {
                    run(kernels, black_box(&sets), &mut results);
                    black_box(&mut results);
                }
                times.push(start.elapsed());
            }
        }
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times[ROUNDS / 2].as_secs_f64()
    };
    let reference = kernels.iter().position(|k| k.name() == REFERENCE).unwrap();
    let reference = median(&mut times[reference][0]);
    for (kernels, times) in kernels.iter().zip(&mut times) {
        let ratios = times
            .each_mut()
            .map(|times| format!("{:.2}", median(times) / reference));
        println!("| `{}` | {} |", kernels.name(), ratios.join(" | "));
    }
}
