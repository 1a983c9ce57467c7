//! Tests of FEN columns.
#![allow(missing_docs)]

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, UInt8Type, UInt64Type};
use arrow_array::{
    Array, BinaryArray, BinaryViewArray, DictionaryArray, Int16Array, Int32Array, LargeBinaryArray,
    LargeStringArray, ListArray, StringArray, StringViewArray, UInt64Array,
};
use fastrand::Rng;
use setwise::threats::Threat;
use setwise_arrow::{BadFens, Error, Piece, Positions, Side, attack_maps, checks, slider_attacks};
use setwise_check::threats::Meaning;

/// Writes a FEN from the letter on each square, a8 to h1, without the parser's code.
fn fen(board: &[Option<char>; 64], rest: &str) -> String {
    let ranks = board.chunks(8).map(|rank| {
        let ones: String = rank.iter().map(|square| square.unwrap_or('1')).collect();
        let by_length = |text: String, n: usize| text.replace(&"1".repeat(n), &n.to_string());
        (2..=8).rev().fold(ones, by_length)
    });
    format!("{} {rest}", ranks.collect::<Vec<_>>().join("/"))
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

/// Compares a column of threats with those of the boards, of which every seventh is null.
fn check_threats(threats: &ListArray, boards: &[[Option<char>; 64]], pairs: [u16; 12]) {
    let kinds = Piece::ALL.into_iter().flat_map(|piece| Side::BOTH.map(|side| Some((side, piece))));
    let codes: Vec<_> = kinds.chain([None; 4]).collect();
    let pairs = [&pairs[..], &[0; 4]].concat().try_into().unwrap();
    let meaning = Meaning { codes: codes.try_into().unwrap(), pairs };
    assert!(threats.nulls().is_none_or(|nulls| nulls.null_count() < threats.len() / 3));
    for (row, list) in threats.iter().enumerate() {
        let Some(list) = list else { continue };
        let mut codes = [12; 64];
        for (n, letter) in boards[row].iter().enumerate() {
            let code = letter.and_then(|letter| "PpNnBbRrQqKk".find(letter));
            codes[8 * (7 - n / 8) + n % 8] = code.map_or(12, |code| code as u8);
        }
        let fields = list.as_struct().columns().iter();
        let fields: Vec<&[u8]> =
            fields.map(|field| &field.as_primitive::<UInt8Type>().values()[..]).collect();
        let threat = |i: usize| Threat {
            attacker: fields[0][i],
            from: fields[1][i],
            victim: fields[2][i],
            to: fields[3][i],
        };
        let found: Vec<Threat> = (0..list.len()).map(threat).collect();
        assert_eq!(found, setwise_check::threats::all(&codes, &meaning), "row {row}");
    }
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
    let (boards, mut random) = (boards(700), Rng::with_seed(2));
    let sides = ["w - - 0 1", "b", "b KQkq e3", "w - - bm Qh8;"];
    let texts: Vec<Option<String>> = boards
        .iter()
        .enumerate()
        .map(|(row, board)| (row % 7 != 3).then(|| fen(board, sides[row % 4])))
        .collect();
    let column: StringArray = texts.iter().map(Option::as_deref).collect();
    let large: LargeStringArray = texts.iter().map(Option::as_deref).collect();
    let view: StringViewArray = texts.iter().map(Option::as_deref).collect();
    let dictionary: DictionaryArray<Int16Type> = texts.iter().map(Option::as_deref).collect();
    let bytes = texts.iter().map(|text| text.as_ref().map(String::as_bytes));
    let binary: BinaryArray = bytes.clone().collect();
    let large_binary: LargeBinaryArray = bytes.clone().collect();
    let binary_view: BinaryViewArray = bytes.collect();
    let columns: [&dyn Array; 7] =
        [&column, &large, &view, &dictionary, &binary, &large_binary, &binary_view];
    for (offset, rows) in [(0, boards.len()), (13, 300), (700, 0)] {
        for column in columns {
            let positions = Positions::read(&column.slice(offset, rows), BadFens::Fail).unwrap();
            assert_eq!(positions.occupied().len(), rows);
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
                for (piece, letter) in Piece::ALL.into_iter().zip(letters.chars()) {
                    let letter = letter.to_string();
                    check("pieces", &positions.pieces(side, piece), &letter, "");
                    let (set, name) = kinds.next().unwrap();
                    check(name, set.as_primitive::<UInt64Type>(), &letter, "");
                    assert_eq!(name, format!("{side:?}_{piece:?}s").to_lowercase());
                }
            }
            for side in Side::BOTH {
                let (orthogonal, diagonal) = (positions.orthogonal(side), positions.diagonal(side));
                let expected =
                    slider_attacks(&orthogonal, &diagonal, &positions.occupied()).unwrap();
                assert_eq!(&positions.slider_attacks(side), expected.as_primitive());
            }
            let maps = positions.attack_maps();
            assert_eq!(&maps, attack_maps(&sets).unwrap().as_struct());
            assert_eq!(&positions.checks(), checks(&sets).unwrap().as_struct());
            let all = random.u16(..) & random.u16(..) & 1;
            let pairs = [(); 12].map(|()| random.u16(..) | all.wrapping_neg());
            let rules = setwise_arrow::rules(|attacker, victim| pairs[attacker] >> victim & 1 == 1);
            check_threats(&positions.threats(&rules), &boards[offset..], pairs);
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

    // Bytes that are not UTF-8.
    let bytes = BinaryArray::from(vec![good.as_bytes(), b"8/\xff"]);
    let error = Positions::read(&bytes, BadFens::Fail).unwrap_err();
    assert!(matches!(&error, Error::Fen { row: 1, text, .. } if text == "8/\u{fffd}"), "{error}");
    assert_eq!(Positions::read(&bytes, BadFens::Null).unwrap().nulls().unwrap().null_count(), 1);

    let error = Positions::read(&Int32Array::from(vec![1]), BadFens::Null).unwrap_err();
    assert_eq!(error.to_string(), "`fens` must be strings, or bytes that are text, found Int32");
    // A value of a dictionary is bad only in the rows that have it, and null if it is null.
    let values = Arc::new(StringArray::from(vec![Some("8/8"), Some(good), None]));
    let keys = Int16Array::from(vec![Some(1), None, Some(2)]);
    let dictionary = DictionaryArray::<Int16Type>::new(keys, values);
    let positions = Positions::read(&dictionary, BadFens::Fail).unwrap();
    assert_eq!(positions.occupied(), UInt64Array::from(vec![Some(0x81), None, None]));
    // The strings of all rows have more bytes than a column of strings can hold.
    let values = Arc::new(StringArray::from(vec!["x".repeat(300_000)]));
    let dictionary = DictionaryArray::<Int16Type>::new(Int16Array::from(vec![0_i16; 8192]), values);
    let error = Positions::read(&dictionary, BadFens::Null).unwrap_err();
    assert!(matches!(error, Error::Dictionary { .. }), "{error}");
}
