//! The batch operations at the crate's root: those of the active kernel.

use crate::{Direction, Kernels, Line, Square};

/// `attacks[i]` = the squares attacked by all rooks of board `i`, by the active kernel.
///
/// Every rook also blocks; it need not be in `occupied`.
///
/// # Panics
/// If the slices differ in length, before anything is written; and at first use if
/// `SETWISE_FORCE_KERNEL` or `SETWISE_DISABLE` asks for what cannot be (see [`Kernels::active`]).
///
/// ```
/// let rooks = [1, 1 << 63];
/// let occupied = [0, 1 << 60];
/// let mut attacks = [0; 2];
/// setwise::rook_attacks(&rooks, &occupied, &mut attacks);
/// assert_eq!(attacks, [0x0101_0101_0101_01fe, 0x7080_8080_8080_8080]);
/// ```
///
/// An engine's own `#[repr(transparent)]` bitboards go through `bytemuck`:
///
/// ```
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(transparent)]
/// struct Bitboard(u64);
///
/// let rooks = [Bitboard(1)];
/// let occupied = [Bitboard(0)];
/// let mut attacks = [Bitboard(0)];
/// setwise::rook_attacks(
///     bytemuck::cast_slice(&rooks),
///     bytemuck::cast_slice(&occupied),
///     bytemuck::cast_slice_mut(&mut attacks),
/// );
/// assert_eq!(attacks[0].0, 0x0101_0101_0101_01fe);
/// ```
#[inline]
#[track_caller]
pub fn rook_attacks(rooks: &[u64], occupied: &[u64], attacks: &mut [u64]) {
    Kernels::active().rook_attacks(rooks, occupied, attacks);
}

/// `attacks[i]` = the squares attacked by all bishops of board `i`, by the active kernel.
///
/// Every bishop also blocks; it need not be in `occupied`.
///
/// # Panics
/// As [`rook_attacks`].
///
/// ```
/// let mut attacks = [0];
/// setwise::bishop_attacks(&[1], &[1 << 18], &mut attacks);
/// assert_eq!(attacks, [1 << 9 | 1 << 18]);
/// ```
#[inline]
#[track_caller]
pub fn bishop_attacks(bishops: &[u64], occupied: &[u64], attacks: &mut [u64]) {
    Kernels::active().bishop_attacks(bishops, occupied, attacks);
}

/// `attacks[i]` = the squares attacked by all queens of board `i`, by the active kernel.
///
/// Every queen also blocks; it need not be in `occupied`.
///
/// # Panics
/// As [`rook_attacks`].
///
/// ```
/// let mut attacks = [0];
/// setwise::queen_attacks(&[1], &[0x0103_0300], &mut attacks); // a1, shut in by its neighbours
/// assert_eq!(attacks, [0x0000_0000_0000_03fe]);
/// ```
#[inline]
#[track_caller]
pub fn queen_attacks(queens: &[u64], occupied: &[u64], attacks: &mut [u64]) {
    Kernels::active().queen_attacks(queens, occupied, attacks);
}

/// `attacks[i]` = rook attacks of `orthogonal[i]` united with bishop attacks of `diagonal[i]`, by
/// the active kernel: rooks and queens in the first, bishops and queens in the second.
///
/// All of them also block; they need not be in `occupied`.
///
/// # Panics
/// As [`rook_attacks`].
///
/// ```
/// let mut attacks = [0];
/// setwise::slider_attacks(&[1], &[4], &[0], &mut attacks); // rook a1, bishop c1
/// assert_eq!(attacks[0] & 0xff, 0b110);
/// ```
#[inline]
#[track_caller]
pub fn slider_attacks(orthogonal: &[u64], diagonal: &[u64], occupied: &[u64], attacks: &mut [u64]) {
    Kernels::active().slider_attacks(orthogonal, diagonal, occupied, attacks);
}

/// `attacks[i]` = the squares attacked in one direction on board `i`, up to and with the first
/// occupied square, by the active kernel.
///
/// # Panics
/// As [`rook_attacks`].
///
/// ```
/// use setwise::Direction;
/// let mut attacks = [0];
/// setwise::ray_attacks(Direction::West, &[1 << 7], &[1 << 3], &mut attacks);
/// assert_eq!(attacks, [0b0111_1000]);
/// ```
#[inline]
#[track_caller]
pub fn ray_attacks(direction: Direction, sliders: &[u64], occupied: &[u64], attacks: &mut [u64]) {
    Kernels::active().ray_attacks(direction, sliders, occupied, attacks);
}

/// `filled[i]` = the smallest set that contains `generators[i]`, and with a square also the next one
/// in that direction if it is on the board and in `propagators[i]`; by the active kernel.
///
/// # Panics
/// As [`rook_attacks`].
///
/// ```
/// use setwise::Direction;
/// let mut filled = [0];
/// setwise::occluded_fill(Direction::North, &[1], &[!(1 << 24)], &mut filled);
/// assert_eq!(filled, [0x0001_0101]);
/// ```
#[inline]
#[track_caller]
pub fn occluded_fill(
    direction: Direction,
    generators: &[u64],
    propagators: &[u64],
    filled: &mut [u64],
) {
    Kernels::active().occluded_fill(direction, generators, propagators, filled);
}

/// `attacks[i]` = the squares attacked by a rook on `squares[i]` of board `i`, by the active kernel.
///
/// Whether the rook's own square is in `occupied` makes no difference.
///
/// # Panics
/// As [`rook_attacks`].
///
/// ```
/// use setwise::Square;
/// let squares = [Square::new(0).unwrap(), Square::new(63).unwrap()]; // a1, h8
/// let mut attacks = [0; 2];
/// setwise::rook_attacks_from(&squares, &[0, 1 << 60], &mut attacks);
/// assert_eq!(attacks, [0x0101_0101_0101_01fe, 0x7080_8080_8080_8080]);
/// ```
///
/// Squares that are bytes elsewhere are checked all at once by `bytemuck`:
///
/// ```
/// let bytes = [0u8, 63];
/// let mut attacks = [0; 2];
/// let squares = bytemuck::checked::try_cast_slice(&bytes)?;
/// setwise::rook_attacks_from(squares, &[0, 1 << 60], &mut attacks);
/// assert_eq!(attacks, [0x0101_0101_0101_01fe, 0x7080_8080_8080_8080]);
/// # Ok::<(), bytemuck::checked::CheckedCastError>(())
/// ```
#[inline]
#[track_caller]
pub fn rook_attacks_from(squares: &[Square], occupied: &[u64], attacks: &mut [u64]) {
    Kernels::active().rook_attacks_from(squares, occupied, attacks);
}

/// `attacks[i]` = the squares attacked by a bishop on `squares[i]` of board `i`, by the active kernel.
///
/// Whether the bishop's own square is in `occupied` makes no difference.
///
/// # Panics
/// As [`rook_attacks`].
///
/// ```
/// use setwise::Square;
/// let mut attacks = [0];
/// setwise::bishop_attacks_from(&[Square::new(0).unwrap()], &[1 << 18], &mut attacks);
/// assert_eq!(attacks, [1 << 9 | 1 << 18]);
/// ```
#[inline]
#[track_caller]
pub fn bishop_attacks_from(squares: &[Square], occupied: &[u64], attacks: &mut [u64]) {
    Kernels::active().bishop_attacks_from(squares, occupied, attacks);
}

/// `attacks[i]` = the squares attacked by a queen on `squares[i]` of board `i`, by the active kernel.
///
/// Whether the queen's own square is in `occupied` makes no difference.
///
/// # Panics
/// As [`rook_attacks`].
///
/// ```
/// use setwise::Square;
/// let mut attacks = [0];
/// // a1, shut in by its neighbours.
/// setwise::queen_attacks_from(&[Square::new(0).unwrap()], &[0x0103_0300], &mut attacks);
/// assert_eq!(attacks, [0x0000_0000_0000_03fe]);
/// ```
#[inline]
#[track_caller]
pub fn queen_attacks_from(squares: &[Square], occupied: &[u64], attacks: &mut [u64]) {
    Kernels::active().queen_attacks_from(squares, occupied, attacks);
}

/// `attacks[i]` = the squares attacked along one line, both ways, by a slider on `squares[i]` of board `i`;
/// by the active kernel.
///
/// Whether the slider's own square is in `occupied` makes no difference.
///
/// # Panics
/// As [`rook_attacks`].
///
/// ```
/// use setwise::{Line, Square};
/// let mut attacks = [0];
/// setwise::line_attacks_from(Line::Rank, &[Square::new(4).unwrap()], &[0b0100_0010], &mut attacks);
/// assert_eq!(attacks, [0b0110_1110]);
/// ```
#[inline]
#[track_caller]
pub fn line_attacks_from(line: Line, squares: &[Square], occupied: &[u64], attacks: &mut [u64]) {
    Kernels::active().line_attacks_from(line, squares, occupied, attacks);
}
