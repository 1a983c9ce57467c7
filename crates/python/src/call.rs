//! Calls of operations on numpy arrays.

use std::array;
use std::ops::Range;
use std::ptr::{null, null_mut};

use arrayvec::ArrayVec;
use numpy::PyUntypedArray;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyTuple};
use setwise::Kernel;
use setwise::reflection::{Argument, OPERATIONS, OperationInfo, Parameter};

use crate::arguments::{Arguments, MAX_COLUMNS};
use crate::array::{Array, data};
use crate::{kernel, signals, threads};

/// Minimum number of boards for which a call releases the GIL. Smaller batches finish too quickly
/// for other threads to benefit.
const WORTH_DETACHING: usize = 8192;

/// The boards of a call until it may look for signals: a few milliseconds for most operations.
const FIRST_STEP: usize = 1 << 18;

type Inputs<'a, 'py> = ArrayVec<Array<'a, 'py>, MAX_COLUMNS>;

/// Calls the operation with this index in the list of operations.
pub(crate) fn call<'py>(
    py: Python<'py>,
    number: usize,
    arguments: &Arguments<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    /// Converts arguments.
    static CONVERT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let operation = &OPERATIONS[number];
    // Read `threads` and the parameter before checking the arrays: reading them may run Python
    // code, which could change the arrays.
    let threads = arguments.threads()?;
    let parameter = match arguments.parameter() {
        Some((parameter, value)) => parameter_value(parameter, value)?,
        None => 0,
    };
    let out = arguments.out();
    if let Some(inputs) = fitting(operation, arguments.inputs())
        && out.is_none_or(|out| fits_as_out(operation, out))
    {
        return call_on_arrays(py, operation, parameter, threads, &inputs, out);
    }
    let inputs = PyTuple::new(py, arguments.inputs().collect::<Vec<_>>())?;
    let convert = CONVERT.import(py, "setwise._call", "call")?;
    convert.call1((operation.name(), number, parameter, inputs, out, threads))
}

/// Calls the operation with this index on arrays that need no conversion.
#[pyfunction]
#[pyo3(signature = (number, parameter, inputs, out, threads))]
pub(crate) fn _call<'py>(
    py: Python<'py>,
    number: usize,
    parameter: u8,
    inputs: &Bound<'py, PyTuple>,
    out: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let wrong = || PyValueError::new_err("these are not the arguments of an operation");
    let operation = OPERATIONS.get(number).filter(|operation| !operation.by_value());
    let operation = operation.ok_or_else(wrong)?;
    let values = operation.parameter().map_or(1, |parameter| parameter.names().len());
    if usize::from(parameter) >= values || inputs.len() != operation.inputs().len() {
        return Err(wrong());
    }
    let objects: ArrayVec<_, MAX_COLUMNS> = inputs.iter().collect();
    let arrays = fitting(operation, objects.iter()).ok_or_else(wrong)?;
    call_on_arrays(py, operation, parameter, threads, &arrays, out)
}

/// The inputs, if none of them needs a conversion and all have the same shape.
fn fitting<'a, 'py: 'a>(
    operation: &OperationInfo,
    objects: impl Iterator<Item = &'a Bound<'py, PyAny>>,
) -> Option<Inputs<'a, 'py>> {
    let mut inputs = Inputs::new();
    for (argument, object) in operation.inputs().iter().zip(objects) {
        let input = Array::fitting(argument.name(), argument.element(), object)?;
        if inputs.first().is_some_and(|first| first.boards() != input.boards()) {
            return None;
        }
        inputs.push(input);
    }
    Some(inputs)
}

/// Whether results can be written directly to `out`, without a conversion.
fn fits_as_out(operation: &OperationInfo, out: &Bound<'_, PyAny>) -> bool {
    let fits = |output: &Argument, array: &Bound<'_, PyAny>| {
        Array::fitting(output.name(), output.element(), array).is_some()
    };
    match (operation.outputs(), out.cast::<PyTuple>()) {
        ([output], _) => fits(output, out),
        (outputs, Ok(tuple)) => {
            tuple.len() == outputs.len()
                && outputs.iter().zip(tuple).all(|(output, array)| fits(output, &array))
        }
        _ => false,
    }
}

/// Calls an operation on inputs of equal shape.
fn call_on_arrays<'py>(
    py: Python<'py>,
    operation: &'static OperationInfo,
    parameter: u8,
    threads: Option<usize>,
    inputs: &[Array<'_, 'py>],
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let threads = threads::pool(threads)?;
    let results: ArrayVec<_, MAX_COLUMNS> = if let Some(out) = out {
        given_results(operation, out, inputs)?
    } else {
        let elements = operation.outputs().iter().map(Argument::element);
        elements.map(|element| inputs[0].new_result(element)).collect()
    };
    inputs.iter().try_for_each(Array::check_values)?;
    let call = Call {
        operation,
        kernel: kernel::active()?,
        parameter,
        inputs: array::from_fn(|i| inputs.get(i).map_or(null(), Array::data)),
        outputs: array::from_fn(|i| results.get(i).map_or(null_mut(), data)),
    };
    let boards = inputs[0].count();
    // SAFETY: `given_results` checked the results, or `new_result` made them: all arrays have the
    // operation's types and as many boards, and no result overlaps another array. The documentation
    // forbids using the arrays in other threads during the call.
    let compute = |boards: Range<usize>| unsafe { call.compute(boards) };
    let run = |boards| match &threads {
        None => compute(boards),
        Some(pool) => pool.install(|| threads::in_chunks(boards, operation, compute)),
    };
    match boards {
        0 => {} // numpy reports empty arrays as aligned, regardless of their addresses
        1..WORTH_DETACHING => run(0..boards),
        _ => signals::in_steps(py, boards, FIRST_STEP, |boards| {
            run(boards);
            Ok(())
        })?,
    }
    match &results[..] {
        [only] => Ok(only.clone().into_any()),
        results => Ok(PyTuple::new(py, results)?.into_any()),
    }
}

/// An operation and its columns in memory.
struct Call {
    operation: &'static OperationInfo,
    kernel: &'static Kernel,
    parameter: u8,
    inputs: [*const u8; MAX_COLUMNS],
    outputs: [*mut u8; MAX_COLUMNS],
}

// SAFETY: the pointers are only used in `compute`, whose callers pass disjoint ranges of boards.
// The inputs are only read.
unsafe impl Sync for Call {}

impl Call {
    /// Computes some of the boards.
    ///
    /// # Safety
    /// The pointers are to columns of the operation's types, which have these boards and do not
    /// overlap. Nothing else writes to these boards, or uses their results, during the call.
    unsafe fn compute(&self, boards: Range<usize>) {
        let (mut inputs, mut outputs) = (self.inputs, self.outputs);
        for (column, input) in inputs.iter_mut().zip(self.operation.inputs()) {
            *column = column.wrapping_add(boards.start * input.element().size());
        }
        for (column, output) in outputs.iter_mut().zip(self.operation.outputs()) {
            *column = column.wrapping_add(boards.start * output.element().size());
        }
        let inputs = &inputs[..self.operation.inputs().len()];
        let outputs = &outputs[..self.operation.outputs().len()];
        // SAFETY: the caller guarantees valid columns.
        unsafe {
            self.operation.call_raw(self.kernel, self.parameter, inputs, outputs, boards.len());
        }
    }
}

/// Checks and returns the arrays passed as `out`.
fn given_results<'py>(
    operation: &OperationInfo,
    out: &Bound<'py, PyAny>,
    inputs: &[Array<'_, 'py>],
) -> PyResult<ArrayVec<Bound<'py, PyUntypedArray>, MAX_COLUMNS>> {
    if let [output] = operation.outputs() {
        let array = Array::result("out", output.element(), out, inputs)?;
        return Ok(ArrayVec::from_iter([array.numbers().clone()]));
    }
    let count = operation.outputs().len();
    let Some(tuple) = out.cast::<PyTuple>().ok().filter(|tuple| tuple.len() == count) else {
        let names = operation.outputs().iter().map(Argument::name);
        return Err(PyTypeError::new_err(format!(
            "out must be a tuple of {count} arrays: {}",
            names.collect::<Vec<_>>().join(", ")
        )));
    };
    let given: Vec<_> = tuple.iter().collect();
    let mut arrays = Vec::<Array<'_, 'py>>::new();
    for (output, given) in operation.outputs().iter().zip(&given) {
        let array = Array::result(output.name(), output.element(), given, inputs)?;
        arrays.iter().try_for_each(|other| other.check_apart(&array))?;
        arrays.push(array);
    }
    Ok(arrays.iter().map(|array| array.numbers().clone()).collect())
}

/// The index of a parameter's value in its list of names.
fn parameter_value(parameter: Parameter, value: &Bound<'_, PyAny>) -> PyResult<u8> {
    let names = parameter.names();
    let text = value.cast::<PyString>().ok();
    let text = text.map(|text| text.to_string_lossy());
    let number = names.iter().position(|name| Some(*name) == text.as_deref());
    number.map(|number| number as u8).ok_or_else(|| {
        let message = format!("{} must be one of {}", parameter.name(), names.join(", "));
        match text {
            Some(_) => PyValueError::new_err(message),
            None => PyTypeError::new_err(message),
        }
    })
}
