//! The position between two moves, as the format sees it.

#![allow(clippy::needless_bitwise_bool, reason = "branches would often be mispredicted")]

use crate::placement::letter;
use crate::record::{home, name};
use crate::{Piece, Placement, Side};
use setwise::moves::{GamePosition, State};
use setwise::position::Position;
use setwise::{Square, board};

/// The code of an empty square.
pub(super) const EMPTY: u8 = 0;

/// [`Board::en_passant`] if there is none.
pub(crate) const NONE: u8 = 64;

/// A position of a binpack entry: pieces, side to move, castling rights, en passant square and the
/// counter of the fifty-move rule.
///
/// Each side has one king. Otherwise the position need not be legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Board {
    /// The piece on each square: see [`codes`](Board::codes).
    codes: [u8; 64],
    placement: Placement,
    pub(crate) side: Side,
    /// Bit `2 * side + wing`; wing 0 is the queenside.
    pub(super) rights: u8,
    /// The square, or [`NONE`].
    pub(crate) en_passant: u8,
    pub(crate) rule50: u16,
}

/// A move of a binpack entry.
///
/// ```
/// use setwise_positions::binpack::Move;
/// let promotion = Move::new(48, 56, Some(setwise_positions::Piece::Queen));
/// assert_eq!(promotion.to_string(), "a7a8q");
/// assert_eq!(Move::NONE.to_string(), "0000");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Move(pub(super) u16);

const PROMOTION: u16 = 1;
const CASTLING: u16 = 2;
const EN_PASSANT: u16 = 3;

impl Move {
    /// No move: the entry has only a position.
    pub const NONE: Move = Move(0);

    /// An ordinary move or a promotion, between squares below 64.
    #[must_use]
    pub const fn new(from: u8, to: u8, promotion: Option<Piece>) -> Move {
        match promotion {
            Some(piece) => Move::of(PROMOTION, from as u32, to as u32, (piece as u16 + 3) & 3),
            None => Move::of(0, from as u32, to as u32, 0),
        }
    }

    /// Castling, from the king's square to the rook's.
    #[must_use]
    pub const fn castling(king: u8, rook: u8) -> Move {
        Move::of(CASTLING, king as u32, rook as u32, 0)
    }

    /// A pawn's capture of another that has just moved two squares.
    #[must_use]
    pub const fn en_passant(from: u8, to: u8) -> Move {
        Move::of(EN_PASSANT, from as u32, to as u32, 0)
    }

    #[inline(always)]
    const fn of(kind: u16, from: u32, to: u32, promotion: u16) -> Move {
        Move(kind << 14 | (from as u16 & 63) << 8 | (to as u16 & 63) << 2 | promotion)
    }

    /// The 16 bits of a move in a file: its kind, both squares and the promoted piece.
    #[must_use]
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The move of these [`bits`](Move::bits).
    #[must_use]
    #[inline]
    pub const fn from_bits(bits: u16) -> Move {
        Move(bits)
    }

    #[inline(always)]
    const fn kind(self) -> u16 {
        self.0 >> 14
    }

    /// The square that the piece leaves.
    #[must_use]
    #[inline]
    pub const fn from(self) -> u8 {
        (self.0 >> 8 & 63) as u8
    }

    /// The square that the piece enters. In castling, the rook's square.
    #[must_use]
    #[inline]
    pub const fn to(self) -> u8 {
        (self.0 >> 2 & 63) as u8
    }

    /// The piece that a pawn becomes.
    #[must_use]
    pub const fn promotion(self) -> Option<Piece> {
        match self.kind() {
            PROMOTION => Some(Piece::ALL[1 + (self.0 & 3) as usize]),
            _ => None,
        }
    }

    /// Whether the move is castling.
    #[must_use]
    pub const fn is_castling(self) -> bool {
        self.kind() == CASTLING
    }

    /// Whether the move is a capture en passant.
    #[must_use]
    pub const fn is_en_passant(self) -> bool {
        self.kind() == EN_PASSANT
    }
}

impl std::fmt::Display for Move {
    /// Writes the move as the UCI protocol does; castling as the king's two steps.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if *self == Move::NONE {
            return f.pad("0000");
        }
        let (from, mut to) = (u32::from(self.from()), u32::from(self.to()));
        if self.is_castling() {
            to = from & 0o70 | if to < from { 2 } else { 6 };
        }
        let mut text = name(from) + &name(to);
        text.extend(self.promotion().map(|piece| letter(Side::Black, piece)));
        f.pad(&text)
    }
}

/// The castling rights that remain when a piece leaves or enters a square.
const KEPT: [u8; 64] = {
    let mut kept = [0b1111; 64];
    (kept[0], kept[7], kept[56], kept[63]) = (0b1110, 0b1101, 0b1011, 0b0111);
    kept
};

/// The attacks of pawns, knights and kings, by [`Board::codes`] and square. Empty for sliders.
static NEAR: [[u64; 64]; 16] = {
    let (mut table, mut square) = ([[0; 64]; 16], 0);
    while square < 64 {
        let set = 1 << square;
        let (knight, king) = (board::knight_attacks(set), board::king_attacks(set));
        let mut i = 0;
        while i < 2 {
            let side = Side::BOTH[i];
            table[Piece::Pawn.code(side) as usize][square] = board::pawn_attacks(side, set);
            table[Piece::Knight.code(side) as usize][square] = knight;
            table[Piece::King.code(side) as usize][square] = king;
            i += 1;
        }
        square += 1;
    }
    table
};

#[inline(always)]
fn square(number: u32) -> Square {
    Square::new((number & 63) as u8).expect("it is below 64")
}

/// Whether a piece of this side may take what [`Board::codes`] has on a square: nothing, or a piece
/// of the other side except the king. One shift, because branches would often be mispredicted.
#[inline(always)]
fn may_take(side: Side, code: u8) -> bool {
    let not = [0b1_0000_0111_1110, 0b1_1111_1100_0000_u16][side as usize];
    not >> (code & 15) & 1 == 0
}

/// All ones if the condition holds.
#[inline(always)]
const fn mask(condition: bool) -> u64 {
    (condition as u64).wrapping_neg()
}

/// By [`Board::codes`]: all ones for pieces that move as a rook, as a bishop, and for pawns.
static MOVES_AS: [[u64; 4]; 16] = {
    let (mut table, mut i) = ([[0; 4]; 16], 0);
    while i < 2 {
        let side = Side::BOTH[i];
        table[Piece::Rook.code(side) as usize][0] = u64::MAX;
        table[Piece::Bishop.code(side) as usize][1] = u64::MAX;
        table[Piece::Queen.code(side) as usize] = [u64::MAX, u64::MAX, 0, 0];
        table[Piece::Pawn.code(side) as usize][2] = u64::MAX;
        i += 1;
    }
    table
};

/// Whether a code is that of a pawn of either side.
#[inline(always)]
fn is_pawn(code: u8) -> bool {
    (code == Piece::Pawn.code(Side::White)) | (code == Piece::Pawn.code(Side::Black))
}

/// Whether a code is that of a king of either side.
#[inline(always)]
fn is_king(code: u8) -> bool {
    (code == Piece::King.code(Side::White)) | (code == Piece::King.code(Side::Black))
}

/// Whether a move leaves a pawn on the first or the last rank.
#[inline(always)]
fn leaves_pawn_unpromoted(played: Move, piece: u8) -> bool {
    (played.kind() == 0) & is_pawn(piece) & ((played.to() + 8) & 63 < 16)
}

impl Board {
    pub(crate) const EMPTY: Board = Board {
        codes: [EMPTY; 64],
        placement: Placement::EMPTY,
        side: Side::White,
        rights: 0,
        en_passant: NONE,
        rule50: 0,
    };

    /// Makes a board. `rights` are the castling rights of white's queenside, white's kingside,
    /// black's queenside and black's kingside; `en_passant` is the square that a pawn has just
    /// passed.
    ///
    /// ```
    /// use setwise_positions::{Fen, Side, binpack::Board};
    /// let fen = Fen::parse(b"r3k3/8/8/8/4P3/8/8/4K3 b q e3")?;
    /// let rights = [false, false, true, false];
    /// let board = Board::new(fen.placement(), Side::Black, rights, Some(20), 0)?;
    /// assert!(board.may_castle(Side::Black, true));
    /// assert_eq!(board.codes()[28], 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a side does not have exactly one king, there are more than 32 pieces, a right is without
    /// its king's rook in the corner, or the square was not passed by a pawn.
    pub fn new(
        placement: &Placement,
        side: Side,
        rights: [bool; 4],
        en_passant: Option<u8>,
        rule50: u16,
    ) -> Result<Board, &'static str> {
        let mut board = Board::unchecked(placement, side, en_passant, rule50);
        if Side::BOTH.iter().any(|&side| placement.pieces(side, Piece::King).count_ones() != 1) {
            return Err("each side must have one king");
        }
        if placement.occupied().count_ones() > 32 {
            return Err("a position has at most 32 pieces");
        }
        for (bit, _) in rights.iter().enumerate().filter(|(_, has)| **has) {
            if board.codes[[0, 7, 56, 63][bit]] != Piece::Rook.code(Side::BOTH[bit / 2]) {
                return Err("a castling right needs the rook in its corner");
            }
            board.rights |= 1 << bit;
        }
        if let Some(square) = en_passant {
            let rank = if side == Side::White { 5 } else { 2 };
            let pawn = Piece::Pawn.code(side.other());
            if square / 8 != rank || board.codes[usize::from(square ^ 8)] != pawn {
                return Err("no pawn has passed the en passant square");
            }
        }
        Ok(board)
    }

    /// Makes a board without castling rights. It need not be one that [`new`](Board::new) accepts.
    pub(crate) fn unchecked(
        placement: &Placement,
        side: Side,
        en_passant: Option<u8>,
        rule50: u16,
    ) -> Board {
        let (codes, placement) = (placement.codes(), *placement);
        let en_passant = en_passant.unwrap_or(NONE);
        Board { codes, placement, side, rights: 0, en_passant, rule50 }
    }

    /// The [`Piece::code`] of each square, a1 first; 0 if it is empty.
    #[must_use]
    #[inline]
    pub fn codes(&self) -> &[u8; 64] {
        &self.codes
    }

    /// The pieces as sets.
    #[must_use]
    #[inline]
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// The side to move.
    #[must_use]
    #[inline]
    pub fn side(&self) -> Side {
        self.side
    }

    /// Whether a side may still castle with its rook of the queenside (a1, a8) or of the kingside
    /// (h1, h8).
    #[must_use]
    #[inline]
    pub fn may_castle(&self, side: Side, queenside: bool) -> bool {
        self.rights >> (2 * side as u32 + u32::from(!queenside)) & 1 == 1
    }

    /// The castling rights: White's queenside in bit 0, White's kingside, Black's queenside and
    /// Black's kingside.
    #[must_use]
    #[inline]
    pub fn castling_rights(&self) -> u8 {
        self.rights
    }

    /// The square that a pawn has just passed by moving two steps, if it can be captured there.
    #[must_use]
    #[inline]
    pub fn en_passant(&self) -> Option<u8> {
        (self.en_passant != NONE).then_some(self.en_passant)
    }

    /// The position as [`legal_counts`](setwise::legal_counts) and all other calls on legal moves
    /// take it.
    ///
    /// ```
    /// use setwise::moves::State;
    /// use setwise_positions::{Fen, Side, binpack::Board};
    /// let fen = Fen::parse(b"r3k3/8/8/8/4P3/8/8/4K3 b q e3")?;
    /// let rights = [false, false, true, false];
    /// let board = Board::new(fen.placement(), Side::Black, rights, Some(20), 0)?;
    /// let position = board.game_position();
    /// assert_eq!(position.state, State { side: 1, en_passant: 20, castling: [0, 1] });
    /// assert_eq!(position, fen.game_position());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn game_position(&self) -> GamePosition {
        let files = |rights: u8| rights & 1 | (rights & 2) << 6;
        let state = State {
            side: self.side as u8,
            en_passant: self.en_passant().unwrap_or(State::NO_EN_PASSANT),
            castling: [files(self.rights), files(self.rights >> 2)],
        };
        GamePosition::new(Position::from(&self.placement), state)
    }

    /// The number of moves since the last capture or pawn move.
    #[must_use]
    pub fn halfmove_clock(&self) -> u16 {
        self.rule50
    }

    /// Whether the side to move is in check.
    #[must_use]
    pub fn in_check(&self) -> bool {
        let king = self.king(self.side);
        self.attackers(self.side.other(), king, self.placement.occupied()) != 0
    }

    #[inline(always)]
    fn king(&self, side: Side) -> u32 {
        self.placement.pieces(side, Piece::King).trailing_zeros()
    }

    /// The pieces of a side that attack a square, if these squares are occupied.
    fn attackers(&self, side: Side, number: u32, occupied: u64) -> u64 {
        let target = square(number);
        let pieces = |piece| self.placement.pieces(side, piece) & occupied;
        let near = |code: u8| NEAR[usize::from(code)][number as usize & 63];
        let queens = pieces(Piece::Queen);
        board::rook_attacks_from(target, occupied) & (pieces(Piece::Rook) | queens)
            | board::bishop_attacks_from(target, occupied) & (pieces(Piece::Bishop) | queens)
            | near(Piece::Knight.code(Side::White)) & pieces(Piece::Knight)
            | near(Piece::King.code(Side::White)) & pieces(Piece::King)
            | near(Piece::Pawn.code(side.other())) & pieces(Piece::Pawn)
    }

    /// The pseudo-legal destinations of a piece of the side to move, without castling. The kind of
    /// the piece is hard to predict, so all kinds are computed and the right one kept.
    #[inline(always)]
    pub(super) fn destinations(&self, from: u32, occupied: u64, own: u64) -> u64 {
        let code = usize::from(self.codes[from as usize & 63] & 15);
        let [as_rook, as_bishop, is_pawn, _] = MOVES_AS[code];
        let origin = square(from);
        let far = board::rook_attacks_from(origin, occupied) & as_rook
            | board::bishop_attacks_from(origin, occupied) & as_bishop;
        let near = NEAR[code][from as usize & 63];
        let pawn = 1_u64 << (from & 63);
        let en_passant = u64::from(self.en_passant != NONE) << (self.en_passant & 63);
        let (forward, third) = match self.side {
            Side::White => (8, 0xff << 16),
            Side::Black => (56, 0xff << 40),
        };
        let one = pawn.rotate_left(forward) & !occupied;
        let two = (one & third).rotate_left(forward) & !occupied;
        (far | near) & !own & (!is_pawn | occupied | en_passant) | (one | two) & is_pawn
    }

    /// Whether a pawn of the side to move on this square promotes with its next move.
    #[inline(always)]
    pub(super) fn is_before_promotion(&self, from: u32) -> bool {
        let rank = if self.side == Side::White { 6 } else { 1 };
        self.has_own(Piece::Pawn, from) & (from / 8 == rank)
    }

    /// Whether this piece of the side to move is on a square.
    #[inline(always)]
    fn has_own(&self, piece: Piece, square: u32) -> bool {
        self.codes[square as usize & 63] == piece.code(self.side)
    }

    /// The castling rights of the side to move: bit 0 queenside, bit 1 kingside.
    #[inline(always)]
    fn own_rights(&self) -> u8 {
        self.rights >> (2 * self.side as u32) & 3
    }

    /// The castling rights of the piece on a square: none, unless it is the king.
    #[inline(always)]
    pub(super) fn rights_of(&self, from: u32) -> u8 {
        self.own_rights() & mask(self.has_own(Piece::King, from)) as u8
    }

    /// Castling by index: the queenside first, if the side to move has that right.
    #[inline(always)]
    pub(super) fn castling_of_index(&self, king: u32, index: u32) -> Move {
        let queenside = index == 0 && self.own_rights() & 1 == 1;
        let rook = 8 * home(self.side) + if queenside { 0 } else { 7 };
        Move::of(CASTLING, king, rook, 0)
    }

    /// Checks that binpack can express a move that [`play`](Board::play) accepts here. If not, says
    /// why.
    pub(super) fn check_expressible(&self, played: Move) -> Result<(), &'static str> {
        let (from, to) = (u32::from(played.from()), u32::from(played.to()));
        let own = self.placement.side(self.side);
        if played.is_castling() {
            return Ok(());
        }
        if self.destinations(from, self.placement.occupied(), own) >> to & 1 == 0 {
            return Err("the piece cannot move there");
        }
        if played.kind() == 0 && self.plain_move(from, to) != played {
            return Err("this capture en passant must be `Move::en_passant`");
        }
        Ok(())
    }

    /// The move between two squares that is neither a promotion nor castling.
    #[inline(always)]
    pub(super) fn plain_move(&self, from: u32, to: u32) -> Move {
        let is_capture = self.en_passant != NONE
            && (to == u32::from(self.en_passant))
                & self.has_own(Piece::Pawn, from)
                & ((from ^ to) & 7 != 0);
        Move::of(if is_capture { EN_PASSANT } else { 0 }, from, to, 0)
    }

    #[inline(always)]
    pub(super) fn promotion(from: u32, to: u32, piece: u32) -> Move {
        Move::of(PROMOTION, from, to, piece as u16 & 3)
    }

    #[inline(always)]
    pub(super) fn put(&mut self, square: u32, code: u8) {
        self.codes[square as usize & 63] = code;
        self.placement.replace(square & 63, code);
    }

    /// Makes a move. If it is impossible here, says why and leaves the board as it is.
    ///
    /// The move need not be legal: the own king may be left in check.
    ///
    /// # Errors
    ///
    /// If no piece of the side to move is on the first square, if it would capture its own piece or
    /// a king, or if it is castling without the right, or en passant without the pawn.
    pub fn play(&mut self, played: Move) -> Result<(), &'static str> {
        let us = self.side;
        let (from, to) = (u32::from(played.from()), u32::from(played.to()));
        let (piece, taken) = (self.codes[from as usize & 63], self.codes[to as usize & 63]);
        let pawn = Piece::Pawn.code(us);
        // One comparison: the codes of a side's pieces follow each other.
        if piece.wrapping_sub(pawn) > Piece::King as u8 {
            return Err("no piece of the side to move is there");
        }
        if (played.kind() <= PROMOTION) & !may_take(us, taken) {
            return Err("a piece of the side to move, or a king, is on the target square");
        }
        if leaves_pawn_unpromoted(played, piece) {
            return Err("a pawn cannot stand on rank 1 or 8");
        }
        self.play_inline(played, piece, taken)
    }

    /// Plays a move that is one of [`destinations`](Board::destinations), or castling or a capture
    /// en passant by a right. Returns what is occupied then, and by the side that is to move next.
    #[inline(always)]
    pub(super) fn play_decoded(&mut self, played: Move) -> Result<(u64, u64), &'static str> {
        let (from, to) = (u32::from(played.from()), u32::from(played.to()));
        let (piece, taken) = (self.codes[from as usize & 63], self.codes[to as usize & 63]);
        // Nothing else can be wrong with a move that was not checked.
        if is_king(taken) | leaves_pawn_unpromoted(played, piece) {
            self.play(played)?;
        }
        // Without a wait for the planes, which need all of the move.
        let (occupied, theirs) =
            (self.placement.occupied(), self.placement.side(self.side.other()));
        let target = 1 << to;
        self.play_inline(played, piece, taken)?;
        Ok(if played.kind() == 0 {
            (occupied & !(1 << from) | target, theirs & !target)
        } else {
            (self.placement.occupied(), self.placement.side(self.side))
        })
    }

    /// Makes a move. If it is special and impossible here, says why.
    #[inline(always)]
    fn play_inline(&mut self, played: Move, piece: u8, taken: u8) -> Result<(), &'static str> {
        let us = self.side;
        let (from, to) = (u32::from(played.from()), u32::from(played.to()));
        let is_pawn = is_pawn(piece);
        let mut en_passant = NONE;
        if played.kind() == 0 {
            self.codes[from as usize & 63] = EMPTY;
            self.codes[to as usize & 63] = piece;
            self.placement.shift(from, to, piece);
            if is_pawn & (from.abs_diff(to) == 16) {
                en_passant = self.en_passant_after(to);
            }
        } else {
            self.play_special(played, piece)?;
        }
        self.en_passant = en_passant;
        if self.rights != 0 {
            let king_moved = u8::from(is_king(piece)) * (3 << (2 * us as u8));
            self.rights &= KEPT[from as usize & 63] & KEPT[to as usize & 63] & !king_moved;
        }
        // A product, because a branch would often be mispredicted.
        let is_quiet = !is_pawn & ((taken == EMPTY) | played.is_castling());
        self.rule50 = self.rule50.saturating_add(1) * u16::from(is_quiet);
        self.side = us.other();
        Ok(())
    }

    /// Moves the pieces of a promotion, castling or en passant.
    #[inline(never)]
    fn play_special(&mut self, played: Move, piece: u8) -> Result<(), &'static str> {
        let us = self.side;
        let (from, to) = (u32::from(played.from()), u32::from(played.to()));
        let is_pawn = piece == Piece::Pawn.code(us);
        match played.kind() {
            PROMOTION => {
                if !is_pawn || to / 8 != home(self.side.other()) {
                    return Err("only a pawn promotes, and only on the last rank");
                }
                self.put(from, EMPTY);
                self.put(to, Piece::ALL[1 + usize::from(played.0 & 3)].code(us));
            }
            CASTLING => {
                let (wing, file) = if to < from { (1, 0) } else { (2, 7) };
                let corner = 8 * home(self.side) + file;
                self.castle(from, to, to == corner && self.own_rights() & wing != 0)?;
            }
            _ => {
                let pawn = from & 0o70 | to & 0o07;
                let is_right = is_pawn
                    && to == u32::from(self.en_passant)
                    && pawn.abs_diff(from) == 1
                    && self.codes[pawn as usize & 63] == Piece::Pawn.code(us.other());
                if !is_right {
                    return Err("there is no pawn to take en passant");
                }
                self.put(from, EMPTY);
                self.put(pawn, EMPTY);
                self.put(to, piece);
            }
        }
        Ok(())
    }

    /// Moves the king and rook of a castling. `is_right` says whether they have that right.
    pub(crate) fn castle(
        &mut self,
        from: u32,
        to: u32,
        is_right: bool,
    ) -> Result<(), &'static str> {
        let home = home(self.side);
        let codes = [Piece::King, Piece::Rook].map(|piece| piece.code(self.side));
        let found = [from, to].map(|square| self.codes[square as usize]);
        if !is_right || found != codes || from / 8 != home {
            return Err("this king and rook may not castle");
        }
        let [king, rook] = if to < from { [2, 3] } else { [6, 5] }.map(|file| 8 * home + file);
        for square in [king, rook] {
            if square != from && square != to && self.codes[square as usize] != EMPTY {
                return Err("there is no room to castle");
            }
        }
        for (square, code) in [(from, EMPTY), (to, EMPTY), (king, codes[0]), (rook, codes[1])] {
            self.put(square, code);
        }
        Ok(())
    }

    /// The en passant square after the side to move has moved a pawn two steps to `to`: only if a
    /// pawn beside it can capture without leaving its own king in check.
    #[inline(always)]
    fn en_passant_after(&self, to: u32) -> u8 {
        let pawn = 1_u64 << (to & 63);
        let beside = pawn << 1 & !0x0101_0101_0101_0101 | pawn >> 1 & !0x8080_8080_8080_8080;
        let capturers = beside & self.placement.pieces(self.side.other(), Piece::Pawn);
        if capturers == 0 { NONE } else { self.legal_en_passant(to, capturers) }
    }

    #[inline(never)]
    fn legal_en_passant(&self, to: u32, mut capturers: u64) -> u8 {
        let square = if self.side == Side::White { to - 8 } else { to + 8 };
        let king = self.king(self.side.other());
        while capturers != 0 {
            let capturer = capturers & capturers.wrapping_neg();
            capturers ^= capturer;
            let occupied = (self.placement.occupied() ^ capturer ^ 1 << to) | 1 << square;
            if self.attackers(self.side, king, occupied) == 0 {
                return square as u8;
            }
        }
        NONE
    }
}
