//! Both ways to the attack sets, side by side: `cargo bench --package setwise-endgame`.
//!
//! Rounds are interleaved and medians are printed, so that a noisy machine disturbs all alike. Run as a test, without
//! `--bench`, everything has one round.

use std::sync::Mutex;
use std::time::Instant;

use setwise::Kernels;
use setwise_endgame::{Attacks, Ending, Options, Progress, generate};

const ROUNDS: usize = 15;
/// Of those that take a second or two.
const LONG_ROUNDS: usize = 3;

fn ways() -> Vec<(String, Attacks)> {
    let kernels = Kernels::available().map(|kernels| {
        (
            format!("kernels: {}", kernels.name()),
            Attacks::Kernels(kernels),
        )
    });
    std::iter::once(("tables".to_owned(), Attacks::Tables))
        .chain(kernels)
        .collect()
}

/// Runs every way once a round, and prints the medians in milliseconds and their ratio to the first way.
fn compare(title: &str, ways: &[(String, Attacks)], rounds: usize, run: impl Fn(Attacks) -> f64) {
    let mut times = vec![Vec::new(); ways.len()];
    let rounds = if std::env::args().any(|argument| argument == "--bench") {
        rounds
    } else {
        1
    };
    for _ in 0..rounds {
        for (times, (_, attacks)) in times.iter_mut().zip(ways) {
            times.push(run(*attacks) * 1e3);
        }
    }
    println!("{title}");
    let medians = times.iter_mut().map(|times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    let medians: Vec<f64> = medians.collect();
    for ((name, _), median) in ways.iter().zip(&medians) {
        println!(
            "  {name:<24} {median:>9.3} ms {:>7.2}x",
            median / medians[0]
        );
    }
}

fn seconds(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

fn main() {
    let ways = ways();
    let ending = |name: &str| -> Ending { name.parse().unwrap() };
    for name in ["KQKR", "KQRK", "KBNK"] {
        let ending = ending(name);
        compare(
            &format!("{name}: 262,144 attack sets"),
            &ways,
            ROUNDS,
            |attacks| seconds(|| drop(std::hint::black_box(attacks.sets(&ending)))),
        );
    }
    for name in ["KQKR", "KBNK", "KRKN"] {
        let ending = ending(name);
        compare(
            &format!("{name}: white's wins, one thread"),
            &ways[..2],
            ROUNDS,
            |attacks| {
                let start = Instant::now();
                let last = Mutex::new(0.0);
                // Black's wins are solved later, and are left out here.
                let progress = |progress: &Progress| {
                    if progress.ending == ending {
                        *last.lock().unwrap() = start.elapsed().as_secs_f64();
                    }
                };
                drop(generate(
                    &ending,
                    &Options {
                        threads: 1,
                        attacks,
                        progress: Some(&progress),
                        ..Options::default()
                    },
                ));
                last.into_inner().unwrap()
            },
        );
    }
    for threads in [1, 2] {
        compare(
            &format!("all endings, both sides, threads: {threads}"),
            &ways[..2],
            LONG_ROUNDS,
            |attacks| {
                seconds(|| {
                    for ending in Ending::all() {
                        drop(generate(
                            &ending,
                            &Options {
                                threads,
                                attacks,
                                ..Options::default()
                            },
                        ));
                    }
                })
            },
        );
    }
}
