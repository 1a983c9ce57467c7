//! Functions on texts: FEN and EPD.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, UInt64Array};
use arrow_schema::DataType;
use datafusion_common::{DataFusionError, Result};
use datafusion_expr::ColumnarValue;
use setwise_arrow::{
    BadFens, Error, Positions, Side, attack_maps_fields, checks_fields, position_fields,
};

use crate::function::Function;
use crate::value::{Kind, array, constant, piece, shown, side};

/// What is made of the positions; the values are those of the arguments behind the text.
type Make = fn(&Positions, &[ColumnarValue]) -> Result<ArrayRef>;

/// A function: its name, its arguments behind the text, what it answers, its description.
type Line = (
    &'static str,
    &'static [(&'static str, Kind)],
    DataType,
    &'static str,
    Make,
);

#[allow(clippy::too_many_lines, reason = "a table")]
pub(crate) fn all() -> Vec<Function> {
    use Kind::{Piece, Side};
    let sets = DataType::UInt64;
    let structs = DataType::Struct;
    let functions: [Line; 10] = [
        (
            "fen_sets",
            &[],
            structs(position_fields()),
            "The twelve sets of a position, white_pawns to black_kings. Each field that is asked for may cost a reading of the text: where one or \
             two sets are wanted, ask for them by fen_pieces.",
            |positions, _| Ok(array(positions.sets())),
        ),
        (
            "fen_pieces",
            &[("side", Side), ("piece", Piece)],
            sets.clone(),
            "The pieces of one kind of a side.",
            |positions, values| {
                let piece = piece(&values[1])?;
                of_side(&values[0], |side| positions.pieces(side, piece))
            },
        ),
        (
            "fen_occupied",
            &[],
            sets.clone(),
            "All pieces.",
            |positions, _| Ok(array(positions.occupied())),
        ),
        (
            "fen_side",
            &[("side", Side)],
            sets.clone(),
            "All pieces of a side.",
            |positions, values| of_side(&values[0], |side| positions.side(side)),
        ),
        (
            "fen_orthogonal",
            &[("side", Side)],
            sets.clone(),
            "Rooks and queens of a side.",
            |positions, values| of_side(&values[0], |side| positions.orthogonal(side)),
        ),
        (
            "fen_diagonal",
            &[("side", Side)],
            sets.clone(),
            "Bishops and queens of a side.",
            |positions, values| of_side(&values[0], |side| positions.diagonal(side)),
        ),
        (
            "fen_white_to_move",
            &[],
            DataType::Boolean,
            "Whether white is to move; null where the text does not say it.",
            |positions, _| Ok(array(positions.white_to_move())),
        ),
        (
            "fen_slider_attacks",
            &[("side", Side)],
            sets,
            "What all rooks, bishops and queens of a side attack.",
            |positions, values| of_side(&values[0], |side| positions.slider_attacks(side)),
        ),
        (
            "fen_attack_maps",
            &[],
            structs(attack_maps_fields()),
            "What each side attacks by each kind of piece, and altogether; and which greater pieces it threatens by lesser ones.",
            |positions, _| Ok(array(positions.attack_maps())),
        ),
        (
            "fen_checks",
            &[],
            structs(checks_fields()),
            "Of each king: what gives check to it, what is pinned to it, what pins that.",
            |positions, _| Ok(array(positions.checks())),
        ),
    ];
    let mut all = vec![];
    for (name, others, output, description, make) in functions {
        for (name, bad, what) in [
            (
                name.to_owned(),
                BadFens::Fail,
                "A text that is no position is an error; null is null.",
            ),
            (
                format!("try_{name}"),
                BadFens::Null,
                "Null where the text is no position.",
            ),
        ] {
            let arguments = [("fen", Kind::Fen)]
                .into_iter()
                .chain(others.iter().copied());
            let (arguments, called) = (arguments.collect(), name.clone());
            let description = format!("{description} {what}");
            let function = Function::new(
                name,
                arguments,
                output.clone(),
                &description,
                move |values, rows| make(&read(&called, &values[0], rows, bad)?, &values[1..]),
            );
            all.push(function);
        }
    }
    all
}

fn read(function: &str, fens: &ColumnarValue, rows: usize, bad: BadFens) -> Result<Positions> {
    let fens = fens.to_array(rows)?;
    Positions::read(&fens, bad).map_err(|error| {
        let text = match &error {
            Error::Fen { row, error } => format!("`{}`: {error}", shown(&text(&fens, *row))),
            other => other.to_string(),
        };
        DataFusionError::Execution(format!("{function}: {text}"))
    })
}

fn text(fens: &ArrayRef, row: usize) -> String {
    match fens.data_type() {
        DataType::LargeUtf8 => fens.as_string::<i64>().value(row).to_owned(),
        DataType::Utf8View => fens.as_string_view().value(row).to_owned(),
        _ => fens.as_string::<i32>().value(row).to_owned(),
    }
}

/// The sets of a side, which may be another in each row.
fn of_side(sides: &ColumnarValue, sets: impl Fn(Side) -> UInt64Array) -> Result<ArrayRef> {
    let sides = match sides {
        ColumnarValue::Scalar(name) => return Ok(array(sets(side(constant(name)?)?))),
        ColumnarValue::Array(sides) => sides.as_string::<i32>(),
    };
    let (white, black) = (sets(Side::White), sets(Side::Black));
    let rows = sides.iter().enumerate().map(|(row, name)| {
        let of = match name.map(side).transpose()? {
            None => return Ok(None),
            Some(Side::White) => &white,
            Some(Side::Black) => &black,
        };
        Ok(of.is_valid(row).then(|| of.value(row)))
    });
    Ok(array(rows.collect::<Result<UInt64Array>>()?))
}
