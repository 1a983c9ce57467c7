//! One pass for a move against two: `cargo bench --package setwise-endgame --bench passes`.
//!
//! Both generate each ending in turns, and who is first alternates, so that a noisy machine disturbs both alike. Printed
//! are the bytes of bitmaps loaded and stored, the medians of the times, and the ratios of one to two passes: of
//! the bytes, the median of the pairs' ratios, that of the shortest times. Arguments are endings and a number of
//! threads. Run as a test, without `--bench`, two endings have one round.

use setwise_endgame::{Ending, Options, Passes, Report};

const ROUNDS: usize = 15;

struct Way {
    passes: Passes,
    bytes: u64,
    times: Vec<f64>,
}

fn main() {
    let mut bench = false;
    let (mut threads, mut endings) = (1, Vec::new());
    for argument in std::env::args().skip(1) {
        if argument == "--bench" {
            bench = true;
        } else if let Ok(number) = argument.parse() {
            threads = number;
        } else {
            endings.push(argument.parse::<Ending>().expect("an ending"));
        }
    }
    if endings.is_empty() {
        endings = Ending::all();
        if !bench {
            endings.truncate(2);
        }
    }
    let rounds = if bench { ROUNDS } else { 1 };
    println!("both sides' wins, threads: {threads}");
    println!("ending    two passes          one pass           one / two");
    println!("            MB       ms       MB       ms    bytes   time  shortest");
    let mut sums = [(0, 0.0, 0.0); 2];
    for ending in endings {
        let mut ways = [Passes::Two, Passes::One].map(|passes| Way {
            passes,
            bytes: 0,
            times: Vec::new(),
        });
        for round in 0..rounds {
            for turn in 0..2 {
                let way = &mut ways[(round + turn) % 2];
                let options = Options {
                    threads,
                    passes: way.passes,
                    ..Options::default()
                };
                let report = Report::measure(&ending, &options).1;
                way.bytes = report.bytes_moved;
                way.times.push(report.seconds * 1e3);
            }
        }
        let ratios: Vec<f64> = (0..rounds)
            .map(|round| ways[1].times[round] / ways[0].times[round])
            .collect();
        let result = ways.map(|way| {
            let shortest = way.times.iter().copied().fold(f64::INFINITY, f64::min);
            (way.bytes, median(way.times), shortest)
        });
        for (sum, of_ending) in sums.iter_mut().zip(result) {
            sum.0 += of_ending.0;
            sum.1 += of_ending.1;
            sum.2 += of_ending.2;
        }
        print(&ending.to_string(), result, median(ratios));
    }
    print("all", sums, sums[1].1 / sums[0].1);
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn print(name: &str, [two, one]: [(u64, f64, f64); 2], time: f64) {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    // Bishop or knight alone: nothing is won.
    let bytes = if two.0 == 0 {
        "-".to_owned()
    } else {
        format!("{:.2}", one.0 as f64 / two.0 as f64)
    };
    println!(
        "{name:<6}{:>8.1} {:>8.2} {:>8.1} {:>8.2} {bytes:>8} {time:>6.2} {:>9.2}",
        megabytes(two.0),
        two.1,
        megabytes(one.0),
        one.1,
        one.2 / two.2,
    );
}
