//! Records of 32 bytes, in bulletformat or marlinformat. These formats store positions for the
//! training of evaluation functions.

use std::io::Write;

use setwise::moves::{GamePosition, State};
use setwise::position::Position;

use crate::binpack::{Board, Entry, Move};
use crate::error::{FenError, Field};
use crate::{Piece, Placement, Side};

/// The size of a bulletformat or marlinformat record in bytes. A viriformat game starts with a
/// record of the same size.
pub const RECORD: usize = 32;

/// A position from a record, with its score and result.
///
/// # The layouts
///
/// All numbers are little-endian; a1 is square 0, h8 square 63. Both formats start with the same
/// 24 bytes:
///
/// | bytes | field | meaning |
/// |---|---|---|
/// | 0 to 7 | occupancy | the set of all pieces, 1 to 32 of them |
/// | 8 to 23 | pieces | half a byte for each piece, the low half first, in the order of the squares: 0 to 5 for pawn, knight, bishop, rook, queen, king, plus 8 if black |
///
/// The rest of a marlinformat record, with score and result from white's point of view:
///
/// | bytes | field | meaning |
/// |---|---|---|
/// | 24 | side to move, en passant square | 128 if black is to move, plus the square that a pawn just passed by moving two steps (64: none) |
/// | 25 | halfmove clock | moves since the last capture or pawn move |
/// | 26, 27 | fullmove number | the number of the move, or 0 |
/// | 28, 29 | score | centipawns |
/// | 30 | result | 0 black won, 1 drawn, 2 white won |
/// | 31 | extra | ignored |
///
/// In marlinformat, piece 6 is a rook that may castle.
///
/// A bulletformat record shows the side to move as white. If black is to move, the ranks are
/// reversed and the colours exchanged, so every record has white to move. The rest of the record:
///
/// | bytes | field | meaning |
/// |---|---|---|
/// | 24, 25 | score | centipawns |
/// | 26 | result | 0 lost, 1 drawn, 2 won |
/// | 27 | king squares | the square of the king of the side to move |
/// | 28 | king squares | the square of the other king, with the ranks reversed |
/// | 29 to 31 | extra | ignored |
///
/// Sources: the crates `bulletformat` and `viriformat`.
///
/// ```
/// use setwise_positions::{Format, Record};
/// // The initial position, white to move.
/// let mut bytes = [0; 32];
/// bytes[..8].copy_from_slice(&0xffff_0000_0000_ffff_u64.to_le_bytes());
/// bytes[8..24].copy_from_slice(&[0x16, 0x42, 0x25, 0x61, 0, 0, 0, 0, 0x88, 0x88, 0x88, 0x88, 0x9e, 0xca, 0xad, 0xe9]);
/// bytes[24] = 64;
/// bytes[30] = 2;
/// let record = Record::read(Format::Marlin, &bytes)?;
/// assert_eq!(record.to_string(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
///
/// bytes[30] = 3;
/// let error = Record::read(Format::Marlin, &bytes).unwrap_err();
/// assert_eq!(error.to_string(), "result: 3 is not 0, 1 or 2");
/// # Ok::<(), setwise_positions::FenError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    pub(crate) placement: Placement,
    pub(crate) side: Side,
    pub(crate) castling: Castling,
    pub(crate) en_passant: Option<u32>,
    pub(crate) halfmove_clock: u8,
    pub(crate) fullmove_number: u16,
    pub(crate) score: i16,
    pub(crate) result: u8,
}

impl Record {
    /// The pieces.
    #[must_use]
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// The side to move, which is always white in bulletformat.
    #[must_use]
    pub fn side(&self) -> Side {
        self.side
    }

    /// The score in centipawns. In bulletformat it is from the point of view of the side to move,
    /// otherwise from white's.
    #[must_use]
    pub fn score(&self) -> i16 {
        self.score
    }

    /// The result: 0 lost, 1 drawn, 2 won. In bulletformat it is from the point of view of the side
    /// to move, otherwise from white's.
    #[must_use]
    pub fn result(&self) -> u8 {
        self.result
    }

    /// What the rules of chess need beside the pieces.
    #[must_use]
    pub fn state(&self) -> State {
        let files =
            |files: [Option<u32>; 2]| files.into_iter().flatten().map(|file| 1 << file).sum();
        State {
            side: self.side as u8,
            en_passant: self.en_passant.map_or(State::NO_EN_PASSANT, |square| square as u8),
            castling: self.castling.0.map(files),
        }
    }

    /// The position with its [`state`](Record::state).
    #[must_use]
    pub fn game_position(&self) -> GamePosition {
        GamePosition::new(Position::from(&self.placement), self.state())
    }

    /// The record as an entry of binpack, with the move that was played: score and result are those
    /// of the side to move. Its ply is [`Entry::NO_PLY`] without a number of the move.
    ///
    /// Castling rights are only those of rooks in the corners, and an en passant square only that
    /// of a pawn that has passed it.
    ///
    /// ```
    /// # use setwise_positions::{Format, Record, binpack::{Entry, Move}};
    /// let mut bytes = [0; 32];
    /// bytes[..8].copy_from_slice(&0x1000_0000_0000_0010_u64.to_le_bytes()); // e1, e8
    /// bytes[8] = 0xd5; // White's king, Black's king
    /// (bytes[24], bytes[26], bytes[28], bytes[30]) = (128 + 64, 3, 50, 2);
    /// let entry = Record::read(Format::Marlin, &bytes)?.entry(Move::NONE)?;
    /// assert_eq!((entry.score(), entry.result(), entry.ply()), (-50, -1, 5));
    /// # Ok::<(), setwise_positions::FenError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a side does not have exactly one king.
    pub fn entry(&self, played: Move) -> Result<Entry, FenError> {
        let castling = self.state().castling;
        let codes = self.placement.codes();
        let rights = [(0, 0), (0, 7), (1, 0), (1, 7)].map(|(side, file): (usize, usize)| {
            castling[side] >> file & 1 == 1
                && codes[56 * side + file] == Piece::Rook.code(Side::BOTH[side])
        });
        let pawn = Piece::Pawn.code(self.side.other());
        let en_passant = self.en_passant.map(|square| square as u8);
        let en_passant = en_passant.filter(|square| codes[usize::from(square ^ 8)] == pawn);
        let clock = self.halfmove_clock.into();
        let board = Board::new(&self.placement, self.side, rights, en_passant, clock)
            .map_err(|what| FenError::new(Field::Pieces, what))?;
        let (sign, black) = if self.side == Side::White { (1, 0) } else { (-1, 1) };
        let ply = match self.fullmove_number {
            0 => Entry::NO_PLY,
            number => {
                (2 * (u32::from(number) - 1) + black).min(u32::from(Entry::NO_PLY) - 1) as u16
            }
        };
        let result = sign * (self.result.cast_signed() - 1);
        Ok(Entry::new(board, played, self.score.saturating_mul(sign.into()), result, ply))
    }

    /// Appends the six fields of a FEN to `text`. Castling rights are letters of `KQkq` if the
    /// kings are on the e-file and the rooks in the corners. Otherwise they are the letters of the
    /// rooks' files.
    pub fn write(&self, text: &mut Vec<u8>) {
        self.placement.write(text);
        text.extend_from_slice(match self.side {
            Side::White => b" w ",
            Side::Black => b" b ",
        });
        self.castling.write(&self.placement, text);
        text.push(b' ');
        match self.en_passant {
            Some(square) => text.extend(square_name(square)),
            None => text.push(b'-'),
        }
        let (clock, number) = (self.halfmove_clock, self.fullmove_number.max(1));
        // Writing to a vector never fails.
        let _ = write!(text, " {clock} {number}");
    }
}

impl Entry {
    /// The entry as a record: with score and result from white's point of view.
    #[must_use]
    pub fn record(&self) -> Record {
        let board = self.board();
        let files = |side| [7, 0].map(|file| board.may_castle(side, file == 0).then_some(file));
        let sign: i8 = if board.side() == Side::White { 1 } else { -1 };
        Record {
            placement: *board.placement(),
            side: board.side(),
            castling: Castling(Side::BOTH.map(files)),
            en_passant: board.en_passant().map(u32::from),
            halfmove_clock: u8::try_from(board.halfmove_clock()).unwrap_or(u8::MAX),
            fullmove_number: self.ply() / 2 + 1,
            score: self.score().saturating_mul(sign.into()),
            result: (1 + sign * self.result()).cast_unsigned(),
        }
    }
}

impl std::fmt::Display for Record {
    /// Writes a FEN.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = Vec::new();
        self.write(&mut text);
        f.pad(&String::from_utf8_lossy(&text))
    }
}

/// The files of the rooks that may castle, indexed by side and wing (0: kingside, 1: queenside).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Castling(pub(crate) [[Option<u32>; 2]; 2]);

impl Castling {
    /// Makes the castling rights from the set of rooks that may castle.
    pub(crate) fn new(placement: &Placement, rooks: u64) -> Result<Castling, FenError> {
        let mut castling = Castling::default();
        let mut left = rooks;
        while left != 0 {
            let square = left.trailing_zeros();
            left &= left - 1;
            let wrong = |what: &str| {
                let reason = format!("the rook on {} may castle, but {what}", name(square));
                Err(FenError::new(Field::Castling, reason))
            };
            let side = Side::BOTH[usize::from(placement.side(Side::Black) >> square & 1 == 1)];
            let rank = home(side);
            if square / 8 != rank {
                return wrong("that is not its side's first rank");
            }
            let kings = placement.pieces(side, Piece::King) >> (8 * rank) & 0xff;
            if kings.count_ones() != 1 {
                return wrong("its side must have one king on that rank");
            }
            let wing = usize::from(square % 8 < kings.trailing_zeros());
            if castling.0[side as usize][wing].replace(square % 8).is_some() {
                return wrong("so may another rook on that wing");
            }
        }
        Ok(castling)
    }

    /// Makes the castling rights from the files of the rooks of both sides, as in
    /// [`State::castling`].
    pub(crate) fn of(placement: &Placement, files: [u8; 2]) -> Castling {
        Castling(Side::BOTH.map(|side| {
            let king = placement.pieces(side, Piece::King) >> (8 * home(side)) & 0xff;
            let east_of_king = king.wrapping_neg() << 1;
            [east_of_king, !east_of_king].map(|wing| {
                let rooks = u64::from(files[side as usize]) & wing;
                (rooks != 0).then(|| rooks.trailing_zeros())
            })
        }))
    }

    pub(crate) fn write(self, placement: &Placement, text: &mut Vec<u8>) {
        let before = text.len();
        let is_usual = Side::BOTH.into_iter().all(|side| {
            let [short, long] = self.0[side as usize];
            let king = placement.pieces(side, Piece::King) >> (8 * home(side)) & 0xff;
            short.is_none_or(|file| file == 7)
                && long.is_none_or(|file| file == 0)
                && (king == 1 << 4 || (short, long) == (None, None))
        });
        for side in Side::BOTH {
            for (file, usual) in self.0[side as usize].iter().zip(*b"KQ") {
                let Some(file) = *file else { continue };
                let letter = if is_usual { usual } else { b'A' + file as u8 };
                text.push(match side {
                    Side::White => letter,
                    Side::Black => letter.to_ascii_lowercase(),
                });
            }
        }
        if text.len() == before {
            text.push(b'-');
        }
    }
}

/// A side's first rank, counted from 0.
pub(crate) const fn home(side: Side) -> u32 {
    7 * side as u32
}

pub(crate) fn square_name(square: u32) -> [u8; 2] {
    [b'a' + (square % 8) as u8, b'1' + (square / 8) as u8]
}

/// A square's name, for messages.
pub(crate) fn name(square: u32) -> String {
    square_name(square).map(char::from).iter().collect()
}

/// Reads the pieces. Also returns the squares of all pieces with number 6: the rooks that may
/// castle.
#[inline(always)]
pub(crate) fn read_pieces(bytes: &[u8; RECORD]) -> Result<(Placement, u64), FenError> {
    let (words, _) = bytes.as_chunks();
    let occupied = u64::from_le_bytes(words[0]);
    let count = occupied.count_ones();
    if !(1..=32).contains(&count) {
        let reason = format!("{count} pieces, but a record has 1 to 32");
        return Err(FenError::new(Field::Occupancy, reason));
    }
    let [low, high] = [1, 2].map(|word| u128::from(u64::from_le_bytes(words[word])));
    let mut halves = low | high << 64;
    // `bits[i]` holds the squares whose piece number has bit `i` set.
    let (mut left, mut bits) = (occupied, [0_u64; 4]);
    while left != 0 {
        let square = left & left.wrapping_neg();
        left ^= square;
        for (i, bits) in bits.iter_mut().enumerate() {
            *bits |= square & 0_u64.wrapping_sub(halves as u64 >> i & 1);
        }
        halves >>= 4;
    }
    let [one, two, four, black] = bits;
    let none = one & two & four;
    if none != 0 {
        let name = name(none.trailing_zeros());
        let reason = format!("7 on {name} is not a piece");
        return Err(FenError::new(Field::Pieces, reason));
    }
    let unmoved = two & four;
    let pawns = occupied & !(one | two | four);
    let knights = one & !two & !four;
    let bishops = two & !one & !four;
    let rooks = one & two | unmoved;
    let queens = four & !one & !two;
    let kings = one & four;
    let white = !black;
    // Plane i holds the squares whose `Piece::code` has bit i set.
    let planes = [
        pawns | bishops | queens,
        white & (knights | bishops | kings) | black & (pawns | rooks | queens),
        white & (rooks | queens | kings) | black & (pawns | kings),
        black & !pawns,
    ];
    Ok((Placement::from_planes(planes), unmoved))
}

/// Reads a result.
pub(crate) fn result(byte: u8) -> Result<u8, FenError> {
    match byte {
        0..=2 => Ok(byte),
        _ => Err(FenError::new(Field::Result, format!("{byte} is not 0, 1 or 2"))),
    }
}
