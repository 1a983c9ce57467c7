//! Tests of FEN columns.
#![allow(missing_docs)]

use std::fmt::Write as _;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, Int32Array, LargeStringArray, StringArray, StringViewArray, UInt64Array};
use fastrand::Rng;
use setwise_arrow::{
    BadFens, Piece, Positions, Side, attack_maps, checks, chosen_attack_maps, slider_attacks,
};

const SIDES: [Side; 2] = [Side::White, Side::Black];
const PIECES: [Piece; 6] =
    [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King];

/// Writes a FEN from the letter on each square, a8 to h1, without the parser's code.
fn fen(board: &[Option<char>; 64], rest: &str) -> String {
    let mut text = String::new();
    for (rank, squares) in board.chunks(8).enumerate() {
        let mut empty = 0;
        for square in squares {
            match square {
                Some(letter) => {
                    if empty > 0 {
                        write!(text, "{empty}").unwrap();
                    }
                    empty = 0;
                    text.push(*letter);
                }
                None => empty += 1,
            }
        }
        if empty > 0 {
            write!(text, "{empty}").unwrap();
        }
        text.push(if rank < 7 { '/' } else { ' ' });
    }
    text + rest
}

/// The squares with one of these letters.
fn with(board: &[Option<char>; 64], letters: &str) -> u64 {
    let mut set = 0;
    for (n, square) in board.iter().enumerate() {
        if square.is_some_and(|letter| letters.contains(letter)) {
            set |= 1 << (8 * (7 - n / 8) + n % 8);
        }
    }
    set
}

fn boards(count: usize) -> Vec<[Option<char>; 64]> {
    let mut random = Rng::with_seed(1);
    let letters: Vec<char> = "PNBRQKpnbrqk".chars().collect();
    let board = |n: usize| {
        [(); 64]
            .map(|()| (random.usize(..100) < n % 101).then(|| *random.choice(&letters).unwrap()))
    };
    (0..count).map(board).collect()
}

#[test]
fn every_set_of_every_position() {
    let boards = boards(700);
    let sides = ["w - - 0 1", "b", "b KQkq e3", "w - - bm Qh8;"];
    let texts: Vec<Option<String>> = boards
        .iter()
        .enumerate()
        .map(|(row, board)| (row % 7 != 3).then(|| fen(board, sides[row % 4])))
        .collect();
    let column: StringArray = texts.iter().map(Option::as_deref).collect();
    let large: LargeStringArray = texts.iter().map(Option::as_deref).collect();
    let view: StringViewArray = texts.iter().map(Option::as_deref).collect();
    let columns: [&dyn Array; 3] = [&column, &large, &view];
    for (offset, rows) in [(0, boards.len()), (13, 300), (700, 0)] {
        for column in columns {
            let positions = Positions::read(&column.slice(offset, rows), BadFens::Fail).unwrap();
            assert_eq!((positions.len(), positions.is_empty()), (rows, rows == 0));
            let check = |name: &str, sets: &UInt64Array, white: &str, black: &str| {
                for row in 0..rows {
                    let expected = (offset + row) % 7 != 3;
                    let set =
                        with(&boards[offset + row], white) | with(&boards[offset + row], black);
                    assert_eq!(
                        sets.is_valid(row).then(|| sets.value(row)),
                        expected.then_some(set),
                        "{name}, row {row}"
                    );
                }
            };
            check("occupied", &positions.occupied(), "PNBRQK", "pnbrqk");
            check("white", &positions.side(Side::White), "PNBRQK", "");
            check("black", &positions.side(Side::Black), "", "pnbrqk");
            check("orthogonal", &positions.orthogonal(Side::White), "RQ", "");
            check("diagonal", &positions.diagonal(Side::Black), "", "bq");
            let sets = positions.sets();
            let mut kinds = sets.columns().iter().zip(sets.column_names());
            for (side, letters) in [(Side::White, "PNBRQK"), (Side::Black, "pnbrqk")] {
                for (piece, letter) in PIECES.into_iter().zip(letters.chars()) {
                    let letter = letter.to_string();
                    check("pieces", &positions.pieces(side, piece), &letter, "");
                    let (set, name) = kinds.next().unwrap();
                    check(name, set.as_primitive::<UInt64Type>(), &letter, "");
                    assert_eq!(name, format!("{side:?}_{piece:?}s").to_lowercase());
                }
            }
            for side in SIDES {
                let (orthogonal, diagonal) = (positions.orthogonal(side), positions.diagonal(side));
                let expected =
                    slider_attacks(&orthogonal, &diagonal, &positions.occupied()).unwrap();
                assert_eq!(positions.slider_attacks(side), expected);
            }
            let maps = positions.attack_maps();
            assert_eq!(maps, attack_maps(&sets).unwrap());
            let names = maps.column_names();
            for chosen in
                [&names[..], &names[12..15], &["black_by_lesser", "white_queen_attacks"], &[]]
            {
                let few = chosen_attack_maps(&sets, chosen).unwrap();
                assert_eq!((few.column_names(), few.len()), (chosen.to_vec(), rows));
                assert_eq!(few.nulls(), maps.nulls());
                for name in chosen {
                    assert_eq!(few.column_by_name(name), maps.column_by_name(name), "{name}");
                }
            }
            assert_eq!(positions.checks(), checks(&sets).unwrap());
            let white = positions.white_to_move();
            for row in 0..rows {
                let expected = (texts[offset + row].is_some())
                    .then(|| sides[(offset + row) % 4].starts_with('w'));
                assert_eq!(white.is_valid(row).then(|| white.value(row)), expected);
            }
        }
    }
}

#[test]
fn bad_fens_are_errors_or_null() {
    let good = "8/8/8/8/8/8/8/R6k";
    let texts = [Some(good), None, Some("8/8/8/8/8/8/8/R6"), Some(""), Some(good)];
    let column = StringViewArray::from_iter(texts);
    let error = Positions::read(&column, BadFens::Fail).unwrap_err();
    assert!(error.to_string().starts_with("row 2: piece placement: rank 1"), "{error}");
    let error = Positions::read(&column.slice(3, 1), BadFens::Fail).unwrap_err();
    assert!(error.to_string().starts_with("row 0: piece placement: "), "{error}");
    let positions = Positions::read(&column, BadFens::Null).unwrap();
    let expected = UInt64Array::from(vec![Some(0x81), None, None, None, Some(0x81)]);
    assert_eq!(positions.occupied(), expected);
    assert_eq!(positions.nulls().unwrap().null_count(), 3);
    assert_eq!(positions.white_to_move().null_count(), 5, "no side to move");
    assert!(Positions::read(&column.slice(4, 1), BadFens::Null).unwrap().nulls().is_none());

    let error = Positions::read(&Int32Array::from(vec![1]), BadFens::Null).unwrap_err();
    assert_eq!(error.to_string(), "`fens` must be Utf8, LargeUtf8 or Utf8View, found Int32");
}
