//! Attack maps and checks of positions in columns.

use std::ops::Range;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;
use setwise::Kernel;
use setwise::position::{AttackMapColumns, CheckColumns, PositionColumns};

use crate::{kernel, signals, threads};

/// Positions per task of a thread pool.
const PART: usize = 4096;

/// The positions of a call until it may look for signals.
const FIRST_STEP: usize = 1 << 16;

/// The sets of a call, in columns.
type Sets<'py> = Vec<Bound<'py, PyArray1<u64>>>;

/// Parts of the results of a call, with their places.
type Results<'a> = Vec<(usize, &'a mut [u64])>;

/// Computes the results in `places` of positions in twelve columns. `call` gets the kernel, some of
/// the positions, and for each result its place and the column to fill.
fn in_columns<'py>(
    py: Python<'py>,
    pieces: &[PyReadonlyArray1<'py, u64>],
    places: &[usize],
    threads: Option<usize>,
    call: impl Fn(&Kernel, &PositionColumns<'_>, Results<'_>) + Sync,
) -> PyResult<Sets<'py>> {
    let kernel = kernel::active()?;
    let pool = threads::pool(threads)?;
    let pieces: Vec<&[u64]> = pieces.iter().map(|set| set.as_slice()).collect::<Result<_, _>>()?;
    let count = pieces.first().map_or(0, |set| set.len());
    if pieces.len() != 12 || pieces.iter().any(|set| set.len() != count) {
        return Err(PyValueError::new_err("there must be twelve columns of equal length"));
    }
    let mut results = vec![vec![0; count]; places.len()];
    let compute = |(boards, results): (Range<usize>, Results<'_>)| {
        let set = |i: usize| &pieces[i][boards.clone()];
        let pieces = [0, 6].map(|first| std::array::from_fn(|kind| set(first + kind)));
        call(kernel, &PositionColumns { pieces }, results);
    };
    signals::in_steps(py, count, FIRST_STEP, |step| {
        // The parts of the results, by task.
        let size = if pool.is_some() { PART } else { step.len() };
        let starts = step.clone().step_by(size);
        let parts = starts.map(|start| (start..step.end.min(start + size), Vec::new()));
        let mut parts: Vec<(Range<usize>, Results<'_>)> = parts.collect();
        for (&place, result) in places.iter().zip(&mut results) {
            let sets = result[step.clone()].chunks_mut(size);
            parts.iter_mut().zip(sets).for_each(|((_, part), sets)| part.push((place, sets)));
        }
        match &pool {
            None => parts.into_iter().for_each(compute),
            Some(pool) => pool.install(|| parts.into_par_iter().for_each(compute)),
        }
        Ok(())
    })?;
    Ok(results.into_iter().map(|set| PyArray1::from_vec(py, set)).collect())
}

/// Computes some of the sixteen sets of attack maps. `pieces` holds the positions as twelve
/// columns. `places` holds the indices of the sets to compute, each at most once.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
fn _attack_maps_in_columns<'py>(
    py: Python<'py>,
    pieces: Vec<PyReadonlyArray1<'py, u64>>,
    places: Vec<usize>,
    threads: Option<usize>,
) -> PyResult<Sets<'py>> {
    in_columns(py, &pieces, &places, threads, |kernel, positions, results| {
        let mut maps = AttackMapColumns::default();
        for (place, result) in results {
            *match place {
                0..12 => &mut maps.attacks[place / 6][place % 6],
                12..14 => &mut maps.all[place - 12],
                _ => &mut maps.by_lesser[place - 14],
            } = Some(result);
        }
        kernel.attack_maps_in_columns(positions, &mut maps);
    })
}

/// Computes some of the six sets of checks, like `_attack_maps_in_columns`.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
fn _checks_in_columns<'py>(
    py: Python<'py>,
    pieces: Vec<PyReadonlyArray1<'py, u64>>,
    places: Vec<usize>,
    threads: Option<usize>,
) -> PyResult<Sets<'py>> {
    in_columns(py, &pieces, &places, threads, |kernel, positions, results| {
        let mut checks = CheckColumns::default();
        for (place, result) in results {
            *match place {
                0..2 => &mut checks.checkers[place],
                2..4 => &mut checks.pinned[place - 2],
                _ => &mut checks.pinners[place - 4],
            } = Some(result);
        }
        kernel.checks_in_columns(positions, &mut checks);
    })
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_attack_maps_in_columns, module)?)?;
    module.add_function(wrap_pyfunction!(_checks_in_columns, module)?)
}
