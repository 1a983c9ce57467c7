//! What an operation on columns costs beside the same on slices: `cargo bench -p setwise-arrow`.
//!
//! The slices' results go into memory that is there; the columns' are allocated and freed every time. Alternating short rounds in one process, and of each
//! kind the fastest few: what other programs take from the machine slows both.
//!
//! Then positions a second from columns of FEN.

use std::hint::black_box;
use std::time::{Duration, Instant};

use arrow_array::{StringViewArray, UInt64Array};
use arrow_buffer::NullBuffer;
use setwise_arrow::{BadFens, Positions, Side, queen_attacks};

const ROUNDS: usize = 400;

fn main() {
    let mut random = fastrand::Rng::with_seed(1);
    println!(
        "queen_attacks by {}, ratio to slices:",
        setwise::Kernels::active().name()
    );
    println!("   boards  column  zeroed Vec  same nulls  two nulls  constant   slices, ns a board");
    for boards in [1 << 10, 1 << 12, 1 << 13, 1 << 16, 1 << 20] {
        // One to three queens, and up to twenty men.
        let queens: Vec<u64> = (0..boards)
            .map(|_| (0..random.u8(1..4)).fold(0, |set, _| set | 1 << random.u8(..64)))
            .collect();
        let occupied: Vec<u64> = queens
            .iter()
            .map(|queens| (0..20).fold(*queens, |set, _| set | 1 << random.u8(..64)))
            .collect();
        let columns = [&queens, &occupied].map(|sets| UInt64Array::from(sets.clone()));
        let mut nulls = || -> NullBuffer { (0..boards).map(|_| random.u8(..10) > 0).collect() };
        let nulls = [nulls(), nulls()];
        let with = |column: usize, nulls: &NullBuffer| {
            UInt64Array::new(columns[column].values().clone(), Some(nulls.clone()))
        };
        let with_nulls = [with(0, &nulls[0]), with(1, &nulls[0]), with(1, &nulls[1])];

        let mut attacks = vec![0; boards];
        let repeat = ((1 << 16) / boards).max(1);
        let mut samples: [Vec<Duration>; 6] = Default::default();
        for _ in 0..ROUNDS.min(40_000_000 / boards) {
            let mut time = |n: usize, call: &mut dyn FnMut()| {
                let start = Instant::now();
                for _ in 0..repeat {
                    call();
                }
                samples[n].push(start.elapsed());
            };
            time(0, &mut || {
                setwise::queen_attacks(black_box(&queens), black_box(&occupied), &mut attacks);
                black_box(&mut attacks);
            });
            time(1, &mut || {
                drop(black_box(queen_attacks(
                    black_box(&columns[0]),
                    &columns[1],
                )));
            });
            time(2, &mut || {
                let mut attacks = vec![0; boards];
                setwise::queen_attacks(black_box(&queens), black_box(&occupied), &mut attacks);
                drop(black_box(UInt64Array::from(attacks)));
            });
            time(3, &mut || {
                drop(black_box(queen_attacks(
                    black_box(&with_nulls[0]),
                    &with_nulls[1],
                )));
            });
            time(4, &mut || {
                drop(black_box(queen_attacks(
                    black_box(&with_nulls[0]),
                    &with_nulls[2],
                )));
            });
            time(5, &mut || {
                drop(black_box(queen_attacks(black_box(&columns[0]), 0xff00)));
            });
        }
        // The mean of the fastest tenth.
        let [slices, column, zeroed, same, two, constant] = samples.map(|mut samples| {
            samples.sort();
            let fastest = &samples[..samples.len().div_ceil(10)];
            fastest.iter().sum::<Duration>().as_secs_f64() / fastest.len() as f64
        });
        println!(
            "{boards:9}  {:6.3}  {:10.3}  {:10.3}  {:9.3}  {:8.3}   {:.3}",
            column / slices,
            zeroed / slices,
            same / slices,
            two / slices,
            constant / slices,
            slices * 1e9 / (boards * repeat) as f64
        );
    }
    fens();
}

/// Positions as games have them, by FENs of six fields.
fn fens() {
    const ROWS: usize = 8192;
    let texts = [
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "2kr3r/pp3ppp/2n1b3/2q1p3/4P3/2P2N2/PP3PPP/R2QR1K1 b - - 5 17",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 41",
    ];
    // In no order that a predictor of branches could learn.
    let mut random = fastrand::Rng::with_seed(2);
    let column = StringViewArray::from_iter_values((0..ROWS).map(|_| texts[random.usize(..4)]));
    let mut fastest = [Duration::MAX; 2];
    for _ in 0..1000 {
        let start = Instant::now();
        let positions = Positions::read(black_box(&column), BadFens::Fail).expect("they are good");
        fastest[0] = fastest[0].min(start.elapsed());
        drop(black_box(positions.slider_attacks(Side::White)));
        fastest[1] = fastest[1].min(start.elapsed());
    }
    let [read, attacks] = fastest.map(|time| ROWS as f64 / time.as_secs_f64() / 1e6);
    println!(
        "a column of FEN, one thread: {read:.1} million positions a second; with slider_attacks of a side {attacks:.1}"
    );
}
