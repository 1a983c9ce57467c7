//! Writes binpack files.

use std::io::{self, Write};

use super::MAGIC;
use super::board::Move;
use super::entries::{Entry, width};
use crate::record::home;
use crate::{Piece, Side};

/// The payload from which on a chunk is written: the size that other programs use.
const CHUNK: usize = 1 << 20;

/// The greatest ply that the start of a chain can have.
const LAST_PLY: u16 = (1 << 14) - 1;

/// Writes entries as binpack. An entry that continues the one before it (the position after its
/// move, the next ply, the same game's result) is stored as a move and a difference of scores, any
/// other starts a chain.
#[derive(Debug)]
pub struct Writer<W: Write> {
    output: W,
    /// The finished chains of the chunk, then the chain that is being made.
    payload: Vec<u8>,
    /// The start of that chain, its number of plies and its unused bits of the last byte.
    start: usize,
    plies: u16,
    free: u32,
    last: Option<Entry>,
}

impl<W: Write> Writer<W> {
    /// Makes a writer. Call [`finish`](Writer::finish) at the end.
    pub fn new(output: W) -> Writer<W> {
        Writer { output, payload: Vec::new(), start: 0, plies: 0, free: 0, last: None }
    }

    /// Appends an entry. The move may leave the own king in check.
    ///
    /// ```
    /// use setwise_positions::{Fen, Side, binpack::{Board, Entry, Move, Writer}};
    /// let fen = Fen::parse(b"4k3/8/8/3pP3/8/8/8/4K3 w - d6")?;
    /// let board = Board::new(fen.placement(), Side::White, [false; 4], Some(43), 0)?;
    /// let mut writer = Writer::new(Vec::new());
    /// let ordinary = Entry::new(board, Move::new(36, 43, None), 10, 1, 8);
    /// let error = writer.push(&ordinary).unwrap_err().to_string();
    /// assert_eq!(error, "e5d6 in 4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 5: this capture en passant must \
    ///     be `Move::en_passant`");
    /// writer.push(&Entry::new(board, Move::en_passant(36, 43), 10, 1, 8))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If writing fails, or if binpack cannot express the entry: its move is impossible or of
    /// another kind, or it starts a chain with a ply above 16383. After such an entry, the next one
    /// can still be pushed.
    pub fn push(&mut self, entry: &Entry) -> io::Result<()> {
        let wrong = |reason: &str| {
            let what = format!("{} in {}: {reason}", entry.played, entry.record());
            io::Error::new(io::ErrorKind::InvalidInput, what)
        };
        if entry.played != Move::NONE {
            { entry.board }.play(entry.played).map_err(wrong)?;
            entry.board.check_expressible(entry.played).map_err(wrong)?;
        }
        let continues = self.last.is_some_and(|last| last.is_before(entry));
        if continues && self.plies < u16::MAX {
            self.ply(entry);
            self.plies += 1;
            let count = self.plies.to_be_bytes();
            self.payload[self.start + 32..self.start + 34].copy_from_slice(&count);
        } else {
            if entry.ply > LAST_PLY {
                return Err(wrong(&format!("ply {} is above {LAST_PLY}", entry.ply)));
            }
            if self.payload.len() >= CHUNK {
                self.write_chunk()?;
            }
            self.stem(entry);
        }
        self.last = Some(*entry);
        Ok(())
    }

    /// Writes the last chunk and returns the output.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn finish(mut self) -> io::Result<W> {
        self.write_chunk()?;
        self.output.flush()?;
        Ok(self.output)
    }

    fn write_chunk(&mut self) -> io::Result<()> {
        if !self.payload.is_empty() {
            self.output.write_all(MAGIC)?;
            self.output.write_all(&(self.payload.len() as u32).to_le_bytes())?;
            self.output.write_all(&self.payload)?;
            self.payload.clear();
        }
        Ok(())
    }

    fn stem(&mut self, entry: &Entry) {
        let board = &entry.board;
        (self.start, self.plies, self.free) = (self.payload.len(), 0, 0);
        self.payload.extend(board.placement().occupied().to_be_bytes());
        let mut nibbles = [0; 16];
        let pieces = (0..64).filter_map(|square| Some((square, board.placement().on(square)?)));
        for (index, (square, (side, piece))) in pieces.enumerate() {
            let passed = board.en_passant().map(|square| u32::from(square ^ 8));
            let has_right = |file: u32, queenside| {
                square == 8 * home(side) + file && board.may_castle(side, queenside)
            };
            let nibble = match piece {
                Piece::Pawn if passed == Some(square) => 12,
                Piece::Rook if has_right(0, true) || has_right(7, false) => 13 + side as u8,
                Piece::King if (side, board.side()) == (Side::Black, Side::Black) => 15,
                // Twice the kind, plus 1 if it is black.
                _ => 2 * piece as u8 + side as u8,
            };
            nibbles[index / 2] |= nibble << (4 * (index % 2));
        }
        self.payload.extend(nibbles);
        let result = match entry.result {
            0 => 0,
            1.. => 2,
            _ => 1,
        };
        let ply = entry.ply | result << 14;
        for number in [entry.played.0, zigzag(entry.score), ply, board.rule50, 0] {
            self.payload.extend(number.to_be_bytes());
        }
    }

    /// Appends a ply.
    fn ply(&mut self, entry: &Entry) {
        let (board, played) = (&entry.board, entry.played);
        let (occupied, own) = (board.placement().occupied(), board.placement().side(board.side()));
        let (from, to) = (u32::from(played.from()), u32::from(played.to()));
        let place = |set: u64, square: u32| (set & ((1 << square) - 1)).count_ones();
        let set = board.destinations(from, occupied, own);
        let (count, rights) = (set.count_ones(), board.rights_of(from));
        let (index, all) = if played.is_castling() {
            let first = to < from || rights & 1 == 0;
            (count + u32::from(!first), count + rights.count_ones())
        } else if played.promotion().is_some() {
            (4 * place(set, to) + u32::from(played.0 & 3), 4 * count)
        } else {
            (place(set, to), count + rights.count_ones())
        };
        self.bits(place(own, from), width(own.count_ones()));
        self.bits(index, width(all));
        let before = self.last.map_or(0, |last| last.score);
        let mut number = u32::from(zigzag(entry.score.wrapping_add(before)));
        loop {
            let more = u32::from(number > 15);
            self.bits(more << 4 | number & 15, 5);
            number >>= 4;
            if more == 0 {
                return;
            }
        }
    }

    fn bits(&mut self, value: u32, count: u32) {
        for bit in (0..count).rev() {
            if self.free == 0 {
                self.payload.push(0);
                self.free = 8;
            }
            self.free -= 1;
            *self.payload.last_mut().expect("a byte") |= ((value >> bit & 1) as u8) << self.free;
        }
    }
}

impl Entry {
    /// Whether `next` is the next position of the same game.
    fn is_before(&self, next: &Entry) -> bool {
        let mut after = self.board;
        self.played != Move::NONE
            && next.played != Move::NONE
            && after.play(self.played).is_ok()
            && after == next.board
            && next.ply == self.ply.wrapping_add(1)
            && next.result == -self.result
    }
}

fn zigzag(number: i16) -> u16 {
    let bits = if number < 0 { number ^ 0x7fff } else { number };
    bits.cast_unsigned().rotate_left(1)
}
