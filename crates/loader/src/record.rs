//! A position between decoding and its batch.

use setwise_positions::binpack::Entry;
use setwise_positions::{Piece, Placement, Side};

use crate::summary::Summary;

/// What is kept of an entry, in 44 bytes: the shuffle buffer has many of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record {
    /// [`Placement::planes`].
    planes: [[u8; 8]; 4],
    pub(crate) score: i16,
    pub(crate) ply: u16,
    pub(crate) rule50: u16,
    /// The move, as the file has it.
    pub(crate) played: u16,
    /// Both kings' squares, the side to move, the result plus 1, castling rights, the square of en
    /// passant (0: none) and the number of pieces.
    bits: u32,
}

/// By byte: a byte for each of its bits.
const BYTES: [u64; 256] = {
    let (mut bytes, mut at) = ([0; 256], 0);
    while at < 256 {
        let mut bit = 0;
        while bit < 8 {
            bytes[at] |= (at as u64 >> bit & 1) << (8 * bit);
            bit += 1;
        }
        at += 1;
    }
    bytes
};

impl Record {
    pub(crate) const EMPTY: Record =
        Record { planes: [[0; 8]; 4], score: 0, ply: 0, rule50: 0, played: 0, bits: 0 };

    /// With a ply to tell it by.
    #[cfg(test)]
    pub(crate) fn numbered(ply: u16) -> Record {
        let mut record = Record::EMPTY;
        record.ply = ply;
        record
    }

    #[inline]
    pub(crate) fn of(entry: &Entry) -> Record {
        let (board, placement) = (entry.board(), entry.board().placement());
        let [white, black] =
            Side::BOTH.map(|side| placement.pieces(side, Piece::King).trailing_zeros() & 63);
        let bits = white
            | black << 6
            | (board.side() as u32) << 12
            | u32::from((entry.result() + 1).cast_unsigned() & 3) << 13
            | u32::from(board.castling_rights()) << 15
            | u32::from(board.en_passant().unwrap_or(0)) << 19
            | placement.occupied().count_ones() << 25;
        Record {
            planes: placement.planes().map(u64::to_le_bytes),
            score: entry.score(),
            ply: entry.ply(),
            rule50: board.halfmove_clock(),
            played: entry.played().bits(),
            bits,
        }
    }

    /// Sets `board` to the codes of the squares.
    #[inline(always)]
    pub(crate) fn unpack(&self, board: &mut [u8; 64]) {
        for (rank, codes) in board.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let [a, b, c, d] = self.planes.map(|plane| BYTES[usize::from(plane[rank])]);
            *codes = (a | b << 1 | c << 2 | d << 3).to_le_bytes();
        }
    }

    #[inline(always)]
    pub(crate) fn summary(&self) -> Summary {
        let placement = self.placement();
        // Pawns on the first and the last rank are not inputs.
        let [white_pawns, black_pawns] =
            Side::BOTH.map(|side| placement.pieces(side, Piece::Pawn) & 0x00ff_ffff_ffff_ff00);
        Summary {
            occupied: placement.occupied(),
            pawns: white_pawns | black_pawns,
            white_pawns,
            kings: self.kings(),
            side: self.side(),
        }
    }

    /// The planes of [`setwise::moves::GamePosition::planes`].
    #[inline(always)]
    pub(crate) fn game_planes(&self) -> [u64; 4] {
        self.placement().game_planes()
    }

    #[inline(always)]
    fn placement(&self) -> Placement {
        Placement::from_planes(self.planes.map(u64::from_le_bytes))
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
