//! Evaluation of operations on columns.

use std::ptr;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, Datum, StructArray, new_null_array};
use arrow_schema::{DataType, Field, Fields};
use setwise::Kernel;
use setwise::reflection::{Element, OperationInfo};

use crate::input::{Input, union, unpacked};
use crate::output::Output;
use crate::{Error, attack_maps_fields, checks_fields, maps};

/// The size of a block, in bytes: a quarter of a 32 KiB L1 data cache. Blocks hold repeated
/// scalars, positions and struct results. For scalars, smaller blocks are slower.
const BLOCK_BYTES: usize = 8 << 10;

/// The type of an operation's result: `UInt64` for sets, `UInt32` for counts, a struct for several
/// result columns.
#[must_use]
pub fn output_type(operation: &OperationInfo) -> DataType {
    let fields = output_fields(operation);
    match &fields[..] {
        [field] => field.data_type().clone(),
        _ => DataType::Struct(fields),
    }
}

/// The fields of a struct result, one for each result column.
fn output_fields(operation: &OperationInfo) -> Fields {
    let outputs = operation.outputs().iter();
    let fields = outputs.flat_map(|output| match output.element() {
        Element::Set => vec![Field::new(output.name(), DataType::UInt64, true).into()],
        Element::Count => vec![Field::new(output.name(), DataType::UInt32, true).into()],
        Element::AttackMaps => attack_maps_fields().to_vec(),
        Element::Checks => checks_fields().to_vec(),
        other => panic!("no Arrow type for {other:?}"),
    });
    fields.collect()
}

/// Computes an operation on columns, with the active kernel.
///
/// An argument is an array, or a [`Scalar`](arrow_array::Scalar) for all rows. Its type is `UInt64`
/// for sets, `UInt8` for squares, and a struct with the
/// [`position_fields`](crate::position_fields) for positions. A dictionary of one of these is
/// unpacked. `parameter` is an index into
/// [`Parameter::names`](setwise::reflection::Parameter::names), or 0 if the operation has no
/// parameter.
///
/// A row of the result is null if an argument is null in that row. If all arguments are scalars,
/// the result has one row.
///
/// ```
/// use arrow_array::UInt64Array;
/// use setwise::reflection::OperationInfo;
/// let operation = OperationInfo::by_name("queen_attacks").unwrap();
/// let queens = UInt64Array::from(vec![1, 2]);
/// let occupied = UInt64Array::new_scalar(0);
/// let attacks = setwise_arrow::evaluate(operation, 0, &[&queens, &occupied])?;
/// assert_eq!(attacks.len(), 2);
/// # Ok::<(), setwise_arrow::Error>(())
/// ```
///
/// # Errors
/// If an argument has the wrong type or length, or holds an invalid value.
///
/// # Panics
/// If `parameter` is out of range, or no kernel can be chosen (see [`Kernel::active`]).
pub fn evaluate(
    operation: &OperationInfo,
    parameter: u8,
    arguments: &[&dyn Datum],
) -> Result<ArrayRef, Error> {
    let parameters = operation.parameter().map_or(1, |values| values.names().len());
    assert!(
        usize::from(parameter) < parameters,
        "`{}`: the parameter must be below {parameters}, found {parameter}",
        operation.name()
    );
    let arguments = arguments.iter().map(|value| value.get());
    let arguments = arguments
        .map(|(array, is_scalar)| Ok((unpacked(array)?, is_scalar)))
        .collect::<Result<Vec<_>, Error>>()?;
    let rows = rows(operation, &arguments)?;
    if let [(positions, false)] = &arguments[..]
        && let Some(positions) = positions.as_struct_opt()
        && operation.name() == "attack_maps"
    {
        return Ok(Arc::new(maps::attack_maps(positions)?));
    }
    let block = block(operation, &arguments, rows);

    let (mut inputs, mut nulls, mut is_all_null) = (vec![], vec![], false);
    for (argument, (array, is_scalar)) in operation.inputs().iter().zip(&arguments) {
        let (input, input_nulls) = Input::new(argument, array)?;
        if *is_scalar {
            is_all_null |= input_nulls.iter().any(|nulls| nulls.null_count() > 0);
            inputs.push(input.repeated(block));
        } else {
            inputs.push(input);
            nulls.extend(input_nulls);
        }
    }
    if is_all_null {
        return Ok(new_null_array(&output_type(operation), rows));
    }

    let outputs = operation.outputs().iter();
    let mut outputs: Vec<Output> =
        outputs.map(|output| Output::new(output.element(), rows, block)).collect();
    let kernel = Kernel::active();
    let mut from = vec![ptr::null(); inputs.len()];
    let mut to = vec![ptr::null_mut(); outputs.len()];
    for start in (0..rows).step_by(block) {
        let part = start..rows.min(start + block);
        for (from, input) in from.iter_mut().zip(&mut inputs) {
            *from = input.part(&part);
        }
        for (to, output) in to.iter_mut().zip(&mut outputs) {
            *to = output.part(part.len());
        }
        // SAFETY: `from` and `to` have one pointer for each input and output. Each points to at
        // least `part.len()` elements, and any byte is allowed as a square. Outputs are newly
        // allocated, so they overlap nothing.
        #[allow(unsafe_code)]
        unsafe {
            operation.call_raw(kernel, parameter, &from, &to, part.len());
            for output in &mut outputs {
                output.written(part.len());
            }
        }
    }

    let nulls = union(nulls);
    let columns = outputs.into_iter().flat_map(|output| output.into_arrays(nulls.as_ref()));
    let mut columns: Vec<ArrayRef> = columns.collect();
    if columns.len() == 1 {
        return Ok(columns.remove(0));
    }
    // Each field also gets the struct's nulls, because a query may read only that field.
    Ok(Arc::new(StructArray::new(output_fields(operation), columns, nulls)))
}

/// The common length of all columns; 1 if there are only scalars.
fn rows(operation: &OperationInfo, arguments: &[(ArrayRef, bool)]) -> Result<usize, Error> {
    let inputs = operation.inputs();
    if arguments.len() != inputs.len() {
        return Err(Error::Arguments {
            operation: operation.name(),
            expected: inputs.len(),
            found: arguments.len(),
        });
    }
    let columns = inputs.iter().zip(arguments);
    let mut columns = columns
        .filter(|(_, (_, is_scalar))| !is_scalar)
        .map(|(input, (array, _))| (input.name(), array.len()));
    let Some(first) = columns.next() else {
        return Ok(1);
    };
    match columns.find(|column| column.1 != first.1) {
        Some(second) => Err(Error::Lengths { first, second }),
        None => Ok(first.1),
    }
}

/// The number of rows per kernel call: all rows, unless arguments or results must be laid out in
/// blocks.
fn block(operation: &OperationInfo, arguments: &[(ArrayRef, bool)], rows: usize) -> usize {
    let all = operation.inputs().iter().chain(operation.outputs());
    let sizes = all.map(|argument| argument.element().size());
    let largest = sizes.max().unwrap_or(1);
    let has_structs = largest > size_of::<u64>();
    if has_structs || arguments.iter().any(|(_, is_scalar)| *is_scalar) {
        BLOCK_BYTES / largest
    } else {
        rows.max(1)
    }
}
