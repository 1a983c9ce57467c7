//! Threats: pairs of pieces of which one attacks or defends the other, and how a move changes them.
//!
//! Engines feed threats to their networks, and update them at every move. The board is the engine's
//! own mailbox, a `&[u8; 64]` with a code per square (a1 = 0). Only the low four bits of a code
//! count, and [`Rules`] give the sixteen codes their meaning. New programs can use [`CODES`]. Every
//! input is defined: a board need not be a chess position.
//!
//! | to get | call |
//! |---|---|
//! | what one move, capture or promotion changes | [`Kernel::threats_moved`], **before** you write your board |
//! | what anything else changes: castling, en passant, a piece put or taken | [`Kernel::threats_edited`] |
//! | every threat of many positions, or of one | [`Kernel::threats`] |
//!
//! Call the methods of [`Kernel::active`]. [`board`](crate::board) has a `const` form of each, which
//! is slow. A move and a position take this part of the time of magic look-ups and loops over bits
//! on Zen 4: `avx512-gfni` 0.2 and 0.2, `avx2` 0.3 and 0.3, `sse2` and `ssse3`, which have the same
//! code, 0.9 and 0.7. The kernels of other instruction sets have the code of `scalar`: 1.0 and 0.7.
//! On Zen 3, they take 0.75 to 0.85 in a loop. No older CPU has been measured: a narrow core may be
//! slower with this code than with look-ups.
//!
//! ```
//! use setwise::threats::{CODES, Changes, Rules, Threat};
//! use setwise::{Kernel, Piece, Side, Square};
//!
//! static RULES: Rules = Rules::new(CODES, [!0; 16]); // every pair counts
//!
//! let rook = Piece::Rook.code(Side::White); // 4
//! let mut board = [0; 64];
//! board[Square::A1.index()] = rook;
//! board[Square::A7.index()] = Piece::Pawn.code(Side::Black); // 7
//! board[Square::E8.index()] = Piece::King.code(Side::Black); // 12
//!
//! let mut changes = Changes::new(); // Keep it: a new one for each move costs time.
//! Kernel::active().threats_moved(&board, Square::A1, Square::E1, rook, &RULES, &mut changes);
//! assert_eq!(changes.removed(), [Threat { attacker: 4, from: 0, victim: 7, to: 48 }]);
//! assert_eq!(changes.added(), [Threat { attacker: 4, from: 4, victim: 12, to: 60 }]);
//! ```
//!
//! # Meaning
//!
//! A piece threatens the pieces that it attacks or defends, of either side: a pawn diagonally
//! ahead, a king its neighbours, a knight what it jumps to, a slider the nearest piece in each of
//! its directions. The two calls for changes return exactly the difference between two positions:
//! no threat is in both lists. Each call empties the lists first.
//!
//! # Order
//!
//! All kernels return the same threats in the same order. Rays are ordered as in
//! [`Direction`](crate::Direction), the jumps of a knight by ascending square.
//!
//! * One square's threats: those of its piece by ray or jump, those on it by ray, then those on it
//!   by knights.
//! * `threats_moved` removes those of the mover, then those of the captured piece. If nothing was
//!   captured, those of sliders through `to` follow instead, by the ray on which the slider is. It
//!   adds those of the placed piece, then those of sliders through `from`.
//! * `threats_edited` goes through the edited squares in ascending order, for each list. If a piece
//!   stands on the square, the list has that square's threats, else those of sliders through it, by
//!   the ray on which the slider is. A threat that belongs to several edited squares comes with the
//!   first on which it begins or ends, or, if none, the first that it passes.
//! * `threats`: by the attacker's square, then by ray; knights follow, by square and jump.
//!
//! # Capacity
//!
//! One square has at most 8 threats by its piece, 8 on it along rays and 8 by knights, and at most
//! 8 lead through it (one from each ray). So a move to an empty square adds at most 24 + 8 and
//! removes as many, and a capture removes at most 24 + 24. Each of four edited squares has in each
//! list either its 24 or the 8 through it: at most 96. A board has at most [`MOST`], with 32 pieces
//! at most 256.

use crate::kernels::geometry::threats::{Edit, MOST_EDITS};
pub use crate::kernels::geometry::{CODES, Changes, MOST, Rules, Threat};
use crate::kernels::operations::{mailbox_call, mailboxes};
use crate::{Kernel, Square};

/// Defines a method of [`Kernel`] for each call on mailboxes.
macro_rules! for_mailboxes {
    ([] $(threats { $(
        $(#[doc = $doc:literal])*
        $name:ident ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*)
            = $field:ident;
    )* })*) => {
        /// Methods for threats: see [`threats`](crate::threats).
        impl Kernel {
            $($(
                mailbox_call! { mailbox_method [[$(#[doc = $doc])*] $name]
                    $($input: $In,)* $($output: $Out,)* }
            )*)*
        }
    };
}

/// Defines the method of a call on mailboxes.
macro_rules! mailbox_method {
    // The checks accept the edits only if the kernel does.
    ([[$($doc:tt)*] $name:ident] $raw:tt [bool] [$($typed:tt)*] [$($checks:tt)*] [$($passed:tt)*]) => {
        mailbox_method! { [[$($doc)*] $name] $raw [()] [$($typed)*] [$($checks)*] [$($passed)*] }
    };
    ([[$($doc:tt)*] $name:ident] $raw:tt [()] [$($typed:tt)*] [$($checks:tt)*] [$($passed:tt)*]) => {
        $($doc)*
        #[inline]
        #[track_caller]
        pub fn $name(&self, $($typed)*) {
            $($checks)*
            // SAFETY: `self` proves that the CPU can run this kernel. The pointers are from
            // references and slices, with the lengths of these.
            unsafe { (self.$name)($($passed)*) };
        }
    };
    ([[$($doc:tt)*] $name:ident] $raw:tt [usize] [$($typed:tt)*] [$($checks:tt)*] [$($passed:tt)*]) => {
        $($doc)*
        #[inline]
        #[track_caller]
        pub fn $name(&self, $($typed)*) -> usize {
            $($checks)*
            // SAFETY: `self` proves that the CPU can run this kernel. The pointers are from
            // references and slices, with the lengths of these.
            unsafe { (self.$name)($($passed)*) }
        }
    };
}

mailboxes!(for_mailboxes);

/// Panics unless there is one offset more than boards.
#[inline]
#[track_caller]
pub(crate) const fn check_offsets(boards: usize, offsets: usize) {
    assert!(
        offsets > boards && offsets - boards == 1,
        "`offsets` must have exactly one element more than `boards`"
    );
}

/// The edits for a kernel.
#[inline]
#[track_caller]
pub(crate) const fn checked(edits: &[(Square, u8)]) -> [Edit; MOST_EDITS] {
    assert!(edits.len() <= MOST_EDITS, "`edits` must have at most four elements");
    let mut list = [Edit { square: 0, code: 0 }; MOST_EDITS];
    let (mut squares, mut i) = (0, 0);
    while i < edits.len() {
        let (square, code) = edits[i];
        assert!(squares & square.bitboard() == 0, "`edits` must not have a square twice");
        squares |= square.bitboard();
        list[i] = Edit { square: square.number(), code };
        i += 1;
    }
    list
}
