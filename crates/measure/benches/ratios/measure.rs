//! The comparisons: races between contenders, or between settings of one contender.

use std::io::IsTerminal;

use setwise::Kernels;

use crate::requirements;
use crate::row::{
    ALIGNED, IN_CACHE, IN_MEMORY, OFFSETS, OPERATIONS, REPEATED, Row, SHORT, WHOLE_BLOCK,
};
use setwise_measure::batch::{Batch, Order};
use setwise_measure::boards::Boards;
use setwise_measure::contender::{self, Contender};
use setwise_measure::figures::Kind;
use setwise_measure::operation::Operation;
use setwise_measure::peers::{self, kogge_stone, magic};
use setwise_measure::race::{Entry, Length, race};
use setwise_measure::{copy_xor, playouts};

/// Boards of the comparisons in the caches: 96 KiB for an operation on one set.
const IN_CACHE_BOARDS: usize = 4096;
/// Short calls are cut from a pool, which the first cache holds.
const SHORT_POOL: usize = 1024;
const WHOLE_BLOCK_BOARDS: usize = 32;
/// Boards beyond every cache, repeating more than a branch predictor can memorise.
const IN_MEMORY_BOARDS: usize = 8 << 20;
const IN_MEMORY_PERIOD: usize = 65_536;
/// Samples in memory are long, so fewer rounds are enough.
const IN_MEMORY_ROUNDS: usize = 31;

/// All comparisons in the caches.
pub(crate) fn in_cache(length: Length) -> Vec<Row> {
    let random = Boards::random(IN_CACHE_BOARDS);
    let playouts = playouts::playouts(IN_CACHE_BOARDS);
    let few = Boards::random(SHORT_POOL);
    let mut rows = Vec::new();
    for name in OPERATIONS {
        let operation = operation(name);
        progress(name, IN_CACHE);
        for (boards, order, setting) in [
            (&random, Order::New, IN_CACHE),
            (&playouts, Order::New, IN_CACHE),
            (&random, Order::Same, REPEATED),
        ] {
            let mut contenders = contender::kernels(operation);
            contenders.extend(peers::all(operation));
            contenders.extend(copy_xor::all(operation));
            let batch = Batch::new(operation, boards, order, IN_CACHE_BOARDS, 0);
            rows.extend(among(
                name,
                &contenders,
                batch,
                boards.name,
                setting,
                length,
            ));
        }
        progress(name, "short batches");
        let batch =
            |size| Batch::new(operation, &few, Order::Same, SHORT_POOL, 0).in_calls_of(size);
        let short = SHORT.map(|(size, setting)| (batch(size), setting));
        rows.extend(against_itself(
            name,
            (batch(WHOLE_BLOCK_BOARDS), WHOLE_BLOCK),
            short,
            length,
        ));
        progress(name, "offsets");
        let batch = |offset| Batch::new(operation, &random, Order::Same, IN_CACHE_BOARDS, offset);
        let off = OFFSETS.map(|(offset, setting)| (batch(offset), setting));
        rows.extend(against_itself(name, (batch(0), ALIGNED), off, length));
    }
    rows
}

fn operation(name: &str) -> Operation {
    Operation::named(&format!("{name}_attacks")).expect("a name of the list")
}

fn progress(operation: &str, what: &str) {
    if std::io::stderr().is_terminal() {
        eprintln!("{operation}: {what}");
    }
}

/// The best kernel, kernels with a bound, the best peers and the copies, beyond the caches.
pub(crate) fn in_memory(length: Length) -> Vec<Row> {
    let name = "queen";
    progress(name, IN_MEMORY);
    let operation = operation(name);
    let boards = Boards::random(IN_MEMORY_PERIOD);
    let mut contenders = contender::kernels(operation);
    let best = Kernels::available().next().map(Kernels::name);
    contenders
        .retain(|kernel| Some(kernel.name) == best || requirements::names(kernel.name, IN_MEMORY));
    let best = [kogge_stone::native(), magic::NAME];
    let peers = peers::all(operation).into_iter();
    contenders.extend(peers.filter(|peer| best.contains(&peer.name)));
    contenders.extend(copy_xor::all(operation));
    let batch = Batch::new(operation, &boards, Order::Same, IN_MEMORY_BOARDS, 0);
    let length = Length {
        rounds: IN_MEMORY_ROUNDS,
        ..length
    };
    among(name, &contenders, batch, boards.name, IN_MEMORY, length)
}

/// A race of contenders in one batch. Each is compared with every peer and copy.
fn among(
    operation: &'static str,
    contenders: &[Contender],
    batch: Batch,
    input: &'static str,
    setting: &'static str,
    length: Length,
) -> Vec<Row> {
    let entries: Vec<_> = contenders
        .iter()
        .map(|contender| Entry {
            contender,
            batch: 0,
        })
        .collect();
    let mut batches = [batch];
    for contender in contenders {
        check(contender, &mut batches[0]);
    }
    let times = race(&entries, &mut batches, length);
    let mut rows = Vec::new();
    for (to, reference) in contenders.iter().enumerate() {
        if reference.kind == Kind::Kernel {
            continue;
        }
        for (of, contender) in contenders.iter().enumerate() {
            if of != to && contender.kind != Kind::Roof {
                rows.push(Row {
                    operation,
                    input,
                    contender: contender.name,
                    setting,
                    reference: reference.name,
                    ratio: times.ratio(of, to),
                });
            }
        }
    }
    rows
}

/// # Panics
/// If a result is wrong.
fn check(contender: &Contender, batch: &mut Batch) {
    if let Err(wrong) = contender.check(batch) {
        panic!("{wrong}");
    }
}

/// A race of every kernel with itself in other settings, on random boards. All settings have the
/// same number of calls per iteration.
fn against_itself<const N: usize>(
    operation: &'static str,
    (reference, reference_setting): (Batch, &'static str),
    others: [(Batch, &'static str); N],
    length: Length,
) -> Vec<Row> {
    let contenders = contender::kernels(reference.operation);
    let settings = others.each_ref().map(|(_, setting)| *setting);
    let mut batches = vec![reference];
    batches.extend(others.into_iter().map(|(batch, _)| batch));
    let mut rows = Vec::new();
    for contender in &contenders {
        let entries: Vec<_> = (0..=N).map(|batch| Entry { contender, batch }).collect();
        for batch in &mut batches {
            check(contender, batch);
        }
        let times = race(&entries, &mut batches, length);
        rows.extend(settings.iter().enumerate().map(|(i, setting)| Row {
            operation,
            input: "random",
            contender: contender.name,
            setting,
            reference: reference_setting,
            ratio: times.ratio(i + 1, 0),
        }));
    }
    rows
}
