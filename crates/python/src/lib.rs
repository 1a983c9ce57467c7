//! The extension module `setwise._setwise`, which the Python package wraps.

// Doc comments become Python docstrings, which are not Markdown.
#![allow(clippy::doc_link_with_quotes, clippy::doc_markdown, clippy::missing_errors_doc)]

mod arguments;
mod array;
mod call;
mod docs;
mod fen;
mod function;
mod kernel;
mod loader;
mod maps;
mod moves;
mod signals;
mod threads;

use pyo3::prelude::*;
// The functions that nnue-pytorch calls: the installer copies this extension to the trainer.
use training_data_loader as _;

#[pymodule]
fn _setwise(module: &Bound<'_, PyModule>) -> PyResult<()> {
    array::load(module.py())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    function::add_to(module)?;
    fen::add_to(module)?;
    kernel::add_to(module)?;
    loader::add_to(module)?;
    maps::add_to(module)?;
    moves::add_to(module)?;
    threads::add_to(module)
}
