//! Every kernel that this CPU can run, and the peers, by the same loop in criterion groups
//! `operation/input/boards a call`.
//!
//! Read ratios inside a group; a time alone says more about the machine than about the code.
//! For ratios taken in interleaved rounds run `cargo bench --bench ratios`.
//!
//! Every result is compared with a square-by-square walk before it is timed.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use setwise::Kernels;

use setwise_measure::batch::{Batch, Order};
use setwise_measure::boards::Boards;
use setwise_measure::clock;
use setwise_measure::contender::{self, Contender};
use setwise_measure::operation::Operation;
use setwise_measure::peers::{self, kogge_stone, magic};
use setwise_measure::playouts::playouts;
use setwise_measure::roof;

/// All benchmarks that are timed together, without those in memory: more kernels, shorter samples.
const BUDGET: Duration = Duration::from_secs(240);
const WARM_UP: Duration = Duration::from_millis(40);

/// Boards in the first or second cache, in a new order for every pass.
const CACHED: usize = 4096;
/// Boards a call that are cut from them.
const SHORT: [usize; 5] = [1, 8, 31, 32, 256];
/// Boards in the second or third cache, more than a branch predictor knows by heart.
const MANY: usize = 65_536;
/// Far beyond the caches.
const STREAM: usize = 8 << 20;
const STREAM_TIME: Duration = Duration::from_secs(1);

/// A group of benchmarks over one batch.
struct Group {
    name: String,
    batch: Batch,
    contenders: Vec<Contender>,
}

fn main() {
    let groups = in_cache();
    let count: usize = groups.iter().map(|group| group.contenders.len()).sum();
    let share = BUDGET / u32::try_from(count).expect("a few hundred");
    let mut criterion = Criterion::default()
        .without_plots()
        .warm_up_time(WARM_UP)
        .measurement_time(share.saturating_sub(WARM_UP).max(WARM_UP))
        .sample_size(10)
        .nresamples(2000)
        .configure_from_args();
    for group in groups {
        run(&mut criterion, group);
    }
    if timing_wanted() {
        for name in peers::OPERATIONS {
            run(
                &mut criterion,
                in_memory(Operation::named(name).expect("a name of the list")),
            );
        }
    }
    criterion.final_summary();
}

fn in_cache() -> Vec<Group> {
    let (random, many_random) = (Boards::random(CACHED), Boards::random(MANY));
    let (playouts, many_playouts) = (playouts(CACHED), playouts(MANY));
    let mut groups = Vec::new();
    for operation in Operation::all() {
        let mut group = |boards: &Boards, order, boards_a_call| {
            let mut contenders = contender::kernels(operation);
            contenders.extend(peers::all(operation));
            contenders.extend(roof::all(operation));
            groups.push(Group {
                name: format!("{}/{}/{boards_a_call}", operation.title(), boards.name),
                batch: Batch::new(operation, boards, order, boards.len(), 0)
                    .in_calls_of(boards_a_call),
                contenders,
            });
        };
        group(&random, Order::New, CACHED);
        if !peers::OPERATIONS.contains(&operation.name) {
            continue;
        }
        for boards_a_call in SHORT {
            group(&random, Order::New, boards_a_call);
        }
        group(&playouts, Order::New, CACHED);
        for boards in [&many_random, &many_playouts] {
            group(boards, Order::Same, MANY);
        }
    }
    groups
}

/// The best kernel, the best of each kind of peer, and the roof, at a size that only memory holds.
fn in_memory(operation: Operation) -> Group {
    let boards = Boards::random(MANY);
    let best = Kernels::available().next().map(Kernels::name);
    let mut contenders = contender::kernels(operation);
    contenders.retain(|kernel| Some(kernel.name) == best);
    let best = [kogge_stone::native(), magic::NAME];
    let peers = peers::all(operation).into_iter();
    contenders.extend(peers.filter(|peer| best.contains(&peer.name)));
    contenders.extend(roof::all(operation));
    Group {
        name: format!("{}/{}/{STREAM}", operation.title(), boards.name),
        batch: Batch::new(operation, &boards, Order::Same, STREAM, 0),
        contenders,
    }
}

fn run(criterion: &mut Criterion, group: Group) {
    let mut timed = criterion.benchmark_group(group.name);
    let mut batch = group.batch;
    timed.sampling_mode(SamplingMode::Flat);
    timed.throughput(Throughput::Elements(batch.boards() as u64));
    if batch.boards() == STREAM {
        timed.measurement_time(STREAM_TIME);
    }
    for contender in group.contenders {
        let mut checked = false;
        timed.bench_function(BenchmarkId::from_parameter(contender.name), |bencher| {
            if !checked {
                if let Err(wrong) = contender.check(&mut batch) {
                    panic!("{wrong}");
                }
                checked = true;
            }
            bencher.iter_custom(|passes| clock::time(&contender, &mut batch, passes));
        });
    }
    timed.finish();
}

/// Whether `cargo bench` started this process; otherwise (`cargo test --benches`) everything is
/// run once and checked, and nothing is timed.
fn timing_wanted() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}
