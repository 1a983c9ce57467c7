//! Legal moves: lists of them, and the positions after them.

pub(crate) mod after;
pub(crate) mod list;
pub(crate) mod one;
pub(crate) mod play;

use crate::kernels::geometry::{AfterColumns, Move, PlaneColumns};

/// A kernel's functions for lists of moves.
///
/// Their contract: the CPU has the kernel's features. The columns are valid for as many positions
/// as the number says, without alignment. There is one offset more than positions. The list of
/// moves has as many elements as its room says, or as the last offset. Offsets and moves are
/// aligned. Nothing that is written overlaps another argument.
#[derive(Clone, Copy)]
pub(crate) struct Entries {
    pub(crate) lists: Lists,
    pub(crate) after: After,
}

/// Positions, their number, offsets, moves and the room for them. Returns the number of positions
/// done.
pub(crate) type Lists =
    unsafe extern "C" fn(*const PlaneColumns, usize, *mut u32, *mut Move, usize) -> usize;

/// Positions, their number, offsets, moves and the positions after them.
pub(crate) type After =
    unsafe extern "C" fn(*const PlaneColumns, usize, *const u32, *const Move, *const AfterColumns);

/// Defines the [`Entries`] of a kernel: compiled for some features, on vectors of boards, with a
/// [`Write`](list::Write) and a [`Play`](after::Play).
macro_rules! move_entries {
    ($(#[$doc:meta])* $Name:ident: $Boards:ty, $Rays:ty, $write:expr, $play:expr $(, $features:literal)?) => {
        $(#[$doc])*
        pub(crate) const $Name: $crate::kernels::generic::moves::Entries = {
            use $crate::kernels::generic::moves::{Entries, after, list};
            use $crate::kernels::geometry::{AfterColumns, Move, PlaneColumns};

            $(#[target_feature(enable = $features)])?
            unsafe extern "C" fn lists(
                columns: *const PlaneColumns,
                positions: usize,
                offsets: *mut u32,
                moves: *mut Move,
                room: usize,
            ) -> usize {
                // SAFETY: the contract of `Entries`; this function enables the CPU features. The
                // columns may be null if there are no positions.
                unsafe {
                    if positions == 0 {
                        offsets.write(0);
                        return 0;
                    }
                    list::lists::<$Boards, $Rays, _>(
                        $write, &*columns, positions, offsets, moves, room,
                    )
                }
            }

            $(#[target_feature(enable = $features)])?
            unsafe extern "C" fn after(
                columns: *const PlaneColumns,
                positions: usize,
                offsets: *const u32,
                moves: *const Move,
                after: *const AfterColumns,
            ) {
                // SAFETY: as above.
                unsafe {
                    if positions == 0 {
                        return;
                    }
                    after::successors($play, &*columns, positions, offsets, moves, &*after);
                }
            }

            Entries { lists, after }
        };
    };
}
pub(crate) use move_entries;

use super::board_rays::Borrow;

move_entries! {
    /// Board by board, in general registers.
    PORTABLE: u64, Borrow, list::Ranks, after::Singly
}
