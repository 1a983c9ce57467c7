//! What an operation on columns costs beside the same on slices: `cargo bench -p setwise-arrow`.
//!
//! The slices' results go into memory that is there; the columns' are allocated and freed every time. Alternating short rounds in one process, and of each
//! kind the fastest few: what other programs take from the machine slows both.

use std::hint::black_box;
use std::time::{Duration, Instant};

use arrow_array::UInt64Array;
use arrow_buffer::NullBuffer;
use setwise_arrow::queen_attacks;

const ROUNDS: usize = 400;

fn main() {
    let mut random = fastrand::Rng::with_seed(1);
    println!(
        "queen_attacks by {}, ratio to slices:",
        setwise::Kernels::active().name()
    );
    println!("   boards  column  zeroed Vec  nulls  constant   slices, ns a board");
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
        let nulls: NullBuffer = (0..boards).map(|_| random.u8(..10) > 0).collect();
        let with_nulls = columns
            .clone()
            .map(|column| UInt64Array::new(column.into_parts().1, Some(nulls.clone())));

        let mut attacks = vec![0; boards];
        let repeat = ((1 << 16) / boards).max(1);
        let mut samples: [Vec<Duration>; 5] = Default::default();
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
                drop(black_box(queen_attacks(black_box(&columns[0]), 0xff00)));
            });
        }
        // The mean of the fastest tenth.
        let [slices, column, zeroed, nulls, constant] = samples.map(|mut samples| {
            samples.sort();
            let fastest = &samples[..samples.len().div_ceil(10)];
            fastest.iter().sum::<Duration>().as_secs_f64() / fastest.len() as f64
        });
        println!(
            "{boards:9}  {:6.3}  {:10.3}  {:5.3}  {:8.3}   {:.3}",
            column / slices,
            zeroed / slices,
            nulls / slices,
            constant / slices,
            slices * 1e9 / (boards * repeat) as f64
        );
    }
}
