//! What the king's steps leave over of the candidates for mate, for every ending, and what they cost:
//! `cargo bench --package setwise-endgame --bench screen`.
//!
//! A word is a placing of the men without the black king. Shown is in how many words two steps leave a square of those
//! closed to the king, as in Muller's text; then in how many there is any check, one that two steps leave, one
//! that all eight leave, and a mate. The times are the shortest of interleaved rounds, over the attack sets of all
//! words: two steps; two, and all where any square is left; all at once. Run as a test, without `--bench`, two endings
//! have one round.

use std::hint::black_box;
use std::time::Instant;

use setwise_endgame::{Attacks, Ending, all_steps, selectivity, two_steps};

fn main() {
    let bench = std::env::args().any(|argument| argument == "--bench");
    let (endings, rounds) = if bench { (usize::MAX, 25) } else { (2, 1) };
    println!("                   words with a square left, of                  time, ms");
    println!("                    closed   legal checks");
    println!("ending      words      two     any     two     all   mates     two two,all    all");
    for ending in Ending::all().into_iter().take(endings) {
        let swapped = ending.swapped();
        row(&ending, rounds);
        if swapped != ending && !swapped.to_string().starts_with("KK") {
            row(&swapped, rounds);
        }
    }
}

fn row(ending: &Ending, rounds: usize) {
    let found = selectivity(ending);
    print!("{:<6}{:>11}  ", ending.to_string(), found.nogo.words);
    for left in [
        found.nogo_two,
        found.checks,
        found.checks_two,
        found.checks_all,
        found.mates,
    ] {
        let share = 100.0 * left.words as f64 / found.nogo.words as f64;
        print!("{share:>7.2}%");
    }
    let sets = Attacks::Tables.sets(ending);
    let two_then_all = |nogo| {
        if two_steps(nogo) == 0 {
            0
        } else {
            all_steps(nogo)
        }
    };
    let mut times = [f64::INFINITY; 3];
    for _ in 0..rounds {
        times[0] = times[0].min(time(&sets, two_steps));
        times[1] = times[1].min(time(&sets, two_then_all));
        times[2] = times[2].min(time(&sets, all_steps));
    }
    println!("  {:>6.3} {:>6.3} {:>6.3}", times[0], times[1], times[2]);
}

/// Milliseconds for all sets.
fn time(sets: &[u64], form: impl Fn(u64) -> u64) -> f64 {
    let mut out = vec![0; sets.len()];
    let start = Instant::now();
    for (out, &set) in out.iter_mut().zip(black_box(sets)) {
        *out = form(set);
    }
    black_box(&out);
    start.elapsed().as_secs_f64() * 1e3
}
