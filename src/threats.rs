//! Threats: pairs of pieces of which one attacks or defends the other, and how a move changes them.
//!
//! Engines feed threats to their networks, and update them at every move. The board is the engine's
//! own mailbox, a `&[u8; 64]` with a code per square (a1 = 0). Only the low four bits of a code
//! count, and [`Rules`] give the sixteen codes their meaning. Every input is defined: a board need
//! not be a chess position.
//!
//! | to get | call |
//! |---|---|
//! | what one move, capture or promotion changes | [`Kernel::threats_moved`], **before** you write your board |
//! | what a piece put on a square, or taken from it, changes | [`Kernel::threats_changed`] |
//! | what anything else changes: castling, en passant, several moves | [`Kernel::threats_between`] |
//! | every threat of many positions, or of one | [`Kernel::threats`] |
//!
//! [`board`](crate::board) has a portable `const` form of each. Call the methods of
//! [`Kernel::active`] if [`Kernel::gains_threats`] is true. If not, keep your own look-ups.
//!
//! ```
//! use setwise::threats::{Changes, Rules, Threat};
//! use setwise::{Kernel, Piece, Side, Square};
//!
//! // 0 is an empty square, 1 White's rook, 2 Black's pawn, 3 Black's king.
//! static RULES: Rules = {
//!     let mut codes = [None; 16];
//!     codes[1] = Some((Side::White, Piece::Rook));
//!     codes[2] = Some((Side::Black, Piece::Pawn));
//!     codes[3] = Some((Side::Black, Piece::King));
//!     Rules::new(codes, [!0; 16])
//! };
//! let mut board = [0; 64];
//! board[Square::A1.index()] = 1;
//! board[Square::A7.index()] = 2;
//! board[Square::E8.index()] = 3;
//!
//! let mut changes = Changes::new(); // Keep it: a new one for each move costs time.
//! Kernel::active().threats_moved(&board, Square::A1, Square::E1, 1, &RULES, &mut changes);
//! assert_eq!(changes.removed(), [Threat { attacker: 1, from: 0, victim: 2, to: 48 }]);
//! assert_eq!(changes.added(), [Threat { attacker: 1, from: 4, victim: 3, to: 60 }]);
//! ```
//!
//! # Meaning
//!
//! A piece threatens the pieces that it attacks or defends, of either side: a pawn diagonally
//! ahead, a king its neighbours, a knight what it jumps to, a slider the nearest piece in each of
//! its directions. The three calls for changes return exactly the difference between two positions:
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
//! * `threats_changed` has those of the piece in one list, those of sliders through the square in
//!   the other.
//! * `threats` and `threats_between`: by the attacker's square, then by ray; knights follow, by
//!   square and jump.
//!
//! # Capacity
//!
//! One square has at most 8 threats by its piece, 8 on it along rays and 8 by knights, and at most
//! 8 lead through it (one from each ray). So a move to an empty square adds at most 24 + 8 and
//! removes as many, and a capture removes at most 24 + 24. En passant, as a change of three squares
//! whose pawns attack two squares each, removes at most 44 and adds at most 34. A board has at most
//! [`MOST`], with 32 pieces at most 256.

pub use crate::kernels::geometry::{Changes, MOST, Rules, Threat};
use crate::{Kernel, Square};

/// Methods for threats: see [`threats`](crate::threats).
impl Kernel {
    /// The threats that a move, capture or promotion changes: the piece on `from` goes to `to`,
    /// where it becomes `placed`. Whatever was on `to` vanishes.
    ///
    /// `before` is the board before the move. Call this **before** you write the board. It saves a
    /// copy, and a vector load that follows single-byte stores to the same bytes may have to wait
    /// for them. (`cargo bench -p setwise-measure --bench threats` times both orders. `avx2` on Zen
    /// 3 takes the same time, on Zen 1 11 ns more, of 84.)
    ///
    /// For castling and en passant use [`threats_between`](Kernel::threats_between). If `from`
    /// holds no piece or is `to`, if `placed` is no piece, or if the captured piece has the code
    /// `placed`, the lists are those of `threats_between` for the two boards.
    ///
    /// ```
    /// use setwise::threats::{Changes, Rules};
    /// use setwise::{Kernel, Piece, Side, Square, board};
    /// let mut codes = [None; 16];
    /// codes[7] = Some((Side::White, Piece::Queen));
    /// let rules = Rules::new(codes, [!0; 16]);
    /// let mut mailbox = [0; 64];
    /// mailbox[Square::A1.index()] = 7;
    /// mailbox[Square::H8.index()] = 7;
    /// let mut changes = Changes::new();
    /// Kernel::active().threats_moved(&mailbox, Square::A1, Square::B1, 7, &rules, &mut changes);
    /// assert_eq!((changes.added().len(), changes.removed().len()), (0, 2));
    /// ```
    #[inline]
    pub fn threats_moved(
        &self,
        before: &[u8; 64],
        from: Square,
        to: Square,
        placed: u8,
        rules: &Rules,
        changes: &mut Changes,
    ) {
        // SAFETY: `self` proves that the CPU can run this kernel, and the arguments are references.
        unsafe { (self.threats.moved)(before, from.number(), to.number(), placed, rules, changes) }
    }

    /// The threats that change when a piece is put on a square (`put`) or taken from it. What
    /// stands on that square of `board` does not matter, so the call may come before or after the
    /// board is written. If `code` is not a piece, nothing changes.
    ///
    /// ```
    /// use setwise::threats::{Changes, Rules};
    /// use setwise::{Kernel, Piece, Side, Square};
    /// let mut codes = [None; 16];
    /// codes[1] = Some((Side::White, Piece::Bishop));
    /// let rules = Rules::new(codes, [!0; 16]);
    /// let mut board = [0; 64];
    /// board[Square::A1.index()] = 1;
    /// let mut changes = Changes::new();
    /// Kernel::active().threats_changed(&board, Square::D4, 1, true, &rules, &mut changes);
    /// assert_eq!((changes.added().len(), changes.removed().len()), (2, 0));
    /// ```
    #[inline]
    pub fn threats_changed(
        &self,
        board: &[u8; 64],
        square: Square,
        code: u8,
        put: bool,
        rules: &Rules,
        changes: &mut Changes,
    ) {
        // SAFETY: as in `threats_moved`.
        unsafe { (self.threats.changed)(board, square.number(), code, put, rules, changes) }
    }

    /// The threats that differ between any two boards.
    ///
    /// Takes as long as all threats of both boards ([`threats`](Kernel::threats)) and a comparison:
    /// for the rare moves that are not ordinary.
    ///
    /// ```
    /// use setwise::threats::{Changes, Rules};
    /// use setwise::{Kernel, Piece, Side};
    /// let mut codes = [None; 16];
    /// codes[1] = Some((Side::White, Piece::King));
    /// codes[2] = Some((Side::White, Piece::Rook));
    /// let rules = Rules::new(codes, [!0; 16]);
    /// let (mut before, mut after) = ([0; 64], [0; 64]);
    /// (before[4], before[7]) = (1, 2); // e1, h1
    /// (after[6], after[5]) = (1, 2); // castled: g1, f1
    /// let mut changes = Changes::new();
    /// Kernel::active().threats_between(&before, &after, &rules, &mut changes);
    /// assert_eq!((changes.added().len(), changes.removed().len()), (2, 1));
    /// ```
    #[inline]
    pub fn threats_between(
        &self,
        before: &[u8; 64],
        after: &[u8; 64],
        rules: &Rules,
        changes: &mut Changes,
    ) {
        // SAFETY: as in `threats_moved`.
        unsafe { (self.threats.between)(before, after, rules, changes) }
    }

    /// All threats of many boards. Those of board `i` are `threats[offsets[i]..offsets[i + 1]]`.
    ///
    /// Returns the number of boards done. It is less than `boards.len()` if the threats of the next
    /// board do not fit into what is left of `threats`. Then call again with the other boards: room
    /// for [`MOST`] threats is enough for any board. Only the offsets up to that of the number
    /// returned are written, and entries of `threats` that follow the last one may be overwritten.
    ///
    /// # Panics
    /// If `offsets` does not have exactly one element more than `boards`, before anything is
    /// written.
    ///
    /// ```
    /// use setwise::threats::{Rules, Threat};
    /// use setwise::{Kernel, Piece, Side};
    /// let mut codes = [None; 16];
    /// codes[1] = Some((Side::White, Piece::Rook));
    /// let rules = Rules::new(codes, [!0; 16]);
    /// let mut boards = [[0; 64]; 2];
    /// (boards[1][0], boards[1][7]) = (1, 1); // a1, h1
    /// let (mut offsets, mut threats) = ([0; 3], [Threat::default(); 8]);
    /// let done = Kernel::active().threats(&boards, &rules, &mut offsets, &mut threats);
    /// assert_eq!((done, offsets), (2, [0, 0, 2]));
    /// assert_eq!(threats[0], Threat { attacker: 1, from: 0, victim: 1, to: 7 });
    /// ```
    #[inline]
    #[track_caller]
    pub fn threats(
        &self,
        boards: &[[u8; 64]],
        rules: &Rules,
        offsets: &mut [u32],
        threats: &mut [Threat],
    ) -> usize {
        check_offsets(boards.len(), offsets.len());
        let (boards, count) = (boards.as_ptr(), boards.len());
        // SAFETY: as in `threats_moved`; `offsets` has one element more than `boards`.
        unsafe {
            let (threats, capacity) = (threats.as_mut_ptr(), threats.len());
            (self.threats.all)(boards, count, rules, offsets.as_mut_ptr(), threats, capacity)
        }
    }

    /// Whether this kernel's [`threats_moved`](Kernel::threats_moved) and
    /// [`threats`](Kernel::threats) are faster than magic look-ups and loops over bits. If not, an
    /// engine should keep its look-ups. The kernels with AVX2 or AVX-512 gain. Part of the
    /// look-ups' time for a move and for a position (`cargo bench -p setwise-measure --bench
    /// threats`): `avx512-gfni` 0.17 and 0.22 on Zen 5; `avx2` 0.33 and 0.24 on Zen 5, 0.36 and
    /// 0.34 on Zen 3, 0.65 and 0.37 on Zen 1, whose vector units have 128 bits. Kernels that have
    /// not been measured return `false`.
    ///
    /// ```
    /// let scalar = setwise::Kernel::by_name("scalar").unwrap();
    /// assert!(!scalar.gains_threats());
    /// ```
    #[inline]
    #[must_use]
    pub fn gains_threats(&self) -> bool {
        self.gains_threats
    }
}

/// Panics unless there is one offset more than boards.
#[inline]
#[track_caller]
pub(crate) const fn check_offsets(boards: usize, offsets: usize) {
    assert!(
        offsets > boards && offsets - boards == 1,
        "`offsets` must have exactly one element more than `boards`"
    );
}
