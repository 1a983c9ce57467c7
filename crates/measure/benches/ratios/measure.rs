//! The comparisons: races between contenders, or between settings of one contender.

use std::io::IsTerminal;

use serde::Serialize;
use setwise::Kernel;
use setwise_measure::batch::{Batch, Order};
use setwise_measure::boards::Boards;
use setwise_measure::contender::{self, Contender};
use setwise_measure::copy_xor;
use setwise_measure::figures::Kind;
use setwise_measure::operation::Operation;
use setwise_measure::peers::{self, kogge_stone, magic};
use setwise_measure::playouts::playouts;
use setwise_measure::race::{Entry, Length, Ratio, race};
use setwise_measure::settings::{self, MAIN};

// The names of the settings.
pub(crate) const IN_CACHE: &str = "4,096 boards";
/// The setting in which the order of the boards never changes, so branches become predictable.
pub(crate) const REPEATED: &str = "4,096 boards, always in the same order";
pub(crate) const SHORT: [(usize, &str); 3] =
    [(1, "1 board per call"), (8, "8 boards per call"), (31, "31 boards per call")];
pub(crate) const WHOLE_BLOCK: &str = "32 boards per call";
/// Misalignment of all buffers, in bytes.
const OFFSETS: [(usize, &str); 2] = [(8, "8 bytes off"), (16, "16 bytes off")];
const ALIGNED: &str = "aligned";
pub(crate) const IN_MEMORY: &str = "8 Mi boards";

/// The number of boards in the pool that short calls process part by part. The pool fits in the
/// first-level cache.
const POOL: usize = 1024;
/// Enough boards to exceed every cache. The boards repeat after a period that is too long for a
/// branch predictor to memorise.
const IN_MEMORY_BOARDS: usize = 8 << 20;
const IN_MEMORY_PERIOD: usize = 65_536;
/// The number of rounds with boards that exceed the caches. Few rounds are enough, because each
/// sample is long.
const IN_MEMORY_ROUNDS: usize = 31;

/// A contender's time in `setting`, divided by that of `reference`. The reference is another
/// contender in the same setting, or the same contender in another setting.
#[derive(Serialize)]
pub(crate) struct Row {
    pub(crate) operation: &'static str,
    pub(crate) input: &'static str,
    pub(crate) contender: &'static str,
    pub(crate) setting: &'static str,
    pub(crate) reference: &'static str,
    pub(crate) ratio: Ratio,
}

/// Makes all comparisons whose boards fit in the caches.
pub(crate) fn in_cache(length: Length) -> Vec<Row> {
    let random = Boards::random(settings::IN_CACHE);
    let playouts = playouts(settings::IN_CACHE);
    let short = Boards::random(POOL);
    let mut rows = Vec::new();
    for name in MAIN {
        let operation = Operation::named(name).expect("a name of the list");
        progress(name, IN_CACHE);
        for (boards, order, setting) in [
            (&random, Order::New, IN_CACHE),
            (&playouts, Order::New, IN_CACHE),
            (&random, Order::Same, REPEATED),
        ] {
            let mut contenders = contender::kernels(operation);
            contenders.extend(peers::all(operation));
            contenders.extend(copy_xor::all(operation));
            let batch = Batch::new(operation, boards, order, settings::IN_CACHE, 0);
            rows.extend(between_contenders(name, &contenders, batch, boards.name, setting, length));
        }
        progress(name, "short calls");
        let calls =
            |boards| Batch::new(operation, &short, Order::Same, POOL, 0).in_calls_of(boards);
        let mut settings = vec![(calls(32), WHOLE_BLOCK)];
        settings.extend(SHORT.map(|(boards, setting)| (calls(boards), setting)));
        rows.extend(between_settings(name, settings, length));
        progress(name, "offsets");
        let off = |bytes| Batch::new(operation, &random, Order::Same, settings::IN_CACHE, bytes);
        let mut settings = vec![(off(0), ALIGNED)];
        settings.extend(OFFSETS.map(|(bytes, setting)| (off(bytes), setting)));
        rows.extend(between_settings(name, settings, length));
    }
    rows
}

/// Makes the comparisons with boards that exceed the caches: between the best kernel, the kernel
/// `avx2`, the best peers and the copies ([`copy_xor`]).
pub(crate) fn in_memory(length: Length) -> Vec<Row> {
    let name = "queen_attacks";
    progress(name, IN_MEMORY);
    let operation = Operation::named(name).expect("a name of the list");
    let boards = Boards::random(IN_MEMORY_PERIOD);
    let mut contenders = contender::kernels(operation);
    let best = Kernel::available().next().map(Kernel::name);
    contenders.retain(|kernel| Some(kernel.name) == best || kernel.name == "avx2");
    let best = [kogge_stone::native(), magic::NAME];
    contenders.extend(peers::all(operation).into_iter().filter(|peer| best.contains(&peer.name)));
    contenders.extend(copy_xor::all(operation));
    let batch = Batch::new(operation, &boards, Order::Same, IN_MEMORY_BOARDS, 0);
    let length = Length { rounds: IN_MEMORY_ROUNDS, ..length };
    between_contenders(name, &contenders, batch, boards.name, IN_MEMORY, length)
}

fn progress(operation: &str, step: &str) {
    if std::io::stderr().is_terminal() {
        eprintln!("{operation}: {step}");
    }
}

/// Races the contenders on one batch. Each contender is compared with every peer and copy.
fn between_contenders(
    operation: &'static str,
    contenders: &[Contender],
    mut batch: Batch,
    input: &'static str,
    setting: &'static str,
    length: Length,
) -> Vec<Row> {
    for contender in contenders {
        check(contender, &mut batch);
    }
    let entry = |contender| Entry { contender, batch: 0 };
    let entries: Vec<_> = contenders.iter().map(entry).collect();
    let times = race(&entries, &mut [batch], length);
    let mut rows = Vec::new();
    for (to, reference) in contenders.iter().enumerate() {
        for (of, contender) in contenders.iter().enumerate() {
            if of != to && reference.kind != Kind::Kernel && contender.kind != Kind::Roof {
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

/// Races every kernel against itself in several settings, on random boards. The first setting is
/// the reference. An iteration makes the same number of calls in each setting.
fn between_settings(
    operation: &'static str,
    settings: Vec<(Batch, &'static str)>,
    length: Length,
) -> Vec<Row> {
    let (mut batches, names): (Vec<_>, Vec<_>) = settings.into_iter().unzip();
    let mut rows = Vec::new();
    for contender in &contender::kernels(batches[0].operation) {
        for batch in &mut batches {
            check(contender, batch);
        }
        let entries: Vec<_> = (0..names.len()).map(|batch| Entry { contender, batch }).collect();
        let times = race(&entries, &mut batches, length);
        rows.extend((1..names.len()).map(|of| Row {
            operation,
            input: "random",
            contender: contender.name,
            setting: names[of],
            reference: names[0],
            ratio: times.ratio(of, 0),
        }));
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
