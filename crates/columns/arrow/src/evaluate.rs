//! Evaluation of operations on columns.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, Datum, StructArray, UInt32Array, UInt64Array, new_null_array};
use arrow_buffer::MutableBuffer;
use arrow_schema::{DataType, Field, Fields};
use setwise::Kernel;
use setwise::reflection::{Element, OperationInfo};

use crate::input::{column, elements, union, unpacked};
use crate::{Error, attack_maps_fields, checks_fields, positions};

/// The rows of a block, in which scalars are repeated: 8 KiB of sets, a quarter of a 32 KiB
/// L1 data cache. Smaller blocks are slower.
const BLOCK: usize = 1024;

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
    if let ([(array, _)], Element::Position) = (&arguments[..], operation.inputs()[0].element()) {
        let structs = column("positions", "a struct of twelve sets", array.as_struct_opt(), array)?;
        return Ok(Arc::new(match operation.outputs()[0].element() {
            Element::AttackMaps => positions::attack_maps(structs)?,
            _ => positions::checks(structs)?,
        }));
    }

    let block = if arguments.iter().any(|(_, is_scalar)| *is_scalar) { BLOCK } else { rows.max(1) };
    // The bytes of each input, and those from row to row: none if a block repeats a scalar.
    let mut inputs: Vec<(Cow<[u8]>, usize)> = vec![];
    let (mut nulls, mut is_all_null) = (vec![], false);
    for (argument, (array, is_scalar)) in operation.inputs().iter().zip(&arguments) {
        let (bytes, size) = (elements(argument, array)?, argument.element().size());
        if *is_scalar {
            is_all_null |= array.null_count() > 0;
            inputs.push((bytes[..size].repeat(block).into(), 0));
        } else {
            nulls.extend(array.nulls());
            inputs.push((bytes.into(), size));
        }
    }
    if is_all_null {
        return Ok(new_null_array(&output_type(operation), rows));
    }

    let sizes = operation.outputs().iter().map(|output| output.element().size());
    let sizes: Vec<usize> = sizes.collect();
    let buffers = sizes.iter().map(|size| MutableBuffer::with_capacity(size * rows));
    let mut buffers: Vec<MutableBuffer> = buffers.collect();
    let kernel = Kernel::active();
    for start in (0..rows).step_by(block) {
        let from = inputs.iter().map(|(bytes, size)| bytes[size * start..].as_ptr());
        let to = buffers.iter_mut().zip(&sizes);
        let to = to.map(|(buffer, size)| buffer.as_mut_ptr().wrapping_add(size * start));
        let (from, to) = (from.collect::<Vec<_>>(), to.collect::<Vec<_>>());
        let rows = block.min(rows - start);
        // SAFETY: `from` and `to` have one pointer for each input and output. Each points to at
        // least `rows` elements, and any byte is allowed as a square. Outputs are newly allocated,
        // so they overlap nothing. They have the rows that the kernel has written.
        #[allow(unsafe_code)]
        unsafe {
            operation.call_raw(kernel, parameter, &from, &to, rows);
            let written = buffers.iter_mut().zip(&sizes);
            written.for_each(|(buffer, size)| buffer.set_len(size * (start + rows)));
        }
    }

    let nulls = union(nulls);
    let columns = operation.outputs().iter().zip(buffers).map(|(output, buffer)| -> ArrayRef {
        match output.element() {
            Element::Count => Arc::new(UInt32Array::new(buffer.into(), nulls.clone())),
            _ => Arc::new(UInt64Array::new(buffer.into(), nulls.clone())),
        }
    });
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
