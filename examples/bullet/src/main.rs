//! Reads batches as bullet would, and prints the time per position.
//!
//! ```text
//! cargo run --release --manifest-path examples/bullet/Cargo.toml -- FILE...
//! ```

use std::path::PathBuf;
use std::time::Instant;

use bullet_trainer::run::{DataLoader, DataLoadingError, Step};
use setwise_bullet_example::{Binpack, mirrored};
use setwise_loader::{Filter, Loader, Order};

const BATCH_SIZE: usize = 16_384;
const BATCHES: usize = 100;

fn main() -> Result<(), DataLoadingError> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let filter = Filter { skip_checks: true, skip_captures: true, ..Filter::default() };
    let loader = Loader { order: Order::Mixed, shuffle: 1 << 20, filter, ..Loader::new(paths) };
    // One bucket for each square of the king.
    let inputs = mirrored(std::array::from_fn(|square| square as u8));
    let (start, mut count) = (Instant::now(), 0);
    let data = Binpack { loader, inputs, scale: 400.0, wdl: 0.25 };
    data.map_batches(Step::new(1, 0, 1, BATCHES), BATCH_SIZE, |_| {
        count += 1;
        count == BATCHES
    })?;
    let time = start.elapsed().as_nanos() as f64 / (count * BATCH_SIZE) as f64;
    println!("{count} batches, {time:.0} ns per position");
    Ok(())
}
