//! Viriformat: games, each an initial position and the moves from there.

use crate::binpack::{Board, Entry, Move, NONE};
use crate::block::Block;
use crate::cut_records::CutRecords;
use crate::error::{FenError, Field, LineError};
use crate::file_format::{About, Cut, FileFormat, Stream, Unit, Units, Value, Whole};
use crate::record::{Castling, RECORD, Record, home, name};
use crate::sample::{Fit, Sample};
use crate::{Batch, Piece, Side};

use super::marlin;

/// The size of a move and its score, in bytes.
const MOVE: usize = 4;

/// The bytes that end a game.
const END: [u8; MOVE] = [0; MOVE];

/// Viriformat games: see [`Game`].
pub(crate) struct Viri;

const ABOUT: About = About {
    name: "viriformat",
    option: "viri",
    aliases: &[],
    help: "Viriformat games",
    extensions: &["viri", "vf"],
    unit: Unit::Position,
    values: &[Value::Score, Value::Result, Value::Move],
};

impl FileFormat for Viri {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    /// Each game must be free of errors. The last one may be cut if the file goes on.
    fn fit(&self, sample: &Sample<'_>) -> Fit {
        let is_extension = sample.bytes.starts_with(&[0; 8]);
        match sample.bytes.first_chunk() {
            Some(first) if !is_extension && marlin::read(first).is_err() => return Fit::No,
            _ if !sample.is_last => return Fit::More,
            _ => {}
        }
        let (mut left, mut games) = (sample.bytes, 0);
        while let Some((length, moves)) = length(left) {
            if moves.is_some() {
                if Game::new(&left[..length]).any(|position| position.is_err()) {
                    return Fit::No;
                }
                games += 1;
            }
            left = &left[length..];
        }
        if games > 0 && (left.is_empty() || !sample.is_whole) { Fit::Yes } else { Fit::No }
    }

    fn cut<'a>(&'static self, stream: Stream<'a>) -> Box<dyn Cut + 'a> {
        Box::new(CutRecords::new(stream, self))
    }

    fn read(&self, block: &Block, batch: &mut Batch) {
        let (mut left, mut first, mut number) = (&*block.bytes, block.first_line, block.first_game);
        while !left.is_empty() {
            let (length, moves) = length(left).unwrap_or((left.len(), Some(1)));
            if let Some(moves) = moves {
                for (line, position) in (first..).zip(Game::new(&left[..length])) {
                    match position {
                        Ok(position) => batch.push_record(line, &position),
                        Err(error) => {
                            let error = error.of_game(number);
                            batch.push_error(LineError { line, error });
                        }
                    }
                }
                first += moves;
                number += 1;
            }
            left = &left[length..];
        }
    }

    fn record(&self, bytes: &[u8; RECORD]) -> Option<Result<Record, FenError>> {
        Some(marlin::read(bytes))
    }

    fn units(&'static self) -> Option<&'static dyn Units> {
        Some(self)
    }
}

impl Units for Viri {
    fn whole(&self, bytes: &[u8], single: bool) -> Whole {
        let mut whole = Whole::default();
        while let Some((length, moves)) = length(&bytes[whole.bytes..]) {
            whole.bytes += length;
            whole.positions += moves.unwrap_or_default();
            whole.games += u64::from(moves.is_some());
            if single {
                break;
            }
        }
        whole
    }

    fn entries(&self, bytes: &[u8], entries: &mut Vec<Entry>) -> (usize, Option<FenError>) {
        let length = Game::length(bytes).unwrap_or(bytes.len());
        // Without pieces, it is not a game.
        if !bytes.starts_with(&[0; 8]) {
            let mut game = Game::new(&bytes[..length]);
            while let Some(entry) = game.next_entry() {
                match entry {
                    Ok(entry) => entries.push(entry),
                    Err(error) => return (length, Some(error)),
                }
            }
        }
        (length, None)
    }
}

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
/// the king. Castling requires the right to castle, and target squares that are empty. A pawn that
/// reaches rank 1 or 8 must promote. Otherwise, moves are not checked for legality.
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
    /// The next position, or an error. `None` after the last.
    next: Option<Result<Record, FenError>>,
    /// The next position, for the moves of binpack. It has no castling rights.
    board: Board,
    moves: &'a [u8],
    number: usize,
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
        let next = start.and_then(marlin::read);
        let board = next.as_ref().map_or(Board::EMPTY, |record| {
            let en_passant = record.en_passant.map(|square| square as u8);
            let clock = record.halfmove_clock.into();
            Board::unchecked(&record.placement, record.side, en_passant, clock)
        });
        let moves = bytes.get(RECORD..).unwrap_or_default();
        Game { next: Some(next), board, moves, number: 0 }
    }

    /// The next position as an entry of binpack, with its move: see [`Record::entry`].
    pub fn next_entry(&mut self) -> Option<Result<Entry, FenError>> {
        let code = self.moves.first_chunk().copied().unwrap_or_default();
        Some(self.next()?.and_then(|record| record.entry(of_code(u16::from_le_bytes(code)))))
    }

    /// The number of bytes of the first game in `bytes`. Also of an extension, which has no
    /// positions. `None` if they are not all there.
    #[must_use]
    pub fn length(bytes: &[u8]) -> Option<usize> {
        Some(length(bytes)?.0)
    }
}

/// The move of binpack for one of viriformat.
fn of_code(code: u16) -> Move {
    let (from, to) = ((code & 63) as u8, (code >> 6 & 63) as u8);
    match code >> 14 {
        0 => Move::new(from, to, None),
        1 => Move::en_passant(from, to),
        2 => Move::castling(from, to),
        _ => Move::new(from, to, Some(Piece::ALL[1 + usize::from(code >> 12 & 3)])),
    }
}

impl Iterator for Game<'_> {
    type Item = Result<Record, FenError>;

    fn next(&mut self) -> Option<Result<Record, FenError>> {
        let mut position = match self.next.take()? {
            Ok(position) => position,
            error => return Some(error),
        };
        let Some((code, rest)) = self.moves.split_first_chunk::<MOVE>() else {
            let reason = format!("it ends after {} moves without four zero bytes", self.number);
            return Some(Err(FenError::new(Field::Game, reason)));
        };
        if *code == END {
            return None;
        }
        self.moves = rest;
        self.number += 1;
        position.score = i16::from_le_bytes([code[2], code[3]]);
        let code = u16::from_le_bytes([code[0], code[1]]);
        let mut after = position;
        let played = play(&mut after, &mut self.board, code).map_err(|reason| {
            let [from, to] = [code, code >> 6].map(|square| name(u32::from(square & 63)));
            FenError::new(Field::Moves, format!("number {}, {from}{to}: {reason}", self.number))
        });
        self.next = Some(played.map(|()| after));
        Some(Ok(position))
    }
}

/// Returns the length in bytes of the first game or extension in `bytes`. For a game, also returns
/// its number of moves. Returns `None` if the game or extension is incomplete.
fn length(bytes: &[u8]) -> Option<(usize, Option<u64>)> {
    if bytes.get(..8)? == [0; 8] {
        let payload = u16::from_le_bytes([*bytes.get(10)?, *bytes.get(11)?]);
        let length = 12 + usize::from(payload) + END.len();
        return (length <= bytes.len()).then_some((length, None));
    }
    let moves = bytes.get(RECORD..)?.chunks_exact(MOVE);
    let count = moves.clone().position(|code| code == END)?;
    Some((RECORD + MOVE * (count + 1), Some(count as u64)))
}

/// Makes a move of viriformat: changes the position of `record`, which `board` also shows. If the
/// move is invalid, returns what is wrong with it.
fn play(record: &mut Record, board: &mut Board, code: u16) -> Result<(), &'static str> {
    let (from, to) = ((code & 63) as u8, (code >> 6 & 63) as u8);
    let us = record.side;
    let moved = record.placement.on(from.into());
    match code >> 14 {
        0 => board.play(Move::new(from, to, None))?,
        1 => board.play(Move::en_passant(from, to))?,
        2 => {
            let rook = record.castling.0[us as usize][usize::from(to < from)];
            let corner = rook.map(|file| 8 * home(us) + file);
            board.castle(from.into(), to.into(), corner == Some(to.into()))?;
            (board.side, board.en_passant) = (us.other(), NONE);
            board.rule50 = board.rule50.saturating_add(1);
        }
        _ => {
            let promoted = Piece::ALL[1 + usize::from(code >> 12 & 3)];
            board.play(Move::new(from, to, Some(promoted)))?;
        }
    }
    if let Some((_, piece)) = moved {
        record.castling.lose(us, piece, from.into());
        record.castling.lose(us.other(), Piece::Rook, to.into());
        // Unlike in binpack, no pawn need be able to take this one.
        if piece == Piece::Pawn && from.abs_diff(to) == 16 {
            board.en_passant = u8::midpoint(from, to);
        }
    }
    record.placement = *board.placement();
    record.side = board.side();
    record.en_passant = board.en_passant().map(u32::from);
    record.halfmove_clock = u8::try_from(board.halfmove_clock()).unwrap_or(u8::MAX);
    if us == Side::Black {
        record.fullmove_number = record.fullmove_number.max(1).saturating_add(1);
    }
    Ok(())
}

impl Castling {
    /// Removes the castling rights of `side` that end when its `piece` leaves `square` or is taken
    /// there.
    fn lose(&mut self, side: Side, piece: Piece, square: u32) {
        for rook in &mut self.0[side as usize] {
            let is_rook = square / 8 == home(side) && *rook == Some(square % 8);
            if piece == Piece::King || is_rook {
                *rook = None;
            }
        }
    }
}
