//! Times long calls with non-temporal stores, with ordinary stores, and with the library's choice.
//!
//! `cargo bench -p setwise-measure --bench streaming` prints a row for every operation (rooks,
//! queens, sliders) and every kernel that this CPU can run. Each row has the time with non-temporal
//! and with ordinary stores, in nanoseconds per board. Its last column is the time of the library's
//! choice divided by the faster of the two. The batch has eight million boards, unless `-- BOARDS`
//! sets another number. Results are checked before they are timed. Without `--bench`, which
//! `cargo bench` passes, nothing is timed.

use std::time::{Duration, Instant};

use setwise::{Kernel, Streaming, set_streaming, set_streaming_threshold};
use setwise_measure::race::{Length, Race};

const WAYS: [Streaming; 3] = [Streaming::Always, Streaming::Never, Streaming::Measured];
const LENGTH: Length = Length { rounds: 15, sample: Duration::ZERO };

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let timed = std::env::args().any(|argument| argument == "--bench");
    let default = if timed { 8 << 20 } else { 10_000 };
    let boards = arguments.next().map_or(default, |boards| boards.parse().expect("a number"));
    let mut random = fastrand::Rng::with_seed(64);
    let [rooks, bishops, occupied] = std::array::from_fn(|_| {
        (0..boards).map(|_| random.u64(..) & random.u64(..) & random.u64(..)).collect::<Vec<u64>>()
    });
    let mut attacks = vec![0; boards];
    let run = |kernel: &Kernel, operation, attacks: &mut [u64]| match operation {
        "rooks" => kernel.rook_attacks(&rooks, &occupied, attacks),
        "queens" => kernel.queen_attacks(&rooks, &occupied, attacks),
        _ => kernel.slider_attacks(&rooks, &bishops, &occupied, attacks),
    };
    if !timed {
        // The results of this batch are smaller than the default threshold for non-temporal stores.
        set_streaming_threshold(0);
    }
    let scalar = Kernel::by_name("scalar").expect("every CPU runs it");
    println!("{boards} boards; ns per board; chosen: its time / the faster of the other two");
    println!("| kernel | operation | non-temporal | ordinary | chosen |");
    println!("|---|---|---|---|---|");
    for operation in ["rooks", "queens", "sliders"] {
        let mut expected = vec![0; boards];
        run(scalar, operation, &mut expected);
        for kernel in Kernel::available() {
            for way in WAYS {
                set_streaming(way);
                // The library first tries both kinds of stores for a function, on twelve parts of
                // two million boards. Three calls with eight million boards complete these trials.
                for _ in 0..3 {
                    attacks.fill(0);
                    run(kernel, operation, &mut attacks);
                    assert!(attacks == expected, "{}: {operation}, {way:?}", kernel.name());
                }
            }
            if !timed {
                continue;
            }
            let mut race = Race::default();
            race.continue_for(WAYS.len(), LENGTH, |way, iterations| {
                set_streaming(WAYS[way]);
                let start = Instant::now();
                (0..iterations).for_each(|_| run(kernel, operation, &mut attacks));
                start.elapsed()
            });
            let [always, never, chosen] =
                [0, 1, 2].map(|way| race.times.nanoseconds(way, boards).median);
            println!(
                "| `{}` | {operation} | {always:.2} | {never:.2} | {:.3} |",
                kernel.name(),
                chosen / always.min(never)
            );
        }
    }
    if !timed {
        println!("streaming: every result is correct; `cargo bench` times them");
    }
}
