//! The data of [`setwise::threats`](crate::threats): threats, the rules that give codes a meaning,
//! and the two lists of a change.

use core::fmt;
use core::mem::MaybeUninit;
use core::slice;

use super::position::{Piece, Side};

/// An attack or a defence of one piece by another.
///
/// The codes are the low four bits of those on the caller's board.
///
/// Plain data, four bytes in this order: `bytemuck` casts a `&[Threat]` to bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(C)]
pub struct Threat {
    /// The code of the piece that attacks or defends.
    pub attacker: u8,
    /// The attacker's square, 0 (a1) to 63.
    pub from: u8,
    /// The code of the piece that is attacked or defended.
    pub victim: u8,
    /// The victim's square, 0 (a1) to 63.
    pub to: u8,
}

// SAFETY: four bytes without padding, and any value is valid.
unsafe impl bytemuck::Zeroable for Threat {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Threat {}

/// The kinds of pieces, one bit each, as kernels look them up. Pawns differ by side.
pub(crate) mod kind {
    use super::{Piece, Side};

    pub(crate) const WHITE_PAWN: u8 = 1;
    pub(crate) const BLACK_PAWN: u8 = 2;
    pub(crate) const KNIGHT: u8 = 4;
    pub(crate) const BISHOP: u8 = 8;
    pub(crate) const ROOK: u8 = 16;
    pub(crate) const QUEEN: u8 = 32;
    pub(crate) const KING: u8 = 64;
    /// Not a piece, but blocks rays.
    pub(crate) const BLOCKER: u8 = 128;

    pub(crate) const fn of(side: Side, piece: Piece) -> u8 {
        match (piece, side) {
            (Piece::Pawn, Side::White) => WHITE_PAWN,
            (Piece::Pawn, Side::Black) => BLACK_PAWN,
            (Piece::Knight, _) => KNIGHT,
            (Piece::Bishop, _) => BISHOP,
            (Piece::Rook, _) => ROOK,
            (Piece::Queen, _) => QUEEN,
            (Piece::King, _) => KING,
        }
    }
}

/// The pieces by [`Piece::code`], for [`Rules::new`]. `None` for 0, an empty square, and for the
/// three codes above 12. A board with codes of its own needs another list.
pub const CODES: [Option<(Side, Piece)>; 16] = {
    let (mut codes, mut i) = ([None; 16], 0);
    while i < 12 {
        let (side, piece) = (Side::BOTH[i / 6], Piece::ALL[i % 6]);
        codes[piece.code(side) as usize] = Some((side, piece));
        i += 1;
    }
    codes
};

/// What the sixteen codes of a board mean, and which pairs of pieces count.
///
/// [`Rules::new`] is `const`: keep the rules in a `static`. The layout is that of C's
/// `setwise_threat_rules`, 640 bytes aligned to a cache line. Only `new` fills it.
///
/// ```
/// use setwise::threats::{CODES, Rules};
/// use setwise::{Piece, Side};
/// static EVERY_PAIR: Rules = Rules::new(CODES, [!0; 16]);
/// // Pairs with a king as attacker or victim do not count.
/// static NO_KINGS: Rules = Rules::new(CODES, {
///     let [white, black] = [Piece::King.code(Side::White), Piece::King.code(Side::Black)];
///     let mut pairs = [!(1 << white | 1 << black); 16];
///     pairs[white as usize] = 0;
///     pairs[black as usize] = 0;
///     pairs
/// });
/// let (king, pawn) = (Piece::King.code(Side::White), Piece::Pawn.code(Side::Black));
/// assert!(EVERY_PAIR.counts(king, pawn) && !NO_KINGS.counts(king, pawn));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Rules {
    /// By code: one bit of [`kind`], or 0 if the code is an empty square.
    pub(crate) kinds: [u8; 16],
    /// By the attacker's code: the codes of the victims that count, one bit each.
    pub(crate) pairs: [u16; 16],
    /// The low bytes of `pairs`, then the high bytes.
    pub(crate) pair_bytes: [[u8; 16]; 2],
    /// By the attacker's and the victim's code: 0xff if the pair counts.
    pub(crate) victims: [[u8; 16]; 16],
    /// By the victim's and the attacker's code: 0xff if the pair counts.
    pub(crate) attackers: [[u8; 16]; 16],
    /// The codes that are pieces, one bit each.
    pub(crate) pieces: u16,
    /// 1 if every pair of pieces counts.
    pub(crate) every: u8,
}

impl Rules {
    /// Rules from the meaning of each code (`None`: an empty square), and the pairs that count:
    /// bit `victim` of `pairs[attacker]`. Codes that are empty squares never form a pair.
    ///
    /// Several codes may mean the same piece, and several the empty square. A piece with another
    /// code is another piece: it gives other threats.
    #[must_use]
    pub const fn new(codes: [Option<(Side, Piece)>; 16], pairs: [u16; 16]) -> Rules {
        let mut rules = Rules {
            kinds: [0; 16],
            pairs: [0; 16],
            pair_bytes: [[0; 16]; 2],
            victims: [[0; 16]; 16],
            attackers: [[0; 16]; 16],
            pieces: 0,
            every: 1,
        };
        let mut code = 0;
        while code < 16 {
            if let Some((side, piece)) = codes[code] {
                rules.pieces |= 1 << code;
                rules.kinds[code] = kind::of(side, piece);
            }
            code += 1;
        }
        let mut attacker = 0;
        while attacker < 16 {
            if rules.pieces >> attacker & 1 == 1 {
                rules.pairs[attacker] = pairs[attacker] & rules.pieces;
                if rules.pairs[attacker] != rules.pieces {
                    rules.every = 0;
                }
            }
            let [low, high] = rules.pairs[attacker].to_le_bytes();
            rules.pair_bytes[0][attacker] = low;
            rules.pair_bytes[1][attacker] = high;
            let mut victim = 0;
            while victim < 16 {
                if rules.counts(attacker as u8, victim as u8) {
                    rules.victims[attacker][victim] = 0xff;
                    rules.attackers[victim][attacker] = 0xff;
                }
                victim += 1;
            }
            attacker += 1;
        }
        rules
    }

    /// Whether the threats of this attacker on this victim count. Only the low four bits of the
    /// codes count.
    #[must_use]
    #[inline]
    pub const fn counts(&self, attacker: u8, victim: u8) -> bool {
        self.pairs[attacker as usize & 15] >> (victim & 15) & 1 == 1
    }

    /// Whether the code is a piece, not an empty square. Only the low four bits count.
    #[must_use]
    #[inline]
    pub const fn is_piece(&self, code: u8) -> bool {
        self.kinds[code as usize & 15] != 0
    }

    /// The lowest code of an empty square; 16 if all are pieces.
    #[inline(always)]
    pub(crate) const fn empty(&self) -> u8 {
        self.pieces.trailing_ones() as u8
    }

    /// The kind of a code; 0 if it is an empty square.
    #[inline(always)]
    pub(crate) const fn kind(&self, code: u8) -> u8 {
        self.kinds[code as usize & 15]
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("kinds", &self.kinds)
            .field("pairs", &self.pairs)
            .finish_non_exhaustive()
    }
}

/// The most threats of any board: a list of this length is enough for
/// [`Kernel::threats`](crate::Kernel::threats).
///
/// An attacker has at most one victim on each ray, or at each end of a knight's jump. Three rays
/// leave a corner, five another square of the edge, eight any other square: 4 x 3 + 24 x 5 + 36 x 8
/// = 420, and no square has more jumps than rays. 64 queens have 420 threats.
pub const MOST: usize = 420;

/// A square, and the code that it gets.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Edit {
    pub(crate) square: u8,
    pub(crate) code: u8,
}

/// The most edits of one call.
pub(crate) const MOST_EDITS: usize = 4;

/// The threats that a change adds or removes.
///
/// Kernels store whole vectors, so the entries after the last are unspecified. The first vector
/// lies in one cache line.
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct List {
    pub(crate) threats: [MaybeUninit<Threat>; List::ROOM],
    pub(crate) count: u32,
}

impl List {
    /// The most threats of a list, 24 for each edited square, and room for a vector of 16 entries
    /// that starts at the last.
    const ROOM: usize = 24 * MOST_EDITS + 15;

    const fn new() -> List {
        List { threats: [const { MaybeUninit::uninit() }; List::ROOM], count: 0 }
    }

    pub(crate) const fn as_slice(&self) -> &[Threat] {
        // SAFETY: `count` entries are initialised, which is the invariant of the lists.
        unsafe { slice::from_raw_parts(self.threats.as_ptr().cast(), self.count as usize) }
    }

    /// Empties the list.
    #[inline(always)]
    pub(crate) const fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds a threat if `counts` is true. Branch-free, because the next threat overwrites one that
    /// does not count.
    #[inline(always)]
    pub(crate) const fn push(&mut self, threat: Threat, counts: bool) {
        let next = self.count as usize;
        // Always true, as no board fills a list, but the compiler does not know.
        if next < List::ROOM {
            self.threats[next] = MaybeUninit::new(threat);
            self.count += counts as u32;
        }
    }

    /// The first entry, and the number of entries, for kernels.
    ///
    /// # Safety
    /// `list` is valid for writes. The count must be set to the number of entries written.
    #[inline(always)]
    pub(crate) unsafe fn parts(list: *mut List) -> (*mut u32, *mut u32) {
        // SAFETY: the caller's contract.
        unsafe { ((&raw mut (*list).threats).cast(), &raw mut (*list).count) }
    }
}

/// The threats that a change of the board adds and removes. No threat is in both lists.
///
/// 896 bytes, aligned to a cache line: two lists of 448. No call can fill a list
/// ([`threats`](crate::threats) has the proof). [`Changes::new`] initialises only the counts. The
/// layout is that of C's `setwise_threat_changes`: for each list 111 threats, then a 32-bit count.
///
/// An engine that updates its accumulator later keeps one for each ply. A typical move has nine
/// threats, in two of the fourteen cache lines, and the counts are in two more. An engine that
/// updates it at once needs one for the whole search.
#[derive(Clone)]
#[repr(C)]
pub struct Changes {
    pub(crate) added: List,
    pub(crate) removed: List,
}

// `tests/c_layout.rs` compares the C header with this.
const _: () = {
    assert!(size_of::<Changes>() == 896 && align_of::<Changes>() == 64);
    assert!(core::mem::offset_of!(List, threats) == 0 && core::mem::offset_of!(List, count) == 444);
    assert!(size_of::<Edit>() == 2);
};

impl Changes {
    /// Two empty lists.
    #[must_use]
    pub const fn new() -> Changes {
        Changes { added: List::new(), removed: List::new() }
    }

    /// The threats that are only on the board after the change.
    #[must_use]
    #[inline]
    pub const fn added(&self) -> &[Threat] {
        self.added.as_slice()
    }

    /// The threats that are only on the board before the change.
    #[must_use]
    #[inline]
    pub const fn removed(&self) -> &[Threat] {
        self.removed.as_slice()
    }

    /// Empties both lists.
    #[inline(always)]
    pub(crate) const fn clear(&mut self) {
        self.added.clear();
        self.removed.clear();
    }
}

impl Default for Changes {
    fn default() -> Changes {
        Changes::new()
    }
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes")
            .field("added", &self.added())
            .field("removed", &self.removed())
            .finish()
    }
}

impl PartialEq for Changes {
    fn eq(&self, other: &Changes) -> bool {
        (self.added(), self.removed()) == (other.added(), other.removed())
    }
}

impl Eq for Changes {}
