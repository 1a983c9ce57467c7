//! The set-wise generalisation: all sliders of all ranks in one subtraction.
//!
//! Unmasked, a slider that finds no blocker to borrow from on its rank would borrow from the next
//! one. A barrier, a one on the a-file of every rank, lends instead; no eastward ray attacks
//! the a-file, so it is taken away at the end. Westward in the reversed board. The east ray is
//! what the [`borrow`] kernel uses; files and diagonals have no such form, because their
//! squares lie between those of other lines.

use crate::kernels::any_cpu::borrow;

/// Attacks along the ranks of all sliders, both ways.
pub(crate) const fn along_ranks(sliders: u64, occupied: u64) -> u64 {
    let east = borrow::east_attacks(sliders, occupied);
    let west = borrow::east_attacks(sliders.reverse_bits(), occupied.reverse_bits());
    east | west.reverse_bits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::any_cpu::kogge_stone;
    use crate::kernels::geometry::direction::{A_FILE, Direction};

    /// A drawn board whose right edge is the a-file: the "left direction" is that of growing bits.
    fn drawn(ranks: [&str; 8]) -> u64 {
        ranks.iter().fold(0, |board, rank| {
            assert_eq!(rank.len(), 8);
            rank.bytes().fold(board, |board, square| {
                board << 1 | u64::from(square == b'1')
            })
        })
    }

    #[test]
    fn without_a_barrier_the_borrow_runs_through_the_ranks_above() {
        let alone = drawn([
            "........", "........", "........", "........", //
            "........", "........", "....1...", "........",
        ]);
        let flooded = drawn([
            "11111111", "11111111", "11111111", "11111111", //
            "11111111", "11111111", "11111...", "........",
        ]);
        assert_eq!(alone.wrapping_sub(alone << 1), flooded);
        let one_rank = drawn([
            "........", "........", "........", "........", //
            "........", "........", "11111...", "........",
        ]);
        // The barrier of the rank above lends; the slider's own bit stays in the difference.
        let difference = (alone | A_FILE).wrapping_sub(alone << 1) & !A_FILE;
        assert_eq!(difference, one_rank);
    }

    #[test]
    fn the_left_direction_square_by_square() {
        let sliders = drawn([
            "......1.", "....1...", "......1.", ".....1..", //
            "........", "......1.", ".......1", "1.......",
        ]);
        let occupied = drawn([
            "1..1..1.", "1...1...", "11....1.", ".11..1..", //
            "........", "......1.", ".......1", "1.......",
        ]);
        let difference = (occupied | A_FILE).wrapping_sub(sliders << 1);
        let with_barrier = drawn([
            "1...1111", ".1111..1", "1.111111", ".1.111.1", //
            "........", "1111111.", "1111111.", "1......1",
        ]);
        assert_eq!(difference, with_barrier);
        let changed = drawn([
            "...111.1", "1111...1", ".11111.1", "..111..1", //
            "........", "111111..", "11111111", ".......1",
        ]);
        assert_eq!(occupied ^ difference, changed);
        let attacks = drawn([
            "...111..", "1111....", ".11111..", "..111...", //
            "........", "111111..", "1111111.", "........",
        ]);
        assert_eq!(changed & !A_FILE, attacks);
        assert_eq!(borrow::east_attacks(sliders, occupied), attacks);
    }

    #[test]
    fn every_pattern_of_a_rank_on_every_rank() {
        for sliders in 0..256_u64 {
            for occupied in 0..256_u64 {
                // The other ranks are full of sliders that want to borrow, and then of blockers.
                for rank in 0..8 {
                    let here = 0xff << (8 * rank);
                    for others in [0, !here] {
                        let sliders = sliders << (8 * rank) | others;
                        let occupied = occupied << (8 * rank);
                        let east = kogge_stone::ray_attacks(Direction::East, sliders, occupied);
                        let west = kogge_stone::ray_attacks(Direction::West, sliders, occupied);
                        assert_eq!(along_ranks(sliders, occupied), east | west);
                    }
                }
            }
        }
    }
}
