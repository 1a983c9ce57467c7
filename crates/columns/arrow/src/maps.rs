//! Attack maps of positions whose sets are the columns of a struct array.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, StructArray, UInt64Array};
use arrow_schema::Fields;
use setwise::position::{AttackMapColumns, PositionColumns};

use crate::evaluate::union;
use crate::input::sets_of_positions;
use crate::{Error, attack_maps_fields};

/// Computes the chosen sets of [`attack_maps`](crate::attack_maps), and nothing else.
///
/// Each name must be a field of [`attack_maps_fields`]. The result has one field for each name, in
/// the order of `names`. A row of the result is null if the position is null in that row.
///
/// ```
/// use setwise_arrow::{BadFens, Positions, chosen_attack_maps};
/// let fens = arrow_array::StringArray::from(vec!["4k3/8/8/8/8/8/8/R3K3 w - - 0 1"]);
/// let positions = Positions::read(&fens, BadFens::Fail)?;
/// let maps = chosen_attack_maps(&positions.sets(), &["white_rook_attacks", "black_attacks"])?;
/// assert_eq!(maps.num_columns(), 2);
/// # Ok::<(), setwise_arrow::Error>(())
/// ```
///
/// # Errors
/// If `positions` lacks a field of [`position_fields`](crate::position_fields), if such a field is
/// not `UInt64`, or if a name is unknown or given twice.
///
/// # Panics
/// If no kernel can be chosen: see [`Kernel::active`](setwise::Kernel::active).
pub fn chosen_attack_maps(positions: &StructArray, names: &[&str]) -> Result<StructArray, Error> {
    let columns = sets_of_positions("positions", positions)?;
    let fields = attack_maps_fields();
    let mut chosen = vec![];
    for (i, name) in names.iter().enumerate() {
        let place = fields.iter().position(|field| field.name() == name);
        match place {
            Some(place) if !names[..i].contains(name) => chosen.push(place),
            _ => return Err(Error::Set { name: (*name).to_owned(), known: place.is_some() }),
        }
    }
    let pieces: [&[u64]; 12] = std::array::from_fn(|i| &columns[i].values()[..]);
    let pieces = [0, 6].map(|first| std::array::from_fn(|kind| pieces[first + kind]));
    let mut results = vec![vec![0; positions.len()]; chosen.len()];
    let mut maps = AttackMapColumns::default();
    for (&place, result) in chosen.iter().zip(&mut results) {
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
    let fields: Fields = chosen.iter().map(|&place| Arc::clone(&fields[place])).collect();
    let columns: Vec<ArrayRef> = results.into_iter().map(array).collect();
    Ok(if fields.is_empty() {
        StructArray::new_empty_fields(positions.len(), nulls)
    } else {
        StructArray::new(fields, columns, nulls)
    })
}
