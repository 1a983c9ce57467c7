//! Computes a batch on one thread and on all threads, and times both.
//!
//! ```text
//! cargo run --release --example threads --features rayon
//! ```

use std::time::Instant;

use setwise::par;

fn main() {
    let boards = 1 << 20;
    let queens = vec![1 << 27; boards];
    let occupied: Vec<u64> = (0..boards as u64).map(|i| i * 0x9e37_79b9_7f4a_7c15).collect();
    let (mut by_one, mut by_all) = (vec![0; boards], vec![0; boards]);
    // Warm up, because the first calls choose the kernel, start the threads and touch the memory.
    setwise::queen_attacks(&queens, &occupied, &mut by_one);
    par::queen_attacks(&queens, &occupied, &mut by_all);
    assert_eq!(by_one, by_all);

    let start = Instant::now();
    setwise::queen_attacks(&queens, &occupied, &mut by_one);
    let one = start.elapsed();
    let start = Instant::now();
    par::queen_attacks(&queens, &occupied, &mut by_all);
    let all = start.elapsed();
    println!(
        "{boards} boards: one thread {one:?}, {} threads {all:?}",
        rayon::current_num_threads()
    );
}
