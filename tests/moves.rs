//! Legal moves of one position, in `const` code and by the oracle, against the crate `cozy-chess`.

use std::path::Path;

use cozy_chess::{Board, Color};
use setwise::board;
use setwise::moves::{Castling, GamePosition, MOST, Move, State};
use setwise::position::Position;
use setwise_check::moves::Game;

/// The position of the other crate.
fn position(board: &Board) -> GamePosition {
    let set = |color| cozy_chess::Piece::ALL.map(|piece| board.colored_pieces(color, piece).0);
    let files = |color| {
        let rights = board.castle_rights(color);
        [rights.short, rights.long].into_iter().flatten().map(|file| 1 << file as u8).sum()
    };
    let state = State {
        side: board.side_to_move() as u8,
        en_passant: board.en_passant().map_or(64, |file| {
            file as u8 + 8 * if board.side_to_move() == Color::White { 5 } else { 2 }
        }),
        castling: Color::ALL.map(files),
    };
    GamePosition::new(Position { pieces: Color::ALL.map(set) }, state)
}

fn coded(played: cozy_chess::Move) -> Move {
    let square = |square: cozy_chess::Square| setwise::Square::new(square as u8).unwrap();
    let promotion = played.promotion.map(|piece| setwise::Piece::ALL[piece as usize]);
    Move::new(square(played.from), square(played.to), promotion)
}

fn expected(board: &Board) -> Vec<Move> {
    let mut moves = vec![];
    board.generate_moves(|of_piece| {
        moves.extend(of_piece.into_iter().map(coded));
        false
    });
    moves.sort_unstable();
    moves
}

fn listed(position: &GamePosition) -> Vec<Move> {
    let mut moves = vec![Move::default(); MOST];
    let count = board::legal_moves(position, &mut moves);
    moves.truncate(count);
    moves
}

fn check(board: &Board) {
    let position = position(board);
    let moves = listed(&position);
    let context = || format!("{board}");
    let oracle = Game::from(&position);
    assert_eq!(moves, oracle.legal_moves(), "{}", context());
    let checks = board.checkers().len() as u8;
    assert_eq!(board::legal_counts(&position), (moves.len() as u8, checks), "{}", context());
    assert_eq!(oracle.checks(), checks.into(), "{}", context());
    for &played in &moves {
        let after = board::play(&position, played);
        assert_eq!(after, GamePosition::from(&oracle.after(played)), "{}, {played:?}", context());
        for castling in [Castling::Standard, Castling::Chess960] {
            let text = played.to_uci(&position, castling);
            if castling == Castling::Chess960 || !played.is_castling(&position) {
                assert_eq!(Move::from_uci(text.as_str(), &position), Some(played), "{text}");
            }
        }
    }
    let mut sorted = moves;
    sorted.sort_unstable();
    assert_eq!(sorted, expected(board), "{}", context());
}

/// Plays random games from random starting positions of Chess960.
#[test]
fn random_games() {
    let mut random = fastrand::Rng::with_seed(1);
    for game in 0..60 {
        let scharnagl = if game % 3 == 0 { 518 } else { random.u32(..960) };
        let mut board = Board::chess960_startpos(scharnagl);
        for _ in 0..200 {
            check(&board);
            let position = position(&board);
            let moves = expected(&board);
            let Some(&played) = moves.get(random.usize(..moves.len().max(1))) else { break };
            let square = |square: setwise::Square| cozy_chess::Square::index(square.index());
            board.play_unchecked(cozy_chess::Move {
                from: square(played.from()),
                to: square(played.to()),
                promotion: played.promotion().map(|piece| cozy_chess::Piece::ALL[piece as usize]),
            });
            let after = board::play(&position, played);
            let mut same = self::position(&board);
            // The other crate keeps an en passant square that no pawn can use.
            same.state.en_passant = after.state.en_passant;
            assert_eq!(after, same, "{board} after {played:?}");
        }
    }
}

#[test]
fn hard_positions() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/positions/moves.epd");
    let text = std::fs::read_to_string(path).unwrap();
    let mut positions = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (fen, operations) = line.split_once(" legal ").unwrap();
        let board = [false, true]
            .into_iter()
            .find_map(|shredder| Board::from_fen(&format!("{fen} 0 1"), shredder).ok())
            .unwrap_or_else(|| panic!("{line}"));
        check(&board);
        let counts = board::legal_counts(&position(&board));
        let number = |text: &str| text.trim().parse::<u8>().unwrap();
        let mut operations = operations.split(';');
        assert_eq!(counts.0, number(operations.next().unwrap()), "{line}");
        let check = operations.next().unwrap().trim().strip_prefix("check ").map(number);
        assert_eq!(Some(u8::from(counts.1 > 0)), check, "{line}");
        positions += 1;
    }
    assert!(positions > 50, "{positions}");
}
