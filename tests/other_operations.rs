//! A measurement: every operation of the crate's list by every kernel, against one.
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
const REFERENCE: (&str, &str) = ("kogge-stone", "queen_attacks");

/// Elements for an argument of this name.
trait Elements: Sized {
    fn random(argument: &str, random: &mut fastrand::Rng) -> Self;
}

impl Elements for u64 {
    fn random(argument: &str, random: &mut fastrand::Rng) -> u64 {
        let sparse = match argument {
            "occupied" | "propagators" | "own" | "blockers" | "targets" => 2,
            "kings" => 6,
            _ => 4,
        };
        (0..sparse).fold(!0, |set, _| set & random.u64(..))
    }
}

impl Elements for Square {
    fn random(_: &str, random: &mut fastrand::Rng) -> Square {
        Square::new(random.u8(..64)).unwrap()
    }
}

type Operation = (&'static str, Box<dyn FnMut(&Kernels)>);

macro_rules! add {
    ($operations:ident $random:ident one $($rest:tt)*) => {};
    ($operations:ident $random:ident $group:ident $name:ident [$($Index:ident)?] ($($input:ident: $In:ident),*) ($($output:ident: $Out:ident),*)) => {
        $(let $input: Vec<$In> = (0..BOARDS).map(|_| <$In>::random(stringify!($input), &mut $random)).collect();)*
        $(let mut $output = vec![$Out::MIN; BOARDS];)*
        $operations.push((stringify!($name), Box::new(move |kernels| {
            kernels.$name($($Index::ALL[8 / $Index::ALL.len()],)? $(black_box(&$input),)* $(black_box(&mut $output)),*);
        })));
    };
}

macro_rules! operations {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$index:ident: $Index:ident])? ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*) = $body:ident;
    )* })*) => {
        /// Of those along a direction or a line that to the north-east.
        fn operations() -> Vec<Operation> {
            let mut operations = Vec::<Operation>::new();
            let mut random = fastrand::Rng::with_seed(4096);
            $($(add!(operations random $group $name [$($Index)?] ($($input: $In),*) ($($output: $Out),*));)*)*
            operations
        }
    };
}

setwise::operations!(operations);

#[test]
#[ignore = "a measurement"]
fn every_kernel() {
    let mut operations = operations();
    let kernels: Vec<&Kernels> = Kernels::available().collect();
    let mut times = vec![vec![vec![]; kernels.len()]; operations.len()];
    for _ in 0..ROUNDS {
        for ((_, run), times) in operations.iter_mut().zip(&mut times) {
            for (kernels, times) in kernels.iter().zip(times) {
                let start = Instant::now();
                (0..PASSES).for_each(|_| run(kernels));
                times.push(start.elapsed());
            }
        }
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times[ROUNDS / 2].as_secs_f64()
    };
    let operation = operations.iter().position(|(name, _)| *name == REFERENCE.1);
    let kernel = kernels.iter().position(|k| k.name() == REFERENCE.0);
    let reference = median(&mut times[operation.unwrap()][kernel.unwrap()]);
    println!(
        "times of {BOARDS} random boards, that of {REFERENCE:?} being 1; medians of {ROUNDS} rounds\n"
    );
    let names: Vec<String> = kernels.iter().map(|k| format!("`{}`", k.name())).collect();
    println!(
        "| | {} |\n|---{}|",
        names.join(" | "),
        "|---".repeat(names.len())
    );
    for ((name, _), times) in operations.iter().zip(&mut times) {
        let ratios = times
            .iter_mut()
            .map(|times| format!("{:.2}", median(times) / reference));
        println!("| `{name}` | {} |", ratios.collect::<Vec<_>>().join(" | "));
    }
}
