//! Times every kernel that this CPU can run, in criterion groups named
//! `operation/boards per call`.
//!
//! Compare only within a group: absolute times depend on the machine. For ratios measured in
//! interleaved rounds, and for other crates, run `cargo bench -p setwise-measure --bench ratios`.

use std::ops::Range;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use setwise::{Kernel, board};

/// Number of random boards: more than a branch predictor can memorise. Successive calls take
/// successive boards, and start over at the end.
const BOARDS: usize = 16_384;
const BOARDS_PER_CALL: [usize; 6] = [1, 8, 31, 32, 256, 4096];

/// Random boards. Element `i` of each column belongs to board `i`. Each of a board's two slider
/// sets holds one to four sliders.
struct Boards {
    orthogonal: Vec<u64>,
    diagonal: Vec<u64>,
    occupied: Vec<u64>,
}

struct Operation {
    name: &'static str,
    call: fn(&Kernel, &Boards, Range<usize>, &mut [u64]),
    /// Computes the expected attacks on one board.
    one: fn(&Boards, usize) -> u64,
}

const OPERATIONS: [Operation; 4] = [
    Operation {
        name: "rook_attacks",
        call: |kernel, boards, range, attacks| {
            kernel.rook_attacks(
                &boards.orthogonal[range.clone()],
                &boards.occupied[range],
                attacks,
            );
        },
        one: |boards, i| board::rook_attacks(boards.orthogonal[i], boards.occupied[i]),
    },
    Operation {
        name: "bishop_attacks",
        call: |kernel, boards, range, attacks| {
            kernel.bishop_attacks(
                &boards.diagonal[range.clone()],
                &boards.occupied[range],
                attacks,
            );
        },
        one: |boards, i| board::bishop_attacks(boards.diagonal[i], boards.occupied[i]),
    },
    Operation {
        name: "queen_attacks",
        call: |kernel, boards, range, attacks| {
            kernel.queen_attacks(&boards.diagonal[range.clone()], &boards.occupied[range], attacks);
        },
        one: |boards, i| board::queen_attacks(boards.diagonal[i], boards.occupied[i]),
    },
    Operation {
        name: "slider_attacks",
        call: |kernel, boards, range, attacks| {
            let orthogonal = &boards.orthogonal[range.clone()];
            let diagonal = &boards.diagonal[range.clone()];
            kernel.slider_attacks(orthogonal, diagonal, &boards.occupied[range], attacks);
        },
        one: |boards, i| {
            let Boards { orthogonal, diagonal, occupied } = boards;
            board::slider_attacks(orthogonal[i], diagonal[i], occupied[i])
        },
    },
];

fn main() {
    let mut criterion = Criterion::default()
        .without_plots()
        .warm_up_time(Duration::from_millis(40))
        .measurement_time(Duration::from_millis(400))
        .sample_size(10)
        .configure_from_args();
    let mut rng = fastrand::Rng::with_seed(0x5e7_015e);
    let mut words = |word: fn(&mut fastrand::Rng) -> u64| -> Vec<u64> {
        (0..BOARDS).map(|_| word(&mut rng)).collect()
    };
    let sliders = |rng: &mut fastrand::Rng| {
        let count = rng.u32(1..=4);
        (0..count).fold(0, |set, _| set | 1 << rng.u32(0..64))
    };
    let boards = Boards {
        orthogonal: words(sliders),
        diagonal: words(sliders),
        occupied: words(|rng| rng.u64(..) & rng.u64(..)),
    };
    for operation in OPERATIONS {
        check(&operation, &boards);
        for boards_per_call in BOARDS_PER_CALL {
            time(&mut criterion, &operation, &boards, boards_per_call);
        }
    }
    criterion.final_summary();
}

/// Checks every kernel's results against [`board`].
fn check(operation: &Operation, boards: &Boards) {
    let right: Vec<u64> = (0..BOARDS).map(|i| (operation.one)(boards, i)).collect();
    for kernel in Kernel::available() {
        let mut attacks = vec![0; BOARDS];
        (operation.call)(kernel, boards, 0..BOARDS, &mut attacks);
        assert!(attacks == right, "{}: {} returned wrong attacks", kernel.name(), operation.name);
    }
}

fn time(criterion: &mut Criterion, operation: &Operation, boards: &Boards, boards_per_call: usize) {
    let mut group = criterion.benchmark_group(format!("{}/{boards_per_call}", operation.name));
    group.sampling_mode(SamplingMode::Flat);
    group.throughput(Throughput::Elements(boards_per_call as u64));
    for kernel in Kernel::available() {
        let mut attacks = vec![0; boards_per_call];
        let mut start = 0;
        group.bench_function(BenchmarkId::from_parameter(kernel.name()), |bencher| {
            bencher.iter(|| {
                let range = start..start + boards_per_call;
                start = range.end;
                if start + boards_per_call > BOARDS {
                    start = 0;
                }
                (operation.call)(kernel, boards, range, &mut attacks);
            });
        });
    }
    group.finish();
}
