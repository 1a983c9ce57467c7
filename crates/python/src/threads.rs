//! Threads for large batches.

use std::collections::HashMap;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

const MOST: usize = 256;

/// What calls without `threads` use.
static DEFAULT: AtomicUsize = AtomicUsize::new(1);

/// The pools that were asked for, by size, and the process that they belong to.
static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

struct Pools {
    process: u32,
    by_size: HashMap<usize, Arc<ThreadPool>>,
}

/// The threads of a call: none but the caller, or a pool.
pub(crate) fn pool(asked: Option<usize>) -> PyResult<Option<Arc<ThreadPool>>> {
    match asked.unwrap_or_else(|| DEFAULT.load(Ordering::Relaxed)) {
        1 => Ok(None),
        threads => of_size(threads).map(Some),
    }
}

/// The caller holds Python's lock, so that no thread is in here when a process forks.
#[cold]
fn of_size(threads: usize) -> PyResult<Arc<ThreadPool>> {
    check(threads)?;
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if pools.as_ref().is_some_and(|pools| pools.process != process) {
        // A fork copies no threads: the pools of the parent would never answer, nor end.
        mem::forget(pools.take());
    }
    let pools = pools.get_or_insert_with(|| Pools {
        process,
        by_size: HashMap::new(),
    });
    if let Some(pool) = pools.by_size.get(&threads) {
        return Ok(Arc::clone(pool));
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("setwise {i}"))
        .build()
        .map_err(|error| PyRuntimeError::new_err(format!("{threads} threads: {error}")))?;
    let pool = Arc::new(pool);
    pools.by_size.insert(threads, Arc::clone(&pool));
    Ok(pool)
}

fn check(threads: usize) -> PyResult<()> {
    if threads > MOST {
        return Err(PyValueError::new_err(format!(
            "threads={threads}: at most {MOST}; 0 is one a processor"
        )));
    }
    Ok(())
}

/// Sets how many threads the calls without `threads=` use: 1 at first, which is the caller itself; 0 is one a processor.
///
/// A batch of up to 4,096 boards is always the caller's alone.
///
/// >>> import setwise
/// >>> setwise.set_threads(0)
/// >>> setwise.threads()
/// 0
/// >>> setwise.set_threads(1)
#[pyfunction]
fn set_threads(threads: usize) -> PyResult<()> {
    check(threads)?;
    DEFAULT.store(threads, Ordering::Relaxed);
    Ok(())
}

/// How many threads the calls without `threads=` use: see `set_threads`.
#[pyfunction]
fn threads() -> usize {
    DEFAULT.load(Ordering::Relaxed)
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(set_threads, module)?)?;
    module.add_function(wrap_pyfunction!(threads, module)?)
}
