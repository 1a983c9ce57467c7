//! Times the generator with attack sets from the tables and from the active kernel: `cargo bench
//! --package setwise-endgame`.
//!
//! Runs with the two sources alternate, and the benchmark prints the medians. Without `--bench`,
//! there is one run per source.

use std::time::Instant;

use setwise::Kernel;
use setwise_endgame::{AttackSource, Ending, Options, generate};

const ROUNDS: usize = 5;

/// The time to generate the endings on one thread, in milliseconds.
fn time(endings: &[Ending], attacks: AttackSource) -> f64 {
    let options = Options { threads: 1, attacks, ..Options::default() };
    let start = Instant::now();
    for ending in endings {
        drop(generate(ending, &options));
    }
    start.elapsed().as_secs_f64() * 1e3
}

fn main() {
    let bench = std::env::args().any(|argument| argument == "--bench");
    let rounds = if bench { ROUNDS } else { 1 };
    let sources = [AttackSource::Tables, AttackSource::Kernel(Kernel::active())];
    println!("both sides' wins, one thread, ms: tables, {:?}", sources[1]);
    let single = |name: &str| vec![name.parse().expect("an ending")];
    for (title, endings) in [
        ("KQKR", single("KQKR")),
        ("KQRK", single("KQRK")),
        ("KBNK", single("KBNK")),
        ("all", Ending::all()),
    ] {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..rounds {
            for (times, source) in times.iter_mut().zip(sources) {
                times.push(time(&endings, source));
            }
        }
        let [tables, kernels] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        });
        let ratio = kernels / tables;
        println!("{title:<5}{tables:>9.1}{kernels:>9.1}  ratio {ratio:.2}");
    }
}
