//! Parsing of a call's arguments, as Python passes them to a C function.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use pyo3::{Borrowed, ffi};
use setwise::reflection::{Argument, OperationInfo, Parameter};

/// Maximum number of inputs, and of outputs, of an operation.
pub(crate) const MAX_COLUMNS: usize = 8;
/// Maximum number of arguments of an operation: a parameter, inputs, `out`, `threads`.
const MAX_ARGUMENTS: usize = MAX_COLUMNS + 3;

/// The arguments of a call, in the order of the signature.
pub(crate) struct Arguments<'a, 'py> {
    values: [Option<Borrowed<'a, 'py, PyAny>>; MAX_ARGUMENTS],
    operation: &'static OperationInfo,
}

impl<'py> Arguments<'_, 'py> {
    /// Parses the arguments of a call.
    ///
    /// # Safety
    /// `values` points to `positional` objects, followed by one object for each name in `keywords`.
    /// `keywords` is a tuple of strings or null. All objects stay valid while the arguments are
    /// used.
    pub(crate) unsafe fn parse(
        py: Python<'py>,
        operation: &'static OperationInfo,
        values: *const *mut ffi::PyObject,
        positional: usize,
        keywords: *mut ffi::PyObject,
    ) -> PyResult<Self> {
        let mut arguments = Arguments { values: [None; MAX_ARGUMENTS], operation };
        let required = required(operation);
        if positional > required + 1 {
            return Err(arguments.error(&format!(
                "takes from {required} to {} positional arguments but {positional} were given",
                required + 1
            )));
        }
        for (i, slot) in arguments.values[..positional].iter_mut().enumerate() {
            // SAFETY: `values` has `positional` valid objects.
            *slot = Some(unsafe { Borrowed::from_ptr(py, *values.add(i)) });
        }
        // SAFETY: `keywords` is valid or null.
        if let Some(keywords) = unsafe { Borrowed::from_ptr_or_opt(py, keywords) } {
            for (i, keyword) in keywords.cast::<PyTuple>()?.iter().enumerate() {
                let keyword = keyword.cast::<PyString>()?.to_str()?;
                let Some(place) = names(operation).position(|name| name == keyword) else {
                    let message = format!("got an unexpected keyword argument '{keyword}'");
                    return Err(arguments.error(&message));
                };
                // SAFETY: the values of keyword arguments follow the positional arguments.
                let value = unsafe { Borrowed::from_ptr(py, *values.add(positional + i)) };
                if arguments.values[place].replace(value).is_some() {
                    let message = format!("got multiple values for argument '{keyword}'");
                    return Err(arguments.error(&message));
                }
            }
        }
        if arguments.values[..required].iter().any(Option::is_none) {
            return Err(arguments.missing());
        }
        Ok(arguments)
    }

    /// The value of the operation's parameter, if it has one.
    pub(crate) fn parameter(&self) -> Option<(Parameter, &Bound<'py, PyAny>)> {
        self.operation.parameter().zip(self.values[0].as_deref())
    }

    /// The inputs, in the operation's order.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &Bound<'py, PyAny>> + Clone {
        let first = usize::from(self.operation.parameter().is_some());
        let inputs = &self.values[first..required(self.operation)];
        inputs.iter().flatten().map(|value| &**value)
    }

    /// The array, or tuple of arrays, for the results, if given.
    pub(crate) fn out(&self) -> Option<&Bound<'py, PyAny>> {
        self.optional(0)
    }

    /// The value of `threads`, if given.
    pub(crate) fn threads(&self) -> PyResult<Option<usize>> {
        let Some(threads) = self.optional(1) else {
            return Ok(None);
        };
        threads.extract().map(Some).inspect_err(|error: &PyErr| {
            let note = ("while processing 'threads'",);
            // Ignore errors: Python 3.10 does not support notes.
            let _ = error.value(threads.py()).call_method1("add_note", note);
        })
    }

    fn optional(&self, number: usize) -> Option<&Bound<'py, PyAny>> {
        let value = self.values[required(self.operation) + number].as_ref();
        value.map(|value| &**value).filter(|value| !value.is_none())
    }

    #[cold]
    fn missing(&self) -> PyErr {
        let places = names(self.operation).zip(&self.values[..required(self.operation)]);
        let missing: Vec<String> = places
            .filter(|(_, value)| value.is_none())
            .map(|(name, _)| format!("'{name}'"))
            .collect();
        self.error(&format!("missing the arguments {}", missing.join(", ")))
    }

    #[cold]
    fn error(&self, message: &str) -> PyErr {
        PyTypeError::new_err(format!("{}() {message}", self.operation.name()))
    }
}

/// The number of required arguments: the parameter, if there is one, and the inputs.
fn required(operation: &OperationInfo) -> usize {
    usize::from(operation.parameter().is_some()) + operation.inputs().len()
}

pub(crate) fn required_names(operation: &OperationInfo) -> impl Iterator<Item = &'static str> {
    let parameter = operation.parameter().map(Parameter::name);
    let inputs = operation.inputs().iter().map(Argument::name);
    parameter.into_iter().chain(inputs)
}

/// The names of all arguments. Only `threads` must be given by keyword.
fn names(operation: &OperationInfo) -> impl Iterator<Item = &'static str> {
    required_names(operation).chain(["out", "threads"])
}
