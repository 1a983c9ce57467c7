//! The module's functions, one for each operation in the list.

use std::any::Any;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;

use pyo3::ffi;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use setwise::reflection::{Argument, OPERATIONS, OperationInfo};

use crate::arguments::{Arguments, MAX_COLUMNS};
use crate::array::{Number, dimensions};
use crate::call::{_call, call};
use crate::docs::docstring;

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    for (operation, entry) in OPERATIONS.iter().zip(ENTRIES) {
        if !operation.by_value() {
            module.add(operation.name(), function(module, operation, *entry)?)?;
        }
    }
    module.add_function(wrap_pyfunction!(_call, module)?)?;
    module.add_function(wrap_pyfunction!(_operations, module)?)
}

/// A parameter: its name and its possible values.
type Values = (&'static str, &'static [&'static str]);
/// A column: its name, its role, its element type in numpy, and the dimensions of an element.
type Described = (&'static str, String, &'static str, &'static [usize]);
/// An operation: name, parameter, inputs, outputs.
type Function = (&'static str, Option<Values>, Vec<Described>, Vec<Described>);

/// Describes the operations on arrays, for the Python code and its tests.
#[pyfunction]
fn _operations() -> Vec<Function> {
    let described = |argument: &Argument| {
        let (role, element) = (format!("{:?}", argument.role()), argument.element());
        let number = Number::of(element).name();
        (argument.name(), role, number, dimensions(element))
    };
    let functions = OPERATIONS.iter().filter(|operation| !operation.by_value());
    functions
        .map(|operation| {
            let parameter = operation.parameter().map(|p| (p.name(), p.names()));
            let inputs = operation.inputs().iter().map(described);
            let outputs = operation.outputs().iter().map(described);
            (operation.name(), parameter, inputs.collect(), outputs.collect())
        })
        .collect()
}

/// A C function with the calling convention `METH_FASTCALL | METH_KEYWORDS`.
type Entry = unsafe extern "C" fn(
    *mut ffi::PyObject,
    *const *mut ffi::PyObject,
    ffi::Py_ssize_t,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;

macro_rules! entries {
    ($($number:literal)*) => { &[$(entry::<$number>),*] };
}

/// The C function of each operation. A C function cannot find out under which name Python called
/// it, so each operation has its own, which compiles to a jump.
#[rustfmt::skip]
const ENTRIES: &[Entry] = entries! {
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
    32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
};
const _: () = assert!(OPERATIONS.len() <= ENTRIES.len(), "add numbers to `ENTRIES`");

/// The C function of the operation with the index `NUMBER`.
///
/// # Safety
/// Only Python may call this function.
unsafe extern "C" fn entry<const NUMBER: usize>(
    _module: *mut ffi::PyObject,
    values: *const *mut ffi::PyObject,
    positional: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python passes valid arguments, and the thread holds the GIL.
    unsafe { enter(NUMBER, values, positional.cast_unsigned(), keywords) }
}

/// Parses the arguments and calls an operation. On an error or a panic, sets a Python exception and
/// returns null.
///
/// # Safety
/// The requirements of [`Arguments::parse`] hold, and the thread holds the GIL.
unsafe fn enter(
    number: usize,
    values: *const *mut ffi::PyObject,
    positional: usize,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the caller guarantees that the thread holds the GIL.
    let py = unsafe { Python::assume_attached() };
    let result = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the caller guarantees valid arguments.
        let arguments =
            unsafe { Arguments::parse(py, &OPERATIONS[number], values, positional, keywords) };
        call(py, number, &arguments?)
    }));
    let error = match result {
        Ok(Ok(result)) => return result.into_ptr(),
        Ok(Err(error)) => error,
        Err(panic) => PanicException::new_err(message(&*panic)),
    };
    error.restore(py);
    null_mut()
}

/// The message of a panic.
#[cold]
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
    text.unwrap_or_else(|| "panic from Rust code".into())
}

/// Creates the module's function for an operation.
fn function<'py>(
    module: &Bound<'py, PyModule>,
    operation: &'static OperationInfo,
    entry: Entry,
) -> PyResult<Bound<'py, PyAny>> {
    assert!(operation.inputs().len().max(operation.outputs().len()) <= MAX_COLUMNS);
    let definition = ffi::PyMethodDef {
        ml_name: CString::new(operation.name())?.into_raw(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: entry },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
        ml_doc: CString::new(docstring(operation))?.into_raw(),
    };
    // The definition is leaked: the function refers to it, and may outlive the module.
    let definition = Box::into_raw(Box::new(definition));
    let name = module.name()?;
    // SAFETY: the definition is complete and never freed.
    unsafe {
        let function = ffi::PyCFunction_NewEx(definition, module.as_ptr(), name.as_ptr());
        Bound::from_owned_ptr_or_err(module.py(), function)
    }
}
