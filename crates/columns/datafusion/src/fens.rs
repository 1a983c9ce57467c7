//! SQL functions on FEN and EPD strings.

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

struct FenFunction {
    name: &'static str,
    /// The arguments after the FEN.
    arguments: &'static [(&'static str, Kind)],
    output: DataType,
    description: &'static str,
    /// Computes the result from the positions and the values of `arguments`.
    compute: fn(&Positions, &[ColumnarValue]) -> Result<ArrayRef>,
}

#[allow(clippy::too_many_lines, reason = "a table")]
fn functions() -> [FenFunction; 10] {
    const SIDE: (&str, Kind) = ("side", Kind::Side);
    [
        FenFunction {
            name: "fen_sets",
            arguments: &[],
            output: DataType::Struct(position_fields()),
            description: "The twelve sets of a position, white_pawns to black_kings. \
                Each field that a query takes may parse the text again; fen_pieces returns one set.",
            compute: |positions, _| Ok(array(positions.sets())),
        },
        FenFunction {
            name: "fen_pieces",
            arguments: &[SIDE, ("piece", Kind::Piece)],
            output: DataType::UInt64,
            description: "The pieces of one kind of a side.",
            compute: |positions, values| {
                let piece = piece(&values[1])?;
                by_side(&values[0], |side| positions.pieces(side, piece))
            },
        },
        FenFunction {
            name: "fen_occupied",
            arguments: &[],
            output: DataType::UInt64,
            description: "All pieces.",
            compute: |positions, _| Ok(array(positions.occupied())),
        },
        FenFunction {
            name: "fen_side",
            arguments: &[SIDE],
            output: DataType::UInt64,
            description: "All pieces of a side.",
            compute: |positions, values| by_side(&values[0], |side| positions.side(side)),
        },
        FenFunction {
            name: "fen_orthogonal",
            arguments: &[SIDE],
            output: DataType::UInt64,
            description: "The rooks and queens of a side.",
            compute: |positions, values| by_side(&values[0], |side| positions.orthogonal(side)),
        },
        FenFunction {
            name: "fen_diagonal",
            arguments: &[SIDE],
            output: DataType::UInt64,
            description: "The bishops and queens of a side.",
            compute: |positions, values| by_side(&values[0], |side| positions.diagonal(side)),
        },
        FenFunction {
            name: "fen_white_to_move",
            arguments: &[],
            output: DataType::Boolean,
            description: "Whether white is to move; null if the string has no side to move.",
            compute: |positions, _| Ok(array(positions.white_to_move())),
        },
        FenFunction {
            name: "fen_slider_attacks",
            arguments: &[SIDE],
            output: DataType::UInt64,
            description: "The squares attacked by the rooks, bishops and queens of a side.",
            compute: |positions, values| by_side(&values[0], |side| positions.slider_attacks(side)),
        },
        FenFunction {
            name: "fen_attack_maps",
            arguments: &[],
            output: DataType::Struct(attack_maps_fields()),
            description: "The squares attacked by each kind of piece of each side, their unions, \
                and the more valuable pieces that each side attacks.",
            compute: |positions, _| Ok(array(positions.attack_maps())),
        },
        FenFunction {
            name: "fen_checks",
            arguments: &[],
            output: DataType::Struct(checks_fields()),
            description: "For each king: the pieces that give check, the pinned pieces, and the \
                pieces that pin them.",
            compute: |positions, _| Ok(array(positions.checks())),
        },
    ]
}

/// All functions, each in two variants. If a FEN is invalid, `fen_...` fails and `try_fen_...`
/// returns null.
pub(crate) fn all() -> Vec<Function> {
    let variants = [
        ("", BadFens::Fail, "Fails if the string is not a position."),
        ("try_", BadFens::Null, "Null if the string is not a position."),
    ];
    let functions = functions().into_iter().flat_map(|function| {
        variants.map(|(prefix, bad, on_bad)| {
            let name = format!("{prefix}{}", function.name);
            let arguments = [("fen", Kind::Fen)].into_iter();
            let arguments = arguments.chain(function.arguments.iter().copied());
            let description = format!("{} {on_bad}", function.description);
            let compute = function.compute;
            Function::new(
                name.clone(),
                arguments.collect(),
                function.output.clone(),
                &description,
                move |values, rows| compute(&read(&name, &values[0], rows, bad)?, &values[1..]),
            )
        })
    });
    functions.collect()
}

fn read(function: &str, fens: &ColumnarValue, rows: usize, bad: BadFens) -> Result<Positions> {
    let fens = fens.to_array(rows)?;
    Positions::read(&fens, bad).map_err(|error| {
        let message = match &error {
            Error::Fen { row, error } => format!("`{}`: {error}", shown(text(&fens, *row))),
            other => other.to_string(),
        };
        DataFusionError::Execution(format!("{function}: {message}"))
    })
}

fn text(fens: &ArrayRef, row: usize) -> &str {
    match fens.data_type() {
        DataType::LargeUtf8 => fens.as_string::<i64>().value(row),
        DataType::Utf8View => fens.as_string_view().value(row),
        _ => fens.as_string::<i32>().value(row),
    }
}

/// Selects the set of each row by the row's side. `sides` is a constant or a column.
fn by_side(sides: &ColumnarValue, sets: impl Fn(Side) -> UInt64Array) -> Result<ArrayRef> {
    let sides = match sides {
        ColumnarValue::Scalar(_) => return Ok(array(sets(side(constant("side", sides)?)?))),
        ColumnarValue::Array(sides) => sides.as_string::<i32>(),
    };
    let (white, black) = (sets(Side::White), sets(Side::Black));
    let rows = sides.iter().enumerate().map(|(row, name)| {
        let sets = match name.map(side).transpose()? {
            None => return Ok(None),
            Some(Side::White) => &white,
            Some(Side::Black) => &black,
        };
        Ok(sets.is_valid(row).then(|| sets.value(row)))
    });
    Ok(array(rows.collect::<Result<UInt64Array>>()?))
}
