//! A position between decoding and its batch.

use setwise_positions::binpack::Entry;
use setwise_positions::{Piece, Side};

/// What is kept of an entry, in 52 bytes: the shuffle buffer has many of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record {
    /// The codes of two squares in each byte, the lower one in the low bits.
    squares: [u8; 32],
    occupied: [u8; 8],
    pub(crate) score: i16,
    pub(crate) ply: u16,
    pub(crate) rule50: u16,
    /// The move, as the file has it.
    pub(crate) played: u16,
    /// Both kings' squares, the side to move, the result plus 1, castling rights, the square of en
    /// passant (0: none) and the number of pieces.
    bits: u32,
}

impl Record {
    pub(crate) const EMPTY: Record = Record {
        squares: [0; 32],
        occupied: [0; 8],
        score: 0,
        ply: 0,
        rule50: 0,
        played: 0,
        bits: 0,
    };

    #[inline]
    pub(crate) fn of(entry: &Entry) -> Record {
        let board = entry.board();
        let mut squares = [0; 32];
        for (pair, codes) in squares.iter_mut().zip(board.codes().as_chunks::<2>().0) {
            *pair = codes[0] | codes[1] << 4;
        }
        let [white, black] = Side::BOTH
            .map(|side| board.placement().pieces(side, Piece::King).trailing_zeros() & 63);
        let occupied = board.placement().occupied();
        let bits = white
            | black << 6
            | (board.side() as u32) << 12
            | u32::from((entry.result() + 1).cast_unsigned() & 3) << 13
            | u32::from(board.castling_rights()) << 15
            | u32::from(board.en_passant().unwrap_or(0)) << 19
            | occupied.count_ones() << 25;
        Record {
            squares,
            occupied: occupied.to_le_bytes(),
            score: entry.score(),
            ply: entry.ply(),
            rule50: board.halfmove_clock(),
            played: entry.played().bits(),
            bits,
        }
    }

    /// Sets `board` to the codes of the squares.
    #[inline]
    pub(crate) fn unpack(&self, board: &mut [u8; 64]) {
        for (codes, pair) in board.as_chunks_mut::<2>().0.iter_mut().zip(self.squares) {
            *codes = [pair & 15, pair >> 4];
        }
    }

    pub(crate) fn occupied(&self) -> u64 {
        u64::from_le_bytes(self.occupied)
    }

    pub(crate) fn kings(&self) -> [u8; 2] {
        [(self.bits & 63) as u8, (self.bits >> 6 & 63) as u8]
    }

    /// 0 if White is to move, 1 if Black is.
    pub(crate) fn side(&self) -> u8 {
        (self.bits >> 12 & 1) as u8
    }

    pub(crate) fn result(&self) -> i8 {
        (self.bits >> 13 & 3) as i8 - 1
    }

    pub(crate) fn castling(&self) -> u8 {
        (self.bits >> 15 & 15) as u8
    }

    /// 0: none.
    pub(crate) fn en_passant(&self) -> u8 {
        (self.bits >> 19 & 63) as u8
    }

    pub(crate) fn pieces(&self) -> u32 {
        self.bits >> 25
    }
}
