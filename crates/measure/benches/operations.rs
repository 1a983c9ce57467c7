//! Times every operation, except those on whole positions, with every kernel that this CPU can run.
//!
//! `cargo bench -p setwise-measure --features setwise/lookup,setwise/switch --bench operations`
//! prints a Markdown table of nanoseconds per board. Every result is first compared with a
//! square-by-square oracle. Without `--bench`, which `cargo bench` passes, nothing is timed.

use std::time::Duration;

use setwise::Kernel;
use setwise_measure::batch::{Batch, Order};
use setwise_measure::boards::Boards;
use setwise_measure::contender;
use setwise_measure::operation::Operation;
use setwise_measure::race::{Entry, Length, race};
use setwise_measure::settings::IN_CACHE;

const LENGTH: Length = Length { rounds: 31, sample: Duration::from_micros(150) };

fn main() {
    let timed = std::env::args().any(|argument| argument == "--bench");
    if timed {
        let names: Vec<&str> = Kernel::available().map(Kernel::name).collect();
        println!("{IN_CACHE} random boards; ns per board, medians of {} rounds\n", LENGTH.rounds);
        println!("| | {} |\n|---{}|", names.join(" | "), "|---".repeat(names.len()));
    }
    let boards = Boards::random(IN_CACHE);
    for operation in Operation::all() {
        let mut batch = Batch::new(operation, &boards, Order::New, IN_CACHE, 0);
        let kernels = contender::kernels(operation);
        for kernel in &kernels {
            kernel.check(&mut batch).unwrap_or_else(|wrong| panic!("{wrong}"));
        }
        if !timed {
            continue;
        }
        let entry = |contender| Entry { contender, batch: 0 };
        let entries: Vec<Entry> = kernels.iter().map(entry).collect();
        let times = race(&entries, &mut [batch], LENGTH);
        print!("| `{}` |", operation.title());
        for kernel in 0..kernels.len() {
            print!(" {:.2} |", times.nanoseconds(kernel, IN_CACHE).median);
        }
        println!();
    }
    if !timed {
        println!("operations: every result is correct; `cargo bench` times them");
    }
}
