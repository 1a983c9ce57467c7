//! The extension module `setwise._setwise`, which the Python package wraps.

mod array;
mod docs;
mod fen;
mod kernel;
mod operation;
mod threads;

use pyo3::prelude::*;

#[pymodule]
fn _setwise(module: &Bound<'_, PyModule>) -> PyResult<()> {
    operation::add_to(module)?;
    fen::add_to(module)?;
    kernel::add_to(module)?;
    threads::add_to(module)
}
