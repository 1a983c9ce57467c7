//! The extension module `setwise._setwise`, which the Python package wraps.

mod arguments;
mod array;
mod call;
mod docs;
mod fen;
mod function;
mod kernel;
mod loader;
mod maps;
mod threads;

use pyo3::prelude::*;

#[pymodule]
fn _setwise(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    function::add_to(module)?;
    fen::add_to(module)?;
    kernel::add_to(module)?;
    loader::add_to(module)?;
    maps::add_to(module)?;
    threads::add_to(module)
}
