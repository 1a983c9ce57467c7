//! Legal moves by every kernel, against the crates `shakmaty` and `cozy-chess`.
//!
//! ```text
//! cargo run --release -- [--quick] [FILE.epd...]
//! RUSTFLAGS=-Ctarget-cpu=native cargo run --release -- --times [--kernel=NAME...] FILE.epd...
//! ```
//!
//! Compares counts, checks and lists, of positions in EPD files, of random games (standard and
//! Chess960) and of random boards. An EPD line may have the operations `legal` (the number of
//! moves) and `check` (0 or 1), which are compared, too. Then perft, with known numbers and with
//! those of the crates. Exits with 1 if anything differs. `--quick` takes a hundredth of the random
//! positions, and perft to smaller depths. `--times` measures instead. `--kernel` chooses a kernel,
//! and may be repeated; without it, all that run on this CPU are taken.

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
    let (mut quick, mut measure, mut kernels) = (false, false, vec![]);
    for option in &options {
        match (option.as_str(), option.strip_prefix("--kernel=").map(Kernel::by_name)) {
            ("--quick", _) => quick = true,
            ("--times", _) => measure = true,
            (_, Some(Ok(kernel))) => kernels.push(kernel),
            (_, Some(Err(error))) => return usage(&error.to_string()),
            _ => return usage(&format!("unknown option {option}")),
        }
    }
    if kernels.is_empty() {
        kernels = Kernel::available().collect();
    }
    let names: Vec<_> = kernels.iter().map(|kernel| kernel.name()).collect();
    println!("{} kernels: {}", names.len(), names.join(", "));
    if measure {
        times::print(&files, &kernels, if quick { 20 } else { 200 });
        return ExitCode::SUCCESS;
    }
    let mut wrong = 0;
    for file in &files {
        wrong += section(file, &kernels, |to| files::compare(file, to));
    }
    let part = if quick { 100 } else { 1 };
    wrong += section("random games", &kernels, |to| games::compare(1_000_000 / part, to));
    wrong += section("random boards", &kernels, |to| boards::compare(1_000_000 / part, to));
    wrong += perft::compare(&kernels, quick);
    println!("{wrong} wrong");
    ExitCode::from(u8::from(wrong > 0))
}

fn usage(error: &str) -> ExitCode {
    eprintln!("{error}");
    ExitCode::from(2)
}

/// Compares the positions that a function gives. Prints how many there were, and returns the number
/// of differences.
fn section(name: &str, kernels: &[&'static Kernel], give: impl FnOnce(&mut Comparison)) -> u64 {
    let start = Instant::now();
    let mut comparison = Comparison::new(kernels);
    give(&mut comparison);
    let seen = comparison.finish();
    println!("{name}: {seen} ({:.1} s)", start.elapsed().as_secs_f64());
    seen.wrong
}
