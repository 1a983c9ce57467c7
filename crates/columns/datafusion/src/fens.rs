//! SQL functions on FEN and EPD strings.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, UInt64Array};
use arrow_schema::DataType;
use datafusion_common::{DataFusionError, Result};
use datafusion_expr::ColumnarValue;
use setwise_arrow::{
    BadFens, Error, Positions, Side, attack_maps_fields, checks_fields, position_fields,
    threat_field,
};

use crate::function::Function;
use crate::value::{Kind, array, constant, pairs, piece, shown, side};

/// A name, the type of the result, and a description.
type About = (&'static str, DataType, &'static str);

/// The arguments after the FEN.
type Arguments = &'static [(&'static str, Kind)];

/// Computes the result from the positions and the values of the arguments after the FEN.
type Compute = dyn Fn(&Positions, &[ColumnarValue]) -> Result<ArrayRef> + Send + Sync;

const SIDE: (&str, Kind) = ("side", Kind::Side);

type OfPosition = (About, fn(&Positions) -> ArrayRef);

fn of_position() -> [OfPosition; 5] {
    let sets = "The twelve sets of a position, white_pawns to black_kings. Each field that a query \
                takes may parse the text again; fen_pieces returns one set.";
    let white = "Whether white is to move; null if the string has no side to move.";
    let maps = "The squares attacked by each kind of piece of each side, their unions, and the \
                more valuable pieces that each side attacks.";
    let checks = "For each king: the pieces that give check, the pinned pieces, and the pieces \
                  that pin them.";
    let (maps_type, checks_type) = (attack_maps_fields(), checks_fields());
    [
        (("fen_sets", DataType::Struct(position_fields()), sets), |of| array(of.sets())),
        (("fen_occupied", DataType::UInt64, "All pieces."), |of| array(of.occupied())),
        (("fen_white_to_move", DataType::Boolean, white), |of| array(of.white_to_move())),
        (("fen_attack_maps", DataType::Struct(maps_type), maps), |of| array(of.attack_maps())),
        (("fen_checks", DataType::Struct(checks_type), checks), |of| array(of.checks())),
    ]
}

type OfSide = (&'static str, &'static str, fn(&Positions, Side) -> UInt64Array);

const OF_SIDE: [OfSide; 4] = [
    ("fen_side", "All pieces of a side.", Positions::side),
    ("fen_orthogonal", "The rooks and queens of a side.", Positions::orthogonal),
    ("fen_diagonal", "The bishops and queens of a side.", Positions::diagonal),
    (
        "fen_slider_attacks",
        "The squares attacked by the rooks, bishops and queens of a side.",
        Positions::slider_attacks,
    ),
];

/// All functions, each in two variants. If a FEN is invalid, `fen_...` fails and `try_fen_...`
/// returns null.
pub(crate) fn all() -> Vec<Function> {
    let mut all = vec![];
    for (about, compute) in of_position() {
        add(&mut all, about, &[], move |positions, _| Ok(compute(positions)));
    }
    for (name, description, sets) in OF_SIDE {
        add(&mut all, (name, DataType::UInt64, description), &[SIDE], move |positions, values| {
            by_side(&values[0], |side| sets(positions, side))
        });
    }
    let pieces = ("fen_pieces", DataType::UInt64, "The pieces of one kind of a side.");
    add(&mut all, pieces, &[SIDE, ("piece", Kind::Piece)], |positions, values| {
        let piece = piece(&values[1])?;
        by_side(&values[0], |side| positions.pieces(side, piece))
    });
    let threats = "The threats: each pair of pieces of which one attacks or defends the other. A \
                   list of structs of attacker (a piece), from (its square), victim and to. A piece \
                   is twice its kind (pawn 0 to king 5), plus 1 if it is black.";
    let threats = ("fen_threats", DataType::List(threat_field()), threats);
    add(&mut all, threats, &[("pairs", Kind::Pairs)], |positions, values| {
        Ok(array(positions.threats(&pairs(values.first())?)))
    });
    all
}

fn add(
    all: &mut Vec<Function>,
    (name, output, description): About,
    arguments: Arguments,
    compute: impl Fn(&Positions, &[ColumnarValue]) -> Result<ArrayRef> + Send + Sync + 'static,
) {
    let compute: Arc<Compute> = Arc::new(compute);
    for (prefix, bad, on_bad) in [
        ("", BadFens::Fail, "Fails if the string is not a position."),
        ("try_", BadFens::Null, "Null if the string is not a position."),
    ] {
        let (name, compute) = (format!("{prefix}{name}"), Arc::clone(&compute));
        all.push(Function::new(
            name.clone(),
            [&[("fen", Kind::Fen)][..], arguments].concat(),
            output.clone(),
            &format!("{description} {on_bad}"),
            move |values, rows| compute(&read(&name, &values[0], rows, bad)?, &values[1..]),
        ));
    }
}

fn read(function: &str, fens: &ColumnarValue, rows: usize, bad: BadFens) -> Result<Positions> {
    Positions::read(&fens.to_array(rows)?, bad).map_err(|error| {
        let message = match &error {
            Error::Fen { text, error, .. } => format!("`{}`: {error}", shown(text)),
            other => other.to_string(),
        };
        DataFusionError::Execution(format!("{function}: {message}"))
    })
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
