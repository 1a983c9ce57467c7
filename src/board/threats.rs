//! The portable forms of the methods for threats.

use crate::Square;
use crate::kernels::generic::threats::portable;
use crate::threats::{Changes, Rules, Threat, check_offsets, checked};

/// [`Kernel::threats_moved`](crate::Kernel::threats_moved) without dispatch.
///
/// ```
/// use setwise::threats::{Changes, Rules};
/// use setwise::{Piece, Side, Square, board};
/// let mut codes = [None; 16];
/// codes[1] = Some((Side::White, Piece::Rook));
/// let rules = Rules::new(codes, [!0; 16]);
/// let mut mailbox = [0; 64];
/// (mailbox[0], mailbox[63]) = (1, 1); // a1, h8
/// let mut changes = Changes::new();
/// board::threats_moved(&mailbox, Square::A1, Square::H1, 1, &rules, &mut changes);
/// assert_eq!((changes.added().len(), changes.removed().len()), (2, 0));
/// ```
#[inline]
pub const fn threats_moved(
    before: &[u8; 64],
    from: Square,
    to: Square,
    placed: u8,
    rules: &Rules,
    changes: &mut Changes,
) {
    portable::moved(before, from.number(), to.number(), placed, rules, changes);
}

/// [`Kernel::threats_edited`](crate::Kernel::threats_edited) without dispatch.
///
/// # Panics
/// If there are more than four edits, or two of the same square, before anything is written.
///
/// ```
/// use setwise::threats::{Changes, Rules};
/// use setwise::{Piece, Side, Square, board};
/// let mut codes = [None; 16];
/// codes[1] = Some((Side::White, Piece::Rook));
/// let rules = Rules::new(codes, [!0; 16]);
/// let mut mailbox = [0; 64];
/// (mailbox[0], mailbox[7]) = (1, 1); // a1, h1
/// let mut changes = Changes::new();
/// board::threats_edited(&mailbox, &[(Square::D1, 1)], &rules, &mut changes);
/// assert_eq!((changes.added().len(), changes.removed().len()), (4, 2));
/// ```
#[inline]
#[track_caller]
pub const fn threats_edited(
    before: &[u8; 64],
    edits: &[(Square, u8)],
    rules: &Rules,
    changes: &mut Changes,
) {
    let list = checked(edits);
    portable::edited(before, list.split_at(edits.len()).0, rules, changes);
}

/// [`Kernel::threats`](crate::Kernel::threats) without dispatch.
///
/// # Panics
/// If `offsets` does not have exactly one element more than `boards`, before anything is written.
///
/// ```
/// use setwise::threats::{Rules, Threat};
/// use setwise::{Piece, Side, board};
/// let mut codes = [None; 16];
/// codes[1] = Some((Side::White, Piece::Rook));
/// let rules = Rules::new(codes, [!0; 16]);
/// let mut boards = [[0; 64]; 2];
/// (boards[1][0], boards[1][7]) = (1, 1); // a1, h1
/// let (mut offsets, mut threats) = ([0; 3], [Threat::default(); 8]);
/// assert_eq!(board::threats(&boards, &rules, &mut offsets, &mut threats), 2);
/// assert_eq!(offsets, [0, 0, 2]);
/// ```
#[inline]
#[track_caller]
pub const fn threats(
    boards: &[[u8; 64]],
    rules: &Rules,
    offsets: &mut [u32],
    threats: &mut [Threat],
) -> usize {
    check_offsets(boards.len(), offsets.len());
    portable::all(boards, rules, offsets, threats)
}
