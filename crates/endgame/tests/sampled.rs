//! Ten thousand positions of every ending against `cozy-chess`: legality, moves and what they make of the value.

use cozy_chess::{Board, Color as Side};
use setwise_endgame::{Color, Ending, Options, Position, Table, Value, generate};

const POSITIONS: usize = 10_000;

/// A random placing of the men of an ending on different squares.
fn random(random: &mut fastrand::Rng, ending: &Ending) -> Position {
    let squares: Vec<u8> = random.choose_multiple(0..64u8, 4);
    let men: Vec<_> = [Color::White, Color::Black]
        .into_iter()
        .flat_map(|color| {
            ending
                .pieces(color)
                .iter()
                .map(move |&piece| (color, piece))
        })
        .zip(&squares[2..])
        .map(|((color, piece), &square)| (color, piece, square))
        .collect();
    let turn = if random.bool() {
        Color::White
    } else {
        Color::Black
    };
    Position::new(turn, [squares[0], squares[1]], &men).unwrap()
}

/// The board, if it is legal: `cozy-chess` does not mind kings that touch.
fn board(position: &Position) -> Option<Board> {
    let board = Board::from_fen(&position.to_string(), false).ok()?;
    let touch = cozy_chess::get_king_moves(board.king(Side::White)).has(board.king(Side::Black));
    (!touch).then_some(board)
}

fn children(board: &Board) -> Vec<Position> {
    let mut children = Vec::new();
    board.generate_moves(|moves| {
        for one in moves {
            let mut after = board.clone();
            after.play(one);
            let fen = after.to_string();
            // Cut off the move counters.
            children.push(
                fen.split(' ')
                    .take(4)
                    .collect::<Vec<_>>()
                    .join(" ")
                    .parse()
                    .unwrap(),
            );
        }
        false
    });
    children
}

/// The value that follows from those after each move.
fn expected(table: &Table, board: &Board) -> Value {
    let values: Vec<Value> = children(board)
        .iter()
        .map(|child| table.probe(child))
        .collect();
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
    for ending in Ending::all() {
        let table = generate(&ending, &Options::default());
        let mut rng = fastrand::Rng::with_seed(1);
        let (mut legal, mut decided) = (0, 0);
        for _ in 0..POSITIONS {
            let position = random(&mut rng, &ending);
            let board = board(&position);
            assert_eq!(position.is_legal(), board.is_some(), "{position}");
            let value = table.probe(&position);
            match board {
                None => assert_eq!(value, Value::Illegal, "{position}"),
                Some(board) => {
                    assert_eq!(value, expected(&table, &board), "{position}");
                    legal += 1;
                    decided += usize::from(value != Value::Draw);
                }
            }
        }
        assert!(
            legal > POSITIONS / 3,
            "{ending}: only {legal} legal positions"
        );
        assert!(
            decided > 100 || table.longest().is_none_or(|longest| longest.moves == 1),
            "{ending}: {decided}"
        );
    }
}

#[test]
fn the_swapped_ending_has_the_same_values() {
    for name in ["KQKR", "KBNK", "KRK"] {
        let ending: Ending = name.parse().unwrap();
        let table = generate(&ending, &Options::default());
        let swapped = generate(&ending.swapped(), &Options::default());
        let mut rng = fastrand::Rng::with_seed(2);
        for _ in 0..POSITIONS {
            let position = random(&mut rng, &ending);
            assert_eq!(
                table.probe(&position),
                swapped.probe(&position.swapped()),
                "{position}"
            );
        }
    }
}

#[test]
fn other_men_are_illegal() {
    let table = generate(&"KQKR".parse().unwrap(), &Options::default());
    for (fen, known) in [
        ("7k/8/8/8/8/8/8/KQ5r w - - 0 1", true),
        ("7k/8/8/8/8/8/8/KR5q w - - 0 1", false),
        ("7k/8/8/8/8/8/8/KQ6 w - - 0 1", true),
        ("7k/8/8/8/8/8/8/KR6 w - - 0 1", false),
        ("7k/8/8/8/8/8/8/K5r1 w - - 0 1", true),
        ("7k/8/8/8/8/8/8/K7 w - - 0 1", true),
        ("7k/8/8/8/8/8/8/KB5r w - - 0 1", false),
    ] {
        assert_eq!(
            table.probe(&fen.parse().unwrap()) != Value::Illegal,
            known,
            "{fen}"
        );
    }
}

#[test]
fn lines_end_in_mate_after_the_promised_moves() {
    for name in [
        "KQK", "KQQK", "KRRK", "KBNK", "KQKR", "KRKN", "KRKQ", "KKRR",
    ] {
        let table = generate(&name.parse().unwrap(), &Options::default());
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
                // A deepest loss may be mate already.
                let Some(last) = line.last() else { continue };
                assert_eq!(last.value, Value::Loss(0));
                assert!(last.san.ends_with('#'), "{}", last.san);
                // The moves can be played as they are written.
                let mut board = board(&start).unwrap();
                for step in &line {
                    board.play(step.uci.parse().unwrap());
                    assert!(
                        board
                            .to_string()
                            .starts_with(step.position.to_string().split(' ').next().unwrap())
                    );
                }
                assert_eq!(board.status(), cozy_chess::GameStatus::Won);
            }
        }
    }
}
