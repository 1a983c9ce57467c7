//! Any operation on columns.

use std::ops::Range;
use std::ptr;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, Datum, StructArray, UInt8Array, UInt32Array, UInt64Array, new_null_array,
};
use arrow_buffer::{MutableBuffer, NullBuffer};
use arrow_schema::{DataType, Field, Fields};
use setwise::{Element, Kernels, OperationInfo, Square};

use crate::{Error, attack_maps_fields, checks_fields, position_fields};

/// Constants, positions and their results are held in blocks of this size, a quarter of an L1 data
/// cache. Constants: half or a quarter of it is slower.
const BLOCK_BYTES: usize = 8 << 10;

/// The type of an operation's result: `UInt64` for sets, `UInt32` for counts, a struct for several
/// columns.
#[must_use]
pub fn output_type(operation: &OperationInfo) -> DataType {
    let fields = output_fields(operation);
    match &fields[..] {
        [field] => field.data_type().clone(),
        _ => DataType::Struct(fields),
    }
}

/// One field per column of results.
fn output_fields(operation: &OperationInfo) -> Fields {
    let outputs = operation.outputs().iter();
    let fields = outputs.flat_map(|output| match output.element() {
        Element::Set => vec![Field::new(output.name(), DataType::UInt64, true).into()],
        Element::Count => vec![Field::new(output.name(), DataType::UInt32, true).into()],
        Element::AttackMaps => attack_maps_fields().to_vec(),
        Element::Checks => checks_fields().to_vec(),
        other => unimplemented!("columns of {other:?}"),
    });
    fields.collect()
}

/// Computes an operation on columns, with the active kernel.
///
/// An argument is an array, or a [`Scalar`](arrow_array::Scalar) for all rows: `UInt64` for sets,
/// `UInt8` for squares, a struct with the [`position_fields`] for positions. `parameter` is an index
/// into [`Parameter::names`](setwise::Parameter::names), or 0 if the operation has no parameter.
///
/// A row is null where an argument is. Scalars alone give one row.
///
/// ```
/// use arrow_array::UInt64Array;
/// use setwise::OperationInfo;
/// let operation = OperationInfo::by_name("queen_attacks").unwrap();
/// let queens = UInt64Array::from(vec![1, 2]);
/// let occupied = UInt64Array::new_scalar(0);
/// let attacks = setwise_arrow::evaluate(operation, 0, &[&queens, &occupied])?;
/// assert_eq!(attacks.len(), 2);
/// # Ok::<(), setwise_arrow::Error>(())
/// ```
///
/// # Errors
/// If an argument is wrong.
///
/// # Panics
/// If the parameter has no such value, or no kernel can be chosen (see [`Kernels::active`]).
pub fn evaluate(
    operation: &OperationInfo,
    parameter: u8,
    arguments: &[&dyn Datum],
) -> Result<ArrayRef, Error> {
    let parameters = operation
        .parameter()
        .map_or(1, |values| values.names().len());
    assert!(
        usize::from(parameter) < parameters,
        "`{}`: the parameter must be below {parameters}, found {parameter}",
        operation.name()
    );
    let arguments: Vec<(&dyn Array, bool)> = arguments.iter().map(|value| value.get()).collect();
    let rows = rows(operation, &arguments)?;
    let block = block(operation, &arguments, rows);

    let (mut inputs, mut nulls, mut is_all_null) = (vec![], vec![], false);
    for (argument, &(array, is_scalar)) in operation.inputs().iter().zip(&arguments) {
        let (input, input_nulls) = Input::new(argument, array)?;
        if is_scalar {
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
    let mut outputs: Vec<Output> = outputs
        .map(|output| Output::new(output.element(), rows, block))
        .collect();
    let kernels = Kernels::active();
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
        // SAFETY: a pointer for each input and output, to as many elements as `part` has rows; any
        // byte is allowed as a square. Outputs are new memory, which overlaps nothing.
        #[allow(unsafe_code)]
        unsafe {
            operation.call_raw(kernels, parameter, &from, &to, part.len());
            outputs
                .iter_mut()
                .for_each(|output| output.written(part.len()));
        }
    }

    let nulls = union(nulls);
    let columns = outputs
        .into_iter()
        .flat_map(|output| output.into_arrays(nulls.as_ref()));
    let mut columns: Vec<ArrayRef> = columns.collect();
    if columns.len() == 1 {
        return Ok(columns.remove(0));
    }
    // The fields have the struct's nulls, for queries that take one field.
    Ok(Arc::new(StructArray::new(
        output_fields(operation),
        columns,
        nulls,
    )))
}

/// The common length of the columns; 1 if there are only scalars.
fn rows(operation: &OperationInfo, arguments: &[(&dyn Array, bool)]) -> Result<usize, Error> {
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

/// The number of rows to compute at once: all of them, unless arguments or results must be laid out
/// in blocks.
fn block(operation: &OperationInfo, arguments: &[(&dyn Array, bool)], rows: usize) -> usize {
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

/// An argument as the kernel reads it.
enum Input<'a> {
    /// All elements, where they are.
    Column { bytes: &'a [u8], size: usize },
    /// A block of one element.
    Constant(Vec<u8>),
    /// The twelve columns of positions, and a block of positions made of them.
    Positions {
        columns: Vec<&'a [u64]>,
        block: Vec<u64>,
    },
}

impl<'a> Input<'a> {
    fn new(
        argument: &setwise::Argument,
        array: &'a dyn Array,
    ) -> Result<(Input<'a>, Vec<&'a NullBuffer>), Error> {
        let (name, size) = (argument.name(), argument.element().size());
        let mut nulls: Vec<&NullBuffer> = array.nulls().into_iter().collect();
        let input = match argument.element() {
            Element::Set => {
                let sets: &UInt64Array = column(name, "UInt64", array.as_primitive_opt(), array)?;
                let bytes = sets.values().inner().as_slice();
                Input::Column { bytes, size }
            }
            Element::Square => {
                let squares: &UInt8Array = column(name, "UInt8", array.as_primitive_opt(), array)?;
                check_squares(name, squares)?;
                let bytes = squares.values();
                Input::Column { bytes, size }
            }
            Element::Position => {
                let expected = "a struct of twelve sets";
                let positions = column(name, expected, array.as_struct_opt(), array)?;
                let columns = sets_of_positions(name, positions)?;
                nulls.extend(columns.iter().copied().filter_map(Array::nulls));
                Input::Positions {
                    columns: columns.iter().map(|column| &column.values()[..]).collect(),
                    block: vec![],
                }
            }
            other => unimplemented!("columns of {other:?}"),
        };
        Ok((input, nulls))
    }

    /// The first element, repeated for a block of rows.
    fn repeated(self, rows: usize) -> Input<'a> {
        Input::Constant(match self {
            Input::Column { bytes, size } => bytes[..size].repeat(rows),
            Input::Constant(block) => block,
            Input::Positions { columns, .. } => {
                let position = columns.iter().flat_map(|column| column[0].to_ne_bytes());
                position.collect::<Vec<u8>>().repeat(rows)
            }
        })
    }

    /// The elements of some rows, a block at most.
    fn part(&mut self, rows: &Range<usize>) -> *const u8 {
        match self {
            Input::Column { bytes, size } => bytes[*size * rows.start..*size * rows.end].as_ptr(),
            Input::Constant(block) => block.as_ptr(),
            Input::Positions { columns, block } => {
                block.resize(columns.len() * rows.len(), 0);
                for (n, column) in columns.iter().enumerate() {
                    let positions = block.chunks_exact_mut(columns.len());
                    for (position, &set) in positions.zip(&column[rows.clone()]) {
                        position[n] = set;
                    }
                }
                block.as_ptr().cast()
            }
        }
    }
}

/// A column if it has the right type.
fn column<'a, A: Array>(
    argument: &'static str,
    expected: &'static str,
    column: Option<&'a A>,
    array: &dyn Array,
) -> Result<&'a A, Error> {
    column.ok_or_else(|| Error::Type {
        argument,
        expected,
        found: array.data_type().clone(),
    })
}

/// Checks the rows that are not null.
fn check_squares(argument: &'static str, squares: &UInt8Array) -> Result<(), Error> {
    // Without a branch per row: all are below 64 if their union is.
    if squares.values().iter().fold(0, |all, square| all | square) < 64 {
        return Ok(());
    }
    for (row, square) in squares.iter().enumerate() {
        if let Some(Err(error)) = square.map(Square::try_from) {
            return Err(Error::Square {
                argument,
                row,
                error,
            });
        }
    }
    Ok(())
}

/// The twelve columns of positions.
fn sets_of_positions<'a>(
    argument: &'static str,
    positions: &'a StructArray,
) -> Result<Vec<&'a UInt64Array>, Error> {
    let fields = position_fields();
    let columns = fields.iter().map(|field| {
        let column = positions.column_by_name(field.name());
        let sets = column.and_then(|column| column.as_primitive_opt());
        sets.ok_or_else(|| Error::Field {
            argument,
            field: field.name().clone(),
            found: column.map(|column| column.data_type().clone()),
        })
    });
    columns.collect()
}

/// Null where an argument is. Arguments with the same bitmap share it with the result.
fn union(mut nulls: Vec<&NullBuffer>) -> Option<NullBuffer> {
    nulls.dedup_by(|a, b| a.inner().ptr_eq(b.inner()));
    NullBuffer::union_many(nulls.into_iter().map(Some))
}

/// Results as the kernel writes them.
enum Output {
    /// Sets or counts, where they stay.
    Column {
        values: MutableBuffer,
        element: Element,
    },
    /// A block of structs of words, and a column for each of their fields.
    Structs {
        block: Vec<u64>,
        columns: Vec<Vec<u64>>,
    },
}

impl Output {
    fn new(element: Element, rows: usize, block: usize) -> Output {
        match element {
            Element::Set | Element::Count => Output::Column {
                values: MutableBuffer::with_capacity(element.size() * rows),
                element,
            },
            _ => Output::Structs {
                block: vec![0; element.words() * block],
                columns: (0..element.words())
                    .map(|_| Vec::with_capacity(rows))
                    .collect(),
            },
        }
    }

    /// Memory for the next rows, a block at most.
    fn part(&mut self, rows: usize) -> *mut u8 {
        match self {
            Output::Column { values, element } => {
                values.reserve(element.size() * rows);
                values.as_mut_ptr().wrapping_add(values.len())
            }
            Output::Structs { block, .. } => block.as_mut_ptr().cast(),
        }
    }

    /// Keeps the rows that the kernel has written.
    ///
    /// # Safety
    /// As many rows were written to the memory that [`part`](Output::part) returned.
    #[allow(unsafe_code)]
    unsafe fn written(&mut self, rows: usize) {
        match self {
            Output::Column { values, element } => {
                let bytes = values.len() + element.size() * rows;
                // SAFETY: the caller's contract.
                unsafe { values.set_len(bytes) };
            }
            Output::Structs { block, columns } => {
                let words = columns.len();
                for (n, column) in columns.iter_mut().enumerate() {
                    let results = block.chunks_exact(words).take(rows);
                    column.extend(results.map(|result| result[n]));
                }
            }
        }
    }

    fn into_arrays(self, nulls: Option<&NullBuffer>) -> Vec<ArrayRef> {
        let sets = |values| Arc::new(UInt64Array::new(values, nulls.cloned())) as ArrayRef;
        match self {
            Output::Column { values, element } => vec![match element {
                Element::Count => Arc::new(UInt32Array::new(values.into(), nulls.cloned())),
                _ => sets(values.into()),
            }],
            Output::Structs { columns, .. } => columns
                .into_iter()
                .map(|column| sets(column.into()))
                .collect(),
        }
    }
}
