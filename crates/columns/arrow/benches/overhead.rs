//! The cost of operations on columns relative to slices, and of reading FEN:
//! `cargo bench -p setwise-arrow`.
//!
//! Operations on slices write to existing memory. Operations on columns allocate their results,
//! which are freed after each call. Short rounds of each kind alternate, so noise affects all kinds
//! alike. Only the fastest tenth of the rounds counts, or for FEN the fastest call.

use std::hint::black_box;
use std::time::{Duration, Instant};

use arrow_array::{StringViewArray, UInt64Array};
use arrow_buffer::NullBuffer;
use setwise_arrow::{BadFens, Positions, Side, queen_attacks};

const ROUNDS: usize = 400;

fn main() {
    let mut random = fastrand::Rng::with_seed(1);
    println!("queen_attacks, kernel {}, relative to slices:", setwise::Kernel::active().name());
    println!(
        "   boards  column  zeroed Vec  same nulls  two nulls  constant   slices, ns per board"
    );
    for boards in [1 << 10, 1 << 12, 1 << 13, 1 << 16, 1 << 20] {
        measure(boards, &mut random);
    }
    fens();
}

fn measure(boards: usize, random: &mut fastrand::Rng) {
    // Each board has one to three queens, and up to twenty other pieces.
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
    let with_nulls = |column: usize, nulls: &NullBuffer| {
        UInt64Array::new(columns[column].values().clone(), Some(nulls.clone()))
    };
    let queens_with_nulls = with_nulls(0, &nulls[0]);
    let occupied_with_nulls = [with_nulls(1, &nulls[0]), with_nulls(1, &nulls[1])];

    let mut attacks = vec![0; boards];
    let calls = ((1 << 16) / boards).max(1);
    let mut samples: [Vec<Duration>; 6] = Default::default();
    for _ in 0..ROUNDS.min(40_000_000 / boards) {
        let mut time = |n: usize, call: &mut dyn FnMut()| {
            let start = Instant::now();
            for _ in 0..calls {
                call();
            }
            samples[n].push(start.elapsed());
        };
        time(0, &mut || {
            setwise::queen_attacks(black_box(&queens), black_box(&occupied), &mut attacks);
            black_box(&mut attacks);
        });
        time(1, &mut || {
            drop(black_box(queen_attacks(black_box(&columns[0]), &columns[1])));
        });
        time(2, &mut || {
            let mut attacks = vec![0; boards];
            setwise::queen_attacks(black_box(&queens), black_box(&occupied), &mut attacks);
            drop(black_box(UInt64Array::from(attacks)));
        });
        for (n, occupied) in occupied_with_nulls.iter().enumerate() {
            time(3 + n, &mut || {
                drop(black_box(queen_attacks(black_box(&queens_with_nulls), occupied)));
            });
        }
        time(5, &mut || {
            drop(black_box(queen_attacks(black_box(&columns[0]), 0xff00)));
        });
    }
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
        slices * 1e9 / (boards * calls) as f64
    );
}

fn fens() {
    const ROWS: usize = 8192;
    let texts = [
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "2kr3r/pp3ppp/2n1b3/2q1p3/4P3/2P2N2/PP3PPP/R2QR1K1 b - - 5 17",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 41",
    ];
    // A random order keeps the branch predictor from learning the FENs.
    let mut random = fastrand::Rng::with_seed(2);
    let column = StringViewArray::from_iter_values((0..ROWS).map(|_| texts[random.usize(..4)]));
    let mut fastest = [Duration::MAX; 3];
    for _ in 0..1000 {
        let read = || Positions::read(black_box(&column), BadFens::Fail).expect("valid FENs");
        let calls: [&dyn Fn(); 3] = [
            &|| drop(black_box(read())),
            &|| drop(black_box(read().slider_attacks(Side::White))),
            &|| drop(black_box(read().attack_maps())),
        ];
        for (fastest, call) in fastest.iter_mut().zip(calls) {
            let start = Instant::now();
            call();
            *fastest = start.elapsed().min(*fastest);
        }
    }
    let [read, slider_attacks, attack_maps] =
        fastest.map(|time| ROWS as f64 / time.as_secs_f64() / 1e6);
    println!("FEN, one thread, million positions per second: {read:.1}");
    println!("    with slider_attacks of a side: {slider_attacks:.1}");
    println!("    with attack_maps: {attack_maps:.1}");
}
