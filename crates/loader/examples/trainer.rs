//! The shape that trainers in Rust ask for: a type of inputs that calls a closure with each active
//! input of both sides.
//!
//! ```text
//! cargo run --release -p setwise-loader --example trainer -- FILE.binpack...
//! ```

#![allow(missing_docs, reason = "an example")]

use std::path::PathBuf;

use setwise_loader::{Batch, Features, Inputs as Set, Loader};

/// Inputs of a network, as a trainer sees them.
trait Inputs {
    /// The number of inputs of each side.
    fn count(&self) -> usize;

    /// Calls `visit` with each active input as the side to move sees it, and as the other side
    /// does.
    fn each(&self, batch: &Batch, position: usize, visit: impl FnMut(usize, usize));
}

struct Trained {
    count: usize,
}

impl Inputs for Trained {
    fn count(&self) -> usize {
        self.count
    }

    fn each(&self, batch: &Batch, position: usize, mut visit: impl FnMut(usize, usize)) {
        // Both lists have the same length: if two pieces of a kind attack each other, each side
        // counts one of the two threats. But the order of the lists differs.
        let [own, other] = batch.indices.each_ref().map(|lists| lists.get(position));
        for (&own, &other) in own.iter().zip(other) {
            visit(own as usize, other as usize);
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let set = Set::named("Full_Threats+PP_3Wide+HalfKAv2_hm")?;
    let inputs = Trained { count: set.count() as usize };
    let loader = Loader {
        features: Features::Indices(set),
        shuffle: 100_000,
        ..Loader::new(std::env::args_os().skip(1).map(PathBuf::from).collect())
    };
    let (mut positions, mut active) = (0, 0);
    let mut seen = vec![false; inputs.count()];
    for batch in loader.batches()? {
        let batch = batch?;
        for position in 0..batch.len() {
            inputs.each(&batch, position, |own, other| {
                active += 1;
                (seen[own], seen[other]) = (true, true);
            });
        }
        positions += batch.len();
    }
    let seen = seen.iter().filter(|&&seen| seen).count();
    println!("{positions} positions, {active} active inputs of each side, {seen} different ones");
    Ok(())
}
