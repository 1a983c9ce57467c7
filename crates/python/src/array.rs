//! numpy arrays as columns, and the checks before elements are read or written.

use std::ops::Range;
use std::thread;

use numpy::npyffi::{NPY_ARRAY_WRITEABLE, PyArrayObject_fields};
use numpy::{
    Element as _, PyArray1, PyArrayDescr, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods,
    PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyImportError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use setwise::reflection::Element;

/// Loads numpy's C interface. The first array would load it otherwise, and panic if a signal ended
/// that. It is loaded by another thread, because only the main thread handles signals.
pub(crate) fn load(py: Python<'_>) -> PyResult<()> {
    py.import("numpy")?;
    // A borrowed array needs both of the interfaces that the crate `numpy` loads.
    let load = || Python::attach(|py| drop(PyArray1::<u8>::zeros(py, 1, false).readonly()));
    let thread = thread::Builder::new().spawn(load)?;
    py.detach(|| thread.join())
        .map_err(|_| PyImportError::new_err("numpy's C interface cannot be loaded"))
}

/// The element type of a numpy array.
#[derive(Clone, Copy)]
pub(crate) enum Number {
    U8,
    U32,
    U64,
}

impl Number {
    /// The type that numpy arrays use for elements of this kind.
    pub(crate) fn of(element: Element) -> Number {
        match element.size() / element.words() {
            1 => Number::U8,
            4 => Number::U32,
            8 => Number::U64,
            _ => unreachable!("{element:?} is not made of numbers that numpy has"),
        }
    }

    /// The type's name in numpy.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Number::U8 => "uint8",
            Number::U32 => "uint32",
            Number::U64 => "uint64",
        }
    }

    fn dtype(self, py: Python<'_>) -> Bound<'_, PyArrayDescr> {
        match self {
            Number::U8 => u8::get_dtype(py),
            Number::U32 => u32::get_dtype(py),
            Number::U64 => u64::get_dtype(py),
        }
    }

    /// Creates an array with uninitialised elements.
    fn array<'py>(self, py: Python<'py>, shape: &[usize]) -> Bound<'py, PyUntypedArray> {
        // SAFETY: any bytes are valid numbers, and the kernel writes every element before any
        // element is read.
        let array = unsafe {
            match self {
                Number::U8 => PyArrayDyn::<u8>::new(py, shape, false).into_any(),
                Number::U32 => PyArrayDyn::<u32>::new(py, shape, false).into_any(),
                Number::U64 => PyArrayDyn::<u64>::new(py, shape, false).into_any(),
            }
        };
        // SAFETY: every array is an untyped array.
        unsafe { array.cast_into_unchecked() }
    }
}

/// The dimensions of an element, which are the last dimensions of arrays of such elements.
pub(crate) fn dimensions(element: Element) -> &'static [usize] {
    match element {
        Element::Set | Element::Square | Element::Count => &[],
        Element::Position => &[2, 6],
        Element::AttackMaps => &[16],
        Element::Checks => &[6],
        _ => unreachable!("{element:?} has no dimensions in numpy"),
    }
}

/// A checked input or output: an aligned array in C order, of the right type.
pub(crate) struct Array<'a, 'py> {
    name: &'static str,
    element: Element,
    numbers: &'a Bound<'py, PyUntypedArray>,
}

impl<'a, 'py> Array<'a, 'py> {
    /// Returns the array if it needs no conversion: it has the element's type, is aligned and in C
    /// order, and its class is `ndarray` itself. A subclass may give elements another meaning, as
    /// masked arrays do.
    #[inline]
    pub(crate) fn fitting(
        name: &'static str,
        element: Element,
        object: &'a Bound<'py, PyAny>,
    ) -> Option<Self> {
        let numbers = object.cast_exact().ok()?;
        let fits = has_type(numbers, Number::of(element))
            && is_in_order(numbers)
            && has_dimensions(numbers, element);
        fits.then_some(Array { name, element, numbers })
    }

    /// Checks an array that the caller has passed for results: it must have the element's type and
    /// one element for each board of `inputs`, be writeable, and share no memory with them.
    pub(crate) fn result(
        name: &'static str,
        element: Element,
        object: &'a Bound<'py, PyAny>,
        inputs: &[Array<'_, 'py>],
    ) -> PyResult<Self> {
        let wanted = Number::of(element);
        let Ok(numbers) = object.cast::<PyUntypedArray>() else {
            let (kind, wanted) = (object.get_type(), wanted.name());
            return Err(PyTypeError::new_err(format!(
                "{name} is of type {kind}, but must be a numpy array of {wanted}"
            )));
        };
        if !has_type(numbers, wanted) {
            let (found, wanted) = (numbers.dtype(), wanted.name());
            return Err(PyTypeError::new_err(format!(
                "{name} is an array of {found}, but must be of {wanted}"
            )));
        }
        if !is_in_order(numbers) {
            return Err(PyValueError::new_err(format!(
                "{name} is not contiguous and aligned: leave it out, and assign the result to \
                 {name}[...]"
            )));
        }
        if fields(numbers).flags & NPY_ARRAY_WRITEABLE == 0 {
            return Err(PyValueError::new_err(format!(
                "{name} is read-only: pass an array that can be written to"
            )));
        }
        let shape = [inputs[0].boards(), dimensions(element)].concat();
        if numbers.shape() != shape {
            return Err(PyValueError::new_err(format!(
                "{name} has the shape {:?}, but the results have {shape:?}",
                numbers.shape()
            )));
        }
        let array = Array { name, element, numbers };
        inputs.iter().try_for_each(|input| array.check_apart(input))?;
        Ok(array)
    }

    /// Creates an uninitialised array for results, with one element for each board of this input.
    pub(crate) fn new_result(&self, element: Element) -> Bound<'py, PyUntypedArray> {
        let shape = [self.boards(), dimensions(element)].concat();
        Number::of(element).array(self.numbers.py(), &shape)
    }

    pub(crate) fn numbers(&self) -> &Bound<'py, PyUntypedArray> {
        self.numbers
    }

    /// The shape of the array of boards: the array's shape without the dimensions of an element.
    pub(crate) fn boards(&self) -> &[usize] {
        let shape = self.numbers.shape();
        &shape[..shape.len() - dimensions(self.element).len()]
    }

    /// Checks that this array, which will be written, shares no memory with `other`.
    pub(crate) fn check_apart(&self, other: &Self) -> PyResult<()> {
        let (ours, theirs) = (self.bytes(), other.bytes());
        if ours.is_empty() || ours.start >= theirs.end || theirs.start >= ours.end {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "{} shares memory with {}: results need memory of their own, for example numpy.empty_like({})",
            self.name, other.name, other.name
        )))
    }

    /// Checks that the elements have valid values: squares must be below 64.
    pub(crate) fn check_values(&self) -> PyResult<()> {
        if self.element != Element::Square {
            return Ok(());
        }
        let numbers: &[u8] = match self.count() {
            0 => &[], // numpy reports an empty array as aligned, regardless of its address
            // SAFETY: the array has been checked: it holds as many bytes, all of them initialised.
            count => unsafe { std::slice::from_raw_parts(self.data(), count) },
        };
        if numbers.iter().fold(0, |bits, number| bits | number) < 64 {
            return Ok(());
        }
        let index = numbers.iter().position(|&number| number > 63);
        let index = index.unwrap_or_default();
        let (name, number) = (self.name, numbers[index]);
        Err(PyValueError::new_err(format!(
            "{name}: number {index} is {number}, but squares are 0 to 63"
        )))
    }

    pub(crate) fn count(&self) -> usize {
        self.boards().iter().product()
    }

    fn bytes(&self) -> Range<usize> {
        let start = self.data().addr();
        start..start + self.count() * self.element.size()
    }

    pub(crate) fn data(&self) -> *const u8 {
        data(self.numbers)
    }
}

fn fields<'a>(array: &'a Bound<'_, PyUntypedArray>) -> &'a PyArrayObject_fields {
    // SAFETY: the pointer is to the array.
    unsafe { &(*array.as_array_ptr()).fields }
}

/// A pointer to the elements of an array.
pub(crate) fn data(array: &Bound<'_, PyUntypedArray>) -> *mut u8 {
    fields(array).data.cast()
}

fn has_type(array: &Bound<'_, PyUntypedArray>, number: Number) -> bool {
    array.dtype().is_equiv_to(&number.dtype(array.py()))
}

/// Whether the array is contiguous in C order, and aligned.
fn is_in_order(array: &Bound<'_, PyUntypedArray>) -> bool {
    array.is_c_contiguous() && array.is_aligned()
}

fn has_dimensions(array: &Bound<'_, PyUntypedArray>, element: Element) -> bool {
    let dimensions = dimensions(element);
    // Skip `ends_with` for an empty slice: `memcmp` is slow if the slice's pointer is dangling.
    dimensions.is_empty() || array.shape().ends_with(dimensions)
}
