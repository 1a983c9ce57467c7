//! The loader keeps what Stockfish's trainer keeps of a sample.

#[path = "common/kept.rs"]
mod trainer;

use setwise_loader::{Columns, Filter, Loader, Order};
use trainer::{group, rows, sample};

#[test]
fn as_many_entries_are_kept_as_by_the_trainer() {
    let Some(paths) = sample() else { return };
    let columns = Columns { boards: false, basics: false, details: false, floats: true };
    let loader = Loader { columns, order: Order::Chunks, threads: 1, ..Loader::new(paths) };
    let mut wrong = Vec::new();
    for row in rows() {
        let mut found = [0; 4];
        for seed in 0..row.seeds() {
            let filter = Filter { seed, ..row.filter() };
            for batch in (Loader { filter, ..loader.clone() }).batches().unwrap() {
                for pieces in batch.unwrap().rows() {
                    found[group(pieces.cast_unsigned())] += 1;
                }
            }
        }
        wrong.extend(row.check(found.map(|count| count / row.seeds())).err());
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
