//! Legal moves by every kernel, against the crates `shakmaty` and `cozy-chess`.
//!
//! ```text
//! cargo run --release -- [--quick] [FILE.epd...]
//! RUSTFLAGS=-Ctarget-cpu=native cargo run --release -- --times FILE.epd...
//! ```
//!
//! Compares counts, checks and lists, of positions in EPD files, of random games (standard and
//! Chess960) and of random boards. An EPD line may have the operations `legal` (the number of
//! moves) and `check` (0 or 1), which are compared, too. Then perft, with known numbers and with
//! those of the crates. Exits with 1 if anything differs. `--quick` takes a hundredth of the random
//! positions, and perft to smaller depths. `--times` measures instead.

mod boards;
mod columns;
mod compare;
mod files;
mod games;
mod peers;
mod perft;
mod times;

use std::process::ExitCode;
use std::time::Instant;

use compare::Comparison;
use setwise::Kernel;

fn main() -> ExitCode {
    let (options, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let quick = options.iter().any(|option| option == "--quick");
    if let Some(unknown) = options.iter().find(|o| !["--quick", "--times"].contains(&o.as_str())) {
        eprintln!("unknown option {unknown}");
        return ExitCode::from(2);
    }
    let names: Vec<_> = Kernel::available().map(Kernel::name).collect();
    println!("{} kernels: {}", names.len(), names.join(", "));
    if options.iter().any(|option| option == "--times") {
        times::print(&files, if quick { 20 } else { 200 });
        return ExitCode::SUCCESS;
    }
    let mut wrong = 0;
    for file in &files {
        wrong += section(file, |to| files::compare(file, to));
    }
    let part = if quick { 100 } else { 1 };
    wrong += section("random games", |to| games::compare(1_000_000 / part, to));
    wrong += section("random boards", |to| boards::compare(1_000_000 / part, to));
    wrong += perft::compare(quick);
    println!("{wrong} wrong");
    ExitCode::from(u8::from(wrong > 0))
}

/// Compares the positions that a function gives. Prints how many there were, and returns the number
/// of differences.
fn section(name: &str, give: impl FnOnce(&mut Comparison)) -> u64 {
    let start = Instant::now();
    let mut comparison = Comparison::new();
    give(&mut comparison);
    let seen = comparison.finish();
    println!("{name}: {seen} ({:.1} s)", start.elapsed().as_secs_f64());
    seen.wrong
}
