//! Threats of boards, and batches of binpack for training.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Duration;
use std::{io, mem, process, thread};

use numpy::ndarray::{ArrayView, Dimension, IntoDimension};
use numpy::{Element, PyArray, PyArray1, PyArray2, PyArrayMethods};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use setwise::threats::{Rules, Threat};
use setwise_loader::{
    Batch, Batches, Columns, Features, FileError, Filter, Inputs, Layout, Loader, MoveNumbers,
    NAMES, OnError, Order, Part, PieceCounts, Pieces, Policy, Reason, Recycler, SoftEarly, Table,
    Views,
};

use crate::{kernel, signals};

/// The time between two checks for signals during a wait.
const WAIT: Duration = Duration::from_millis(50);

/// The number of boards that a call computes between two checks for signals.
const FIRST_STEP: usize = 1 << 12;

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
    let (mut offsets, mut values) = (vec![0], Vec::with_capacity(40 * boards.len()));
    signals::in_steps(py, boards.len(), FIRST_STEP, |step| {
        let part = setwise_loader::threats(&boards[step], &rules);
        let before = values.len() as u32;
        offsets.extend(part.offsets[1..].iter().map(|offset| before + offset));
        values.extend(part.values);
        Ok(())
    })?;
    let count = values.len();
    let rows = bytemuck::cast_vec::<Threat, [u8; 4]>(values).into_flattened();
    Ok((PyArray1::from_vec(py, offsets), PyArray1::from_vec(py, rows).reshape([count, 4])?))
}

/// A part of a set of inputs. Python has checked the shapes.
#[derive(FromPyObject)]
enum Wanted<'py> {
    Name(String),
    Table(PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, u32>, u8),
    Pieces([Option<u8>; 12], [u8; 64], u8),
}

impl Wanted<'_> {
    fn parts(&self) -> PyResult<Vec<Part>> {
        let parts = match self {
            Wanted::Name(name) => Inputs::named(name)
                .map(|inputs| inputs.parts().iter().map(|(_, part)| part.clone()).collect()),
            Wanted::Table(base, place, mirror) => {
                Table::new(base.as_slice()?, place.as_slice()?, *mirror)
                    .map(|table| vec![Part::Threats(Box::new(table))])
            }
            Wanted::Pieces(planes, buckets, mirror) => {
                Ok(vec![Part::Pieces(Pieces::new(*planes, *buckets, *mirror))])
            }
        };
        parts.map_err(|what| wrong(&what))
    }
}

fn wrong(what: &str) -> PyErr {
    PyValueError::new_err(format!("features must be 'boards', 'threats' or inputs: {what}"))
}

fn inputs(wanted: &[Wanted<'_>]) -> PyResult<Inputs> {
    let parts: PyResult<Vec<Vec<Part>>> = wanted.iter().map(Wanted::parts).collect();
    Inputs::new(parts?.concat()).map_err(|what| wrong(&what))
}

/// The name of a policy, or a list with the number of each move, by the move's bits; -1 for none.
/// Python has checked the length of the list.
#[derive(FromPyObject)]
enum Moves<'py> {
    Name(String),
    Numbers(PyReadonlyArray1<'py, i64>),
}

impl Moves<'_> {
    fn policy(&self) -> PyResult<Policy> {
        let numbers = match self {
            Moves::Name(name) if name == "lists" => return Ok(Policy::Lists),
            Moves::Name(name) if name == "squares" => Ok(MoveNumbers::squares()),
            Moves::Name(_) => Ok(MoveNumbers::lc0()),
            Moves::Numbers(numbers) => {
                let numbers = numbers.as_slice()?;
                MoveNumbers::new(|one| u16::try_from(numbers[usize::from(one.bits())]).ok())
            }
        };
        let wrong = |what| PyValueError::new_err(format!("policy: {what}"));
        numbers.map(Policy::Mask).map_err(wrong)
    }
}

/// The width of the masks of a policy, 0 without.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
fn _outputs(policy: Moves<'_>) -> PyResult<usize> {
    Ok(match policy.policy()? {
        Policy::Mask(numbers) => numbers.width(),
        _ => 0,
    })
}

/// The number of inputs of a set, and the width of its rows.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
fn _inputs(parts: Vec<Wanted<'_>>) -> PyResult<(u32, usize)> {
    let inputs = inputs(&parts)?;
    Ok((inputs.count(), inputs.width()))
}

/// An item of a dictionary that Python has checked.
fn item<'py, T: FromPyObjectOwned<'py>>(items: &Bound<'py, PyDict>, name: &str) -> PyResult<T> {
    items.as_any().get_item(name)?.extract().map_err(Into::into)
}

/// The rules in the fields of Python's `Filter`.
fn filter(fields: &Bound<'_, PyDict>) -> PyResult<Filter> {
    let until = item(fields, "soft_early")?;
    let points = item(fields, "soft_early_points")?;
    let filter = Filter {
        keep_unscored: item(fields, "keep_unscored")?,
        skip_placeholders: item(fields, "skip_placeholders")?,
        skip_checks: item(fields, "skip_checks")?,
        skip_captures: item(fields, "skip_captures")?,
        keep_en_passant: item(fields, "keep_en_passant")?,
        max_score: item(fields, "max_score")?,
        min_ply: item(fields, "min_ply")?,
        every: item(fields, "every")?,
        skip: item(fields, "skip")?,
        wld: item(fields, "wld")?,
        simple_eval: item(fields, "simple_eval")?,
        soft_early: (until > 0).then_some(SoftEarly { until, points }),
        pieces: item::<Option<_>>(fields, "pieces")?.map(PieceCounts),
        seed: item(fields, "seed")?,
    };
    filter.check().map_err(PyValueError::new_err)?;
    Ok(filter)
}

/// Checks what depends on several fields. Returns whether this is the preset of the loader.
#[pyfunction]
fn _is_stockfish(fields: &Bound<'_, PyDict>) -> PyResult<bool> {
    Ok(filter(fields)? == Filter::STOCKFISH)
}

/// The loader with the arguments of Python's `Loader`.
fn loader(settings: &Bound<'_, PyDict>) -> PyResult<Loader> {
    let rules: Option<Pairs> = item(settings, "rules")?;
    let parts: Option<Vec<Wanted<'_>>> = item(settings, "parts")?;
    let weights: Option<Vec<f64>> = item(settings, "weights")?;
    let paths: Vec<PathBuf> = item(settings, "paths")?;
    let is_mixed: bool = item(settings, "mix")?;
    let layout: String = item(settings, "layout")?;
    let on_error: String = item(settings, "on_error")?;
    Ok(Loader {
        order: match weights {
            Some(weights) => Order::Weighted(weights),
            None if is_mixed => Order::Mixed,
            None => Order::Files,
        },
        batch_size: item(settings, "batch_size")?,
        threads: item(settings, "threads")?,
        filter: filter(&item(settings, "filter")?)?,
        shuffle: item(settings, "shuffle")?,
        seed: item(settings, "seed")?,
        pass: item(settings, "epoch")?,
        cycle: item(settings, "cycle")?,
        drop_last: item(settings, "drop_last")?,
        limit: item(settings, "limit")?,
        resume: item(settings, "resume")?,
        features: match (rules, parts) {
            (Some(rules), _) => Features::Threats(rules.rules()?),
            (None, Some(parts)) => Features::Indices(inputs(&parts)?),
            (None, None) => Features::Boards,
        },
        layout: match &*layout {
            "rows" => Layout::Rows { width: item(settings, "width")? },
            _ => Layout::Lists,
        },
        views: if is_by_colour(settings)? { Views::Colours } else { Views::Movers },
        columns: groups(&item::<Vec<String>>(settings, "columns")?)?,
        policy: match item::<Option<Moves<'_>>>(settings, "policy")? {
            Some(policy) => policy.policy()?,
            None => Policy::None,
        },
        on_error: if on_error == "skip" { OnError::Skip } else { OnError::End },
        shard: item(settings, "shard")?,
        ..Loader::new(paths)
    })
}

fn is_by_colour(settings: &Bound<'_, PyDict>) -> PyResult<bool> {
    Ok(item::<String>(settings, "views")? == "colours")
}

/// The groups of columns that these are in.
fn groups(names: &[String]) -> PyResult<Columns> {
    let mut columns = Columns { boards: false, basics: false, details: false, floats: false };
    for name in names {
        match &**name {
            "boards" => columns.boards = true,
            "kings" | "side" | "score" | "result" | "ply" => columns.basics = true,
            "move" | "rule50" | "castling" | "en_passant" => columns.details = true,
            "is_white" | "outcome" | "float_score" | "piece_count" => columns.floats = true,
            _ => return Err(PyValueError::new_err(format!("there is no column {name:?}"))),
        }
    }
    Ok(columns)
}

/// The batches of a loader. Several threads may take them.
#[pyclass(frozen)]
struct _Batches {
    batches: Mutex<Batches>,
    recycler: Recycler,
    columns: Vec<String>,
    colours: bool,
    /// Rows can be written to, because tensors of read-only arrays give warnings.
    writable: bool,
    process: u32,
}

impl _Batches {
    /// Takes the batches. `None` if another thread has them.
    fn lock(&self) -> PyResult<Option<MutexGuard<'_, Batches>>> {
        // In a forked process, no thread would give them back.
        if process::id() != self.process {
            let what = "the loader was started before this process was forked: start it here";
            return Err(PyOSError::new_err(what));
        }
        match self.batches.try_lock() {
            Ok(batches) => Ok(Some(batches)),
            Err(TryLockError::WouldBlock) => {
                thread::sleep(Duration::from_millis(1));
                Ok(None)
            }
            Err(TryLockError::Poisoned(_)) => Err(PyOSError::new_err("the loader panicked")),
        }
    }

    /// Calls a function until it returns a value. Waits without the GIL, and stops waiting when
    /// Python has a signal to handle.
    fn when<T: Send>(
        &self,
        py: Python<'_>,
        mut function: impl FnMut(&mut Batches) -> Option<T> + Send,
    ) -> PyResult<T> {
        loop {
            let found = py.detach(|| self.lock().map(|batches| function(&mut *batches?)))?;
            if let Some(value) = found {
                return Ok(value);
            }
            py.check_signals()?;
        }
    }
}

#[pymethods]
impl _Batches {
    #[new]
    fn new(settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        kernel::active()?;
        let batches = loader(settings)?.batches().map_err(error)?;
        Ok(Self {
            recycler: batches.recycler(),
            batches: Mutex::new(batches),
            columns: item(settings, "columns")?,
            colours: is_by_colour(settings)?,
            writable: item(settings, "writable")?,
            process: process::id(),
        })
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        // Between batches, the caller may run no Python code that would handle signals.
        py.check_signals()?;
        let next = |batches: &mut Batches| batches.wait(WAIT).then(|| batches.next());
        match self.when(py, next)? {
            None => Ok(None),
            Some(Err(failure)) => Err(error(failure)),
            Some(Ok(batch)) => {
                let (recycler, writable) = (self.recycler.clone(), self.writable);
                let memory = Bound::new(py, Memory { batch, recycler, writable })?;
                dictionary(&memory, &self.columns, self.colours).map(Some)
            }
        }
    }

    /// The number of batches so far, with those that were left out: a value for `resume`.
    #[getter]
    fn taken(&self, py: Python<'_>) -> PyResult<u64> {
        self.when(py, |batches| Some(batches.taken()))
    }

    /// Counts of what was read so far, including for batches that were not returned yet: entries,
    /// entries kept, entries skipped by reason; and the first errors.
    #[getter]
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = self.when(py, |batches| Some(batches.statistics()))?;
        let (statistics, skipped) = (PyDict::new(py), PyDict::new(py));
        for reason in Reason::ALL {
            skipped.set_item(reason.name(), found.skipped(reason))?;
        }
        statistics.set_item("entries", found.entries)?;
        statistics.set_item("kept", found.kept)?;
        statistics.set_item("skipped", skipped)?;
        statistics.set_item("failures", found.failures)?;
        statistics.set_item("errors", found.errors)?;
        Ok(statistics)
    }
}

/// Converts an error of the loader to an exception. Errors of the system keep number and file.
fn error(error: io::Error) -> PyErr {
    if let Some(FileError { path, error }) = error.get_ref().and_then(|e| e.downcast_ref())
        && let Some(number) = error.raw_os_error()
    {
        let text = error.to_string();
        let text = text.split(" (os error").next().unwrap_or_default().to_owned();
        let path = path.clone().into_os_string();
        // With the number, Python chooses the class. On Windows it converts the number.
        return if cfg!(windows) {
            PyOSError::new_err((0, text, path, number))
        } else {
            PyOSError::new_err((number, text, path))
        };
    }
    match error.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            PyValueError::new_err(error.to_string())
        }
        _ => error.into(),
    }
}

/// A batch whose arrays are in use. It is given back when the last one is freed.
#[pyclass(frozen)]
struct Memory {
    batch: Batch,
    recycler: Recycler,
    writable: bool,
}

impl Drop for Memory {
    fn drop(&mut self) {
        let mut batch = mem::take(&mut self.batch);
        if self.writable && is_changed(&batch) {
            // All padding is written again.
            batch.rows_mut();
        }
        self.recycler.recycle(batch);
    }
}

/// Whether a program has overwritten the padding of a row. It must not do that in place; a program
/// that does, overwrites all of it, so the last number of each row is enough to look at.
fn is_changed(batch: &Batch) -> bool {
    let (rows, width) = (2 * batch.len(), batch.width());
    (1..=rows).any(|row| width > 0 && batch.rows()[row * width - 1] != -1)
}

/// An array of a batch's numbers, which keeps the batch alive.
fn array<'py, T: Element, D: Dimension>(
    memory: &Bound<'py, Memory>,
    numbers: &[T],
    shape: impl IntoDimension<Dim = D>,
) -> Bound<'py, PyArray<T, D>> {
    let shape = shape.into_dimension();
    let view = ArrayView::from_shape(shape, numbers).expect("as many as in the shape");
    // SAFETY: until it is dropped, the memory object does not change its batch, and the array keeps
    // that object.
    unsafe { PyArray::borrow_from_array(&view, memory.clone().into_any()) }
}

/// The columns as arrays of a batch's memory.
fn dictionary<'py>(
    memory: &Bound<'py, Memory>,
    names: &[String],
    colours: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let (batch, columns) = (&memory.get().batch, PyDict::new(memory.py()));
    let (size, width) = (batch.len(), batch.width());
    let floats = |number: usize| array(memory, &batch.floats()[number * size..][..size], [size]);
    for name in names {
        let column = match &**name {
            "boards" => array(memory, batch.boards.as_flattened(), [size, 64]).into_any(),
            "kings" => array(memory, batch.kings.as_flattened(), [size, 2]).into_any(),
            "side" => array(memory, &batch.sides, [size]).into_any(),
            "score" => array(memory, &batch.scores, [size]).into_any(),
            "result" => array(memory, &batch.results, [size]).into_any(),
            "ply" => array(memory, &batch.plies, [size]).into_any(),
            "move" => {
                let moves = batch.moves.iter().map(|played| played.bits());
                PyArray1::from_iter(memory.py(), moves).into_any()
            }
            "rule50" => array(memory, &batch.rule50, [size]).into_any(),
            "castling" => array(memory, &batch.castling, [size]).into_any(),
            "en_passant" => array(memory, &batch.en_passant, [size]).into_any(),
            "is_white" => floats(0).into_any(),
            "outcome" => floats(1).into_any(),
            "float_score" => floats(2).into_any(),
            _ => array(memory, &batch.rows()[2 * size * width..], [size]).into_any(),
        };
        columns.set_item(name, column)?;
    }
    let lists = |offsets: &[u32]| array(memory, offsets, [offsets.len()]);
    let moves = |moves| {
        let moves: &[u16] = bytemuck::must_cast_slice(moves);
        array(memory, moves, [moves.len()])
    };
    if !batch.played.is_empty() {
        columns.set_item("played", moves(&batch.played))?;
        columns.set_item("target", array(memory, &batch.targets, [size]))?;
        if batch.legal.offsets.is_empty() {
            let shape = [size, batch.mask.len() / size];
            columns.set_item("legal_mask", array(memory, &batch.mask, shape))?;
        } else {
            columns.set_item("legal_offsets", lists(&batch.legal.offsets))?;
            columns.set_item("legal_moves", moves(&batch.legal.values))?;
        }
    }
    if !batch.threats.offsets.is_empty() {
        let threats: &[u8] = bytemuck::must_cast_slice(&batch.threats.values);
        columns.set_item("offsets", lists(&batch.threats.offsets))?;
        columns.set_item("threats", array(memory, threats, [threats.len() / 4, 4]))?;
    }
    let views = if colours { ["white", "black"] } else { ["own", "other"] };
    for (view, (name, indices)) in views.into_iter().zip(&batch.indices).enumerate() {
        let key = format!("{name}_indices");
        if width > 0 {
            let rows = &batch.rows()[view * size * width..][..size * width];
            let rows = array(memory, rows, [size, width]);
            if !memory.get().writable {
                // The padding is not written again for the next batch.
                drop(rows.readwrite().make_nonwriteable());
            }
            columns.set_item(key, rows)?;
        } else if !indices.offsets.is_empty() {
            columns.set_item(format!("{name}_offsets"), lists(&indices.offsets))?;
            columns.set_item(key, lists(&indices.values))?;
        }
    }
    Ok(columns)
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_threats, module)?)?;
    module.add_function(wrap_pyfunction!(_inputs, module)?)?;
    module.add_function(wrap_pyfunction!(_outputs, module)?)?;
    module.add_function(wrap_pyfunction!(_is_stockfish, module)?)?;
    module.add_class::<_Batches>()
}
