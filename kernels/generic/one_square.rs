//! Attacks of one slider in general registers: Hyperbola Quintessence, with several ways to reverse
//! a line.
//!
//! Source: Gerd Isenberg, Aleks Peshkov: "Hyperbola Quintessence", Chess Programming Wiki.

use crate::kernels::geometry::Line;
use crate::kernels::geometry::line::line_of;

/// The lines along which a slider moves.
pub(crate) trait SliderLines: Copy {
    fn follows(self, line: Line) -> bool;
}

/// Attacks from one square below 64 along the operation's lines.
#[inline(always)]
pub(crate) fn attacks<Op: SliderLines>(op: Op, square: u8, occupied: u64) -> u64 {
    let mut attacks = 0;
    if op.follows(Line::Rank) {
        attacks |= rank_by_table(square, occupied);
    }
    for line in [Line::File, Line::Diagonal, Line::Antidiagonal] {
        if op.follows(line) {
            attacks |= by_byte_swap(line, square, occupied);
        }
    }
    attacks
}

/// Attacks along a file or a diagonal. A byte swap of the board reverses the order of the ranks. It
/// also reverses the line, because each rank contains at most one square of the line.
#[inline(always)]
pub(crate) const fn by_byte_swap(line: Line, square: u8, occupied: u64) -> u64 {
    let mask = line_of(line, square);
    let slider = 1u64 << square;
    let others = occupied & mask;
    let forward = others.wrapping_sub(slider);
    let backward = others.swap_bytes().wrapping_sub(slider.swap_bytes());
    (forward ^ backward.swap_bytes()) & mask
}

/// Attacks along any of the four lines. A bit reversal of the board reverses the line. On some CPUs
/// that is a single instruction (`rbit`).
#[inline(always)]
pub(crate) const fn by_bit_reversal(line: Line, square: u8, occupied: u64) -> u64 {
    let mask = line_of(line, square);
    let slider = 1u64 << square;
    let others = occupied & mask;
    let forward = others.wrapping_sub(slider);
    let backward = others.reverse_bits().wrapping_sub(slider.reverse_bits());
    (forward ^ backward.reverse_bits()) & mask
}

/// Attacks along a rank, from a 512-byte table for the first rank. The table is indexed by the
/// slider's file and the occupancy of the six inner squares. Whether the outermost squares are
/// occupied makes no difference.
#[inline(always)]
pub(crate) const fn rank_by_table(square: u8, occupied: u64) -> u64 {
    let (file, rank) = (square % 8, square / 8 * 8);
    let inner = (occupied >> rank >> 1) & 0x3f;
    (FIRST_RANK[file as usize][inner as usize] as u64) << rank
}

/// Attacks on the first rank, indexed by file and by occupied inner squares.
static FIRST_RANK: [[u8; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut file = 0;
    while file < 8 {
        let mut inner = 0;
        while inner < 64 {
            let attacks = by_bit_reversal(Line::Rank, file as u8, (inner as u64) << 1);
            table[file][inner] = attacks as u8;
            inner += 1;
        }
        file += 1;
    }
    table
};

/// Attacks along one line, by the faster method: a table for ranks, a byte swap for other lines.
#[inline(always)]
pub(crate) const fn line_attacks(line: Line, square: u8, occupied: u64) -> u64 {
    match line {
        Line::Rank => rank_by_table(square, occupied),
        _ => by_byte_swap(line, square, occupied),
    }
}

#[inline(always)]
pub(crate) const fn rook_attacks(square: u8, occupied: u64) -> u64 {
    line_attacks(Line::Rank, square, occupied) | line_attacks(Line::File, square, occupied)
}

#[inline(always)]
pub(crate) const fn bishop_attacks(square: u8, occupied: u64) -> u64 {
    line_attacks(Line::Diagonal, square, occupied)
        | line_attacks(Line::Antidiagonal, square, occupied)
}

#[inline(always)]
pub(crate) const fn queen_attacks(square: u8, occupied: u64) -> u64 {
    rook_attacks(square, occupied) | bishop_attacks(square, occupied)
}
