//! What the parts of a set of inputs need of a position.

/// Files as bits, the a-file lowest.
pub(crate) const A_TO_D: u8 = 0b0000_1111;
pub(crate) const E_TO_H: u8 = 0b1111_0000;

/// The most pieces of a position.
pub(crate) const PIECES: usize = 32;

/// The sets of a board, and what its views depend on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Summary {
    pub(crate) occupied: u64,
    /// The pawns of both sides, and those that are White's.
    pub(crate) pawns: u64,
    pub(crate) white_pawns: u64,
    pub(crate) kings: [u8; 2],
    /// 0 if White is to move, 1 if Black is.
    pub(crate) side: u8,
}

impl Summary {
    /// By side: the exclusive or of each square as it sees it, if it mirrors these files of its
    /// king.
    #[inline(always)]
    pub(crate) fn flips(&self, mirror: u8) -> [u8; 2] {
        let mirrored = self.kings.map(|king| 7 * (mirror >> (king & 7) & 1));
        [mirrored[0], mirrored[1] ^ 0x38]
    }
}
