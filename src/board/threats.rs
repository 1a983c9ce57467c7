//! The portable forms of the methods for threats, and their mailbox from one of kinds.

use crate::Square;
use crate::kernels::generic::threats::portable;
use crate::threats::{Changes, Rules, Threat, check_offsets, checked};

/// The mailbox of an engine that keeps a mailbox of kinds beside the sets of the two sides: the
/// code of each square is its kind, with bit 3 set if the square is in `black`.
///
/// `kinds` are below 8, and the same for both sides; an empty square has a kind of its own. White's
/// codes are then the kinds, and Black's the kinds plus 8. These are not the codes of
/// [`CODES`](crate::threats::CODES): give [`Rules::new`] a list of your own. Inlined, without tables
/// or branches.
///
/// ```
/// use setwise::board;
/// let mut kinds = [6; 64]; // 0 to 5 are pawn to king, 6 is an empty square
/// (kinds[0], kinds[63]) = (3, 3); // rooks on a1 and h8
/// let codes = board::coded_mailbox(&kinds, 1 << 63);
/// assert_eq!((codes[0], codes[63], codes[1]), (3, 11, 6));
/// ```
#[inline]
#[must_use]
pub const fn coded_mailbox(kinds: &[u8; 64], black: u64) -> [u8; 64] {
    let mut codes = [0; 64];
    let mut rank = 0;
    while rank < 8 {
        // Byte `i` gets bit `i` of the rank, then bit 3 if it is not zero.
        let bits = black >> (8 * rank) & 0xff;
        let bits = bits.wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
        let sides = (bits + 0x7f7f_7f7f_7f7f_7f7f) >> 4 & 0x0808_0808_0808_0808;
        let word = u64::from_le_bytes(kinds.as_chunks().0[rank]) | sides;
        codes.as_chunks_mut().0[rank] = word.to_le_bytes();
        rank += 1;
    }
    codes
}

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
