//! Threats on a mailbox: the entries of the table, the code of kernels without byte shuffles, the
//! `const` code, and the tables and orders that all share.

pub(crate) mod edits;
pub(crate) mod extract;
pub(crate) mod portable;
pub(crate) mod scan;
pub(crate) mod scan_all;
pub(crate) mod view;

use crate::kernels::operations::mailboxes;
use crate::kernels::table::entry;

/// Defines [`Entries`].
macro_rules! define_entries {
    ([] $(threats { $(
        $(#[$doc:meta])*
        $name:ident ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*)
            = $field:ident;
    )* })*) => {
        /// A kernel's functions on mailboxes.
        ///
        /// Their contract: the CPU has the kernel's features. A board has 64 bytes, several boards
        /// 64 bytes each. Edits, offsets (one more than boards), threats and lists have as many
        /// elements as the number that belongs to them. Only `rules`, `changes` and `offsets` are
        /// aligned. Nothing that is written overlaps another argument. Only the low six bits of a
        /// square and the low four of a code count.
        #[derive(Clone, Copy)]
        pub(crate) struct Entries {
            $($(
                pub(crate) $field:
                    entry!(threats [] ($($input: $In),*) ($($output: $Out),*)),
            )*)*
        }
    };
}
mailboxes!(define_entries);

/// The steps of the rays in files and ranks, in the order of [`Direction`](crate::Direction): the
/// opposite of ray `i` is ray `i ^ 4`.
pub(crate) const RAYS: [(i8, i8); 8] =
    [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

/// The jumps of a knight in files and ranks, by ascending square.
pub(crate) const JUMPS: [(i8, i8); 8] =
    [(-1, -2), (1, -2), (-2, -1), (2, -1), (-2, 1), (2, 1), (-1, 2), (1, 2)];

/// Aligned to a cache line.
#[repr(C, align(64))]
pub(crate) struct Aligned<T>(pub(crate) T);

/// By mask: the indices of its bits, ascending. A shuffle by them moves these elements to the
/// front.
pub(crate) static PACK: Aligned<[[u8; 8]; 256]> = Aligned({
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut bit, mut next) = (0, 0);
        while bit < 8 {
            if mask >> bit & 1 == 1 {
                table[mask][next] = bit;
                next += 1;
            }
            bit += 1;
        }
        mask += 1;
    }
    table
});

/// A square off the board.
pub const OFF: u8 = 0x80;

/// The square some files and ranks away, or [`OFF`].
pub(crate) const fn step(square: u8, (files, ranks): (i8, i8), times: i8) -> u8 {
    let file = (square % 8).cast_signed() + files * times;
    let rank = (square / 8).cast_signed() + ranks * times;
    if file < 0 || file > 7 || rank < 0 || rank > 7 {
        OFF
    } else {
        (8 * rank + file).cast_unsigned()
    }
}
