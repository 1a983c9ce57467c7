//! Whole positions: a struct of twelve sets, and what is computed of one.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, ArrayRef, StructArray, UInt64Array};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields};
use bytemuck::Pod;
use setwise::{AttackMaps, Checks, Kernels, Position};

use crate::Error;
use crate::input::union;

const SIDES: [&str; 2] = ["white", "black"];
const PIECES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];

/// The fields of a position, `white_pawns` to `black_kings`: by side, pawns, knights, bishops, rooks, queens, kings.
#[must_use]
pub fn position_fields() -> Fields {
    fields(position_names())
}

/// The fields of [`attack_maps`](crate::attack_maps): by side and kind what these pieces attack, `white_pawn_attacks` to `black_king_attacks`; by
/// side the union, `white_attacks`, `black_attacks`; and what a side attacks by lesser pieces, `white_threats`, `black_threats`.
#[must_use]
pub fn attack_maps_fields() -> Fields {
    let kinds = by_side().flat_map(|side| PIECES.map(|piece| format!("{side}_{piece}_attacks")));
    let all = by_side().map(|side| format!("{side}_attacks"));
    fields(
        kinds
            .chain(all)
            .chain(by_side().map(|side| format!("{side}_threats"))),
    )
}

/// The fields of [`checks`](crate::checks), for each side's king: what gives check to it, `white_king_checkers`, what is pinned to it,
/// `white_king_pinned`, and what pins that, `white_king_pinners`; each followed by the same of the black king.
#[must_use]
pub fn checks_fields() -> Fields {
    let what = ["checkers", "pinned", "pinners"];
    fields(
        what.into_iter()
            .flat_map(|what| by_side().map(move |side| format!("{side}_king_{what}"))),
    )
}

fn by_side() -> impl Iterator<Item = &'static str> {
    SIDES.into_iter()
}

fn position_names() -> impl Iterator<Item = String> {
    by_side().flat_map(|side| PIECES.map(|piece| format!("{side}_{piece}s")))
}

/// The sets of a null row are null, too: so a field taken out alone is null where the struct is.
fn fields(names: impl Iterator<Item = String>) -> Fields {
    names
        .map(|name| Field::new(name, DataType::UInt64, true))
        .collect()
}

pub(crate) fn struct_of(
    fields: Fields,
    columns: impl IntoIterator<Item = Vec<u64>>,
    nulls: Option<&NullBuffer>,
    rows: usize,
) -> StructArray {
    let columns = columns.into_iter();
    let columns = columns
        .map(|column| Arc::new(UInt64Array::new(column.into(), nulls.cloned())) as ArrayRef)
        .collect();
    debug_assert_eq!(nulls.map_or(rows, NullBuffer::len), rows);
    StructArray::new(fields, columns, nulls.cloned())
}

/// Attack maps of rows, whose positions `fill` gives for a part of them.
pub(crate) fn attack_maps_of(
    rows: usize,
    nulls: Option<&NullBuffer>,
    fill: impl Fn(Range<usize>, &mut [Position]),
) -> StructArray {
    let columns = compute::<AttackMaps, 16>(rows, fill, Kernels::attack_maps);
    struct_of(attack_maps_fields(), columns, nulls, rows)
}

/// Checks and pins of rows, in the same way.
pub(crate) fn checks_of(
    rows: usize,
    nulls: Option<&NullBuffer>,
    fill: impl Fn(Range<usize>, &mut [Position]),
) -> StructArray {
    let columns = compute::<Checks, 6>(rows, fill, Kernels::checks);
    struct_of(checks_fields(), columns, nulls, rows)
}

/// Positions are made of so many rows at once, and their results, `N` words each, taken apart.
const BLOCK: usize = 128;

fn compute<Of: Pod, const N: usize>(
    rows: usize,
    fill: impl Fn(Range<usize>, &mut [Position]),
    operation: impl Fn(&Kernels, &[Position], &mut [Of]),
) -> [Vec<u64>; N] {
    let kernels = Kernels::active();
    let mut columns = std::array::from_fn(|_| Vec::with_capacity(rows));
    let mut positions = [Position::default(); BLOCK];
    let mut results = [Of::zeroed(); BLOCK];
    for start in (0..rows).step_by(BLOCK) {
        let part = start..rows.min(start + BLOCK);
        let positions = &mut positions[..part.len()];
        let results = &mut results[..part.len()];
        fill(part, positions);
        operation(kernels, positions, results);
        let results: &[[u64; N]] = bytemuck::cast_slice(results);
        for (n, column) in columns.iter_mut().enumerate() {
            column.extend(results.iter().map(|result| result[n]));
        }
    }
    columns
}

/// The positions of a struct: its twelve columns, and where one of them or the struct is null.
pub(crate) struct Sets<'a> {
    kinds: Vec<&'a UInt64Array>,
    pub(crate) rows: usize,
    pub(crate) nulls: Option<NullBuffer>,
}

impl<'a> Sets<'a> {
    pub(crate) fn of(positions: &'a StructArray) -> Result<Self, Error> {
        let kinds: Vec<&UInt64Array> = position_names()
            .map(|name| set(positions, &name))
            .collect::<Result<_, _>>()?;
        Ok(Sets {
            rows: positions.len(),
            nulls: union(
                kinds
                    .iter()
                    .map(|set| set.nulls())
                    .chain([positions.nulls()]),
            ),
            kinds,
        })
    }

    pub(crate) fn fill(&self, part: Range<usize>, to: &mut [Position]) {
        for (kind, set) in self.kinds.iter().enumerate() {
            for (&set, position) in set.values()[part.clone()].iter().zip(&mut *to) {
                position.pieces[kind / 6][kind % 6] = set;
            }
        }
    }
}

fn set<'a>(positions: &'a StructArray, name: &str) -> Result<&'a UInt64Array, Error> {
    let field = positions.column_by_name(name);
    field
        .and_then(|field| field.as_primitive_opt::<UInt64Type>())
        .ok_or_else(|| Error::Field {
            argument: "positions",
            field: name.to_owned(),
            found: field.map(|field| field.data_type().clone()),
        })
}
