//! Whole positions: their sets, and the results of [`attack_maps`](crate::attack_maps),
//! [`checks`](crate::checks) and [`Kernel::side_attacks_one`]. Also attack maps of positions whose
//! sets are in columns.

use core::ptr::null_mut;

use crate::Kernel;
use crate::kernels::geometry::MapColumns;
pub use crate::kernels::geometry::{AttackMaps, Checks, Position, SideAttacks};
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
        $name:ident (columns: MapColumns) -> () = $body:ident;
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
                    maps: &mut AttackMapColumns<'_>,
                ) {
                    let (columns, count) = pointers(positions, maps);
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
            pub fn $name(positions: &PositionColumns<'_>, maps: &mut AttackMapColumns<'_>) {
                Kernel::active().$name(positions, maps);
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
}

/// Pointers to the columns, and their length.
#[track_caller]
fn pointers(
    positions: &PositionColumns<'_>,
    maps: &mut AttackMapColumns<'_>,
) -> (MapColumns, usize) {
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
    (columns, count)
}

#[track_caller]
fn same_length(found: usize, expected: usize) {
    assert!(
        found == expected,
        "columns have different lengths: white pawns {expected}, another {found}"
    );
}
