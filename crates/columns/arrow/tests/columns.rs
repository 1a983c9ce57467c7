//! Tests of every operation on columns against the oracle.
#![allow(missing_docs)]

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, Datum, DictionaryArray, Int8Array, Scalar, StructArray, UInt8Array,
    UInt64Array,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType, Field};
use fastrand::Rng;
use setwise::reflection::{Element, OperationInfo};
use setwise_arrow::{
    Direction, Error, Side, evaluate, output_type, position_fields, queen_attacks,
    rook_attacks_from,
};
use setwise_check::{Case, Column, Operation, Results, compare};

/// The batch operations, with every value of their parameters.
fn operations() -> impl Iterator<Item = Operation> {
    Operation::all().filter(|operation| !operation.info.by_value())
}

/// A random choice: no null buffer, a null buffer with nulls, or a null buffer without nulls.
fn nulls(random: &mut Rng, rows: usize) -> Option<NullBuffer> {
    match random.u8(..3) {
        0 => None,
        1 => Some((0..rows).map(|_| random.u8(..4) > 0).collect()),
        _ => Some(NullBuffer::new_valid(rows)),
    }
}

/// An operation's inputs as arrays. `nulls` returns the null buffer for each.
fn arrays(
    operation: &Operation,
    cases: &[Case],
    mut nulls: impl FnMut() -> Option<NullBuffer>,
) -> Vec<ArrayRef> {
    let inputs = operation.info.inputs().iter();
    let columns = operation.columns(cases);
    let arrays = inputs.zip(&columns).map(|(input, column)| {
        let element = input.element();
        let words = |row| {
            let mut words = vec![];
            Column::get(column.bytes(), element, row, &mut words);
            words
        };
        let words: Vec<Vec<u64>> = (0..cases.len()).map(words).collect();
        let sets = |field: usize, nulls| {
            let sets: Vec<u64> = words.iter().map(|words| words[field]).collect();
            Arc::new(UInt64Array::new(sets.into(), nulls)) as ArrayRef
        };
        match element {
            Element::Set => sets(0, nulls()),
            Element::Square => {
                let nulls = nulls();
                let is_null = |row| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
                // Null rows may hold any number.
                let square = |row: usize| {
                    if is_null(row) { 200 } else { words[row][0] as u8 }
                };
                let squares: Vec<u8> = (0..cases.len()).map(square).collect();
                Arc::new(UInt8Array::new(squares.into(), nulls)) as ArrayRef
            }
            Element::Position => {
                let fields = (0..12).map(|field| {
                    let nulls = if field == 3 { nulls() } else { None };
                    sets(field, nulls)
                });
                let fields = fields.collect();
                Arc::new(StructArray::new(position_fields(), fields, nulls()))
            }
            other => panic!("no columns of {other:?}"),
        }
    });
    arrays.collect()
}

fn is_null(array: &dyn Array, row: usize) -> bool {
    let fields = array.as_struct_opt().map_or(&[][..], StructArray::columns);
    array.is_null(row) || fields.iter().any(|field| field.is_null(row))
}

/// The values of each column of a result.
fn values(result: &dyn Array) -> Vec<Vec<Option<u64>>> {
    match result.data_type() {
        DataType::UInt64 => vec![result.as_primitive::<UInt64Type>().iter().collect()],
        DataType::UInt32 => {
            let counts = result.as_primitive::<UInt32Type>().iter();
            vec![counts.map(|count| count.map(u64::from)).collect()]
        }
        DataType::Struct(_) => {
            let fields = result.as_struct().columns().iter();
            let columns = fields.map(|field| {
                assert_eq!(field.nulls(), result.nulls(), "fields have the struct's nulls");
                values(field)
            });
            columns.flatten().collect()
        }
        other => panic!("a result of {other}"),
    }
}

fn as_datums(arrays: &[ArrayRef]) -> Vec<&dyn Datum> {
    arrays.iter().map(|array| array as &dyn Datum).collect()
}

/// Evaluates an operation, and checks the nulls and values of the result.
fn check(operation: &Operation, cases: &[Case], inputs: &[ArrayRef]) {
    let result = evaluate(operation.info, operation.parameter, &as_datums(inputs)).unwrap();
    assert_eq!(*result.data_type(), output_type(operation.info));
    assert_eq!(result.len(), cases.len());
    let columns = values(&result);
    let is_null = |row| inputs.iter().any(|input| is_null(input, row));
    let (null, valid): (Vec<usize>, Vec<usize>) = (0..cases.len()).partition(|&row| is_null(row));
    for column in &columns {
        assert!(null.iter().all(|&row| column[row].is_none()));
    }

    let mut columns = &columns[..];
    let outputs = operation.info.outputs().iter().map(|output| {
        let fields = columns.split_off(..output.element().words()).unwrap();
        let row = |&row: &usize| fields.iter().map(move |column| column[row].expect("no null"));
        let words: Vec<u64> = valid.iter().flat_map(row).collect();
        Column::new(output.element(), words)
    });
    let outputs: Vec<Column> = outputs.collect();
    assert!(columns.is_empty());
    let cases: Vec<Case> = valid.iter().map(|&row| cases[row]).collect();
    let expected = Results::new(operation, cases.iter().copied());
    compare(operation, &cases, &outputs, &expected, |row| row)
        .unwrap_or_else(|mismatch| panic!("{}: {mismatch}", operation.title()));
}

/// Tests every operation. The inputs are slices of longer arrays.
#[test]
fn every_operation() {
    let mut random = Rng::with_seed(1);
    for operation in operations() {
        for rows in [0, 1, 2, 7, 63, 64, 65, 1000, 4097] {
            let offset = random.usize(..70);
            let all = rows + offset + 3;
            let cases: Vec<Case> = (0..all).map(|_| Case::random(&mut || random.u64(..))).collect();
            let inputs = arrays(&operation, &cases, || nulls(&mut random, all));
            let inputs: Vec<ArrayRef> =
                inputs.iter().map(|array| array.slice(offset, rows)).collect();
            check(&operation, &cases[offset..][..rows], &inputs);
        }
    }
}

/// A scalar gives the same result as a column that repeats its value.
#[test]
fn scalars() {
    let mut random = Rng::with_seed(2);
    for operation in operations() {
        let inputs = operation.info.inputs().len();
        let evaluate = |arguments: &[&dyn Datum]| {
            evaluate(operation.info, operation.parameter, arguments).unwrap()
        };
        for rows in [0, 1, 1023, 1024, 1025, 3000] {
            let constant = Case::random(&mut || random.u64(..));
            let cases: Vec<Case> =
                (0..rows).map(|_| Case::random(&mut || random.u64(..))).collect();
            let columns = arrays(&operation, &cases, || nulls(&mut random, rows));
            let repeated = arrays(&operation, &vec![constant; rows], || None);
            let single = arrays(&operation, &[constant], || None);
            let scalars: Vec<_> = single.iter().cloned().map(Scalar::new).collect();
            for chosen in 1..1_u32 << inputs {
                let (mut arguments, mut expected) = (as_datums(&columns), as_datums(&columns));
                for n in (0..inputs).filter(|n| chosen >> n & 1 == 1) {
                    (arguments[n], expected[n]) = (&scalars[n], &repeated[n]);
                }
                if chosen == (1 << inputs) - 1 {
                    expected = as_datums(&single);
                }
                let (result, expected) = (evaluate(&arguments), evaluate(&expected));
                assert_eq!(&result, &expected, "{} {chosen:b}", operation.title());
            }
        }
    }
}

#[test]
fn a_null_scalar_makes_every_row_null() {
    let set = Scalar::new(UInt64Array::from(vec![None]));
    let column = UInt64Array::from(vec![1, 2]);
    for name in ["queen_attacks", "slider_attacks_split", "rook_mobility"] {
        let operation = OperationInfo::by_name(name).unwrap();
        let mut arguments: Vec<&dyn Datum> = vec![&column; operation.inputs().len()];
        arguments[1] = &set;
        let result = evaluate(operation, 0, &arguments).unwrap();
        assert_eq!((result.len(), result.null_count()), (2, 2));
        assert_eq!(*result.data_type(), output_type(operation));
    }
}

#[test]
fn functions() {
    let sets = UInt64Array::from(vec![Some(1), None]);
    let set = UInt64Array::new_scalar;
    let north = setwise_arrow::ray_attacks(Direction::North, &sets, &set(1 << 16)).unwrap();
    assert_eq!(north.as_primitive(), &UInt64Array::from(vec![Some(1 << 8 | 1 << 16), None]));
    let pawns = setwise_arrow::pawn_attacks(Side::Black, &set(1 << 48)).unwrap();
    assert_eq!(pawns.as_primitive(), &UInt64Array::from(vec![1 << 41]));
    let split = setwise_arrow::slider_attacks_split(&sets, &set(4), &set(0)).unwrap();
    assert_eq!(split.as_struct().column_names(), ["orthogonal_attacks", "diagonal_attacks"]);
}

/// A dictionary of sets or squares gives the result of its rows, whatever its keys and nulls.
#[test]
fn dictionaries() {
    let keys = Int8Array::from(vec![Some(1), Some(0), None, Some(2), Some(1)]);
    let sets: ArrayRef = Arc::new(UInt64Array::from(vec![Some(1), Some(1 << 27), None]));
    let rows = UInt64Array::from(vec![Some(1 << 27), Some(1), None, None, Some(1 << 27)]);
    let dictionary = DictionaryArray::new(keys.clone(), sets);
    let queens = OperationInfo::by_name("queen_attacks").unwrap();
    let result = evaluate(queens, 0, &[&dictionary, &dictionary]).unwrap();
    assert_eq!(&result, &queen_attacks(&rows, &rows).unwrap());
    let scalar = Scalar::new(dictionary.slice(1, 1));
    let result = evaluate(queens, 0, &[&dictionary.slice(2, 3), &scalar]).unwrap();
    let one = UInt64Array::new_scalar(1);
    assert_eq!(&result, &queen_attacks(&rows.slice(2, 3), &one).unwrap());
    let squares = DictionaryArray::new(keys, Arc::new(UInt8Array::from(vec![0, 9, 255])));
    let rooks = OperationInfo::by_name("rook_attacks_from").unwrap();
    assert_message(
        evaluate(rooks, 0, &[&squares, &rows]),
        "`squares`, row 3: 255 is not a square: squares are 0 (a1) to 63 (h8)",
    );
    assert_message(evaluate(queens, 0, &[&squares, &rows]), "`queens` must be UInt64, found UInt8");
}

/// If the arguments have only one null bitmap, the result shares it.
#[test]
fn null_bitmaps_are_shared() {
    let mut random = Rng::with_seed(3);
    let queens: UInt64Array = (0..5000).map(|_| random.bool().then(|| random.u64(..))).collect();
    let occupied = UInt64Array::from_iter_values((0..5000).map(|_| random.u64(..)));
    let bitmap = |array: &dyn Array| array.nulls().unwrap().buffer().as_ptr();
    let first = queen_attacks(&queens, &occupied).unwrap();
    for second in [&UInt64Array::new_scalar(1) as &dyn Datum, &first] {
        let attacks = queen_attacks(&queens, second).unwrap();
        assert_eq!((bitmap(&attacks), bitmap(&first)), (bitmap(&queens), bitmap(&queens)));
    }
    assert!(queen_attacks(&occupied, &occupied).unwrap().nulls().is_none());
}

#[track_caller]
fn assert_message<T: std::fmt::Debug>(result: Result<T, Error>, expected: &str) {
    assert_eq!(result.unwrap_err().to_string(), expected);
}

#[test]
fn errors_name_the_argument_and_the_row() {
    let (two, three) = (UInt64Array::from(vec![1; 2]), UInt64Array::from(vec![1; 3]));
    let numbers = UInt8Array::from(vec![Some(63), None, Some(64)]);
    let (set, square) = (UInt64Array::new_scalar(0), UInt8Array::new_scalar(0));
    let error = queen_attacks(&two, &three).unwrap_err();
    let length = "2 rows, but `occupied` has 3: all columns must have the same length";
    let expected = format!("Invalid argument error: `queens` has {length}");
    assert_eq!(ArrowError::from(error).to_string(), expected);
    let sliders = setwise_arrow::slider_attacks(&set, &two, &three);
    assert_message(sliders, &format!("`diagonal` has {length}"));

    let range = "64 is not a square: squares are 0 (a1) to 63 (h8)";
    let rooks = rook_attacks_from(&numbers, &set);
    assert_message(rooks, &format!("`squares`, row 2: {range}"));
    // Rows of a slice are numbered from the start of the slice.
    let between = setwise_arrow::between(&square, &numbers.slice(1, 2));
    assert_message(between, &format!("`b`, row 1: {range}"));
    assert!(rook_attacks_from(&numbers.slice(0, 2), &set).is_ok());

    let rays = OperationInfo::by_name("ray_attacks").unwrap();
    assert_message(evaluate(rays, 0, &[&two]), "`ray_attacks` must have 2 arguments, found 1");
    let queens = queen_attacks(&two, &numbers.slice(0, 2));
    assert_message(queens, "`occupied` must be UInt64, found UInt8");
    let expected = "`positions` must be a struct of twelve sets, found UInt64";
    assert_message(setwise_arrow::checks(&two), expected);

    let mut columns = vec![Arc::new(three) as ArrayRef; 12];
    let mut fields = position_fields().to_vec();
    let without_pawns = StructArray::new(fields[1..].into(), columns[1..].to_vec(), None);
    assert_message(
        setwise_arrow::attack_maps(&without_pawns),
        "`positions` must have a field `white_pawns`",
    );
    fields[11] = Arc::new(Field::new("black_kings", DataType::UInt8, true));
    columns[11] = Arc::new(numbers);
    assert_message(
        setwise_arrow::checks(&StructArray::new(fields.into(), columns, None)),
        "field `black_kings` of `positions` must be UInt64, found UInt8",
    );
}

#[test]
#[should_panic(expected = "`pawn_attacks`: the parameter must be below 2, found 2")]
fn an_unknown_value_of_a_parameter() {
    let operation = OperationInfo::by_name("pawn_attacks").unwrap();
    let _ = evaluate(operation, 2, &[&UInt64Array::from(vec![1])]);
}
