//! Reads bytes that were written by the crates that define the formats, and compares the positions.
#![cfg(test)]

mod binpack;
#[path = "../../tests/common/binpack_games.rs"]
mod binpack_games;

use bulletformat::{BulletFormat, ChessBoard};
use setwise::position::Position;
use setwise_positions::{Fen, Format, Game, Piece, Placement, RECORD, Record, Side};
use viriformat::chess::board::Board;
use viriformat::chess::chessmove::Move;
use viriformat::dataformat::{Filter, Game as TheirGame};

const GAMES: usize = 240;

fn board_of(fen: &str) -> Board {
    let mut board = Board::new();
    board.set_from_fen(fen, true).unwrap_or_else(|error| panic!("{fen}: {error}"));
    board
}

/// Plays random games, half of them Chess960. Returns each game, with the positions before its
/// moves.
fn games() -> Vec<(TheirGame, Vec<Board>)> {
    let mut random = fastrand::Rng::with_seed(1);
    let starts = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1",
        "rkrbbnnq/pppppppp/8/8/8/8/PPPPPPPP/RKRBBNNQ w CAca - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    ];
    let mut games = Vec::new();
    for number in 0..GAMES {
        let start = starts[number % starts.len()];
        let mut board = board_of(start);
        let (mut game, mut boards) = (TheirGame::new(&board), Vec::new());
        for _ in 0..random.usize(..200) {
            let moves: Vec<Move> = board.legal_moves();
            let Some(code) = random.choice(&moves) else {
                break;
            };
            // Prefer castling and en passant, which random moves rarely contain.
            let special = moves.iter().find(|code| code.is_castle() || code.is_ep());
            let code = *special.filter(|_| random.bool()).unwrap_or(code);
            boards.push(board.clone());
            game.add_move(code, random.i16(-32767..));
            board.make_move_simple(code);
        }
        games.push((game, boards));
    }
    games
}

/// The pieces and the side to move.
fn fields(board: &Board) -> (Placement, Option<Side>) {
    let fen = board.to_string();
    let fen = Fen::parse(fen.as_bytes()).unwrap_or_else(|error| panic!("{fen}: {error}"));
    (*fen.placement(), fen.side())
}

#[test]
fn games_of_viriformat() {
    let (mut positions, mut special) = (0, [0; 3]);
    for (game, boards) in games() {
        let mut bytes = Vec::new();
        game.serialise_into(&mut bytes).unwrap();
        let ours: Vec<Record> = Game::new(&bytes).collect::<Result<_, _>>().unwrap();
        assert_eq!(ours.len(), boards.len());
        let mut scores = Vec::new();
        game.visit_positions(|_, score| scores.push(score));
        for ((record, board), score) in ours.iter().zip(&boards).zip(scores) {
            assert_eq!((*record.placement(), Some(record.side())), fields(board), "{board}");
            assert_eq!(i32::from(record.score()), score);
            let again = board_of(&record.to_string());
            let state = |board: &Board| {
                let clock = board.fifty_move_counter();
                (board.castling_rights(), clock, board.full_move_number())
            };
            assert_eq!(state(&again), state(board), "{board}: {record}");
            // The crate `viriformat` omits an en passant square that no pawn attacks.
            assert!(board.ep_sq().is_none() || again.ep_sq() == board.ep_sq(), "{board}: {record}");
        }
        for code in game.moves() {
            special[0] += usize::from(code.is_castle());
            special[1] += usize::from(code.is_ep());
            special[2] += usize::from(code.is_promo());
        }
        positions += ours.len();
    }
    assert!(positions > 20_000, "{positions}");
    assert!(special.iter().all(|&count| count > 30), "{special:?}");
}

#[test]
fn records_of_marlinformat_and_bulletformat() {
    let all = Filter::UNRESTRICTED;
    let (mut marlin, mut bullet, mut boards) = (Vec::new(), Vec::new(), Vec::new());
    for (game, of_game) in games() {
        game.splat_to_marlinformat(
            |record| {
                marlin.extend(record.as_bytes());
                Ok(())
            },
            &all,
        )
        .unwrap();
        game.splat_to_bulletformat(
            |record| {
                bullet.extend_from_slice(ChessBoard::as_bytes_slice(&[record]));
                Ok(())
            },
            &all,
        )
        .unwrap();
        boards.extend(of_game);
    }
    let (marlin_records, bullet_records) =
        (marlin.as_chunks::<RECORD>().0, bullet.as_chunks::<RECORD>().0);
    assert_eq!((marlin_records.len(), bullet_records.len()), (boards.len(), boards.len()));
    for ((board, record), turned) in boards.iter().zip(marlin_records).zip(bullet_records) {
        let record = Record::read(Format::Marlin, record).unwrap();
        assert_eq!((*record.placement(), Some(record.side())), fields(board));
        let theirs: ChessBoard = format!(
            "{board} | {} | {}",
            record.score(),
            ["0.0", "0.5", "1.0"][usize::from(record.result())]
        )
        .parse()
        .unwrap();
        assert_eq!(ChessBoard::as_bytes_slice(&[theirs]), turned);
        let turned = Record::read(Format::Bullet, turned).unwrap();
        let (placement, sign, result) = match record.side() {
            Side::White => (*record.placement(), 1, record.result()),
            Side::Black => (turn(record.placement()), -1, 2 - record.result()),
        };
        assert_eq!(*turned.placement(), placement, "{board}");
        assert_eq!(
            (i32::from(turned.score()), turned.result()),
            (sign * i32::from(record.score()), result)
        );
    }
}

/// Reverses the ranks and exchanges the colours.
fn turn(placement: &Placement) -> Placement {
    let turned = |side: Side| Piece::ALL.map(|p| placement.pieces(side.other(), p).swap_bytes());
    Placement::from(&Position { pieces: Side::BOTH.map(turned) })
}
