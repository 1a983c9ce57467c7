//! Kinds of arguments: the SQL types that each takes, and what is made of the values.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt8Type, UInt64Type};
use arrow_array::{Array, ArrayRef, StructArray, UInt8Array, UInt64Array};
use arrow_schema::DataType;
use datafusion_common::{DataFusionError, Result, ScalarValue, exec_err, internal_err};
use datafusion_expr::ColumnarValue;
use setwise_arrow::{Direction, Line, Piece, Sets, Side, Square, Squares, position_fields};

/// The kind of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Sets,
    Squares,
    Positions,
    Direction,
    Line,
    Fen,
    Side,
    Piece,
}

impl From<setwise_arrow::Kind> for Kind {
    fn from(kind: setwise_arrow::Kind) -> Kind {
        match kind {
            setwise_arrow::Kind::Direction => Kind::Direction,
            setwise_arrow::Kind::Line => Kind::Line,
            setwise_arrow::Kind::Squares => Kind::Squares,
            setwise_arrow::Kind::Positions => Kind::Positions,
            _ => Kind::Sets,
        }
    }
}

impl Kind {
    pub(crate) fn description(self) -> &'static str {
        match self {
            Kind::Sets => {
                "a set of squares: UInt64, or Int64, of which the bits are taken as they are"
            }
            Kind::Squares => "a square: a number from 0 (a1) to 63 (h8), or a text such as 'e4'",
            Kind::Positions => {
                "a position: a struct of twelve sets, white_pawns to black_kings, as fen_sets makes it"
            }
            Kind::Direction => "a direction, one for all rows: 'north', 'north_east', and so on",
            Kind::Line => "a line, one for all rows: 'rank', 'file', 'diagonal' or 'antidiagonal'",
            Kind::Fen => "a FEN or EPD text",
            Kind::Side => "a side: 'white' or 'black', 'w' or 'b'",
            Kind::Piece => {
                "a kind of piece, one for all rows: 'pawn', 'knight', 'bishop', 'rook', 'queen' or 'king'"
            }
        }
    }

    /// The type that DataFusion shall make of one; `None` if it is no such argument.
    pub(crate) fn coerced(self, of: &DataType) -> Option<DataType> {
        use DataType as T;
        let of = match of {
            T::Dictionary(_, values) => values,
            other => other,
        };
        let is_text = matches!(of, T::Utf8 | T::LargeUtf8 | T::Utf8View | T::Null);
        match self {
            Kind::Sets => match of {
                T::Int8 | T::Int16 | T::Int32 | T::Int64 => Some(T::Int64),
                // Where there is no unsigned type, some make a decimal of it.
                T::Decimal128(_, 0) | T::Null => Some(T::UInt64),
                other => other.is_unsigned_integer().then_some(T::UInt64),
            },
            Kind::Squares if of.is_integer() || *of == T::Null => Some(T::UInt8),
            Kind::Positions => {
                let T::Struct(fields) = of else {
                    return None;
                };
                let has = |name| {
                    let field = fields.iter().find(|field| field.name() == name);
                    field.is_some_and(|field| *field.data_type() == T::UInt64)
                };
                position_fields()
                    .iter()
                    .all(|field| has(field.name()))
                    .then(|| of.clone())
            }
            Kind::Fen if is_text && *of != T::Null => Some(of.clone()),
            _ => is_text.then_some(T::Utf8),
        }
    }
}

/// What an operation reads from, which [`sets`](Owned::argument) lends.
pub(crate) enum Owned {
    Sets(UInt64Array),
    Set(u64),
    Squares(UInt8Array),
    Square(Square),
    Positions(StructArray),
    Direction(Direction),
    Line(Line),
}

impl Owned {
    pub(crate) fn new(kind: Kind, value: &ColumnarValue, rows: usize) -> Result<Owned> {
        Ok(match (kind, value) {
            (Kind::Sets, ColumnarValue::Scalar(ScalarValue::UInt64(Some(set)))) => Owned::Set(*set),
            (Kind::Sets, ColumnarValue::Scalar(ScalarValue::Int64(Some(set)))) => {
                Owned::Set(set.cast_unsigned())
            }
            (Kind::Sets, ColumnarValue::Array(sets)) => Owned::Sets(unsigned(sets)?),
            (Kind::Squares, ColumnarValue::Scalar(ScalarValue::UInt8(Some(square)))) => {
                match Square::new(*square) {
                    Some(square) => Owned::Square(square),
                    None => return exec_err!("{square} is no square, which are 0 (a1) to 63 (h8)"),
                }
            }
            (Kind::Squares, ColumnarValue::Scalar(value)) => {
                Owned::Square(square(constant(value)?)?)
            }
            (Kind::Squares, ColumnarValue::Array(squares)) => Owned::Squares(numbers(squares)?),
            (Kind::Positions, value) => Owned::Positions(value.to_array(rows)?.as_struct().clone()),
            (Kind::Direction, ColumnarValue::Scalar(value)) => {
                Owned::Direction(named("direction", constant(value)?, &Direction::ALL)?)
            }
            (Kind::Line, ColumnarValue::Scalar(value)) => {
                Owned::Line(named("line", constant(value)?, &Line::ALL)?)
            }
            (Kind::Direction | Kind::Line, ColumnarValue::Array(_)) => {
                return exec_err!(
                    "an argument that is {} must be a constant",
                    kind.description()
                );
            }
            _ => return internal_err!("{kind:?} is no argument of an operation"),
        })
    }

    pub(crate) fn argument(&self) -> setwise_arrow::Argument<'_> {
        use setwise_arrow::Argument;
        match self {
            Owned::Sets(column) => Argument::Sets(Sets::Column(column)),
            Owned::Set(set) => Argument::Sets(Sets::Constant(*set)),
            Owned::Squares(column) => Argument::Squares(Squares::Column(column)),
            Owned::Square(square) => Argument::Squares(Squares::Constant(*square)),
            Owned::Positions(positions) => Argument::Positions(positions),
            Owned::Direction(direction) => Argument::Direction(*direction),
            Owned::Line(line) => Argument::Line(*line),
        }
    }
}

/// The bits of 64-bit integers, where they are.
pub(crate) fn unsigned(sets: &ArrayRef) -> Result<UInt64Array> {
    match sets.data_type() {
        DataType::UInt64 => Ok(sets.as_primitive::<UInt64Type>().clone()),
        DataType::Int64 => {
            let bits = sets.as_primitive::<Int64Type>().values().inner().clone();
            Ok(UInt64Array::new(bits.into(), sets.nulls().cloned()))
        }
        other => internal_err!("a set was not coerced: {other}"),
    }
}

/// Squares as numbers.
fn numbers(squares: &ArrayRef) -> Result<UInt8Array> {
    if let Some(numbers) = squares.as_primitive_opt::<UInt8Type>() {
        return Ok(numbers.clone());
    }
    let names = squares.as_string::<i32>().iter();
    let numbers = names.map(|name| match name {
        Some(name) => square(name).map(|square| Some(square.index() as u8)),
        None => Ok(None),
    });
    numbers.collect()
}

fn square(name: &str) -> Result<Square> {
    name.parse()
        .map_err(|_| DataFusionError::Execution(format!("`{}` is no square", shown(name))))
}

/// The text of a constant that was coerced to one.
pub(crate) fn constant(value: &ScalarValue) -> Result<&str> {
    match value {
        ScalarValue::Utf8(Some(text)) => Ok(text),
        other => internal_err!("a text was not coerced: {other:?}"),
    }
}

/// One of some values by its name, whatever the case and what stands between its words.
fn named<T: std::fmt::Debug + Copy>(what: &str, name: &str, all: &[T]) -> Result<T> {
    let plain = |name: &str| -> String {
        let letters = name.chars().filter(|letter| letter.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let wanted = plain(name);
    let found = all
        .iter()
        .find(|value| plain(&format!("{value:?}")) == wanted);
    found.copied().ok_or_else(|| {
        let all: Vec<String> = all
            .iter()
            .map(|value| format!("{value:?}").to_lowercase())
            .collect();
        let (name, all) = (shown(name), all.join(", "));
        DataFusionError::Execution(format!("`{name}` is no {what}: they are {all}"))
    })
}

pub(crate) fn piece(value: &ColumnarValue) -> Result<Piece> {
    match value {
        ColumnarValue::Scalar(value) => named("kind of piece", constant(value)?, &Piece::ALL),
        ColumnarValue::Array(_) => exec_err!("a kind of piece must be a constant"),
    }
}

pub(crate) fn side(name: &str) -> Result<Side> {
    match name {
        "w" => Ok(Side::White),
        "b" => Ok(Side::Black),
        _ => named("side", name, &Side::BOTH),
    }
}

/// A text as messages show it.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 100;
    let mut shown: String = text
        .chars()
        .take(LONGEST)
        .flat_map(char::escape_debug)
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        shown += "...";
    }
    shown
}

/// An array as an `ArrayRef`.
pub(crate) fn array(array: impl Array + 'static) -> ArrayRef {
    Arc::new(array)
}
