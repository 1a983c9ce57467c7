//! Searches for the factors, and checks each one.

use super::numbers;
use crate::kernels::any_cpu::lookup::{DIAGONALS, STRAIGHT, inner_squares};
use crate::kernels::generic::one_square;
use crate::kernels::geometry::Line;

/// The number of a slider's inner squares, and every occupancy of those squares with the resulting
/// attacks.
fn cases(lines: [Line; 2], square: u8) -> (u32, Vec<(u64, u64)>) {
    let mask = inner_squares(lines[0], square) | inner_squares(lines[1], square);
    let (mut occupied, mut cases) = (0_u64, vec![]);
    loop {
        let attacks = lines.map(|line| one_square::line_attacks(line, square, occupied));
        cases.push((occupied, attacks[0] | attacks[1]));
        occupied = occupied.wrapping_sub(mask) & mask;
        if occupied == 0 {
            return (mask.count_ones(), cases);
        }
    }
}

/// True if no two occupancies with different attacks share a table entry.
fn is_magic(factor: u64, bits: u32, cases: &[(u64, u64)]) -> bool {
    let mut entries = vec![0; 1 << bits];
    cases.iter().all(|&(occupied, attacks)| {
        let entry = &mut entries[(occupied.wrapping_mul(factor) >> (64 - bits)) as usize];
        let fits = *entry == 0 || *entry == attacks;
        *entry = attacks;
        fits
    })
}

#[test]
fn every_factor_is_magic() {
    for (lines, factors) in [(STRAIGHT, numbers::ROOK), (DIAGONALS, numbers::BISHOP)] {
        for square in 0..64 {
            let (bits, cases) = cases(lines, square);
            assert!(is_magic(factors[usize::from(square)], bits, &cases), "{square}");
        }
    }
}

/// Prints the arrays of `numbers.rs`, which hold the first sparse random factor that is magic for
/// each square. To run the search:
/// `cargo test --release -p setwise --features lookup --lib magic -- --ignored --nocapture`
#[test]
#[ignore = "a search, whose result is in numbers.rs"]
fn search() {
    let mut random = fastrand::Rng::with_seed(64);
    for (name, lines) in [("ROOK", STRAIGHT), ("BISHOP", DIAGONALS)] {
        println!("pub(crate) const {name}: [u64; 64] = [");
        for square in 0..64 {
            let (bits, cases) = cases(lines, square);
            let factor =
                std::iter::repeat_with(|| random.u64(..) & random.u64(..) & random.u64(..))
                    .find(|&factor| is_magic(factor, bits, &cases));
            println!("    {:#018x},", factor.expect("the search ends only with a factor"));
        }
        println!("];");
    }
}
