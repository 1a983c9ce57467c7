//! numpy arrays as slices: what is checked before anything of them is read or written.

use std::ops::Range;

use numpy::npyffi::NPY_ARRAY_WRITEABLE;
use numpy::{
    PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use setwise::{AttackMaps, Checks, Position, Square};

/// What an operation takes or gives of one board.
pub(crate) trait Element:
    bytemuck::CheckedBitPattern + bytemuck::NoUninit + Send + Sync
{
    /// Of which the array is.
    type Number: numpy::Element + bytemuck::Pod;
    /// The array's dimensions behind those of the boards.
    const SHAPE: &[usize];

    /// These numbers; or what is wrong with them.
    fn slice(numbers: &[Self::Number]) -> Result<&[Self], String> {
        bytemuck::checked::try_cast_slice(numbers).map_err(|error| error.to_string())
    }
}

impl Element for u64 {
    type Number = u64;
    const SHAPE: &[usize] = &[];
}

impl Element for u32 {
    type Number = u32;
    const SHAPE: &[usize] = &[];
}

impl Element for Square {
    type Number = u8;
    const SHAPE: &[usize] = &[];

    fn slice(numbers: &[u8]) -> Result<&[Square], String> {
        bytemuck::checked::try_cast_slice(numbers).map_err(|_| {
            let wrong = |number: &u8| Square::new(*number).is_none();
            let at = numbers.iter().position(wrong).unwrap_or_default();
            format!("number {at} is {}, but squares are 0 to 63", numbers[at])
        })
    }
}

impl Element for Position {
    type Number = u64;
    const SHAPE: &[usize] = &[2, 6];
}

impl Element for AttackMaps {
    type Number = u64;
    const SHAPE: &[usize] = &[size_of::<AttackMaps>() / 8];
}

impl Element for Checks {
    type Number = u64;
    const SHAPE: &[usize] = &[size_of::<Checks>() / 8];
}

/// An argument that was checked: an aligned array in C order, of the right type.
pub(crate) struct Array<'py, E: Element> {
    name: &'static str,
    array: Bound<'py, PyArrayDyn<E::Number>>,
}

impl<'py, E: Element> Array<'py, E> {
    pub(crate) fn input(name: &'static str, object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let Ok(array) = object.cast::<PyArrayDyn<E::Number>>() else {
            return Err(wrong_type::<E>(name, object));
        };
        let array = Array {
            name,
            array: array.clone(),
        };
        if !array.array.is_c_contiguous() || !array.array.is_aligned() {
            return Err(PyValueError::new_err(format!(
                "{name} is not contiguous in memory: pass numpy.ascontiguousarray({name})"
            )));
        }
        if !array.shape().ends_with(E::SHAPE) {
            return Err(PyValueError::new_err(format!(
                "{name} has the shape {:?}, but the last dimensions must be {:?}",
                array.shape(),
                E::SHAPE
            )));
        }
        Ok(array)
    }

    /// The array that the caller gave, or a new one, for these boards.
    pub(crate) fn output(
        py: Python<'py>,
        name: &'static str,
        given: Option<Bound<'py, PyAny>>,
        boards: &[usize],
    ) -> PyResult<Self> {
        let Some(given) = given else {
            let shape = [boards, E::SHAPE].concat();
            // SAFETY: the kernel writes all of it before anyone reads it.
            let array = unsafe { PyArrayDyn::new(py, shape, false) };
            return Ok(Array { name, array });
        };
        let array = Array::input(name, &given)?;
        if !array.is_writeable() {
            return Err(PyValueError::new_err(format!(
                "{name} is read-only: pass an array that can be written to"
            )));
        }
        if array.boards() != boards {
            return Err(PyValueError::new_err(format!(
                "{name} has the shape {:?}, but the results have {:?}",
                array.shape(),
                [boards, E::SHAPE].concat()
            )));
        }
        Ok(array)
    }

    /// The shape without the dimensions of an element.
    pub(crate) fn boards(&self) -> &[usize] {
        let shape = self.shape();
        &shape[..shape.len() - E::SHAPE.len()]
    }

    /// Says so if the array has not one element for each board of another.
    pub(crate) fn check_boards(&self, other: &str, boards: &[usize]) -> PyResult<()> {
        if self.boards() == boards {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "{} has the shape {:?}, but {other} {boards:?}: all must have the same",
            self.name,
            self.boards()
        )))
    }

    /// Says so if a byte of the array, which is to be written, is one of another array.
    pub(crate) fn check_apart<F: Element>(&self, other: &Array<'py, F>) -> PyResult<()> {
        let (ours, theirs) = (self.bytes(), other.bytes());
        if ours.is_empty() || ours.start >= theirs.end || theirs.start >= ours.end {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "{} shares memory with {}: results need memory of their own, for example numpy.empty_like({})",
            self.name, other.name, other.name
        )))
    }

    /// The elements.
    ///
    /// # Safety
    /// Nobody may write to the array while they are used. (Python code that does so in another thread breaks what the package's documentation asks for.)
    pub(crate) unsafe fn elements(&self) -> PyResult<&[E]> {
        // SAFETY: contiguous and aligned, as checked; not written to, by the caller's contract.
        let numbers = unsafe { std::slice::from_raw_parts(self.array.data(), self.array.len()) };
        E::slice(numbers).map_err(|what| PyValueError::new_err(format!("{}: {what}", self.name)))
    }

    /// The elements, to be written.
    ///
    /// # Safety
    /// Nobody else may use the array while they are.
    #[allow(clippy::mut_from_ref, reason = "the memory is numpy's")]
    pub(crate) unsafe fn elements_mut(&self) -> &mut [E]
    where
        E: bytemuck::Pod,
    {
        // SAFETY: contiguous, aligned and writeable, as checked or made so; of the caller alone, by the contract.
        let numbers =
            unsafe { std::slice::from_raw_parts_mut(self.array.data(), self.array.len()) };
        bytemuck::cast_slice_mut(numbers)
    }

    /// What the caller is given.
    pub(crate) fn into_any(self) -> Bound<'py, PyAny> {
        self.array.into_any()
    }

    fn shape(&self) -> &[usize] {
        self.array.shape()
    }

    fn is_writeable(&self) -> bool {
        // SAFETY: it points to the array that `self` holds.
        let flags = unsafe { (*self.array.as_array_ptr()).fields.flags };
        flags & NPY_ARRAY_WRITEABLE != 0
    }

    fn bytes(&self) -> Range<usize> {
        let start = self.array.data().addr();
        start..start + self.array.len() * size_of::<E::Number>()
    }
}

/// Whether it is an array of numpy's.
pub(crate) fn is_array(object: &Bound<'_, PyAny>) -> bool {
    object.cast::<PyUntypedArray>().is_ok()
}

#[cold]
fn wrong_type<E: Element>(name: &str, object: &Bound<'_, PyAny>) -> PyErr {
    let wanted = <E::Number as numpy::Element>::get_dtype(object.py());
    let Ok(array) = object.cast::<PyUntypedArray>() else {
        let kind = object.get_type();
        return PyTypeError::new_err(format!(
            "{name} is of type {kind}, but must be a numpy array of {wanted}, or a column of pyarrow or Polars: \
             numpy.array({name}, dtype=numpy.{wanted}) makes one of a list"
        ));
    };
    let is = array.dtype();
    let advice = if is.itemsize() == wanted.itemsize() && matches!(is.kind(), b'i' | b'u') {
        format!(
            "{name}.view(numpy.{wanted}) is the same bits, {name}.astype(numpy.{wanted}) the same numbers"
        )
    } else {
        format!("pass {name}.astype(numpy.{wanted}) if its numbers are the right ones")
    };
    PyTypeError::new_err(format!(
        "{name} is an array of {is}, but must be of {wanted}: {advice}"
    ))
}
