//! The CPU time of the loader by recipes of Stockfish's trainer: of all threads for each entry that
//! is read, and of the thread that takes the batches for each position that is kept.
//!
//! ```text
//! cargo run --release -p setwise-loader --example recipes -- FILE.binpack [LISTINGS] [ROUNDS]
//! ```
//!
//! The file is listed as often as given (100), and is best a small one that stays in memory. The
//! rounds are interleaved, and the least times count. Only on Linux, which tells the CPU time of a
//! thread.

#![allow(missing_docs, reason = "an example")]

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("only on Linux");
}

#[cfg(target_os = "linux")]
mod linux {
    use std::hint::black_box;
    use std::io;
    use std::path::PathBuf;

    use rustix::time::{ClockId, clock_gettime};
    use setwise_loader::{
        Columns, Features, Filter, Inputs, Layout, Loader, Order, PieceCounts, SoftEarly, Views,
    };

    /// What a run takes, in ns: of all threads for an entry, of the caller for a position.
    struct Times {
        entry: f64,
        position: f64,
    }

    pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
        let mut arguments = std::env::args().skip(1);
        let path = PathBuf::from(arguments.next().ok_or("give a file")?);
        let listings: usize = arguments.next().map_or(Ok(100), |text| text.parse())?;
        let rounds: usize = arguments.next().map_or(Ok(5), |text| text.parse())?;
        let points = [(0.0, 0.025), (22.0, 0.05), (25.5, 0.2), (28.0, 0.75)];
        let recipe = Filter {
            skip: 10.0 / 11.0,
            min_ply: 17,
            soft_early: Some(SoftEarly { until: 32, points }),
            pieces: Some(PieceCounts([0.0, 0.4, 1.0, 1.0, 0.8])),
            ..Filter::STOCKFISH
        };
        let filters = [
            ("unfiltered", Filter::ALL),
            ("default", Filter { skip: 0.75, ..Filter::STOCKFISH }),
            ("recipe", recipe),
        ];
        let mut runs = Vec::new();
        for (name, filter) in filters {
            for threads in [1, 2] {
                let loader = Loader {
                    threads,
                    filter,
                    order: Order::Chunks,
                    shuffle: 1 << 20,
                    features: Features::Indices(Inputs::named(
                        "Full_Threats+PP_3Wide+HalfKAv2_hm",
                    )?),
                    layout: Layout::Rows { width: None },
                    views: Views::Colours,
                    columns: Columns { boards: false, basics: false, details: false, floats: true },
                    ..Loader::new(vec![path.clone(); listings])
                };
                runs.push((name, loader, Times { entry: f64::MAX, position: f64::MAX }));
            }
        }
        for _ in 0..rounds {
            for (_, loader, least) in &mut runs {
                let times = time(loader)?;
                least.entry = least.entry.min(times.entry);
                least.position = least.position.min(times.position);
            }
        }
        println!("CPU ns of all threads for an entry, of the caller for a position");
        for (name, loader, least) in runs {
            let Times { entry, position } = least;
            println!("{entry:6.1} {position:6.1} {name}, threads: {}", loader.threads);
        }
        Ok(())
    }

    fn time(loader: &Loader) -> io::Result<Times> {
        let now = || [ClockId::ProcessCPUTime, ClockId::ThreadCPUTime].map(nanoseconds);
        let mut batches = loader.batches()?;
        let (start, recycler) = (now(), batches.recycler());
        let mut positions = 0;
        for batch in batches.by_ref() {
            let batch = black_box(batch?);
            positions += batch.len();
            recycler.recycle(batch);
        }
        let [all, caller] = now();
        let entries = batches.statistics().entries;
        Ok(Times {
            entry: (all - start[0]) / entries as f64,
            position: (caller - start[1]) / positions as f64,
        })
    }

    fn nanoseconds(clock: ClockId) -> f64 {
        let time = clock_gettime(clock);
        1e9 * time.tv_sec as f64 + time.tv_nsec as f64
    }
}
