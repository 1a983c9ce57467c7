//! Evaluates operations on Arrow arrays, as the SQL functions do, and reads arrays of FENs. The
//! arguments have arbitrary nulls and offsets, and some have a wrong type or length. Results must
//! equal those of the oracle. An error is allowed only if an argument is invalid.
//!
//! Input: one byte that selects an operation or FENs. For an operation, a byte with the number of
//! rows follows, then words. Each argument takes one word that describes it ([`Made::new`]), then
//! the words of its elements and nulls. For FENs, a byte of flags follows ([`check_fens`]), then
//! lines.
#![no_main]

use std::sync::{Arc, LazyLock};

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, Datum, LargeStringArray, Scalar, StringArray, StringViewArray, StructArray,
    UInt8Array, UInt64Array,
};
use arrow_buffer::NullBuffer;
use libfuzzer_sys::{Corpus, fuzz_target};
use setwise::reflection::Element;
use setwise_arrow::{BadFens, Positions, Side, evaluate, output_type, position_fields};
use setwise_check::Operation;
use setwise_positions::Fen;
use words::words;

mod words;

/// Maximum number of rows: more than three blocks of attack maps, which have 64 rows each.
const LONGEST: usize = 200;

/// All operations that take columns.
static OPERATIONS: LazyLock<Vec<Operation>> =
    LazyLock::new(|| Operation::all().filter(|operation| !operation.info.by_value()).collect());

fuzz_target!(|data: &[u8]| -> Corpus {
    let [which, how, rest @ ..] = data else {
        return Corpus::Reject;
    };
    match OPERATIONS.get(usize::from(*which) % (OPERATIONS.len() + 1)) {
        Some(operation) => check(operation, usize::from(*how) % (LONGEST + 1), words(rest)),
        None => check_fens(*how, rest),
    }
    Corpus::Keep
});

/// An argument made from the input.
struct Made {
    array: ArrayRef,
    is_scalar: bool,
    /// Whether the type is wrong, or a square that is not null is above 63.
    is_invalid: bool,
}

impl Made {
    /// Makes an argument. The bits of the first word:
    ///
    /// - 0-1: 1 if some rows are null
    /// - 2-4: 7 if the argument is a scalar
    /// - 5-8: 15 if the type is wrong, 14 if the length is wrong
    /// - 9-12: the offset in a longer array
    /// - 13: 1 if one field of a column of positions has null rows
    fn new(element: Element, rows: usize, words: &mut impl FnMut() -> u64) -> Made {
        let how = words();
        let is_scalar = how >> 2 & 7 == 7;
        let length = match how >> 5 & 15 {
            _ if is_scalar => 1,
            14 => rows + 1,
            _ => rows,
        };
        let offset = (how >> 9 & 15) as usize;
        let all = offset + length;
        let nulls = |is_wanted: bool, words: &mut dyn FnMut() -> u64| -> Option<NullBuffer> {
            is_wanted.then(|| (0..all).map(|_| words() % 4 > 0).collect())
        };
        let has_nulls = how & 3 == 1;
        let sets = |nulls, words: &mut dyn FnMut() -> u64| {
            let sets: Vec<u64> = (0..all).map(|_| words()).collect();
            Arc::new(UInt64Array::new(sets.into(), nulls)) as ArrayRef
        };
        let array: ArrayRef = match element {
            _ if how >> 5 & 15 == 15 => Arc::new(StringArray::from(vec!["1"; all])),
            Element::Square => {
                // Only one number in 256 can be above 63.
                let square = |word: u64| (word as u8) & if word >> 8 & 255 == 0 { 255 } else { 63 };
                let squares: Vec<u8> = (0..all).map(|_| square(words())).collect();
                Arc::new(UInt8Array::new(squares.into(), nulls(has_nulls, words)))
            }
            Element::Position => {
                let fields = (0..12).map(|field| {
                    let nulls = nulls(field == 5 && how >> 13 & 1 == 1, words);
                    sets(nulls, words)
                });
                let fields = fields.collect();
                Arc::new(StructArray::new(position_fields(), fields, nulls(has_nulls, words)))
            }
            _ => sets(nulls(has_nulls, words), words),
        };
        let array = array.slice(offset, length);
        let is_invalid = match array.as_primitive_opt::<UInt8Type>() {
            Some(squares) => squares.iter().flatten().any(|square| square > 63),
            None => how >> 5 & 15 == 15,
        };
        Made { array, is_scalar, is_invalid }
    }

    fn row(&self, row: usize) -> usize {
        if self.is_scalar { 0 } else { row }
    }

    fn is_null(&self, row: usize) -> bool {
        let row = self.row(row);
        let fields = self.array.as_struct_opt().map_or(&[][..], StructArray::columns);
        self.array.is_null(row) || fields.iter().any(|field| field.is_null(row))
    }
}

fn check(operation: &Operation, rows: usize, mut words: impl FnMut() -> u64) {
    let inputs = operation.info.inputs().iter();
    let made: Vec<Made> =
        inputs.map(|input| Made::new(input.element(), rows, &mut words)).collect();
    let datums = made.iter().map(|made| -> Box<dyn Datum> {
        let array = Arc::clone(&made.array);
        if made.is_scalar { Box::new(Scalar::new(array)) } else { Box::new(array) }
    });
    let datums: Vec<Box<dyn Datum>> = datums.collect();
    let datums: Vec<&dyn Datum> = datums.iter().map(|datum| &**datum).collect();
    let title = operation.title();

    let mut lengths = made.iter().filter(|made| !made.is_scalar).map(|made| made.array.len());
    let rows = lengths.next().unwrap_or(1);
    let is_wrong = lengths.any(|length| length != rows) || made.iter().any(|made| made.is_invalid);
    let result = match evaluate(operation.info, operation.parameter, &datums) {
        Ok(result) => result,
        Err(error) => {
            assert!(is_wrong, "{title}: {error}");
            return;
        }
    };
    assert!(!is_wrong, "{title}: no error");
    assert_eq!((result.len(), result.data_type()), (rows, &output_type(operation.info)));
    let columns = columns(&result);
    for row in 0..rows {
        let is_null = made.iter().any(|made| made.is_null(row));
        assert!(columns.iter().all(|column| column.is_null(row) == is_null), "{title}, row {row}");
        if is_null {
            continue;
        }
        let words = |made: &Made| values(&self::columns(&made.array), made.row(row));
        let inputs: Vec<u64> = made.iter().flat_map(words).collect();
        let expected = operation.oracle(&inputs);
        assert_eq!(values(&columns, row), expected, "{title}, row {row}: {inputs:#x?}");
    }
}

/// The column itself, or the fields of a struct column. Fields that are structs are replaced by
/// their own fields.
fn columns(array: &ArrayRef) -> Vec<ArrayRef> {
    match array.as_struct_opt() {
        Some(fields) => fields.columns().iter().flat_map(columns).collect(),
        None => vec![Arc::clone(array)],
    }
}

/// The values of a row, from columns of sets, squares or counts.
fn values(columns: &[ArrayRef], row: usize) -> Vec<u64> {
    let value = |column: &ArrayRef| {
        let sets = column.as_primitive_opt::<UInt64Type>().map(|sets| sets.value(row));
        let squares = column.as_primitive_opt::<UInt8Type>().map(|squares| squares.value(row));
        let counts = column.as_primitive_opt::<UInt32Type>().map(|counts| counts.value(row));
        sets.or(squares.map(u64::from)).or(counts.map(u64::from)).expect("numbers")
    };
    columns.iter().map(value).collect()
}

/// Reads an array of FENs. Bits 0 and 1 of `how` select the array's type: one of three string
/// types, or a wrong type. With bit 2, empty lines are null.
fn check_fens(how: u8, text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    let line = |line| (how & 4 == 0 || line != "").then_some(line);
    let lines: Vec<Option<&str>> = text.lines().map(line).collect();
    let array: ArrayRef = match how % 4 {
        0 => Arc::new(StringArray::from(lines.clone())),
        1 => Arc::new(LargeStringArray::from(lines.clone())),
        2 => Arc::new(StringViewArray::from(lines.clone())),
        _ => Arc::new(UInt64Array::from(vec![0; lines.len()])),
    };
    let positions = Positions::read(&array, BadFens::Null);
    assert_eq!(positions.is_ok(), how % 4 < 3);
    let Ok(positions) = positions else {
        return;
    };
    let fens = lines.iter().map(|line| Fen::parse((*line)?.as_bytes()).ok());
    let fens: Vec<Option<Fen>> = fens.collect();
    let is_bad = fens.iter().zip(&lines).any(|(fen, line)| fen.is_none() && line.is_some());
    assert_eq!(Positions::read(&array, BadFens::Fail).is_err(), is_bad);
    let occupied = fens.iter().map(|fen| fen.as_ref().map(|fen| fen.placement().occupied()));
    assert!(positions.occupied().iter().eq(occupied));
    let white = setwise_positions::Side::White;
    let to_move = fens.iter().map(|fen| fen.as_ref()?.side().map(|side| side == white));
    assert!(positions.white_to_move().iter().eq(to_move));
    let attacks = positions.attack_maps();
    let by_sliders = positions.slider_attacks(Side::Black);
    assert_eq!((attacks.nulls(), by_sliders.nulls()), (positions.nulls(), positions.nulls()));
}
