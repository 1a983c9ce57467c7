//! Legal moves of many positions: positions with their state, and moves.
//!
//! A [`GamePosition`] has what the rules of chess need: the pieces, the side to move, castling
//! rights and the en passant square. Columns ([`GameColumns`], [`GamePlanes`]) hold the same for
//! many positions, one array for each part.

mod lists;
mod perft;
mod uci;

use core::fmt;
use core::ptr::null_mut;

pub use crate::kernels::geometry::{GamePosition, Move, State};
use crate::kernels::geometry::{PieceColumns, PlaneColumns};
use crate::kernels::operations::columns;
use crate::position::{Position, PositionColumns};
use crate::{Kernel, Piece, Side, Square, board};
pub use lists::*;
#[cfg(feature = "std")]
pub use perft::*;
pub use uci::{Castling, Uci};

/// The most legal moves that a position of a game has.
pub const MOST: usize = 218;

/// Room for the moves of any board: see `MOST` in `kernels/generic/moves/list.rs`.
const ROOM: usize = 1152;

impl Move {
    /// Makes a move. A promotion to a pawn or a king is none.
    #[must_use]
    #[inline]
    pub const fn new(from: Square, to: Square, promotion: Option<Piece>) -> Move {
        let code = match promotion {
            Some(Piece::Knight) => 1,
            Some(Piece::Bishop) => 2,
            Some(Piece::Rook) => 3,
            Some(Piece::Queen) => 4,
            _ => 0,
        };
        Move(from.number() as u16 | (to.number() as u16) << 6 | code << 12)
    }

    /// The move with these [bits](Move).
    #[must_use]
    #[inline]
    pub const fn from_bits(bits: u16) -> Move {
        Move(bits)
    }

    /// The [bits](Move) of the move.
    #[must_use]
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The square that the piece leaves.
    #[must_use]
    #[inline]
    pub const fn from(self) -> Square {
        Square::masked(self.0 as u8)
    }

    /// The square that the piece goes to. If the king castles, that of its rook.
    #[must_use]
    #[inline]
    pub const fn to(self) -> Square {
        Square::masked((self.0 >> 6) as u8)
    }

    /// What a pawn becomes on the last rank.
    #[must_use]
    #[inline]
    pub const fn promotion(self) -> Option<Piece> {
        match self.0 >> 12 & 7 {
            1 => Some(Piece::Knight),
            2 => Some(Piece::Bishop),
            3 => Some(Piece::Rook),
            4 => Some(Piece::Queen),
            _ => None,
        }
    }
}

/// For example `Move(a7 b8 Queen)`.
impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Move({} {}", self.from(), self.to())?;
        if let Some(piece) = self.promotion() {
            write!(f, " {piece:?}")?;
        }
        f.write_str(")")
    }
}

/// The states of positions in columns: one byte per position in each.
///
/// See [`State`] for what the bytes mean. All slices have the same length.
#[derive(Debug, Clone, Copy)]
pub struct StateColumns<'a> {
    /// The side to move: 0 White, 1 Black.
    pub side: &'a [u8],
    /// The en passant square, or 64 or more.
    pub en_passant: &'a [u8],
    /// White's rooks that may castle, then Black's.
    pub castling: [&'a [u8]; 2],
}

/// Positions with their states in columns: twelve sets and four bytes per position.
///
/// All slices have the same length.
#[derive(Debug, Clone, Copy)]
pub struct GameColumns<'a> {
    /// The pieces, as [`attack_maps_in_columns`](crate::position::attack_maps_in_columns) takes
    /// them.
    pub positions: PositionColumns<'a>,
    /// Side to move, en passant and castling.
    pub states: StateColumns<'a>,
}

/// Positions with their states in columns: four sets and four bytes per position. This is the
/// shortest form, and the fastest to count moves in.
///
/// The four sets are the [planes](GamePosition::planes). All slices have the same length. An engine
/// with a set for each kind and each side makes them with six ORs:
///
/// ```
/// use setwise::position::Position;
/// // Kings on e1 and e8, a white pawn on a2, black knight on g8, bishop on f8 and rook on h8.
/// let [pawns, knights, bishops, rooks, queens, kings] =
///     [1 << 8, 1 << 62, 1 << 61, 1 << 63, 0, 1 << 4 | 1 << 60];
/// let sides = [1 << 4 | 1 << 8, 0xf << 60];
/// let planes = [
///     sides[0],
///     knights | bishops | queens,
///     rooks | queens | kings,
///     pawns | knights | kings,
/// ];
/// let position =
///     Position::from_sets([pawns, knights, bishops, rooks, queens, kings], sides);
/// assert_eq!(planes, position.planes());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct GamePlanes<'a> {
    /// White's pieces; knights, bishops and queens; rooks, queens and kings; pawns, knights and
    /// kings.
    pub planes: [&'a [u64]; 4],
    /// Side to move, en passant and castling.
    pub states: StateColumns<'a>,
}

/// The numbers of legal moves and of checks in columns. A column that is `None` is not computed.
#[derive(Debug, Default)]
pub struct CountColumns<'a> {
    /// The number of legal moves; 255 if there are 255 or more.
    pub moves: Option<&'a mut [u8]>,
    /// The number of pieces that give check, 0 to 2; 255 for a position that no game can have.
    pub checks: Option<&'a mut [u8]>,
}

/// The type of the positions of a call on columns.
macro_rules! columns_of {
    (PlaneColumns) => {
        GamePlanes<'_>
    };
    (PieceColumns) => {
        GameColumns<'_>
    };
}

/// Defines a method of [`Kernel`], and a function with the active kernel, for each call on
/// positions with their states.
macro_rules! for_games {
    ([] $($group:ident $calls:tt)*) => {
        $(for_games! { $group $calls })*
    };
    (maps $calls:tt) => {}; // See `position.rs`.
    (lists $calls:tt) => {}; // See `lists.rs`.
    (games { $(
        $(#[doc = $doc:literal])*
        $name:ident (columns: $Columns:ident) -> () = $body:ident;
    )* }) => {
        impl Kernel {
            $(
                #[doc = concat!("See [`", stringify!($name), "`].")]
                ///
                /// # Panics
                /// If the columns differ in length.
                #[track_caller]
                pub fn $name(
                    &self,
                    positions: &columns_of!($Columns),
                    counts: &mut CountColumns<'_>,
                ) {
                    let (columns, count) = positions.pointers(counts);
                    // SAFETY: `self` proves that the CPU can run this kernel; all columns have
                    // `count` elements.
                    unsafe { (self.$name)(&raw const columns, count) }
                }
            )*
        }

        $(
            $(#[doc = $doc])*
            ///
            /// Uses the active kernel. Also panics if no kernel can be chosen (see
            /// [`Kernel::active`]).
            #[track_caller]
            pub fn $name(positions: &columns_of!($Columns), counts: &mut CountColumns<'_>) {
                Kernel::active().$name(positions, counts);
            }
        )*
    };
    (arrays { $(
        $(#[doc = $doc:literal])*
        $name:ident ($positions:ident: Games) -> ($moves:ident: MoveCounts, $checks:ident: CheckCounts)
            = $body:ident;
    )* }) => {
        impl Kernel {
            $(
                #[doc = concat!("See [`", stringify!($name), "`](crate::", stringify!($name), ").")]
                ///
                /// # Panics
                /// If the slices differ in length, before anything is written.
                #[track_caller]
                pub fn $name(
                    &self,
                    $positions: &[GamePosition],
                    $moves: &mut [u8],
                    $checks: &mut [u8],
                ) {
                    let count = $positions.len();
                    same_length($moves.len(), count);
                    same_length($checks.len(), count);
                    // SAFETY: `self` proves that the CPU can run this kernel; the slices have
                    // `count` elements.
                    unsafe {
                        (self.$name)(
                            $positions.as_ptr(),
                            $moves.as_mut_ptr(),
                            $checks.as_mut_ptr(),
                            count,
                        );
                    }
                }
            )*
        }

        $(
            $(#[doc = $doc])*
            ///
            /// Uses the active kernel. Also panics if no kernel can be chosen (see
            /// [`Kernel::active`]).
            #[track_caller]
            pub fn $name($positions: &[GamePosition], $moves: &mut [u8], $checks: &mut [u8]) {
                Kernel::active().$name($positions, $moves, $checks);
            }
        )*
    };
}

columns!(for_games);

impl GamePlanes<'_> {
    /// Pointers to the columns, and their length.
    #[track_caller]
    fn pointers(&self, counts: &mut CountColumns<'_>) -> (PlaneColumns, usize) {
        let count = self.planes[0].len();
        let StateColumns { side, en_passant, castling } = self.states;
        let columns = PlaneColumns {
            planes: self.planes.map(|column| input(column, count)),
            side: input(side, count),
            en_passant: input(en_passant, count),
            castling: castling.map(|column| input(column, count)),
            moves: result(&mut counts.moves, count),
            checks: result(&mut counts.checks, count),
        };
        (columns, count)
    }
}

impl GameColumns<'_> {
    /// Pointers to the columns, and their length.
    #[track_caller]
    fn pointers(&self, counts: &mut CountColumns<'_>) -> (PieceColumns, usize) {
        let count = self.positions.pieces[0][0].len();
        let StateColumns { side, en_passant, castling } = self.states;
        let columns = PieceColumns {
            pieces: self.positions.pieces.map(|side| side.map(|column| input(column, count))),
            side: input(side, count),
            en_passant: input(en_passant, count),
            castling: castling.map(|column| input(column, count)),
            moves: result(&mut counts.moves, count),
            checks: result(&mut counts.checks, count),
        };
        (columns, count)
    }
}

impl Kernel {
    /// [`legal_counts_in_planes`] with pointers: to the four planes; to the side to move, the en
    /// passant squares, White's and Black's castling rights; and to the numbers of moves and
    /// checks.
    ///
    /// A result that is null is not computed. If the pointer to the side to move is null, White is
    /// to move in every position. So positions may also be given as the side to move sees them,
    /// which saves the time to turn them: own pieces instead of White's, ranks reversed if Black is
    /// to move, en passant squares likewise, and own castling rights first.
    ///
    /// # Safety
    /// Only the pointers to the side to move and to the results may be null. All others are valid
    /// for `count` elements. They need not be aligned. No result overlaps another column.
    pub unsafe fn legal_counts_in_raw_planes(
        &self,
        planes: [*const u64; 4],
        [side, en_passant, white, black]: [*const u8; 4],
        [moves, checks]: [*mut u8; 2],
        count: usize,
    ) {
        let castling = [white, black];
        let columns = PlaneColumns { planes, side, en_passant, castling, moves, checks };
        // SAFETY: `self` proves that the CPU can run this kernel; the caller's contract covers the
        // columns.
        unsafe { (self.legal_counts_in_planes)(&raw const columns, count) }
    }

    /// [`legal_counts_in_columns`] with pointers: to the sets in the order of the words of
    /// [`Position`], and to the others as for
    /// [`legal_counts_in_raw_planes`](Kernel::legal_counts_in_raw_planes).
    ///
    /// # Safety
    /// As for [`legal_counts_in_raw_planes`](Kernel::legal_counts_in_raw_planes).
    pub unsafe fn legal_counts_in_raw_columns(
        &self,
        sets: [*const u64; 12],
        [side, en_passant, white, black]: [*const u8; 4],
        [moves, checks]: [*mut u8; 2],
        count: usize,
    ) {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = sets;
        let pieces = [[a, b, c, d, e, f], [g, h, i, j, k, l]];
        let castling = [white, black];
        let columns = PieceColumns { pieces, side, en_passant, castling, moves, checks };
        // SAFETY: `self` proves that the CPU can run this kernel; the caller's contract covers the
        // columns.
        unsafe { (self.legal_counts_in_columns)(&raw const columns, count) }
    }

    /// [`legal_counts`] with pointers: to the positions, and to the numbers of moves and checks. A
    /// result that is null is not computed.
    ///
    /// # Safety
    /// Only the pointers to the results may be null. All others are valid for `count` elements.
    /// They need not be aligned. No result overlaps another array.
    pub unsafe fn legal_counts_raw(
        &self,
        positions: *const GamePosition,
        [moves, checks]: [*mut u8; 2],
        count: usize,
    ) {
        // SAFETY: `self` proves that the CPU can run this kernel; the caller's contract covers the
        // arrays.
        unsafe { (self.legal_counts)(positions, moves, checks, count) }
    }
}

#[track_caller]
fn input<T>(column: &[T], count: usize) -> *const T {
    same_length(column.len(), count);
    column.as_ptr()
}

#[track_caller]
fn result(column: &mut Option<&mut [u8]>, count: usize) -> *mut u8 {
    match column {
        Some(column) => {
            same_length(column.len(), count);
            column.as_mut_ptr()
        }
        None => null_mut(),
    }
}

#[track_caller]
fn same_length(found: usize, expected: usize) {
    assert!(
        found == expected,
        "columns have different lengths: the first has {expected} positions, another {found}"
    );
}

impl GamePosition {
    /// The pieces in four sets: White's pieces; knights, bishops and queens of both sides; rooks,
    /// queens and kings; pawns, knights and kings.
    ///
    /// A piece is in one or two of the last three sets, which say what kind it is.
    ///
    /// ```
    /// use setwise::moves::{GamePosition, State};
    /// use setwise::position::Position;
    /// let mut position = Position::default();
    /// position.pieces[0][5] = 1 << 4; // A white king on e1
    /// position.pieces[1][4] = 1 << 60; // A black queen on e8
    /// let planes = GamePosition::new(position, State::default()).planes();
    /// assert_eq!(planes, [1 << 4, 1 << 60, 1 << 4 | 1 << 60, 1 << 4]);
    /// ```
    #[must_use]
    pub const fn planes(&self) -> [u64; 4] {
        self.position.planes()
    }
}

impl Position {
    /// See [`GamePosition::planes`].
    #[must_use]
    pub const fn planes(&self) -> [u64; 4] {
        let [white, [p, n, b, r, q, k]] = self.pieces;
        let [wp, wn, wb, wr, wq, wk] = white;
        let diagonal = [wn | wb | wq, n | b | q];
        let orthogonal = [wr | wq | wk, r | q | k];
        let others = [wp | wn | wk, p | n | k];
        [
            diagonal[0] | orthogonal[0] | others[0],
            diagonal[0] | diagonal[1],
            orthogonal[0] | orthogonal[1],
            others[0] | others[1],
        ]
    }

    /// The position with these [planes](GamePosition::planes).
    ///
    /// A square that is in all three of the last sets holds a king. White's set counts only where
    /// there is a piece.
    ///
    /// ```
    /// use setwise::position::Position;
    /// let mut position = Position::default();
    /// position.pieces[1][2] = 1 << 61; // A black bishop on f8
    /// position.pieces[0][1] = 1 << 1; // A white knight on b1
    /// assert_eq!(Position::from_planes(position.planes()), position);
    /// ```
    #[must_use]
    pub const fn from_planes([white, diagonal, orthogonal, others]: [u64; 4]) -> Position {
        let kinds = [
            others & !diagonal & !orthogonal,
            others & diagonal & !orthogonal,
            diagonal & !orthogonal & !others,
            orthogonal & !diagonal & !others,
            diagonal & orthogonal & !others,
            orthogonal & others,
        ];
        Position::from_sets(kinds, [white, !white])
    }
}

/// What is wrong with a position that no game can have.
///
/// ```
/// use setwise::moves::{Fault, GamePosition};
/// let empty = GamePosition::default();
/// assert_eq!(empty.fault(), Some(Fault::NoKing(setwise::Side::White)));
/// assert_eq!(empty.fault().unwrap().to_string(), "white has no king");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// Two pieces are on this square.
    Overlap(Square),
    /// A side has no king.
    NoKing(Side),
    /// A side has more than one king.
    Kings(Side),
    /// A pawn is on this square of the first or last rank.
    Pawn(Square),
    /// The kings are neighbours.
    Neighbours,
    /// The side that has just moved left its king in check.
    OtherInCheck(Side),
    /// More than two pieces give check.
    Checkers(u32),
    /// No pawn can have passed over this en passant square.
    EnPassant(Square),
    /// A side may castle with a rook on this square, but has no rook there, or its king is not on
    /// the first rank.
    Castling(Square),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Fault::Overlap(square) => write!(f, "two pieces are on {square}"),
            Fault::NoKing(side) => write!(f, "{} has no king", side.name()),
            Fault::Kings(side) => write!(f, "{} has more than one king", side.name()),
            Fault::Pawn(square) => write!(f, "a pawn is on {square}, where none can be"),
            Fault::Neighbours => write!(f, "the kings are neighbours"),
            Fault::OtherInCheck(side) => {
                write!(f, "{} is in check, but it is not its turn", side.name())
            }
            Fault::Checkers(count) => write!(f, "{count} pieces give check, at most two can"),
            Fault::EnPassant(square) => {
                write!(f, "no pawn can have passed over the en passant square {square}")
            }
            Fault::Castling(square) => {
                write!(f, "castling with a rook on {square}: the rook or the king is not in place")
            }
        }
    }
}

impl core::error::Error for Fault {}

impl GamePosition {
    /// Says what is wrong with a position that no game can have: the first fault of those in
    /// [`Fault`], in their order, but the kings of White before those of Black. `None` does not
    /// mean that some game leads to the position.
    ///
    /// [`legal_counts`](crate::legal_counts) needs only a part of this: it says which positions it
    /// counts.
    ///
    /// ```
    /// use setwise::moves::{Fault, GamePosition, State};
    /// use setwise::position::Position;
    /// let mut position = Position::default();
    /// position.pieces[0][5] = 1 << 4; // White's king on e1
    /// position.pieces[1][5] = 1 << 60; // Black's on e8
    /// assert_eq!(GamePosition::new(position, State::default()).fault(), None);
    /// let castles = State { castling: [0x80, 0], ..State::default() };
    /// let fault = GamePosition::new(position, castles).fault().unwrap();
    /// assert_eq!(fault, Fault::Castling(setwise::Square::H1));
    /// ```
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        let first = |set: u64| Square::masked(set.trailing_zeros() as u8);
        let Position { pieces } = &self.position;
        let mut occupied = 0;
        for set in pieces.as_flattened() {
            if occupied & set != 0 {
                return Some(Fault::Overlap(first(occupied & set)));
            }
            occupied |= set;
        }
        let kings = [pieces[0][5], pieces[1][5]];
        for (side, king) in Side::BOTH.into_iter().zip(kings) {
            match king.count_ones() {
                0 => return Some(Fault::NoKing(side)),
                1 => {}
                _ => return Some(Fault::Kings(side)),
            }
        }
        let pawns = (pieces[0][0] | pieces[1][0]) & 0xff00_0000_0000_00ff;
        if pawns != 0 {
            return Some(Fault::Pawn(first(pawns)));
        }
        if board::king_attacks(kings[0]) & kings[1] != 0 {
            return Some(Fault::Neighbours);
        }
        let side = Side::from_index(self.state.side);
        let checkers = board::checks(&self.position).checkers;
        if checkers[side.other() as usize] != 0 {
            return Some(Fault::OtherInCheck(side.other()));
        }
        let count = checkers[side as usize].count_ones();
        if count > 2 {
            return Some(Fault::Checkers(count));
        }
        if let Some(square) = Square::new(self.state.en_passant) {
            // The pawn came from the square behind, over this one, to the one before.
            let (rank, from, to): (u8, u64, u64) = match side {
                Side::White => (5, square.bitboard() << 8, square.bitboard() >> 8),
                Side::Black => (2, square.bitboard() >> 8, square.bitboard() << 8),
            };
            let pawn = pieces[side.other() as usize][0] & to;
            if square.rank() != rank || occupied & (from | square.bitboard()) != 0 || pawn == 0 {
                return Some(Fault::EnPassant(square));
            }
        }
        for (i, rank) in [(0, 0), (1, 56)] {
            let rights = u64::from(self.state.castling[i]) << rank;
            let in_place = kings[i] & 0xff << rank != 0;
            let without = if in_place { rights & !pieces[i][3] } else { rights };
            if without != 0 {
                return Some(Fault::Castling(first(without)));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{GamePosition, Move, State};
    use crate::position::Position;
    use crate::{Piece, Square};

    #[test]
    fn moves_have_three_parts() {
        for from in 0..64 {
            for to in 0..64 {
                let (from, to) = (Square::masked(from), Square::masked(to));
                for (code, promotion) in [
                    (0, None),
                    (1, Some(Piece::Knight)),
                    (2, Some(Piece::Bishop)),
                    (3, Some(Piece::Rook)),
                    (4, Some(Piece::Queen)),
                ] {
                    let made = Move::new(from, to, promotion);
                    assert_eq!((made.from(), made.to(), made.promotion()), (from, to, promotion));
                    assert_eq!(made.bits() >> 12, code);
                    assert_eq!(Move::from_bits(made.bits()), made);
                }
            }
        }
        let none = Move::new(Square::A1, Square::A2, Some(Piece::King));
        assert_eq!(none.promotion(), None);
        assert_eq!(std::format!("{:?}", Move::from_bits(0x1e3f)), "Move(h8 a8 Knight)");
    }

    /// Each kind and side has planes of its own.
    #[test]
    fn planes_keep_all_pieces() {
        let mut position = Position::default();
        for side in 0..2 {
            for kind in 0..6 {
                position.pieces[side][kind] = 1 << ((side * 6 + kind) * 5);
            }
        }
        assert_eq!(Position::from_planes(position.planes()), position);
        assert_eq!(position.planes()[0], position.of(crate::Side::White));
        // All planes at once: a king. White's plane alone: nothing.
        let odd = Position::from_planes([0b11, 0b01, 0b01, 0b01]);
        assert_eq!(odd.pieces, [[0, 0, 0, 0, 0, 1], [0; 6]]);
    }

    #[test]
    fn a_position_is_plain_data() {
        let state = State { side: 1, en_passant: 20, castling: [1, 0x80] };
        let words: [u64; 13] =
            bytemuck::cast(GamePosition::new(Position { pieces: [[7; 6], [9; 6]] }, state));
        assert_eq!(words[..12], [7, 7, 7, 7, 7, 7, 9, 9, 9, 9, 9, 9]);
        assert_eq!(words[12].to_ne_bytes(), [1, 20, 1, 0x80, 0, 0, 0, 0]);
        // The last bytes mean nothing.
        let mut others = words;
        others[12] = u64::from_ne_bytes([1, 20, 1, 0x80, 1, 2, 3, 4]);
        let [a, b]: [GamePosition; 2] = [bytemuck::cast(words), bytemuck::cast(others)];
        assert_eq!(a, b);
    }
}
