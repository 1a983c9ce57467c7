//! Whole positions: their sets, and the results of [`attack_maps`](crate::attack_maps),
//! [`checks`](crate::checks) and [`Kernel::side_attacks_one`]. Also attack maps of positions whose
//! sets are in columns.

use core::ptr::null_mut;

use crate::Kernel;
use crate::kernels::geometry::MapColumns;
pub use crate::kernels::geometry::{AttackMaps, Checks, Position, SideAttacks};

/// Positions in columns: one slice for each side and kind of piece, with one set per position.
///
/// Indexed like [`Position::pieces`]. All slices have the same length.
#[derive(Debug, Clone, Copy)]
pub struct PositionColumns<'a> {
    /// White's sets, then Black's; for each side pawns, knights, bishops, rooks, queens, kings.
    pub pieces: [[&'a [u64]; 6]; 2],
}

/// The sets of [`AttackMaps`] in columns. A column that is `None` is not computed.
///
/// ```
/// // Only the attacks of Black's rooks.
/// let mut rooks = [0; 100];
/// let mut maps = setwise::position::AttackMapColumns::default();
/// maps.attacks[1][3] = Some(&mut rooks);
/// ```
#[derive(Debug, Default)]
pub struct AttackMapColumns<'a> {
    /// Like [`AttackMaps::attacks`](AttackMaps::attacks).
    pub attacks: [[Option<&'a mut [u64]>; 6]; 2],
    /// Like [`AttackMaps::all`](AttackMaps::all).
    pub all: [Option<&'a mut [u64]>; 2],
    /// Like [`AttackMaps::by_lesser`](AttackMaps::by_lesser).
    pub by_lesser: [Option<&'a mut [u64]>; 2],
}

impl Kernel {
    /// See [`attack_maps_in_columns`].
    ///
    /// # Panics
    /// Panics if the columns differ in length.
    #[track_caller]
    pub fn attack_maps_in_columns(
        &self,
        positions: &PositionColumns<'_>,
        maps: &mut AttackMapColumns<'_>,
    ) {
        let count = positions.pieces[0][0].len();
        let input = |column: &[u64]| {
            same_length(column.len(), count);
            column.as_ptr()
        };
        let output = |column: &mut Option<&mut [u64]>| match column {
            Some(column) => {
                same_length(column.len(), count);
                column.as_mut_ptr()
            }
            None => null_mut(),
        };
        let columns = MapColumns {
            pieces: positions.pieces.map(|side| side.map(input)),
            attacks: maps.attacks.each_mut().map(|side| side.each_mut().map(output)),
            all: maps.all.each_mut().map(output),
            by_lesser: maps.by_lesser.each_mut().map(output),
        };
        // SAFETY: `self` proves that the CPU can run this kernel; all columns have `count` sets.
        unsafe { (self.in_columns)(self, &columns, count) }
    }

    /// [`attack_maps_in_columns`] with pointers, for calls from C. The input columns are in the
    /// order of the words of [`Position`], and the results in the order of those of [`AttackMaps`].
    /// A result whose pointer is null is not computed.
    ///
    /// # Safety
    /// Every pointer is valid for `count` sets, except results that are null. Pointers need not be
    /// aligned. No result overlaps another column.
    pub unsafe fn attack_maps_in_raw_columns(
        &self,
        positions: [*const u64; 12],
        maps: [*mut u64; 16],
        count: usize,
    ) {
        // SAFETY: `self` proves that the CPU can run this kernel; the caller's contract covers the
        // columns.
        unsafe { (self.in_columns)(self, &MapColumns::new(positions, maps), count) }
    }
}

#[track_caller]
fn same_length(found: usize, expected: usize) {
    assert!(
        found == expected,
        "columns have different lengths: white pawns {expected}, another {found}"
    );
}

/// Computes the [`attack_maps`](crate::attack_maps) of positions in columns, with the active
/// kernel.
///
/// Results without a column are not computed, nor are intermediate values that only they need. If
/// the sets are already in columns, this function is faster than
/// [`attack_maps`](crate::attack_maps) for about 64 positions or more, and slower for a few. (Of
/// the kernels that do not slice positions, `ssse3`, `xop-emulated` and `hyperbola` are faster with
/// `attack_maps`.)
///
/// # Panics
/// Panics if the columns differ in length, or if no kernel can be chosen (see [`Kernel::active`]).
///
/// ```
/// use setwise::position::{AttackMapColumns, PositionColumns, attack_maps_in_columns};
/// // Two positions: a white rook on a1 and a black king on h8; then the king alone.
/// let (none, rooks, kings) = ([0, 0], [1, 0], [1 << 63, 1 << 63]);
/// let white: [&[u64]; 6] = [&none, &none, &none, &rooks, &none, &none];
/// let black: [&[u64]; 6] = [&none, &none, &none, &none, &none, &kings];
/// let (mut rook_attacks, mut by_black) = ([0; 2], [0; 2]);
/// let mut maps = AttackMapColumns::default();
/// maps.attacks[0][3] = Some(&mut rook_attacks);
/// maps.all[1] = Some(&mut by_black);
/// attack_maps_in_columns(&PositionColumns { pieces: [white, black] }, &mut maps);
/// assert_eq!(rook_attacks, [0x0101_0101_0101_01fe, 0]);
/// assert_eq!(by_black, [0x40c0_0000_0000_0000; 2]);
/// ```
#[track_caller]
pub fn attack_maps_in_columns(positions: &PositionColumns<'_>, maps: &mut AttackMapColumns<'_>) {
    Kernel::active().attack_maps_in_columns(positions, maps);
}
