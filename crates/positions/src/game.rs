//! Games in viriformat, which stores an initial position and the moves from there.

use crate::error::{FenError, Field};
use crate::record::{Castling, RECORD, Record, home, name};
use crate::{Format, Piece, Side};

/// The size of a move and its score, in bytes.
const MOVE: usize = 4;

/// The bytes that end a game.
const END: [u8; MOVE] = [0; MOVE];

/// A game in viriformat. Iterates over the positions before each move, with their scores. The
/// position after the last move has no score and is left out.
///
/// # The layout
///
/// A game is a marlinformat record (see [`Record`]), four bytes per move, and four zero bytes:
///
/// | bits | field | meaning |
/// |---|---|---|
/// | 0 to 5 | from | the square that the piece leaves |
/// | 6 to 11 | to | the square that the piece enters; in castling, the rook's square |
/// | 12, 13 | promotion | 0 to 3 knight, bishop, rook, queen |
/// | 14, 15 | kind | 0 any other move, 1 en passant, 2 castling, 3 promotion |
/// | 16 to 31 | score | score of the position before the move, in centipawns from white's point of view |
///
/// A piece of the side to move must stand on `from`. It may take any piece of the other side except
/// the king. Castling requires the right to castle, and target squares that are empty. Otherwise,
/// moves are not checked for legality.
///
/// A record without pieces is not a game, but an extension. It consists of eight zero bytes, a
/// two-byte number, a two-byte length, data of that length, and four zero bytes.
/// [`Batch::read_block`](crate::Batch::read_block) skips extensions.
///
/// Source: the crate `viriformat`.
///
/// ```
/// use setwise_positions::Game;
/// let mut bytes = [0; 32 + 4 + 4];
/// bytes[..8].copy_from_slice(&0x1000_0000_0000_1010_u64.to_le_bytes()); // e1, e2, e8
/// bytes[8] = 0x05; // white's king, a pawn
/// bytes[9] = 0x0d; // black's king
/// bytes[24] = 64;
/// bytes[32..34].copy_from_slice(&(12_u16 | 28 << 6).to_le_bytes()); // e2e4
/// let positions: Result<Vec<_>, _> = Game::new(&bytes).collect();
/// assert_eq!(positions?[0].to_string(), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
/// # Ok::<(), setwise_positions::FenError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Game<'a> {
    next: Result<Record, FenError>,
    moves: &'a [u8],
    number: usize,
    is_over: bool,
}

impl<'a> Game<'a> {
    /// Makes an iterator over the game at the start of these bytes.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Game<'a> {
        let short = || {
            let reason = format!("it has {} of {RECORD} bytes", bytes.len());
            FenError::new(Field::Record, reason)
        };
        let start = bytes.first_chunk().ok_or_else(short);
        let next = start.and_then(|start| Record::read(Format::Viri, start));
        Game { next, moves: bytes.get(RECORD..).unwrap_or_default(), number: 0, is_over: false }
    }
}

impl Iterator for Game<'_> {
    type Item = Result<Record, FenError>;

    fn next(&mut self) -> Option<Result<Record, FenError>> {
        if self.is_over {
            return None;
        }
        let mut position = match &self.next {
            Ok(position) => *position,
            Err(error) => {
                self.is_over = true;
                return Some(Err(error.clone()));
            }
        };
        let Some((code, rest)) = self.moves.split_first_chunk::<MOVE>() else {
            self.is_over = true;
            let reason = format!("it ends after {} moves without four zero bytes", self.number);
            return Some(Err(FenError::new(Field::Game, reason)));
        };
        if *code == END {
            self.is_over = true;
            return None;
        }
        self.moves = rest;
        self.number += 1;
        position.score = i16::from_le_bytes([code[2], code[3]]);
        let mut after = position;
        let played = after.play(u16::from_le_bytes([code[0], code[1]]));
        self.next = played.map(|()| after).map_err(|reason| {
            FenError::new(Field::Moves, format!("number {}, {reason}", self.number))
        });
        Some(Ok(position))
    }
}

/// Returns the length in bytes of the first game or extension in `bytes`. For a game, also returns
/// its number of moves. Returns `None` if the game or extension is incomplete.
pub(crate) fn length(bytes: &[u8]) -> Option<(usize, Option<u64>)> {
    if bytes.get(..8)? == [0; 8] {
        let payload = u16::from_le_bytes([*bytes.get(10)?, *bytes.get(11)?]);
        let length = 12 + usize::from(payload) + END.len();
        return (length <= bytes.len()).then_some((length, None));
    }
    let moves = bytes.get(RECORD..)?.chunks_exact(MOVE);
    let count = moves.clone().position(|code| code == END)?;
    Some((RECORD + MOVE * (count + 1), Some(count as u64)))
}

impl Record {
    /// Makes a move. If the move is invalid, returns what is wrong with it.
    fn play(&mut self, code: u16) -> Result<(), String> {
        let square = |shift: u32| u32::from(code >> shift & 63);
        let (from, to) = (square(0), square(6));
        let (us, them) = (self.side, self.side.other());
        let wrong = |what: &str| Err(format!("{}{}: {what}", name(from), name(to)));
        let piece = match self.placement.on(from) {
            Some((side, piece)) if side == us => piece,
            _ => return wrong("no piece of the side to move is there"),
        };
        let taken = self.placement.on(to);
        let is_pawn = piece == Piece::Pawn;
        let kind = code >> 14;
        if kind != 2 && matches!(taken, Some((side, kind)) if side == us || kind == Piece::King) {
            return wrong("a piece of the side to move, or a king, is on the target square");
        }
        let en_passant = self.en_passant.take();
        match kind {
            0 | 3 => {
                let is_last = is_pawn && to / 8 == home(them);
                if is_last != (kind == 3) {
                    return wrong("pawns promote on the last rank, and only there");
                }
                let promoted = Piece::ALL[1 + usize::from(code >> 12 & 3)];
                self.placement.remove(from);
                self.placement.put(us, if is_last { promoted } else { piece }, to);
                if is_pawn && from.abs_diff(to) == 16 {
                    self.en_passant = Some(u32::midpoint(from, to));
                }
            }
            1 => {
                // The taken pawn is on the file of `to` and the rank of `from`.
                let pawn = from & 0o70 | to & 0o07;
                let stands = self.placement.on(pawn) == Some((them, Piece::Pawn));
                if !is_pawn || en_passant != Some(to) || !stands || pawn.abs_diff(from) != 1 {
                    return wrong("there is no pawn to take en passant");
                }
                self.placement.remove(pawn);
                self.placement.remove(from);
                self.placement.put(us, Piece::Pawn, to);
            }
            _ => {
                let wing = usize::from(to < from);
                let is_right = piece == Piece::King
                    && from / 8 == home(us)
                    && to / 8 == home(us)
                    && self.castling.0[us as usize][wing] == Some(to % 8)
                    && taken == Some((us, Piece::Rook));
                if !is_right {
                    return wrong("this king and rook may not castle");
                }
                let [king, rook] = [[6, 5], [2, 3]][wing].map(|file| 8 * home(us) + file);
                self.placement.remove(from);
                self.placement.remove(to);
                if self.placement.occupied() & (1 << king | 1 << rook) != 0 {
                    return wrong("there is no room to castle");
                }
                self.placement.put(us, Piece::King, king);
                self.placement.put(us, Piece::Rook, rook);
            }
        }
        self.castling.lose(us, piece, from);
        self.castling.lose(them, Piece::Rook, to);
        let is_quiet = !is_pawn && (taken.is_none() || kind == 2);
        self.halfmove_clock = if is_quiet { self.halfmove_clock.saturating_add(1) } else { 0 };
        if us == Side::Black {
            self.fullmove_number = self.fullmove_number.max(1).saturating_add(1);
        }
        self.side = them;
        Ok(())
    }
}

impl Castling {
    /// Removes the castling rights of `side` that end when its `piece` leaves `square` or is taken
    /// there.
    fn lose(&mut self, side: Side, piece: Piece, square: u32) {
        let rooks = &mut self.0[side as usize];
        match piece {
            Piece::King => *rooks = [None; 2],
            _ if square / 8 == home(side) => {
                for rook in rooks {
                    if *rook == Some(square % 8) {
                        *rook = None;
                    }
                }
            }
            _ => {}
        }
    }
}
