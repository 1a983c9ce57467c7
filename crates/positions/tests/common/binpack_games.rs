//! Random games as entries of a binpack file.

#![allow(dead_code, unreachable_pub, reason = "a module of several tests")]

use cozy_chess::{Color, Piece as TheirPiece};
use setwise_positions::binpack::{Board, Chunks, Entries, Entry, Move, Writer};
use setwise_positions::{Fen, Piece, Placement, Side};

const STARTS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    // The capture en passant would leave the king in check along its rank, or on a diagonal.
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "4k3/2p2b2/8/3P4/2K5/8/8/8 b - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
];

fn placement_of(board: &cozy_chess::Board) -> Placement {
    *Fen::parse(board.to_string().as_bytes()).expect("a FEN").placement()
}

fn start_of(fen: &str) -> Board {
    let side = if fen.contains(" w ") { Side::White } else { Side::Black };
    let rights = ['Q', 'K', 'q', 'k'].map(|right| fen.split(' ').nth(2).unwrap().contains(right));
    let fen = Fen::parse(fen.as_bytes()).expect("a FEN");
    Board::new(fen.placement(), side, rights, None, 0).expect("a position")
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
    let mut random = fastrand::Rng::with_seed(42);
    let mut entries = Vec::new();
    for number in 0..count {
        let fen = STARTS[number % STARTS.len()];
        let mut theirs: cozy_chess::Board = fen.parse().expect("a FEN");
        let mut board = start_of(fen);
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
            let before = board;
            board.play(played).expect("a legal move");
            theirs.play_unchecked(code);
            assert_eq!(*board.placement(), placement_of(&theirs), "{played}");
            let codes = Color::ALL
                .map(|color| TheirPiece::ALL.map(|piece| theirs.colored_pieces(color, piece).0));
            for (square, &code) in board.codes().iter().enumerate() {
                let mut expected = 12;
                for (at, sets) in codes.iter().enumerate() {
                    for (kind, set) in sets.iter().enumerate() {
                        if set >> square & 1 == 1 {
                            expected = 2 * kind as u8 + at as u8;
                        }
                    }
                }
                assert_eq!(code, expected);
            }
            assert_eq!(board.halfmove_clock(), theirs.halfmove_clock().into());
            let pawn = before.codes()[usize::from(played.from())] < 2;
            let is_double = pawn && played.from().abs_diff(played.to()) == 16;
            if is_double && board.en_passant().is_none() {
                let to = 1_u64 << played.to();
                let beside = to << 1 & !0x0101_0101_0101_0101 | to >> 1 & !0x8080_8080_8080_8080;
                let pawns = board.placement().pieces(board.side(), Piece::Pawn);
                let beside = beside & pawns != 0;
                seen.pinned += u32::from(beside);
            }
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
    let mut found = Vec::new();
    let error = read_to(&mut found, file).err().map(|error| error.to_string());
    (found, error)
}

fn read_to(found: &mut Vec<Entry>, file: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
    let (mut chunks, mut payload) = (Chunks::new(file), Vec::new());
    while chunks.next(&mut payload)? {
        let mut entries = Entries::new(&payload);
        while let Some(entry) = entries.next()? {
            found.push(*entry);
        }
    }
    Ok(())
}
