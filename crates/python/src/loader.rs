//! Threats of boards, and batches of binpack for training.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use setwise::threats::{Rules, Threat};
use setwise_loader::{Batch, Batches, Features, Filter, Lists, Loader, NAMES, Table};

use crate::kernel;

/// How long a wait lasts until the next look for signals.
const WAIT: Duration = Duration::from_millis(50);

type Threats<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray2<u8>>);

/// Rules by name, or from 12 x 12 booleans by attacker and victim.
#[derive(FromPyObject)]
enum Pairs {
    Name(String),
    Matrix(Vec<bool>),
}

impl Pairs {
    fn rules(&self) -> PyResult<Rules> {
        match self {
            Pairs::Name(name) => setwise_loader::named_rules(name).ok_or_else(|| {
                let names = NAMES.join(", ");
                PyValueError::new_err(format!("rules is {name:?}, but must be one of {names}"))
            }),
            Pairs::Matrix(pairs) if pairs.len() == 144 => {
                Ok(setwise_loader::rules(|attacker, victim| pairs[12 * attacker + victim]))
            }
            Pairs::Matrix(_) => Err(PyValueError::new_err("rules must have the shape (12, 12)")),
        }
    }
}

/// All threats of boards, as their offsets and as rows of attacker, from, victim and to.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
fn _threats<'py>(
    py: Python<'py>,
    boards: PyReadonlyArray2<'py, u8>,
    rules: Pairs,
) -> PyResult<Threats<'py>> {
    kernel::active()?;
    let rules = rules.rules()?;
    let boards = boards.as_slice()?.as_chunks::<64>().0;
    arrays(py, py.detach(|| setwise_loader::threats(boards, &rules)))
}

fn arrays(py: Python<'_>, lists: Lists<Threat>) -> PyResult<Threats<'_>> {
    let bytes = bytemuck::cast_vec::<Threat, [u8; 4]>(lists.values);
    Ok((PyArray1::from_vec(py, lists.offsets), rows(py, bytes)?))
}

fn rows<const N: usize>(py: Python<'_>, rows: Vec<[u8; N]>) -> PyResult<Bound<'_, PyArray2<u8>>> {
    let count = rows.len();
    PyArray1::from_vec(py, rows.into_flattened()).reshape([count, N])
}

/// The batches of a loader.
#[pyclass]
struct _Batches(Batches);

#[pymethods]
impl _Batches {
    #[new]
    #[allow(clippy::too_many_arguments, clippy::needless_pass_by_value, reason = "one call")]
    fn new(
        paths: Vec<PathBuf>,
        sizes: (usize, usize, usize),
        seed: u64,
        shard: (u64, u64),
        skips: (bool, bool),
        limits: (Option<u16>, u16, u32, f64, u64, bool),
        rules: Option<Pairs>,
        table: Option<(PyReadonlyArray1<'_, u32>, PyReadonlyArray1<'_, u32>, u8)>,
    ) -> PyResult<_Batches> {
        kernel::active()?;
        let features = match (rules, table) {
            (Some(rules), _) => Features::Threats(rules.rules()?),
            (None, Some((base, place, mirror))) => {
                let table = Table::new(base.as_slice()?, place.as_slice()?, mirror);
                Features::Indices(table.map_err(PyValueError::new_err)?.into())
            }
            (None, None) => Features::Boards,
        };
        let (batch_size, threads, shuffle) = sizes;
        let (skip_checks, skip_captures) = skips;
        let (max_score, min_ply, every, skip, skip_seed, keep_unscored) = limits;
        let filter = Filter {
            keep_unscored,
            skip_checks,
            skip_captures,
            max_score,
            min_ply,
            every,
            skip,
            seed: skip_seed,
            ..Filter::default()
        };
        let loader = Loader {
            batch_size,
            threads,
            filter,
            shuffle,
            seed,
            features,
            shard,
            ..Loader::new(paths)
        };
        loader.batches().map(_Batches).map_err(error)
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    /// Waits without the GIL, and stops waiting when Python has a signal to handle.
    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        while !py.detach(|| self.0.wait(WAIT)) {
            py.check_signals()?;
        }
        match self.0.next() {
            None => Ok(None),
            Some(Err(failure)) => Err(error(failure)),
            Some(Ok(batch)) => dictionary(py, batch).map(Some),
        }
    }
}

fn error(error: io::Error) -> PyErr {
    match error.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            PyValueError::new_err(error.to_string())
        }
        _ => error.into(),
    }
}

/// The columns as arrays that own the memory of the batch.
fn dictionary(py: Python<'_>, batch: Batch) -> PyResult<Bound<'_, PyDict>> {
    let columns = PyDict::new(py);
    columns.set_item("boards", rows(py, batch.boards)?)?;
    columns.set_item("kings", rows(py, batch.kings)?)?;
    columns.set_item("side", PyArray1::from_vec(py, batch.sides))?;
    columns.set_item("score", PyArray1::from_vec(py, batch.scores))?;
    columns.set_item("result", PyArray1::from_vec(py, batch.results))?;
    columns.set_item("ply", PyArray1::from_vec(py, batch.plies))?;
    if !batch.threats.offsets.is_empty() {
        let (offsets, threats) = arrays(py, batch.threats)?;
        columns.set_item("offsets", offsets)?;
        columns.set_item("threats", threats)?;
    }
    for (name, lists) in ["own", "other"].into_iter().zip(batch.indices) {
        if !lists.offsets.is_empty() {
            let offsets = PyArray1::from_vec(py, lists.offsets);
            columns.set_item(format!("{name}_offsets"), offsets)?;
            columns.set_item(format!("{name}_indices"), PyArray1::from_vec(py, lists.values))?;
        }
    }
    Ok(columns)
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_threats, module)?)?;
    module.add_class::<_Batches>()
}
