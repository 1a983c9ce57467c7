//! Kinds of arguments, the SQL types that each kind accepts, and the conversion of values.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt8Type, UInt64Type};
use arrow_array::{Array, ArrayRef, Datum, Scalar, UInt8Array, UInt64Array};
use arrow_schema::DataType;
use datafusion_common::{Result, ScalarValue, exec_datafusion_err, exec_err, internal_err};
use datafusion_expr::ColumnarValue;
use setwise::reflection::{Element, Parameter};
use setwise::threats::Rules;
use setwise_arrow::{NAMES, Piece, Side, Square, named_rules, position_fields, rules};

/// What an argument holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Set,
    Square,
    Position,
    /// An operation's parameter, with one value for all rows.
    Parameter(Parameter),
    Fen,
    Side,
    /// A kind of piece, the same for all rows.
    Piece,
    /// The pairs of pieces that count as threats, the same for all rows. Optional.
    Pairs,
}

impl From<Element> for Kind {
    fn from(element: Element) -> Kind {
        match element {
            Element::Set => Kind::Set,
            Element::Square => Kind::Square,
            Element::Position => Kind::Position,
            other => panic!("no SQL type for {other:?}"),
        }
    }
}

const PIECES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];

impl Kind {
    /// The words that follow "must be" in error messages.
    pub(crate) fn description(self) -> String {
        match self {
            Kind::Set => "a set of squares: UInt64, or the bits of an Int64".to_owned(),
            Kind::Square => {
                "a square: a number from 0 (a1) to 63 (h8), or a string such as 'e4'".to_owned()
            }
            Kind::Position => "a position: a struct of twelve sets, white_pawns to black_kings, \
                 such as fen_sets returns"
                .to_owned(),
            Kind::Parameter(parameter) => {
                let values = parameter.names().join("', '");
                format!("a constant {}: '{values}'", parameter.name())
            }
            Kind::Fen => "a FEN or EPD: a string, or bytes that are text".to_owned(),
            Kind::Side => "a side: 'white' or 'black', 'w' or 'b'".to_owned(),
            Kind::Piece => {
                format!("a constant kind of piece: '{}'", PIECES.join("', '"))
            }
            Kind::Pairs => format!(
                "a constant set of pairs: '{}', or a list of twelve numbers, of which number \
                 `attacker` has the bit `victim` if the pair counts (optional)",
                NAMES.join("', '")
            ),
        }
    }

    /// The type to which DataFusion casts an argument of this type; `None` if it is not accepted.
    pub(crate) fn coerced(self, whole: &DataType) -> Option<DataType> {
        use DataType as T;
        let given = match whole {
            T::Dictionary(_, values) => values,
            other => other,
        };
        let is_text = matches!(given, T::Utf8 | T::LargeUtf8 | T::Utf8View | T::Null);
        match self {
            Kind::Set => match given {
                T::Int8 | T::Int16 | T::Int32 | T::Int64 => Some(T::Int64),
                // Systems without unsigned types store sets as decimals.
                T::Decimal128(_, 0) | T::Null => Some(T::UInt64),
                other => other.is_unsigned_integer().then_some(T::UInt64),
            },
            Kind::Square if given.is_integer() || *given == T::Null => Some(T::UInt8),
            Kind::Position => {
                let T::Struct(fields) = given else {
                    return None;
                };
                let is_set =
                    |name| fields.find(name).is_some_and(|f| *f.1.data_type() == T::UInt64);
                position_fields().iter().all(|field| is_set(field.name())).then(|| given.clone())
            }
            Kind::Fen if *given != T::Null => {
                let is_binary = matches!(given, T::Binary | T::LargeBinary | T::BinaryView);
                (is_text || is_binary).then(|| whole.clone())
            }
            Kind::Pairs if matches!(given, T::List(_)) => Some(T::new_list(T::Int64, true)),
            _ => is_text.then_some(T::Utf8),
        }
    }
}

/// Converts a value of the coerced type to an input of an operation.
pub(crate) fn datum(element: Element, value: &ColumnarValue) -> Result<Box<dyn Datum>> {
    let convert = |values: ArrayRef| -> Result<ArrayRef> {
        Ok(match element {
            Element::Set => array(unsigned(&values)?),
            Element::Square => array(square_numbers(&values)?),
            _ => values,
        })
    };
    Ok(match value {
        ColumnarValue::Array(values) => Box::new(convert(Arc::clone(values))?),
        ColumnarValue::Scalar(value) => Box::new(Scalar::new(convert(value.to_array()?)?)),
    })
}

/// Reinterprets 64-bit integers as sets, without a copy.
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

fn square_numbers(squares: &ArrayRef) -> Result<UInt8Array> {
    if let Some(numbers) = squares.as_primitive_opt::<UInt8Type>() {
        return Ok(numbers.clone());
    }
    let number = |name: &str| {
        let square = name.parse::<Square>().map(u8::from);
        square.or_else(|_| exec_err!("`{}` is not a square", shown(name)))
    };
    let names = squares.as_string::<i32>().iter();
    names.map(|name| name.map(number).transpose()).collect()
}

/// The index of a parameter's value in its list of names.
pub(crate) fn parameter(kind: Parameter, value: &ColumnarValue) -> Result<u8> {
    let name = constant(kind.name(), value)?;
    match kind {
        Parameter::Side => Ok(side(name)? as u8),
        other => index_of(other.name(), name, other.names()).map(|index| index as u8),
    }
}

pub(crate) fn piece(value: &ColumnarValue) -> Result<Piece> {
    let what = "kind of piece";
    Ok(Piece::ALL[index_of(what, constant(what, value)?, &PIECES)?])
}

/// The pairs that count, by name or as a list: for each attacker, a bit for each victim. Default:
/// every pair.
pub(crate) fn pairs(value: Option<&ColumnarValue>) -> Result<Rules> {
    let what = "set of pairs";
    let name = match value {
        None => NAMES[0],
        Some(ColumnarValue::Scalar(ScalarValue::List(list))) => {
            let numbers = list.value(0);
            let numbers = numbers.as_primitive::<Int64Type>().iter();
            let numbers =
                numbers.map(|number| u16::try_from(number?).ok().filter(|n| *n < 1 << 12));
            let numbers: Option<Vec<u16>> = numbers.collect();
            let pairs = numbers
                .filter(|numbers| numbers.len() == 12)
                .ok_or_else(|| exec_datafusion_err!("a {what} has twelve numbers below 4096"))?;
            return Ok(rules(|attacker, victim| pairs[attacker] >> victim & 1 == 1));
        }
        Some(value) => constant(what, value)?,
    };
    Ok(named_rules(NAMES[index_of(what, name, &NAMES)?]).expect("a name of the list"))
}

pub(crate) fn side(name: &str) -> Result<Side> {
    Ok(match name {
        "w" => Side::White,
        "b" => Side::Black,
        _ => Side::BOTH[index_of("side", name, Parameter::Side.names())?],
    })
}

/// The text of an argument that must be a constant.
pub(crate) fn constant<'a>(what: &str, value: &'a ColumnarValue) -> Result<&'a str> {
    match value {
        ColumnarValue::Scalar(ScalarValue::Utf8(Some(text))) => Ok(text),
        ColumnarValue::Scalar(other) => internal_err!("a {what} was not coerced: {other:?}"),
        ColumnarValue::Array(_) => exec_err!("the {what} must be a constant"),
    }
}

/// Looks a name up, ignoring case and separators.
fn index_of(what: &str, name: &str, names: &[&str]) -> Result<usize> {
    let letters = |name: &str| -> String {
        let letters = name.chars().filter(|letter| letter.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let wanted = letters(name);
    names.iter().position(|name| letters(name) == wanted).ok_or_else(|| {
        let (name, names) = (shown(name), names.join(", "));
        exec_datafusion_err!("`{name}` is not a {what}: use one of {names}")
    })
}

/// Shortens a string for messages, and escapes its control characters.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 100;
    let mut shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown += "...";
    }
    shown
}

/// Wraps an array in an `ArrayRef`.
pub(crate) fn array(array: impl Array + 'static) -> ArrayRef {
    Arc::new(array)
}
