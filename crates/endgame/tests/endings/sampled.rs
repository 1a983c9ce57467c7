//! Tests random positions of every ending against `cozy-chess`: their legality, values and lines of
//! play.

use cozy_chess::{Board, Color as Side, Piece as Man};
use setwise_endgame::{Color, Ending, Piece, Position, Table, Value};

use super::{TABLES, table};

const POSITIONS: usize = 10_000;

/// A random position of an ending, with the men on different squares.
fn random(random: &mut fastrand::Rng, ending: &Ending) -> Position {
    let squares: Vec<u8> = random.choose_multiple(0..64u8, 4);
    let pieces = [Color::White, Color::Black]
        .into_iter()
        .flat_map(|color| ending.pieces(color).iter().map(move |&piece| (color, piece)));
    let men: Vec<_> =
        pieces.zip(&squares[2..]).map(|((color, piece), &square)| (color, piece, square)).collect();
    let turn = [Color::White, Color::Black][random.usize(..2)];
    Position::new(turn, [squares[0], squares[1]], &men).unwrap()
}

/// The board of a position. `None` if it is illegal, or if the kings are adjacent, which
/// `cozy-chess` accepts.
fn board(position: &Position) -> Option<Board> {
    let board = Board::from_fen(&position.to_string(), false).ok()?;
    let touch = cozy_chess::get_king_moves(board.king(Side::White)).has(board.king(Side::Black));
    (!touch).then_some(board)
}

fn position(board: &Board) -> Position {
    let kings = [Side::White, Side::Black].map(|side| board.king(side) as u8);
    let mut pieces = Vec::new();
    for (color, side) in [(Color::White, Side::White), (Color::Black, Side::Black)] {
        for (piece, man) in [
            (Piece::Queen, Man::Queen),
            (Piece::Rook, Man::Rook),
            (Piece::Bishop, Man::Bishop),
            (Piece::Knight, Man::Knight),
        ] {
            let squares = board.colored_pieces(side, man).into_iter();
            pieces.extend(squares.map(|square| (color, piece, square as u8)));
        }
    }
    let turn = [Color::White, Color::Black][board.side_to_move() as usize];
    Position::new(turn, kings, &pieces).unwrap()
}

/// The value that follows from the values after each move.
fn expected(table: &Table, board: &Board) -> Value {
    let mut values = Vec::new();
    board.generate_moves(|moves| {
        for one in moves {
            let mut after = board.clone();
            after.play(one);
            values.push(table.probe(&position(&after)));
        }
        false
    });
    let quickest = values.iter().filter_map(|value| match value {
        Value::Loss(moves) => Some(moves + 1),
        _ => None,
    });
    if let Some(moves) = quickest.min() {
        return Value::Win(moves);
    }
    if values.is_empty() && !board.checkers().is_empty() {
        return Value::Loss(0);
    }
    let wins = values.iter().map(|value| match value {
        Value::Win(moves) => Some(*moves),
        _ => None,
    });
    match wins.collect::<Option<Vec<_>>>().as_deref() {
        None | Some([]) => Value::Draw,
        Some(wins) => Value::Loss(*wins.iter().max().unwrap()),
    }
}

#[test]
fn legality_and_values_follow_from_the_moves() {
    for table in TABLES.values() {
        let ending = table.ending();
        let mut rng = fastrand::Rng::with_seed(1);
        let (mut legal, mut decided) = (0, 0);
        for _ in 0..POSITIONS {
            let position = random(&mut rng, ending);
            let board = board(&position);
            assert_eq!(position.is_legal(), board.is_some(), "{position}");
            let value = table.probe(&position);
            match board {
                None => assert_eq!(value, Value::Illegal, "{position}"),
                Some(board) => {
                    assert_eq!(value, expected(table, &board), "{position}");
                    legal += 1;
                    decided += usize::from(value != Value::Draw);
                }
            }
        }
        assert!(legal > POSITIONS / 3, "{ending}: only {legal} legal positions");
        let all_drawn = table.longest().is_none_or(|longest| longest.moves == 1);
        assert!(decided > 100 || all_drawn, "{ending}: {decided}");
    }
}

#[test]
fn the_swapped_ending_has_the_same_values() {
    for name in ["KQKR", "KBNK", "KRK"] {
        let expected = &TABLES[name];
        let swapped = table(&expected.ending().swapped().to_string());
        let mut rng = fastrand::Rng::with_seed(2);
        for _ in 0..POSITIONS {
            let position = random(&mut rng, expected.ending());
            let value = swapped.probe(&position.swapped());
            assert_eq!(value, expected.probe(&position), "{position}");
        }
    }
}

#[test]
fn other_men_are_illegal() {
    for (fen, known) in [
        ("7k/8/8/8/8/8/8/KQ5r w - - 0 1", true),
        ("7k/8/8/8/8/8/8/KR5q w - - 0 1", false),
        ("7k/8/8/8/8/8/8/KQ6 w - - 0 1", true),
        ("7k/8/8/8/8/8/8/KR6 w - - 0 1", false),
        ("7k/8/8/8/8/8/8/K5r1 w - - 0 1", true),
        ("7k/8/8/8/8/8/8/K7 w - - 0 1", true),
        ("7k/8/8/8/8/8/8/KB5r w - - 0 1", false),
    ] {
        let value = TABLES["KQKR"].probe(&fen.parse().unwrap());
        assert_eq!(value != Value::Illegal, known, "{fen}");
    }
}

#[test]
fn lines_end_in_mate_after_the_promised_moves() {
    for name in ["KQK", "KQQK", "KRRK", "KBNK", "KQKR", "KRKN"] {
        let table = &TABLES[name];
        for color in [Color::White, Color::Black] {
            let wins = table.wins(color);
            let ends = [
                wins.longest().map(|l| (l, 2 * l.moves - 1)),
                wins.deepest_loss().map(|l| (l, 2 * l.moves)),
            ];
            for (longest, plies) in ends.into_iter().flatten() {
                let start = if color == Color::White {
                    longest.position
                } else {
                    longest.position.swapped()
                };
                let line = table.line(&start);
                assert_eq!(line.len(), plies, "{start}");
                // The line is empty if the deepest loss is already mate.
                let Some(last) = line.last() else { continue };
                assert_eq!(last.value, Value::Loss(0));
                assert!(last.san.ends_with('#'), "{}", last.san);
                let mut board = board(&start).unwrap();
                for step in &line {
                    board.play(step.uci.parse().unwrap());
                    assert_eq!(position(&board), step.position, "{start}");
                }
                assert_eq!(board.status(), cozy_chess::GameStatus::Won);
            }
        }
    }
}
