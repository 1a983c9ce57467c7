//! Attack maps and checks of positions: structs of sets to structs of sets.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, StructArray, UInt64Array};
use arrow_schema::{DataType, Field, Fields};
use setwise::Kernel;
use setwise::position::{AttackMapColumns, Checks, Position, PositionColumns};

use crate::Error;
use crate::input::union;

const SIDES: [&str; 2] = ["white", "black"];
const PIECES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];

/// The fields of a position, `white_pawns` to `black_kings`. For each side: pawns, knights,
/// bishops, rooks, queens, kings.
#[must_use]
pub fn position_fields() -> Fields {
    fields(by_side(PIECES.map(|piece| format!("{piece}s"))))
}

/// The fields of [`attack_maps`](crate::attack_maps):
///
/// * `white_pawn_attacks` to `black_king_attacks`: the attacks by side and kind of piece
/// * `white_attacks`, `black_attacks`: all attacks of a side
/// * `white_by_lesser`, `black_by_lesser`: the enemy pieces that a side attacks with less valuable
///   ones
#[must_use]
pub fn attack_maps_fields() -> Fields {
    let kinds = by_side(PIECES.map(|piece| format!("{piece}_attacks")));
    let unions = by_side(["attacks".to_owned()]);
    let by_lesser = by_side(["by_lesser".to_owned()]);
    fields(kinds.chain(unions).chain(by_lesser))
}

/// The fields of [`checks`](crate::checks), for each side's king:
///
/// * `white_king_checkers`, `black_king_checkers`: the pieces that give check
/// * `white_king_pinned`, `black_king_pinned`: the pinned pieces
/// * `white_king_pinners`, `black_king_pinners`: the pieces that pin them
#[must_use]
pub fn checks_fields() -> Fields {
    let kinds = ["king_checkers", "king_pinned", "king_pinners"];
    fields(kinds.into_iter().flat_map(|kind| by_side([kind.to_owned()])))
}

/// Prefixes all names with "white", then all with "black".
fn by_side<const N: usize>(names: [String; N]) -> impl Iterator<Item = String> {
    let prefixed = move |side| names.clone().map(|name| format!("{side}_{name}"));
    SIDES.into_iter().flat_map(prefixed)
}

/// `UInt64` fields with these names. They are nullable, because a null struct has null fields.
fn fields(names: impl Iterator<Item = String>) -> Fields {
    names.map(|name| Field::new(name, DataType::UInt64, true)).collect()
}

/// Computes attack maps column by column: faster than from positions copied from the columns.
pub(crate) fn attack_maps(positions: &StructArray) -> Result<StructArray, Error> {
    let sets = sets(positions)?;
    let pieces = [0, 6].map(|first| std::array::from_fn(|i| &sets[first + i].values()[..]));
    let fields = attack_maps_fields();
    let mut results = vec![vec![0; positions.len()]; fields.len()];
    let mut maps = AttackMapColumns::default();
    for (place, result) in results.iter_mut().enumerate() {
        *match place {
            0..12 => &mut maps.attacks[place / 6][place % 6],
            12..14 => &mut maps.all[place - 12],
            _ => &mut maps.by_lesser[place - 14],
        } = Some(result);
    }
    Kernel::active().attack_maps_in_columns(&PositionColumns { pieces }, &mut maps);
    Ok(with_nulls(fields, results, positions, &sets))
}

/// The positions of a block, 8 KiB of sets, which stay in the L1 data cache.
const BLOCK: usize = (8 << 10) / size_of::<Position>();

/// Computes checks of a few positions at a time, which are copied from the columns.
pub(crate) fn checks(positions: &StructArray) -> Result<StructArray, Error> {
    let (sets, fields) = (sets(positions)?, checks_fields());
    let (mut block, mut found) = ([Position::default(); BLOCK], [Checks::default(); BLOCK]);
    let mut results = vec![vec![]; fields.len()];
    for start in (0..positions.len()).step_by(block.len()) {
        let rows = start..positions.len().min(start + block.len());
        for (n, set) in sets.iter().enumerate() {
            for (position, set) in block.iter_mut().zip(&set.values()[rows.clone()]) {
                position.pieces[n / 6][n % 6] = *set;
            }
        }
        let found = &mut found[..rows.len()];
        Kernel::active().checks(&block[..rows.len()], found);
        for (n, result) in results.iter_mut().enumerate() {
            let of_row = |c: &Checks| [c.checkers, c.pinned, c.pinners][n / 2][n % 2];
            result.extend(found.iter().map(of_row));
        }
    }
    Ok(with_nulls(fields, results, positions, &sets))
}

/// The twelve columns of positions.
fn sets(positions: &StructArray) -> Result<Vec<&UInt64Array>, Error> {
    let fields = position_fields();
    let columns = fields.iter().map(|field| {
        let column = positions.column_by_name(field.name());
        let sets = column.and_then(|column| column.as_primitive_opt());
        sets.ok_or_else(|| Error::Field {
            argument: "positions",
            field: field.name().clone(),
            found: column.map(|column| column.data_type().clone()),
        })
    });
    columns.collect()
}

/// The results, null where a position or one of its sets is. Each field also gets the struct's
/// nulls, because a query may read only that field.
fn with_nulls(
    fields: Fields,
    results: Vec<Vec<u64>>,
    positions: &StructArray,
    sets: &[&UInt64Array],
) -> StructArray {
    let nulls = sets.iter().filter_map(|sets| sets.nulls());
    let nulls = union(positions.nulls().into_iter().chain(nulls).collect());
    let array =
        |sets: Vec<u64>| -> ArrayRef { Arc::new(UInt64Array::new(sets.into(), nulls.clone())) };
    let columns = results.into_iter().map(array).collect();
    StructArray::new(fields, columns, nulls)
}
