//! The positions of a game: moves, castling, checks and mates are the library's. This file adds
//! what the library does not know: the clock of the fifty-move rule, and hashes.

use setwise::board;
use setwise::moves::{GamePosition, MOST, Move};
use setwise::{Side, Square};
use setwise_positions::Fen;

/// The index of pawns and kings in a side's sets.
pub const PAWN: usize = 0;
pub const KING: usize = 5;

/// A position of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    pub position: GamePosition,
    /// The plies since the last capture or move of a pawn.
    pub quiet: u16,
    pub hash: u64,
}

impl Board {
    /// The start of a game.
    pub fn start() -> Board {
        Board::parse("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
            .expect("the start is a position")
    }

    /// The position of a FEN, which may lack the counters, as EPD does. An error is one line.
    pub fn parse(fen: &str) -> Result<Board, String> {
        let fen = Fen::parse(fen.as_bytes()).map_err(|error| error.to_string())?;
        if fen.side().is_none() {
            return Err("the side to move is missing".into());
        }
        let quiet = fen.field(4).and_then(|clock| clock.parse().ok()).unwrap_or(0);
        let board = Board::new(fen.game_position(), quiet);
        let pieces = board.position.position.pieces;
        if pieces.iter().any(|sets| sets[KING].count_ones() != 1) {
            return Err("each side must have one king".into());
        }
        if pieces.iter().any(|sets| sets[PAWN] & 0xff00_0000_0000_00ff != 0) {
            return Err("a pawn is on the first or the last rank".into());
        }
        let mut other = board.position;
        other.state.side ^= 1;
        if board::legal_counts(&other).1 > 0 {
            return Err("the side that is not to move is in check".into());
        }
        Ok(board)
    }

    fn new(position: GamePosition, quiet: u16) -> Board {
        Board { position, quiet, hash: hash(&position) }
    }

    /// The side to move.
    pub fn side(&self) -> usize {
        usize::from(self.position.state.side & 1)
    }

    pub fn is_white(&self) -> bool {
        self.side() == Side::White as usize
    }

    pub fn is_check(&self) -> bool {
        board::checks(&self.position.position).checkers[self.side()] != 0
    }

    /// The legal moves.
    pub fn moves(&self) -> Vec<Move> {
        let mut moves = [Move::default(); MOST];
        let count = board::legal_moves(&self.position, &mut moves);
        moves[..count.min(MOST)].to_vec()
    }

    /// The position after a legal move.
    pub fn play(&self, played: Move) -> Board {
        let is_quiet =
            self.taken(played).is_none() && self.kind(self.side(), played.from()) != PAWN;
        let quiet = if is_quiet { self.quiet.saturating_add(1) } else { 0 };
        Board::new(board::play(&self.position, played), quiet)
    }

    /// The kind of a side's piece on a square, which must have one.
    pub fn kind(&self, side: usize, square: Square) -> usize {
        let sets = self.position.position.pieces[side];
        sets.iter().position(|set| set & square.bitboard() != 0).unwrap_or(KING)
    }

    /// The kind of the piece that a legal move captures. (Castling goes to the rook's square, and
    /// captures nothing.)
    pub fn taken(&self, played: Move) -> Option<usize> {
        let (side, to) = (self.side(), played.to());
        let theirs = self.position.position.pieces[1 - side];
        let taken = theirs.iter().position(|set| set & to.bitboard() != 0);
        let is_pawn = self.kind(side, played.from()) == PAWN;
        let is_en_passant = is_pawn && played.from().file() != to.file();
        taken.or(is_en_passant.then_some(PAWN))
    }

    /// Whether material is insufficient to mate: kings with at most one knight or bishop.
    pub fn is_bare(&self) -> bool {
        let [white, black] = self.position.position.pieces;
        let count = |kind: usize| (white[kind] | black[kind]).count_ones();
        [0, 3, 4].iter().all(|&kind| count(kind) == 0) && count(1) + count(2) <= 1
    }
}

/// A hash of all that the rules know of a position: a number of Zobrist's for each piece, and one
/// for each part of the state.
fn hash(position: &GamePosition) -> u64 {
    let state = position.state;
    let mut sum = KEYS[12][usize::from(state.side & 1)]
        ^ (KEYS[13][usize::from(state.en_passant.min(64)) % 64] * u64::from(state.en_passant < 64))
        ^ spread(u64::from(state.castling[0]) | u64::from(state.castling[1]) << 8);
    for (keys, &set) in KEYS.iter().zip(position.position.pieces.as_flattened()) {
        let mut left = set;
        while left != 0 {
            sum ^= keys[left.trailing_zeros() as usize];
            left &= left - 1;
        }
    }
    sum
}

/// A number for each square of each kind of piece, then for the side to move, then for the en
/// passant square.
static KEYS: [[u64; 64]; 14] = {
    let mut keys = [[0; 64]; 14];
    let mut i = 0;
    while i < 14 * 64 {
        keys[i / 64][i % 64] = spread(0x1_0000 + i as u64);
        i += 1;
    }
    keys
};

/// Spreads the bits of a number. Source: splitmix64, by Sebastiano Vigna (public domain).
const fn spread(number: u64) -> u64 {
    let z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::Board;

    /// The published node counts of positions with castling, promotions and en passant.
    #[test]
    fn moves_are_counted() {
        fn nodes(board: &Board, depth: u32) -> u64 {
            match depth {
                0 => 1,
                _ => board.moves().iter().map(|&m| nodes(&board.play(m), depth - 1)).sum(),
            }
        }
        for (fen, depth, expected) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 3, 8902),
            ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", 3, 97_862),
            ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", 4, 43_238),
        ] {
            assert_eq!(nodes(&Board::parse(fen).unwrap(), depth), expected, "{fen}");
        }
    }

    /// Equal positions have equal hashes whatever the moves, and other states others.
    #[test]
    fn hashes_are_of_positions() {
        let after = |moves: &str| {
            moves.split_whitespace().fold(Board::start(), |board, name| {
                board.play(setwise::moves::Move::from_uci(name, &board.position).unwrap())
            })
        };
        let [one, two] = [after("g1f3 g8f6 b1c3"), after("b1c3 g8f6 g1f3")];
        assert_eq!((one.hash, one.quiet), (two.hash, 3));
        assert_ne!(one.hash, after("g1f3 g8f6").hash);
        let start = "r3k2r/8/8/8/8/8/8/R3K2R w ";
        let state = |rest: &str| Board::parse(&format!("{start}{rest}")).unwrap().hash;
        let all = ["KQkq -", "KQk -", "Qkq -", "- -"].map(state);
        assert!((1..4).all(|i| all[..i].iter().all(|one| *one != all[i])));
        assert_eq!(after("e2e4").quiet, 0);
    }

    #[test]
    fn impossible_positions_are_refused() {
        for (fen, message) in [
            ("8/8/8/8/8/8/8/8 w - -", "one king"),
            ("k7/8/8/8/8/8/8/KK6 w - -", "one king"),
            ("k6R/8/8/8/8/8/8/K7 w - -", "not to move"),
            ("k6P/8/8/8/8/8/8/K7 w - -", "last rank"),
            ("k7/8/8/8/8/8/8/K7", "side to move"),
            ("k7/8/8 w - -", "piece placement"),
        ] {
            let error = Board::parse(fen).unwrap_err();
            assert!(error.contains(message), "{fen}: {error}");
        }
    }
}
