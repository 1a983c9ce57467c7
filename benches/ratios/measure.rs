//! The comparisons, each a race.

use std::io::IsTerminal;

use serde::Serialize;
use setwise::Kernels;

use crate::common::batch::{Batch, Order};
use crate::common::boards::Boards;
use crate::common::contender::{self, Computes, Contender};
use crate::common::{Operation, copy_xor, kogge_stone, magic};
use crate::race::{Entry, Length, Ratio, race};
use crate::requirements;

/// Boards in the in-cache comparisons: 96 KiB for an operation on one set.
const IN_CACHE_BOARDS: usize = 4096;
pub(crate) const IN_CACHE: &str = "4,096 boards";
/// The same without a new order for every pass: who gains when all branches are known by heart.
pub(crate) const REPEATED: &str = "4,096 boards, always in the same order";

/// Short batches are cut from a pool that the first cache holds.
const SHORT_POOL: usize = 1024;
pub(crate) const SHORT: [(usize, &str); 3] = [
    (1, "1 board a call"),
    (8, "8 boards a call"),
    (31, "31 boards a call"),
];
const WHOLE_BLOCK_BOARDS: usize = 32;
pub(crate) const WHOLE_BLOCK: &str = "32 boards a call";

/// How far all buffers are off a cache line's start.
pub(crate) const OFFSETS: [(usize, &str); 2] = [(8, "8 bytes off"), (16, "16 bytes off")];
pub(crate) const ALIGNED: &str = "aligned";

/// Boards out of every cache, made by repeating as many as no branch predictor knows by heart.
const IN_MEMORY_BOARDS: usize = 8 << 20;
const IN_MEMORY_PERIOD: usize = 65_536;
pub(crate) const IN_MEMORY: &str = "8 Mi boards";
/// Its samples are long: so many rounds do.
const IN_MEMORY_ROUNDS: usize = 31;

/// One measured ratio: the time of `contender` in `setting`, divided by that of `reference`, which is another
/// contender in the same setting, or the same contender in another setting.
#[derive(Clone, Serialize)]
pub(crate) struct Row {
    pub(crate) operation: String,
    pub(crate) input: &'static str,
    pub(crate) contender: &'static str,
    pub(crate) setting: &'static str,
    pub(crate) reference: &'static str,
    pub(crate) ratio: Ratio,
}

/// All comparisons in the caches.
pub(crate) fn in_cache(length: Length) -> Vec<Row> {
    let random = Boards::random(IN_CACHE_BOARDS);
    let playouts = Boards::playouts(IN_CACHE_BOARDS);
    let few = Boards::random(SHORT_POOL);
    let mut rows = Vec::new();
    for operation in Operation::ATTACKS {
        progress(operation, IN_CACHE);
        for (boards, order) in [
            (&random, Order::New),
            (&playouts, Order::New),
            (&random, Order::Same),
        ] {
            rows.extend(against_peers(operation, boards, order, length));
        }
        progress(operation, "short batches");
        rows.extend(short_batches(operation, &few, length));
        progress(operation, "offsets");
        rows.extend(offsets(operation, &random, length));
    }
    rows
}

fn progress(operation: Operation, what: &str) {
    if std::io::stderr().is_terminal() {
        eprintln!("{}: {what}", operation.name());
    }
}

/// Every kernel and peer against every peer.
fn against_peers(operation: Operation, boards: &Boards, order: Order, length: Length) -> Vec<Row> {
    let mut contenders = contender::kernels(operation);
    contenders.extend(contender::peers(operation));
    let batch = Batch::new(
        operation,
        boards,
        order,
        IN_CACHE_BOARDS,
        IN_CACHE_BOARDS,
        0,
    );
    let setting = match order {
        Order::New => IN_CACHE,
        Order::Same => REPEATED,
    };
    among(&contenders, batch, boards.name, setting, length)
}

/// The best kernel, those with a requirement, the best peers and the roof, out of the caches.
pub(crate) fn in_memory(length: Length) -> Vec<Row> {
    let operation = Operation::Queen;
    progress(operation, IN_MEMORY);
    let boards = Boards::random(IN_MEMORY_PERIOD);
    let mut contenders = contender::kernels(operation);
    let best = Kernels::available().next().map(Kernels::name);
    contenders
        .retain(|kernel| Some(kernel.name) == best || requirements::names(kernel.name, IN_MEMORY));
    contenders.extend(
        contender::peers(operation).into_iter().filter(|peer| {
            [kogge_stone::native(), magic::NAME, copy_xor::NAME].contains(&peer.name)
        }),
    );
    let batch = Batch::new(
        operation,
        &boards,
        Order::Same,
        IN_MEMORY_BOARDS,
        IN_MEMORY_BOARDS,
        0,
    );
    let length = Length {
        rounds: IN_MEMORY_ROUNDS,
        ..length
    };
    among(&contenders, batch, boards.name, IN_MEMORY, length)
}

/// A race of contenders in one batch, in which everybody is compared with every peer.
fn among(
    contenders: &[Contender],
    batch: Batch,
    input: &'static str,
    setting: &'static str,
    length: Length,
) -> Vec<Row> {
    let operation = batch.operation.name();
    let entries: Vec<Entry> = contenders
        .iter()
        .map(|contender| Entry {
            contender,
            batch: 0,
        })
        .collect();
    let times = race(&entries, &mut [batch], length);
    let mut rows = Vec::new();
    for (to, reference) in contenders.iter().enumerate() {
        if Kernels::by_name(reference.name).is_ok() {
            continue;
        }
        for (of, contender) in contenders.iter().enumerate() {
            if of != to && matches!(contender.computes, Computes::Attacks) {
                rows.push(Row {
                    operation: operation.clone(),
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

/// Every kernel: a call for a few boards against a call for a whole block.
fn short_batches(operation: Operation, boards: &Boards, length: Length) -> Vec<Row> {
    let batch =
        |boards_a_call| Batch::new(operation, boards, Order::Same, SHORT_POOL, boards_a_call, 0);
    let whole = (batch(WHOLE_BLOCK_BOARDS), WHOLE_BLOCK);
    let short = SHORT.map(|(boards_a_call, setting)| (batch(boards_a_call), setting));
    against_itself(boards.name, whole, short.into(), length)
}

/// Every kernel: buffers off alignment against buffers on it.
fn offsets(operation: Operation, boards: &Boards, length: Length) -> Vec<Row> {
    let batch = |offset| {
        Batch::new(
            operation,
            boards,
            Order::Same,
            IN_CACHE_BOARDS,
            IN_CACHE_BOARDS,
            offset,
        )
    };
    let aligned = (batch(0), ALIGNED);
    let off = OFFSETS.map(|(offset, setting)| (batch(offset), setting));
    against_itself(boards.name, aligned, off.into(), length)
}

/// A race of every kernel with itself in other settings. A pass makes the same number of calls in each.
fn against_itself(
    input: &'static str,
    (reference, reference_setting): (Batch, &'static str),
    settings: Vec<(Batch, &'static str)>,
    length: Length,
) -> Vec<Row> {
    let operation = reference.operation;
    let mut batches = vec![reference];
    let mut names = Vec::new();
    for (batch, setting) in settings {
        batches.push(batch);
        names.push(setting);
    }
    let mut rows = Vec::new();
    for contender in &contender::kernels(operation) {
        let entries: Vec<Entry> = (0..batches.len())
            .map(|batch| Entry { contender, batch })
            .collect();
        let times = race(&entries, &mut batches, length);
        rows.extend(names.iter().enumerate().map(|(i, setting)| Row {
            operation: operation.name(),
            input,
            contender: contender.name,
            setting,
            reference: reference_setting,
            ratio: times.ratio(i + 1, 0),
        }));
    }
    rows
}
