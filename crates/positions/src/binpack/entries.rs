//! Decodes the entries of a chunk.

use std::fmt;

use super::board::{Board, Move};
use crate::record::name;
use crate::{Piece, Side};

/// The size of a chain's stem and count.
const HEAD: usize = 34;

/// A position of training data with its move, score and result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub(super) board: Board,
    pub(super) played: Move,
    pub(super) score: i16,
    pub(super) result: i8,
    pub(super) ply: u16,
}

impl Entry {
    /// The [`ply`](Entry::ply) of an entry whose file has none. Rules that depend on it keep it.
    pub const NO_PLY: u16 = u16::MAX;

    /// Makes an entry, for [`Writer`](super::Writer).
    #[must_use]
    pub fn new(board: Board, played: Move, score: i16, result: i8, ply: u16) -> Entry {
        Entry { board, played, score, result: result.signum(), ply }
    }

    /// The position.
    #[must_use]
    #[inline]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The move that was played, or [`Move::NONE`].
    #[must_use]
    #[inline]
    pub fn played(&self) -> Move {
        self.played
    }

    /// The score from the point of view of the side to move. 32002 marks positions without one.
    #[must_use]
    #[inline]
    pub fn score(&self) -> i16 {
        self.score
    }

    /// The result of the game for the side to move: 1 won, 0 drawn, -1 lost.
    #[must_use]
    #[inline]
    pub fn result(&self) -> i8 {
        self.result
    }

    /// The number of moves since the start of the game, or [`NO_PLY`](Entry::NO_PLY).
    #[must_use]
    #[inline]
    pub fn ply(&self) -> u16 {
        self.ply
    }
}

/// What is wrong with a chunk, and at which byte of its payload. The rest of the chunk is lost,
/// because its entries cannot be found without those before them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryError(Box<(usize, String)>);

impl EntryError {
    /// The offset in the payload.
    #[must_use]
    pub fn byte(&self) -> usize {
        self.0.0
    }

    /// What is wrong.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.0.1
    }
}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.byte(), self.reason())
    }
}

impl std::error::Error for EntryError {}

/// An error at a byte that [`Decoder::end`] fills in.
#[cold]
fn wrong(reason: impl Into<String>) -> EntryError {
    EntryError(Box::new((0, reason.into())))
}

/// The entries of a chunk's payload, one after another in the same memory.
///
/// ```
/// # let file = [&b"BINP"[..], &[38, 0, 0, 0, 0x82, 0x82, 0x90, 0xd2, 0x08, 0xc0, 0x46, 0x52, 0x48,
/// # 0x3a, 0x40, 0, 0x51, 0x10, 0x12, 0x71, 0x9b, 5, 0, 0, 0, 0, 0, 0, 0x0a, 0x68, 1, 0x91, 0, 0x44,
/// # 0, 0, 0, 2, 0x1d, 0x18, 0xf5, 8]].concat();
/// use setwise_positions::binpack::{Chunks, Entries};
/// let mut chunks = Chunks::new(&file[..]);
/// let (mut payload, mut count) = (Vec::new(), 0);
/// while chunks.next(&mut payload)? {
///     let mut entries = Entries::new(&payload);
///     while let Some(entry) = entries.next()? {
///         count += 1;
///         assert!(entry.score().abs() < 32002);
///     }
/// }
/// assert_eq!(count, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Entries<P> {
    payload: P,
    decoder: Decoder,
}

#[derive(Debug, Clone)]
struct Decoder {
    /// The next bit of the movetext, or the first bit of the next chain.
    bit: usize,
    /// The number of entries of the chain that are left.
    left: u16,
    entry: Entry,
}

impl<P: AsRef<[u8]>> Entries<P> {
    /// Makes a decoder of one chunk's payload.
    #[must_use]
    pub fn new(payload: P) -> Entries<P> {
        let entry = Entry::new(Board::EMPTY, Move::NONE, 0, 0, 0);
        Entries { payload, decoder: Decoder { bit: 0, left: 0, entry } }
    }

    pub(crate) fn into_payload(self) -> P {
        self.payload
    }

    /// The number of bytes of the payload that are not decoded yet: 0 at the end of the chunk.
    #[must_use]
    pub fn bytes_left(&self) -> usize {
        self.payload.as_ref().len() - self.decoder.bit.div_ceil(8)
    }

    /// Decodes the next entry. `None` at the end of the chunk.
    ///
    /// # Errors
    ///
    /// If the chunk is cut short, or contains what cannot be: see [`EntryError`]. Entries before
    /// the error are right. After an error the chunk has no more entries.
    #[allow(clippy::should_implement_trait, reason = "the entry is borrowed")]
    #[inline]
    pub fn next(&mut self) -> Result<Option<&Entry>, EntryError> {
        let (payload, decoder) = (self.payload.as_ref(), &mut self.decoder);
        let decoded = match decoder.left {
            0 => decoder.start(payload),
            _ => ply(decoder, payload),
        };
        decoder.finish(payload, decoded)
    }

    /// [`next`](Entries::next) as a part of the caller, for a loop that is compiled for several
    /// instruction sets.
    ///
    /// # Errors
    ///
    /// As [`next`](Entries::next).
    #[inline(always)]
    pub fn next_inline(&mut self) -> Result<Option<&Entry>, EntryError> {
        // Not `next` with the ply as an argument, which would stay a call for plain x86-64.
        let (payload, decoder) = (self.payload.as_ref(), &mut self.decoder);
        let decoded = match decoder.left {
            0 => decoder.start(payload),
            _ => decoder.ply(payload),
        };
        decoder.finish(payload, decoded)
    }
}

impl Decoder {
    /// What was decoded: an entry, or nothing at the end of the chunk.
    #[inline(always)]
    fn finish(
        &mut self,
        payload: &[u8],
        decoded: Result<bool, EntryError>,
    ) -> Result<Option<&Entry>, EntryError> {
        match decoded {
            Ok(is_there) => Ok(is_there.then_some(&self.entry)),
            Err(error) => Err(self.end(payload, error)),
        }
    }

    #[cold]
    fn end(&mut self, payload: &[u8], mut error: EntryError) -> EntryError {
        error.0.0 = (self.bit / 8).min(payload.len());
        (self.bit, self.left) = (8 * payload.len(), 0);
        error
    }

    /// Decodes the entry at the start of a chain, if there is one.
    #[inline(never)]
    fn start(&mut self, payload: &[u8]) -> Result<bool, EntryError> {
        if payload.len() - self.bit.div_ceil(8) < HEAD {
            self.bit = 8 * payload.len();
            return Ok(false);
        }
        let start = self.bit.div_ceil(8);
        self.bit = 8 * start;
        let head = payload[start..].first_chunk::<HEAD>().expect("its length was checked");
        let number = |i: usize| u16::from_be_bytes([head[i], head[i + 1]]);
        let occupied = u64::from_be_bytes(*head.first_chunk().expect("8 bytes"));
        let count = occupied.count_ones();
        if !(1..=32).contains(&count) {
            return Err(wrong(format!("{count} pieces, but a position has 1 to 32")));
        }
        let mut board = Board::EMPTY;
        let (mut kings, mut passed, mut left) = ([0, 0], None, occupied);
        for index in 0..count as usize {
            let square = left.trailing_zeros();
            left &= left - 1;
            let nibble = head[8 + index / 2] >> (4 * (index % 2)) & 15;
            let (side, piece) = match nibble {
                12 => {
                    let behind = match square / 8 {
                        3 => square - 8,
                        4 => square + 8,
                        _ => {
                            let square = name(square);
                            let what = "has not just moved two squares";
                            return Err(wrong(format!("a pawn on {square} {what}")));
                        }
                    };
                    if passed.replace(behind).is_some() {
                        return Err(wrong("two pawns have just moved two squares"));
                    }
                    (Side::BOTH[usize::from(square / 8 == 4)], Piece::Pawn)
                }
                13 => {
                    board.rights |= 1 << u32::from(square != 0);
                    (Side::White, Piece::Rook)
                }
                14 => {
                    board.rights |= 4 << u32::from(square != 56);
                    (Side::Black, Piece::Rook)
                }
                15 => {
                    board.side = Side::Black;
                    (Side::Black, Piece::King)
                }
                // Twice the kind, plus 1 if it is black.
                number => {
                    let (side, piece) = (usize::from(number % 2), usize::from(number / 2));
                    (Side::BOTH[side], Piece::ALL[piece])
                }
            };
            kings[side as usize] += u32::from(piece == Piece::King);
            board.put(square, piece.code(side));
        }
        if kings != [1, 1] {
            let [white, black] = kings;
            return Err(wrong(format!(
                "{white} white and {black} black kings instead of one each"
            )));
        }
        if let Some(square) = passed {
            board.en_passant = square as u8;
        }
        board.rule50 = number(30);
        let left = number(32);
        let played = Move(number(24));
        if played == Move::NONE && left > 0 {
            return Err(wrong(format!("a position without a move has {left} plies after it")));
        }
        if played != Move::NONE
            && let Err(reason) = { board }.play(played)
        {
            return Err(wrong(format!("{played}: {reason}")));
        }
        let result = match number(28) >> 14 {
            0 => 0,
            1 => -1,
            2 => 1,
            other => return Err(wrong(format!("result {other} is not 0, 1 or 2"))),
        };
        let score = unzigzag(number(26));
        self.entry = Entry { board, played, score, result, ply: number(28) & 0x3fff };
        self.left = left;
        self.bit += 8 * HEAD;
        Ok(true)
    }

    /// Decodes an entry of the movetext.
    #[inline(always)]
    fn ply(&mut self, payload: &[u8]) -> Result<bool, EntryError> {
        let entry = &mut self.entry;
        let sets = entry.board.play_decoded(entry.played);
        let (occupied, own) =
            sets.map_err(|reason| wrong(format!("{}: {reason}", entry.played)))?;
        let mut bits = Bits::at(payload, self.bit);
        let board = &entry.board;
        let pieces = own.count_ones();
        let index = bits.take(width(pieces));
        if index >= pieces {
            return Err(wrong(format!("piece {index} of {pieces}")));
        }
        let from = select(own, index);
        let set = board.destinations(from, occupied, own);
        let count = set.count_ones();
        let promotes = board.is_before_promotion(from);
        let all = if promotes { 4 * count } else { count + board.rights_of(from).count_ones() };
        let index = bits.take(width(all));
        let place = if promotes { index / 4 } else { index };
        entry.played = if place < count {
            let to = select(set, place);
            if promotes { Board::promotion(from, to, index) } else { board.plain_move(from, to) }
        } else if index < all {
            board.castling_of_index(from, index - count)
        } else {
            return Err(wrong(format!("destination {index} of {all} from {}", name(from))));
        };
        let difference = unzigzag(bits.take_number()?);
        self.bit += bits.taken as usize;
        if self.bit > 8 * payload.len() {
            return Err(wrong(format!("the chunk ends {} plies before its chain", self.left)));
        }
        entry.score = difference.wrapping_sub(entry.score);
        entry.result = -entry.result;
        entry.ply = entry.ply.wrapping_add(1);
        self.left -= 1;
        Ok(true)
    }
}

/// Decodes an entry of the movetext, with population counts and bit scans in one instruction where
/// the CPU has them.
#[multiversion::multiversion(targets("x86_64+bmi1+bmi2+lzcnt+popcnt"))]
fn ply(decoder: &mut Decoder, payload: &[u8]) -> Result<bool, EntryError> {
    decoder.ply(payload)
}

/// The next 64 bits or fewer of a movetext, the next one highest. No ply has more than 34.
struct Bits {
    bits: u64,
    taken: u32,
}

impl Bits {
    /// Beyond the end of the payload, the bits are 0.
    #[inline(always)]
    fn at(payload: &[u8], bit: usize) -> Bits {
        let rest = payload.get(bit / 8..).unwrap_or_default();
        let word = match rest.first_chunk() {
            Some(bytes) => u64::from_be_bytes(*bytes),
            None => last_bits(rest),
        };
        Bits { bits: word << (bit % 8), taken: 0 }
    }

    /// Takes up to 8 bits.
    #[inline(always)]
    fn take(&mut self, count: u32) -> u32 {
        // Two shifts, because a shift by 64 is not one.
        let value = self.bits >> 1 >> (63 - count);
        self.bits <<= count;
        self.taken += count;
        value as u32
    }

    /// Takes a number in groups of four bits, each after a bit that says whether another follows.
    #[inline(always)]
    fn take_number(&mut self) -> Result<u16, EntryError> {
        // All four groups at once: how many there are is hard to predict.
        const MORE: u64 = 0b10000_10000_10000_10000 << 44;
        let more = self.bits & MORE;
        // The first group without its bit, counted by carries: the complement's highest bit.
        let last = (!more & MORE).leading_zeros();
        if last == 64 {
            return Err(wrong("a score of more than 16 bits"));
        }
        let group = |n: u32| (self.bits >> (59 - 5 * n) & 15) << (4 * n);
        let number = group(0) | group(1) | group(2) | group(3);
        let groups = last / 5 + 1;
        self.taken += 5 * groups;
        Ok((number & ((1 << (4 * groups)) - 1)) as u16)
    }
}

#[cold]
fn last_bits(rest: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..rest.len()].copy_from_slice(rest);
    u64::from_be_bytes(bytes)
}

/// The bits that an index below `count` needs.
#[inline(always)]
pub(super) fn width(count: u32) -> u32 {
    32 - count.saturating_sub(1).leading_zeros()
}

/// The signed number whose sign is in bit 0.
#[inline(always)]
fn unzigzag(number: u16) -> i16 {
    let negative = (number & 1).wrapping_neg();
    (number.rotate_right(1) ^ negative & 0x7fff).cast_signed()
}

/// The position of bit `place` of each byte.
const SELECT: [[u8; 256]; 8] = {
    let (mut table, mut byte) = ([[0; 256]; 8], 0);
    while byte < 256 {
        let (mut bit, mut place) = (0_u8, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[place][byte] = bit;
                place += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// The square of bit `index` of a set that has more bits, counted from the lowest.
///
/// Source: Sebastiano Vigna: "Broadword Implementation of Rank/Select Queries", 2008.
#[inline(always)]
fn select(set: u64, index: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let pairs = set - (set >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    // Byte `i` counts the bits of bytes 0 to `i`.
    let sums = bytes.wrapping_mul(ONES);
    let passed = ((u64::from(index) * ONES | 0x80 * ONES) - sums) & 0x80 * ONES;
    let shift = 8 * passed.count_ones() & 63;
    let before = (sums << 8 >> shift & 0xff) as u32;
    let byte = (set >> shift & 0xff) as usize;
    shift + u32::from(SELECT[index.wrapping_sub(before) as usize & 7][byte])
}
