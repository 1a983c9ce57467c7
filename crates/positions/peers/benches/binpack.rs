//! Entries a second from a binpack file in memory: this package and the crate `sfbinpack`, in
//! interleaved rounds; then this package on two threads.
//!
//!     cargo bench --manifest-path crates/positions/peers/Cargo.toml --bench binpack -- FILE
use std::io::Cursor;
use std::time::{Duration, Instant};

use setwise_positions::binpack::{Chunks, Entries};

fn ours(file: &[u8]) -> (u64, i64) {
    let (mut count, mut sum, mut payload) = (0, 0, Vec::new());
    let mut chunks = Chunks::new(file);
    while chunks.next(&mut payload).expect("a good file") {
        let mut entries = Entries::new(&payload);
        while let Some(entry) = entries.next().expect("a good chunk") {
            count += 1;
            sum += i64::from(entry.score()) + i64::from(entry.played().to());
        }
    }
    (count, sum)
}

fn theirs(file: &[u8]) -> (u64, i64) {
    let (mut count, mut sum) = (0, 0);
    let mut reader =
        sfbinpack::CompressedTrainingDataEntryReader::new(Cursor::new(file)).expect("a good file");
    while reader.has_next() {
        let entry = reader.next();
        count += 1;
        sum += i64::from(entry.score) + i64::from(entry.mv.to().index());
    }
    (count, sum)
}

fn time(work: impl FnOnce() -> (u64, i64)) -> (Duration, (u64, i64)) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

fn main() {
    let path = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let file = std::fs::read(path.expect("a binpack file")).expect("a readable file");
    // Copies of the file, so that two threads have enough chunks.
    let file = file.repeat((64 << 20) / file.len() + 1);
    let mut best = [Duration::MAX; 3];
    let mut counted = 0;
    for _ in 0..7 {
        let (ours_took, result) = time(|| ours(&file));
        let (theirs_took, expected) = time(|| theirs(&file));
        assert_eq!(result, expected, "both read the same");
        let half = file.len() / 2;
        let middle = half + file[half..].windows(4).position(|w| w == b"BINP").expect("a chunk");
        let (pair_took, pair) = time(|| {
            let (first, second) = file.split_at(middle);
            std::thread::scope(|scope| {
                let other = scope.spawn(|| ours(second));
                let mine = ours(first);
                let other = other.join().expect("it does not panic");
                (mine.0 + other.0, mine.1 + other.1)
            })
        });
        assert_eq!(pair, expected);
        counted = result.0;
        for (best, took) in best.iter_mut().zip([ours_took, theirs_took, pair_took]) {
            *best = took.min(*best);
        }
    }
    let speed = best.map(|took| counted as f64 / took.as_secs_f64() / 1e6);
    println!("{counted} entries, million a second, fastest of 7 rounds");
    println!("setwise-positions            {:6.1}", speed[0]);
    println!("sfbinpack                    {:6.1}  ratio {:.2}", speed[1], speed[0] / speed[1]);
    println!("setwise-positions, 2 threads {:6.1}  ratio {:.2}", speed[2], speed[2] / speed[0]);
}
