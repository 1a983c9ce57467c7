//! Whole positions: their sets, and the results of [`attack_maps`](crate::attack_maps),
//! [`checks`](crate::checks) and [`Kernel::side_attacks_one`]. Also attack maps and checks of
//! positions whose sets are in columns.

use core::ptr::null_mut;

use crate::Kernel;
pub use crate::kernels::geometry::{AttackMaps, Checks, Position, SideAttacks};
use crate::kernels::geometry::{KingColumns, MapColumns};
use crate::kernels::operations::columns;

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

/// The sets of [`Checks`] in columns, indexed by the king's side. A column that is `None` is not
/// computed.
///
/// ```
/// // Only the pieces that give check to Black's king.
/// let mut checkers = [0; 100];
/// let mut checks = setwise::position::CheckColumns::default();
/// checks.checkers[1] = Some(&mut checkers);
/// ```
#[derive(Debug, Default)]
pub struct CheckColumns<'a> {
    /// Like [`Checks::checkers`](Checks::checkers).
    pub checkers: [Option<&'a mut [u64]>; 2],
    /// Like [`Checks::pinned`](Checks::pinned).
    pub pinned: [Option<&'a mut [u64]>; 2],
    /// Like [`Checks::pinners`](Checks::pinners).
    pub pinners: [Option<&'a mut [u64]>; 2],
}

/// The type of the results of a call on columns.
macro_rules! results {
    (MapColumns) => {
        AttackMapColumns<'_>
    };
    (KingColumns) => {
        CheckColumns<'_>
    };
}

/// Defines a method of [`Kernel`], and a function with the active kernel, for each call on columns.
macro_rules! for_columns {
    ([] $($group:ident $calls:tt)*) => {
        $(for_columns! { $group $calls })*
    };
    (games $calls:tt) => {}; // See `moves.rs`.
    (arrays $calls:tt) => {};
    (lists $calls:tt) => {};
    (maps { $(
        $(#[doc = $doc:literal])*
        $name:ident (columns: $Columns:ident) -> () = $body:ident;
    )* }) => {
        impl Kernel {
            $(
                #[doc = concat!("See [`", stringify!($name), "`].")]
                ///
                /// # Panics
                /// If the columns differ in length.
                #[track_caller]
                pub fn $name(
                    &self,
                    positions: &PositionColumns<'_>,
                    results: &mut results!($Columns),
                ) {
                    let (columns, count) = results.pointers(positions);
                    // SAFETY: `self` proves that the CPU can run this kernel; all columns have
                    // `count` sets.
                    unsafe { (self.$name)(&raw const columns, count) }
                }
            )*
        }

        $(
            $(#[doc = $doc])*
            ///
            /// Uses the active kernel. Also panics if no kernel can be chosen (see
            /// [`Kernel::active`]).
            #[track_caller]
            pub fn $name(positions: &PositionColumns<'_>, results: &mut results!($Columns)) {
                Kernel::active().$name(positions, results);
            }
        )*
    };
}

columns!(for_columns);

impl Kernel {
    /// [`attack_maps_in_columns`] with pointers. The input columns are in the order of the words of
    /// [`Position`], and the results in the order of those of [`AttackMaps`]. A result whose
    /// pointer is null is not computed.
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
        let columns = MapColumns::new(positions, maps);
        // SAFETY: `self` proves that the CPU can run this kernel; the caller's contract covers the
        // columns.
        unsafe { (self.attack_maps_in_columns)(&raw const columns, count) }
    }

    /// [`checks_in_columns`] with pointers. The input columns are in the order of the words of
    /// [`Position`], and the results in the order of those of [`Checks`]. A result whose pointer is
    /// null is not computed.
    ///
    /// # Safety
    /// As for [`attack_maps_in_raw_columns`](Kernel::attack_maps_in_raw_columns).
    pub unsafe fn checks_in_raw_columns(
        &self,
        positions: [*const u64; 12],
        [a, b, c, d, e, f]: [*mut u64; 6],
        count: usize,
    ) {
        let (checkers, pinned, pinners) = ([a, b], [c, d], [e, f]);
        let [a, b, c, d, e, f, g, h, i, j, k, l] = positions;
        let pieces = [[a, b, c, d, e, f], [g, h, i, j, k, l]];
        let columns = KingColumns { pieces, checkers, pinned, pinners };
        // SAFETY: `self` proves that the CPU can run this kernel; the caller's contract covers the
        // columns.
        unsafe { (self.checks_in_columns)(&raw const columns, count) }
    }
}

impl AttackMapColumns<'_> {
    /// Pointers to the columns, and their length.
    #[track_caller]
    fn pointers(&mut self, positions: &PositionColumns<'_>) -> (MapColumns, usize) {
        let count = positions.pieces[0][0].len();
        let output = |column: &mut Option<&mut [u64]>| output(column, count);
        let columns = MapColumns {
            pieces: positions.pointers(),
            attacks: self.attacks.each_mut().map(|side| side.each_mut().map(output)),
            all: self.all.each_mut().map(output),
            by_lesser: self.by_lesser.each_mut().map(output),
        };
        (columns, count)
    }
}

impl CheckColumns<'_> {
    /// Pointers to the columns, and their length.
    #[track_caller]
    fn pointers(&mut self, positions: &PositionColumns<'_>) -> (KingColumns, usize) {
        let count = positions.pieces[0][0].len();
        let output = |column: &mut Option<&mut [u64]>| output(column, count);
        let columns = KingColumns {
            pieces: positions.pointers(),
            checkers: self.checkers.each_mut().map(output),
            pinned: self.pinned.each_mut().map(output),
            pinners: self.pinners.each_mut().map(output),
        };
        (columns, count)
    }
}

impl PositionColumns<'_> {
    /// Pointers to the columns, which must have the same length.
    #[track_caller]
    fn pointers(&self) -> [[*const u64; 6]; 2] {
        let count = self.pieces[0][0].len();
        self.pieces.map(|side| {
            side.map(|column| {
                same_length(column.len(), count);
                column.as_ptr()
            })
        })
    }
}

#[track_caller]
fn output(column: &mut Option<&mut [u64]>, count: usize) -> *mut u64 {
    match column {
        Some(column) => {
            same_length(column.len(), count);
            column.as_mut_ptr()
        }
        None => null_mut(),
    }
}

#[track_caller]
fn same_length(found: usize, expected: usize) {
    assert!(
        found == expected,
        "columns have different lengths: white pawns {expected}, another {found}"
    );
}
