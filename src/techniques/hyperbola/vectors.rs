//! Hyperbola Quintessence in x86-64 vector registers.

use crate::Square;
use crate::kernels::x86_64::hyperbola as vectors;
use crate::kernels::x86_64::vpperm::{Hardware, Software};
use crate::techniques::cpu::{Avx2, Ssse3, Xop};

/// Attacks along both diagonals, side by side in one SSSE3 register. One `pshufb` swaps the bytes.
///
/// ```
/// use setwise::techniques::{cpu::Ssse3, hyperbola};
/// use setwise::{Square, board};
/// let d4 = Square::new(27).unwrap();
/// if let Some(cpu) = Ssse3::detect() {
///     assert_eq!(hyperbola::bishop_by_pshufb(cpu, d4, 1 << 45), board::bishop_attacks_from(d4, 1 << 45));
/// }
/// ```
#[must_use]
#[inline(always)]
pub fn bishop_by_pshufb(_cpu: Ssse3, square: Square, occupied: u64) -> u64 {
    // SAFETY: `_cpu` proves that the CPU has the features.
    unsafe { vectors::bishop_by_pshufb(square.number(), occupied) }
}

/// Attacks along all four lines in one AVX2 register, one line per lane. `vpshufb` reverses the
/// bytes, and two table look-ups with `vpshufb` reverse the bits.
///
/// ```
/// use setwise::techniques::{cpu::Avx2, hyperbola};
/// use setwise::{Square, board};
/// let d4 = Square::new(27).unwrap();
/// if let Some(cpu) = Avx2::detect() {
///     assert_eq!(hyperbola::queen_in_one_register(cpu, d4, 1 << 51), board::queen_attacks_from(d4, 1 << 51));
/// }
/// ```
#[must_use]
#[inline(always)]
pub fn queen_in_one_register(_cpu: Avx2, square: Square, occupied: u64) -> u64 {
    // SAFETY: `_cpu` proves that the CPU has the features.
    unsafe { vectors::queen_in_one_register(square.number(), occupied) }
}

/// Rook and bishop attacks along all four lines with two VPPERM instructions (AMD XOP), each of
/// which reverses bits and bytes. The first VPPERM reverses the occupancy and the slider, which are
/// in two registers. The second VPPERM reverses the downward rays of the rook and the bishop.
///
/// ```
/// use setwise::techniques::{cpu::Xop, hyperbola};
/// use setwise::{Square, board};
/// let d4 = Square::new(27).unwrap();
/// if let Some(cpu) = Xop::detect() {
///     let both = [board::rook_attacks_from(d4, 0), board::bishop_attacks_from(d4, 0)];
///     assert_eq!(hyperbola::rook_and_bishop_by_vpperm(cpu, d4, 0), both);
/// }
/// ```
#[must_use]
#[inline(always)]
pub fn rook_and_bishop_by_vpperm(_cpu: Xop, square: Square, occupied: u64) -> [u64; 2] {
    // SAFETY: `_cpu` proves that the CPU has the features.
    unsafe { vectors::rook_and_bishop_by_vpperm::<Hardware>(square.number(), occupied) }
}

/// Rook and bishop attacks like [`rook_and_bishop_by_vpperm`], with all eight operations of VPPERM
/// emulated in software.
///
/// ```
/// use setwise::techniques::{cpu::Ssse3, hyperbola};
/// use setwise::{Square, board};
/// let d4 = Square::new(27).unwrap();
/// if let Some(cpu) = Ssse3::detect() {
///     let both = [board::rook_attacks_from(d4, 0), board::bishop_attacks_from(d4, 0)];
///     assert_eq!(hyperbola::rook_and_bishop_by_vpperm_emulated(cpu, d4, 0), both);
/// }
/// ```
#[must_use]
#[inline(always)]
pub fn rook_and_bishop_by_vpperm_emulated(_cpu: Ssse3, square: Square, occupied: u64) -> [u64; 2] {
    // SAFETY: `_cpu` proves that the CPU has the features.
    unsafe { vectors::rook_and_bishop_by_vpperm::<Software>(square.number(), occupied) }
}

/// Attacks along both diagonals of four squares, each on its own board, side by side in AVX2
/// registers. Loading the line masks takes most of the time.
///
/// ```
/// use setwise::techniques::{cpu::Avx2, hyperbola};
/// use setwise::{Square, board};
/// let squares = [0, 27, 36, 63].map(|number| Square::new(number).unwrap());
/// let occupied = [1 << 18, 0, 1 << 45, 1 << 36];
/// if let Some(cpu) = Avx2::detect() {
///     let attacks = hyperbola::four_bishops(cpu, squares, occupied);
///     for i in 0..4 {
///         assert_eq!(attacks[i], board::bishop_attacks_from(squares[i], occupied[i]));
///     }
/// }
/// ```
#[must_use]
#[inline(always)]
pub fn four_bishops(_cpu: Avx2, squares: [Square; 4], occupied: [u64; 4]) -> [u64; 4] {
    // SAFETY: `_cpu` proves that the CPU has the features.
    unsafe { vectors::four_bishops(squares.map(Square::number), occupied) }
}
