//! Random games as entries of a binpack file.

#![allow(dead_code, unreachable_pub, reason = "a module of several tests")]

use cozy_chess::{Piece as TheirPiece, Square};
use setwise_positions::binpack::{Board, Chunks, Entries, Entry, Move, Writer};
use setwise_positions::{Fen, Piece};

const STARTS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    // The capture en passant would leave the king in check along its rank, or on a diagonal.
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "4k3/2p2b2/8/3P4/2K5/8/8/8 b - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
];

/// The position of a FEN with at least four fields.
pub fn board(fen: &str) -> Board {
    let fen = Fen::parse(fen.as_bytes()).expect("a FEN");
    let rights = ['Q', 'K', 'q', 'k'].map(|right| fen.field(2).unwrap().contains(right));
    let (passed, clock) = (fen.field(3).unwrap().parse().ok(), fen.field(4).unwrap_or("0"));
    let passed = passed.map(|square: Square| square as u8);
    let (side, clock) = (fen.side().unwrap(), clock.parse().unwrap());
    Board::new(fen.placement(), side, rights, passed, clock).expect("a position")
}

/// What a game contained.
#[derive(Debug, Default)]
pub struct Seen {
    pub castlings: [u32; 2],
    pub en_passants: u32,
    /// Captures en passant that a pin forbids.
    pub pinned: u32,
    pub promotions: u32,
    pub checks: u32,
}

/// Plays random games of legal moves, and checks each position against the one of `cozy-chess`.
pub fn games(count: usize, seen: &mut Seen) -> Vec<Entry> {
    // The documented numbers.
    let start = board(STARTS[0]);
    let (ranks, _) = start.codes().as_chunks::<8>();
    assert_eq!(ranks[..3], [[4, 2, 3, 5, 6, 3, 2, 4], [1; 8], [0; 8]]);
    assert_eq!(ranks[6..], [[7; 8], [10, 8, 9, 11, 12, 9, 8, 10]]);
    let mut random = fastrand::Rng::with_seed(42);
    let mut entries = Vec::new();
    for number in 0..count {
        let fen = STARTS[number % STARTS.len()];
        let mut theirs: cozy_chess::Board = fen.parse().expect("a FEN");
        let mut board = board(fen);
        let result = random.i8(-1..=1);
        for ply in 0..random.u16(1..300) {
            let mut moves = Vec::new();
            theirs.generate_moves(|of_piece| {
                moves.extend(of_piece);
                false
            });
            let ours = |code: &cozy_chess::Move| {
                let (from, to) = (code.from as u8, code.to as u8);
                let own = theirs.colors(theirs.side_to_move());
                let is_pawn = theirs.piece_on(code.from) == Some(TheirPiece::Pawn);
                let is_diagonal = is_pawn && code.from.file() != code.to.file();
                if own.has(code.to) {
                    Move::castling(from, to)
                } else if is_diagonal && theirs.piece_on(code.to).is_none() {
                    Move::en_passant(from, to)
                } else {
                    Move::new(from, to, code.promotion.map(|piece| Piece::ALL[piece as usize]))
                }
            };
            let may_en_passant = moves.iter().any(|code| ours(code).is_en_passant());
            assert_eq!(board.en_passant().is_some(), may_en_passant, "{theirs}");
            assert_eq!(board.in_check(), !theirs.checkers().is_empty(), "{theirs}");
            // Prefer the moves that random games rarely contain.
            let rare = |code: &&cozy_chess::Move| {
                let code = ours(code);
                code.is_castling() || code.is_en_passant() || code.promotion().is_some()
            };
            let rare: Vec<_> = moves.iter().filter(rare).copied().collect();
            let prefers = !rare.is_empty() && random.bool();
            let choice = random.choice(if prefers { &rare } else { &moves });
            // A game ends after 100 quiet moves. (sfbinpack panics at 256.)
            let Some(code) = choice.copied().filter(|_| board.halfmove_clock() < 100) else {
                break;
            };
            let played = ours(&code);
            let score = if random.u8(..10) == 0 { random.i16(..) } else { random.i16(-300..300) };
            let result = if ply % 2 == 0 { result } else { -result };
            entries.push(Entry::new(board, played, score, result, ply));
            seen.castlings[usize::from(code.to < code.from)] += u32::from(played.is_castling());
            seen.en_passants += u32::from(played.is_en_passant());
            seen.promotions += u32::from(played.promotion().is_some());
            seen.checks += u32::from(board.in_check());
            board.play(played).expect("a legal move");
            theirs.play_unchecked(code);
            let fen = theirs.to_string();
            let expected = Fen::parse(fen.as_bytes()).expect("a FEN");
            assert_eq!(board.placement(), expected.placement(), "{played}");
            assert_eq!(*board.codes(), board.placement().codes());
            assert_eq!(board.halfmove_clock(), u16::from(theirs.halfmove_clock()));
            // Theirs is the square that a pawn attacks, even if it may not capture there.
            let is_pinned = theirs.en_passant().is_some() && board.en_passant().is_none();
            seen.pinned += u32::from(is_pinned);
        }
    }
    entries
}

/// A file with these entries.
pub fn write(entries: &[Entry]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new());
    for entry in entries {
        writer.push(entry).expect("memory");
    }
    writer.finish().expect("memory")
}

/// The entries of a file until the first error, and the error.
pub fn read(file: &[u8]) -> (Vec<Entry>, Option<String>) {
    let (mut chunks, mut payload, mut found) = (Chunks::new(file), Vec::new(), Vec::new());
    let mut read = || -> Result<(), Box<dyn std::error::Error>> {
        while chunks.next(&mut payload)? {
            let mut entries = Entries::new(&payload);
            while let Some(entry) = entries.next()? {
                found.push(*entry);
            }
        }
        Ok(())
    };
    let error = read().err().map(|error| error.to_string());
    (found, error)
}
