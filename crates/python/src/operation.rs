//! The operations of the list, each as a function of Python.

use numpy::PyArrayDyn;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use setwise::{AttackMaps, Checks, Direction, Line, Position, Square, par};

use crate::array::{Array, is_array};
use crate::docs::docstring;
use crate::{kernel, threads};

/// With fewer boards, a call takes less time than another thread could use.
const WORTH_DETACHING: usize = 8192;

macro_rules! functions {
    ([] $($group:ident { $(
        $(#[$rust:meta])*
        $name:ident $([$index:ident: $Index:ident])? ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*) = $body:ident;
    )* })*) => {
        $($(function! { $group $name [$($index: $Index)?] ($($input: $In),*) ($($output: $Out),*) })*)*

        /// Of each operation: group, name, name and type of the first argument if it is no column, names and types of the inputs, and of the outputs.
        #[pyfunction]
        fn _operations() -> Vec<Described> {
            [$($(describe! { $group $name [$($index: $Index)?] ($($input: $In),*) ($($output: $Out),*) }),*),*]
                .into_iter()
                .flatten()
                .collect()
        }

        pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
            module.add_function(wrap_pyfunction!(_operations, module)?)?;
            module.add_function(wrap_pyfunction!(_rust_seconds, module)?)?;
            $($(add! { module $group $name })*)*
            Ok(())
        }
    };
}

type Names = Vec<(&'static str, &'static str)>;
type Described = (&'static str, &'static str, Names, Names, Names);

macro_rules! describe {
    (one $($rest:tt)*) => {
        None
    };
    ($group:ident $name:ident [$($index:ident: $Index:ident)?] ($($input:ident: $In:ident),*) ($($output:ident: $Out:ident),*)) => {
        Some((
            stringify!($group),
            stringify!($name),
            vec![$((stringify!($index), stringify!($Index)))?],
            vec![$((stringify!($input), stringify!($In))),*],
            vec![$((stringify!($output), stringify!($Out))),*],
        ))
    };
}

macro_rules! add {
    ($module:ident one $name:ident) => {};
    ($module:ident $group:ident $name:ident) => {
        $module.add_function(wrap_pyfunction!($name, $module)?)?;
    };
}

macro_rules! function {
    (one $($rest:tt)*) => {};
    ($group:ident $name:ident [$($index:ident: $Index:ident)?] ($first:ident: $First:ident $(, $input:ident: $In:ident)*) ($($output:ident: $Out:ident),*)) => {
        #[doc = docstring!($name)]
        #[pyfunction]
        #[pyo3(signature = ($($index,)? $first, $($input,)* out=None, *, threads=None))]
        #[allow(clippy::too_many_arguments, reason = "each is a column of the batch")]
        fn $name<'py>(
            py: Python<'py>,
            $($index: Bound<'py, PyAny>,)?
            $first: Bound<'py, PyAny>,
            $($input: Bound<'py, PyAny>,)*
            out: Option<Bound<'py, PyAny>>,
            threads: Option<usize>,
        ) -> PyResult<Bound<'py, PyAny>> {
            if !(is_array(&$first) $(&& is_array(&$input))*) {
                let columns = [&$first $(, &$input)*];
                if are_columns(&columns)? {
                    return by_columns(py, stringify!($name), &[$(&$index)?], &columns, out.as_ref(), threads);
                }
            }
            $(let $index = $Index::named(stringify!($index), &$index)?;)?
            let $first = Array::<$First>::input(stringify!($first), &$first)?;
            let boards = $first.boards();
            $(
                let $input = Array::<$In>::input(stringify!($input), &$input)?;
                $input.check_boards(stringify!($first), boards)?;
            )*
            let mut given = Given::new(out, &[$(stringify!($output)),*])?;
            $(let $output = Array::<$Out>::output(py, given.name(stringify!($output)), given.next(), boards)?;)*
            apart!([$($output)*] [$first $($input)*]);
            let (kernels, pool) = (kernel::active()?, threads::pool(threads)?);
            {
                // SAFETY: the outputs overlap neither each other nor an input; that no other thread uses them is asked of the caller.
                let ($first, $($input,)* $($output),*) = unsafe {
                    ($first.elements()?, $($input.elements()?,)* $($output.elements_mut()),*)
                };
                let count = $first.len();
                let call = || match pool {
                    None => kernels.$name($($index,)? $first, $($input,)* $($output),*),
                    Some(pool) => pool.install(|| par::$name($($index,)? $first, $($input,)* $($output),*)),
                };
                if count < WORTH_DETACHING {
                    call();
                } else {
                    py.detach(call);
                }
            }
            results!(py $($output)*)
        }
    };
}

/// Every output apart from the others and from all inputs.
macro_rules! apart {
    ([$output:ident $($more:ident)*] [$($other:ident)*]) => {
        $($output.check_apart(&$more)?;)*
        $($output.check_apart(&$other)?;)*
        apart!([$($more)*] [$($other)*]);
    };
    ([] [$($other:ident)*]) => {};
}

macro_rules! results {
    ($py:ident $output:ident) => {
        Ok($output.into_any())
    };
    ($py:ident $($output:ident)*) => {
        Ok(PyTuple::new($py, [$($output.into_any()),*])?.into_any())
    };
}

/// What was given as `out`: nothing, or an array for each output.
struct Given<'py> {
    arrays: [Option<Bound<'py, PyAny>>; 2],
    is_single: bool,
}

impl<'py> Given<'py> {
    fn new(out: Option<Bound<'py, PyAny>>, names: &[&str]) -> PyResult<Given<'py>> {
        let is_single = names.len() == 1;
        let arrays = match out {
            None => [None, None],
            Some(out) if is_single => [Some(out), None],
            Some(out) => match out.cast::<PyTuple>() {
                Ok(tuple) if tuple.len() == names.len() => {
                    [Some(tuple.get_item(0)?), Some(tuple.get_item(1)?)]
                }
                _ => {
                    return Err(PyTypeError::new_err(format!(
                        "out must be a tuple of {} arrays: {}",
                        names.len(),
                        names.join(", ")
                    )));
                }
            },
        };
        Ok(Given { arrays, is_single })
    }

    /// As messages call an output.
    fn name(&self, output: &'static str) -> &'static str {
        if self.is_single { "out" } else { output }
    }

    fn next(&mut self) -> Option<Bound<'py, PyAny>> {
        let [first, second] = &mut self.arrays;
        first.take().or_else(|| second.take())
    }
}

/// An argument that is no column, by its name.
trait Named: Copy + 'static {
    const NAMES: &[(&str, Self)];

    fn named(argument: &str, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let text = object.cast::<PyString>().ok();
        let text = text.map(|text| text.to_string_lossy());
        let found = Self::NAMES
            .iter()
            .find(|(name, _)| Some(*name) == text.as_deref());
        found.map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<&str> = Self::NAMES.iter().map(|(name, _)| *name).collect();
            let message = format!("{argument} must be one of {}", names.join(", "));
            match text {
                Some(_) => PyValueError::new_err(message),
                None => PyTypeError::new_err(message),
            }
        })
    }
}

impl Named for Direction {
    const NAMES: &[(&str, Direction)] = &[
        ("north", Direction::North),
        ("north-east", Direction::NorthEast),
        ("east", Direction::East),
        ("south-east", Direction::SouthEast),
        ("south", Direction::South),
        ("south-west", Direction::SouthWest),
        ("west", Direction::West),
        ("north-west", Direction::NorthWest),
    ];
}

impl Named for Line {
    const NAMES: &[(&str, Line)] = &[
        ("rank", Line::Rank),
        ("file", Line::File),
        ("diagonal", Line::Diagonal),
        ("antidiagonal", Line::Antidiagonal),
    ];
}

/// Whether the arguments are columns of Arrow's: all but numpy's arrays are, and there is one.
#[cold]
fn are_columns(arguments: &[&Bound<'_, PyAny>]) -> PyResult<bool> {
    let mut is_any = false;
    for argument in arguments {
        is_any |=
            argument.hasattr("__arrow_c_array__")? || argument.hasattr("__arrow_c_stream__")?;
    }
    Ok(is_any)
}

/// By the Python code that knows Arrow.
#[cold]
fn by_columns<'py>(
    py: Python<'py>,
    name: &str,
    index: &[&Bound<'py, PyAny>],
    columns: &[&Bound<'py, PyAny>],
    out: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    if out.is_some() {
        return Err(PyTypeError::new_err(
            "out is for numpy arrays: columns of Arrow are never written to",
        ));
    }
    let module = py.import("setwise._columns")?;
    let index = PyTuple::new(py, index)?;
    let columns = PyTuple::new(py, columns)?;
    module.call_method1("call", (name, index, columns, threads))
}

setwise::operations!(all functions);

/// The seconds that a call of the Rust function `queen_attacks` takes on these arrays, without Python: what the package's own time is measured against.
#[pyfunction]
fn _rust_seconds<'py>(
    queens: &Bound<'py, PyArrayDyn<u64>>,
    occupied: &Bound<'py, PyArrayDyn<u64>>,
    attacks: &Bound<'py, PyArrayDyn<u64>>,
    calls: u32,
) -> PyResult<f64> {
    let queens = Array::<u64>::input("queens", queens)?;
    let occupied = Array::<u64>::input("occupied", occupied)?;
    let given = Some(attacks.clone().into_any());
    let attacks = Array::<u64>::output(attacks.py(), "attacks", given, queens.boards())?;
    occupied.check_boards("queens", queens.boards())?;
    apart!([attacks] [queens occupied]);
    let kernels = kernel::active()?;
    // SAFETY: they are apart, and Python's lock is held.
    let (queens, occupied, attacks) = unsafe {
        (
            queens.elements()?,
            occupied.elements()?,
            attacks.elements_mut(),
        )
    };
    let started = std::time::Instant::now();
    for _ in 0..calls {
        kernels.queen_attacks(queens, occupied, attacks);
    }
    Ok(started.elapsed().as_secs_f64() / f64::from(calls))
}
