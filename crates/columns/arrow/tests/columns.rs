//! Every operation of the list on columns: against the crate called directly, and a sample of the rows against the oracle, which walks
//! square by square.
#![allow(missing_docs)]

#[allow(unused_imports)]
#[path = "../../../measure/src/oracle.rs"]
mod oracle;
#[allow(dead_code, unreachable_pub)]
#[path = "../../../../tests/oracle/position.rs"]
mod position;
#[allow(dead_code)]
#[path = "../../../measure/src/walk.rs"]
mod walk;

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, StructArray, UInt8Array, UInt64Array};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType, Field};
use fastrand::Rng;
use oracle::Steps;
use setwise::{Direction, Line, Square};
use setwise_arrow::{
    Argument, Error, Kind, OPERATIONS, Operation, Sets, Squares, position_fields, queen_attacks,
    rook_attacks_from,
};

/// An array that is a slice of a longer one, and what is in it.
struct Column<A, T> {
    array: A,
    values: Vec<T>,
}

/// No nulls, nulls, or a null buffer without any.
fn nulls(random: &mut Rng, rows: usize) -> Option<NullBuffer> {
    match random.u8(..3) {
        0 => None,
        1 => Some((0..rows).map(|_| random.u8(..4) > 0).collect()),
        _ => Some(NullBuffer::new_valid(rows)),
    }
}

fn sets(random: &mut Rng, rows: usize) -> Column<UInt64Array, u64> {
    let offset = random.usize(..70);
    let all: Vec<u64> = (0..rows + offset + 3)
        .map(|_| match random.u8(..4) {
            0 => random.u64(..),
            1 => random.u64(..) & random.u64(..) & random.u64(..),
            2 => 1 << random.u8(..64),
            _ => *random.choice(&[0, !0, 1, 1 << 63]).unwrap(),
        })
        .collect();
    let nulls = nulls(random, all.len());
    let array = UInt64Array::new(all.clone().into(), nulls).slice(offset, rows);
    Column {
        array,
        values: all[offset..offset + rows].to_vec(),
    }
}

fn squares(random: &mut Rng, rows: usize) -> Column<UInt8Array, Square> {
    let offset = random.usize(..70);
    let mut all: Vec<u8> = (0..rows + offset + 3).map(|_| random.u8(..64)).collect();
    let values = all[offset..offset + rows].iter();
    let values = values.map(|&n| Square::new(n).unwrap()).collect();
    let nulls = nulls(random, all.len());
    for (row, number) in all.iter_mut().enumerate() {
        // What is null, or not in the slice, is no square.
        if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) || row < offset {
            *number = random.u8(64..);
        }
    }
    let array = UInt8Array::new(all.into(), nulls).slice(offset, rows);
    Column { array, values }
}

macro_rules! column {
    (u64) => {
        sets
    };
    (Square) => {
        squares
    };
}

trait Number {
    fn number(self) -> u64;
}

impl Number for u64 {
    fn number(self) -> u64 {
        self
    }
}

impl Number for Square {
    fn number(self) -> u64 {
        self.index() as u64
    }
}

/// The rows of each column of a result.
fn rows_of(array: &dyn Array) -> Vec<Vec<Option<u64>>> {
    match array.data_type() {
        DataType::UInt64 => vec![array.as_primitive::<UInt64Type>().iter().collect()],
        DataType::UInt32 => {
            let counts = array.as_primitive::<UInt32Type>().iter();
            vec![counts.map(|count| count.map(u64::from)).collect()]
        }
        DataType::Struct(_) => {
            let array = array.as_struct();
            for field in array.columns() {
                assert_eq!(field.nulls(), array.nulls(), "a field knows the nulls");
            }
            array
                .columns()
                .iter()
                .flat_map(|field| rows_of(field))
                .collect()
        }
        other => panic!("{other}"),
    }
}

macro_rules! tests {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$index:ident: $Index:ident])? ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*) = $body:ident;
    )* })*) => {
        mod operation {
            use super::*;
            $($(test! { $group $name [$($index: $Index)?] ($($input: $In),*) ($($output: $Out),*) })*)*
        }

        /// The list has no operation that is not tested here.
        #[test]
        fn all_are_in_the_catalogue() {
            let list: &[(&str, &str)] = &[$($((stringify!($group), stringify!($name))),*),*];
            let names = list.iter().filter(|(group, _)| *group != "one").map(|(_, name)| *name);
            assert!(names.eq(OPERATIONS.iter().map(Operation::name)));
        }
    };
}

macro_rules! test {
    (one $($rest:tt)*) => {};
    // Below.
    (positions $($rest:tt)*) => {};
    ($group:ident $name:ident [$($index:ident: $Index:ident)?] ($($input:ident: $In:ident),*) ($($output:ident: $Out:ident),*)) => {
        #[test]
        #[allow(unused_parens, reason = "one result is no tuple")]
        fn $name() {
            let mut random = Rng::with_seed(stringify!($name).len() as u64);
            for rows in [0, 1, 2, 7, 63, 64, 65, 1000, 4097] {
                for _ in 0..4 {
                    $(let $input = column!($In)(&mut random, rows);)*
                    let check = |$($index: $Index)?| {
                        $(let mut $output = vec![0; rows];)*
                        setwise::$name($($index,)? $(&$input.values,)* $(&mut $output),*);
                        let result = setwise_arrow::$name($($index,)? $(&$input.array),*).unwrap();
                        let result = rows_of(&result);
                        let expected = [$($output.iter().map(|&value: &$Out| u64::from(value)).collect::<Vec<_>>()),*];
                        assert_eq!(result.len(), expected.len());
                        for row in 0..rows {
                            let is_null = [$($input.array.is_null(row)),*].contains(&true);
                            for (result, expected) in result.iter().zip(&expected) {
                                assert_eq!(result[row], (!is_null).then_some(expected[row]), "row {row}");
                            }
                            if row % 64 == 0 {
                                let ($($output),*) = oracle::$name($(&$index.steps(),)? $($input.values[row].number()),*);
                                assert_eq!(expected.each_ref().map(|column| column[row]), [$($output),*], "row {row}");
                            }
                        }
                    };
                    test!(@all check $($Index)?);
                }
            }
        }
    };
    (@all $check:ident) => { $check() };
    (@all $check:ident $Index:ident) => { $Index::ALL.into_iter().for_each($check) };
}

setwise::operations!(all tests);

/// Positions whose twelve sets are disjoint, but for some that no board has.
fn positions(random: &mut Rng, rows: usize) -> (StructArray, Vec<position::Pieces>) {
    let mut all = vec![[[0_u64; 6]; 2]; rows + 5];
    for pieces in &mut all {
        for square in 0..64 {
            if random.u8(..100) < 30 {
                pieces[random.usize(..2)][random.usize(..6)] |= 1 << square;
            }
        }
    }
    let columns = (0..12).map(|kind| {
        let sets: Vec<u64> = all
            .iter()
            .map(|pieces| pieces[kind / 6][kind % 6])
            .collect();
        let nulls = if kind == 3 {
            nulls(random, all.len())
        } else {
            None
        };
        Arc::new(UInt64Array::new(sets.into(), nulls)) as ArrayRef
    });
    let columns = columns.collect();
    let nulls = nulls(random, all.len());
    let array = StructArray::new(position_fields(), columns, nulls);
    (array.slice(5, rows), all[5..].to_vec())
}

#[test]
fn whole_positions() {
    let mut random = Rng::with_seed(1);
    for rows in [0, 1, 255, 256, 257, 1000] {
        let (array, pieces) = positions(&mut random, rows);
        let maps = setwise_arrow::attack_maps(&array).unwrap();
        let checks = setwise_arrow::checks(&array).unwrap();
        assert_eq!((maps.len(), checks.len()), (rows, rows));
        let names = (maps.column_names(), checks.column_names());
        assert_eq!(
            (names.0[11], names.0[13]),
            ("black_king_attacks", "black_attacks")
        );
        assert_eq!(
            (names.0[14], names.1[2]),
            ("white_threats", "white_king_pinned")
        );
        let (maps, checks) = (rows_of(&maps), rows_of(&checks));
        for (row, pieces) in pieces.iter().enumerate() {
            let is_null = array.is_null(row) || array.column(3).is_null(row);
            let (attacks, all, threats) = position::attack_maps(pieces);
            let expected = attacks.as_flattened().iter().chain(&all).chain(&threats);
            for (column, &expected) in maps.iter().zip(expected) {
                assert_eq!(column[row], (!is_null).then_some(expected));
            }
            let expected = position::checks(pieces);
            for (column, &expected) in checks.iter().zip(expected.as_flattened()) {
                assert_eq!(column[row], (!is_null).then_some(expected));
            }
        }
    }
}

/// Whichever arguments are constants: as if each were a column of that value.
#[test]
fn constants_are_columns_of_one_value() {
    let mut random = Rng::with_seed(2);
    for operation in OPERATIONS {
        let kinds: Vec<Kind> = operation
            .arguments()
            .iter()
            .map(|argument| argument.1)
            .collect();
        if kinds == [Kind::Positions] {
            continue;
        }
        for rows in [0, 1, 1023, 1024, 1025, 3000] {
            for constant in 0..1 << kinds.len() {
                let is_constant = |n: usize| constant >> n & 1 == 1;
                let set = random.u64(..) & random.u64(..);
                let square = Square::new(random.u8(..64)).unwrap();
                let (all_sets, all_squares) = (
                    UInt64Array::from(vec![set; rows]),
                    UInt8Array::from(vec![square.index() as u8; rows]),
                );
                let (some_sets, some_squares) =
                    (sets(&mut random, rows), squares(&mut random, rows));
                let arguments = |with_constants: bool| -> Vec<Argument> {
                    let kinds = kinds.iter().enumerate();
                    kinds
                        .map(|(n, kind)| match (kind, is_constant(n), with_constants) {
                            (Kind::Direction, ..) => Argument::Direction(Direction::NorthEast),
                            (Kind::Line, ..) => Argument::Line(Line::Diagonal),
                            (Kind::Sets, true, true) => Argument::Sets(set.into()),
                            (Kind::Sets, true, false) => Argument::Sets((&all_sets).into()),
                            (Kind::Sets, false, _) => Argument::Sets((&some_sets.array).into()),
                            (_, true, true) => Argument::Squares(square.into()),
                            (_, true, false) => Argument::Squares((&all_squares).into()),
                            (_, false, _) => Argument::Squares((&some_squares.array).into()),
                        })
                        .collect()
                };
                let result = operation.evaluate(&arguments(true)).unwrap();
                let columns = kinds
                    .iter()
                    .enumerate()
                    .any(|(n, kind)| matches!(kind, Kind::Sets | Kind::Squares) && !is_constant(n));
                assert_eq!(
                    result.len(),
                    if columns { rows } else { 1 },
                    "constants alone are one row"
                );
                assert_eq!(*result.data_type(), operation.output());
                if columns {
                    let expected = operation.evaluate(&arguments(false)).unwrap();
                    assert_eq!(&result, &expected, "{} {constant:b}", operation.name());
                }
            }
        }
    }
}

/// Values are read where they are; one null buffer alone is shared.
#[test]
fn nothing_is_copied() {
    let mut random = Rng::with_seed(3);
    let queens: UInt64Array = (0..5000)
        .map(|_| random.bool().then(|| random.u64(..)))
        .collect();
    let occupied = UInt64Array::from_iter_values((0..5000).map(|_| random.u64(..)));
    let attacks = queen_attacks(&queens, &occupied).unwrap();
    let bitmap = |array: &UInt64Array| array.nulls().unwrap().buffer().as_ptr();
    assert_eq!(bitmap(&attacks), bitmap(&queens));
    let attacks = queen_attacks(&queens, 1).unwrap();
    assert_eq!(bitmap(&attacks), bitmap(&queens));
    // The same buffer twice is one.
    let attacks = queen_attacks(&queens, &attacks).unwrap();
    assert_eq!(bitmap(&attacks), bitmap(&queens));
    assert!(
        queen_attacks(&occupied, &occupied)
            .unwrap()
            .nulls()
            .is_none()
    );
}

#[test]
fn errors_name_the_argument_and_the_row() {
    let (two, three) = (UInt64Array::from(vec![1; 2]), UInt64Array::from(vec![1; 3]));
    let error = queen_attacks(&two, &three).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`queens` has 2 rows, but `occupied` 3: all columns must have the same length"
    );
    assert_eq!(
        ArrowError::from(error).to_string(),
        "Invalid argument error: `queens` has 2 rows, but `occupied` 3: all columns must have the same length"
    );
    let error = setwise_arrow::slider_attacks(0, &two, &three).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("`diagonal` has 2 rows, but `occupied` 3"),
        "{error}"
    );

    let numbers = UInt8Array::from(vec![Some(63), None, Some(64)]);
    let error = rook_attacks_from(&numbers, 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`squares`, row 2: 64 is no square, which are 0 (a1) to 63 (h8)"
    );
    // A row of a slice counts from its beginning.
    let error = setwise_arrow::between(Square::A1, &numbers.slice(1, 2)).unwrap_err();
    assert!(error.to_string().starts_with("`b`, row 1: 64"), "{error}");
    assert!(rook_attacks_from(&numbers.slice(0, 2), 0).is_ok());

    let operation = Operation::by_name("ray_attacks").unwrap();
    let error = operation
        .evaluate(&[Argument::Sets(Sets::Constant(1))])
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`ray_attacks` takes `direction` (Direction), `sliders` (Sets), `occupied` (Sets)"
    );
    let wrong = [
        Argument::Line(Line::Rank),
        Argument::Sets(1.into()),
        Argument::Sets(1.into()),
    ];
    assert!(matches!(
        operation.evaluate(&wrong),
        Err(Error::Argument { .. })
    ));
    let squares = Argument::Squares(Squares::Constant(Square::A1));
    let error = Operation::by_name("queen_attacks")
        .unwrap()
        .evaluate(&[squares, squares]);
    assert!(matches!(error, Err(Error::Argument { .. })));

    let (array, _) = positions(&mut Rng::with_seed(4), 3);
    let (fields, columns, nulls) = array.into_parts();
    let fewer = StructArray::new(
        fields.iter().skip(1).cloned().collect(),
        columns[1..].to_vec(),
        nulls.clone(),
    );
    let error = setwise_arrow::attack_maps(&fewer).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`positions` is a struct without the field `white_pawns`"
    );
    let mut renamed: Vec<_> = fields.iter().cloned().collect();
    let mut columns = columns;
    renamed[11] = Arc::new(Field::new("black_kings", DataType::UInt8, true));
    columns[11] = Arc::new(UInt8Array::from(vec![0; 3]));
    let error =
        setwise_arrow::checks(&StructArray::new(renamed.into(), columns, nulls)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the field `black_kings` of `positions` is a column of UInt8, not of UInt64"
    );
}

#[test]
fn descriptions_are_plain_text() {
    for operation in OPERATIONS {
        let text = operation.description();
        assert!(text.len() > 40, "{text}");
        assert!(!text.contains("]("), "{text}");
        assert!(!text.contains("```") && !text.contains("let "), "{text}");
    }
    let pins = Operation::by_name("pins").unwrap();
    assert!(
        pins.description()
            .starts_with("The pieces pinned to kings, and those that pin them.\n")
    );
    assert_eq!(pins.arguments()[4], ("occupied", Kind::Sets));
    let mobility = Operation::by_name("slider_mobility").unwrap().description();
    assert_eq!(
        mobility,
        "`counts[i]` = how many squares of `targets[i]` are in `slider_attacks` of board `i`."
    );
    assert!(Operation::by_name("rook_attacks_one").is_none());
}
