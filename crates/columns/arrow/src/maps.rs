//! Attack maps of positions whose sets are the columns of a struct array.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, StructArray, UInt64Array};
use setwise::position::{AttackMapColumns, PositionColumns};

use crate::input::{sets_of_positions, union};
use crate::{Error, attack_maps_fields};

/// Computes attack maps column by column: faster than from positions copied from the columns.
pub(crate) fn attack_maps(positions: &StructArray) -> Result<StructArray, Error> {
    let columns = sets_of_positions("positions", positions)?;
    let pieces: [&[u64]; 12] = std::array::from_fn(|i| &columns[i].values()[..]);
    let pieces = [0, 6].map(|first| std::array::from_fn(|kind| pieces[first + kind]));
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
    setwise::position::attack_maps_in_columns(&PositionColumns { pieces }, &mut maps);

    let nulls = positions.nulls().into_iter();
    let nulls = union(nulls.chain(columns.iter().copied().filter_map(Array::nulls)).collect());
    let array =
        |sets: Vec<u64>| -> ArrayRef { Arc::new(UInt64Array::new(sets.into(), nulls.clone())) };
    let columns = results.into_iter().map(array).collect();
    Ok(StructArray::new(fields, columns, nulls))
}
