//! Thread pools for large batches.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};
use setwise::reflection::OperationInfo;

const MAX_THREADS: usize = 256;

/// The minimum number of boards per chunk: a few microseconds of work.
const MIN_CHUNK: usize = 4096;
/// The maximum size of the inputs and outputs of a chunk, in bytes: part of an L2 cache. A chunk
/// has at least [`MIN_CHUNK`] boards, even if they take more.
const MAX_BYTES: usize = 384 << 10;

/// The number of threads for calls without `threads=`.
static DEFAULT: AtomicUsize = AtomicUsize::new(1);

/// The thread pools made so far, by process and number of threads. A forked process has none of its
/// parent's threads, so it makes pools of its own. The parent's are never dropped, because that
/// would wait for their threads forever.
static POOLS: Mutex<BTreeMap<(u32, usize), Arc<ThreadPool>>> = Mutex::new(BTreeMap::new());

/// The thread pool for a call, or `None` if the calling thread computes alone.
pub(crate) fn pool(threads: Option<usize>) -> PyResult<Option<Arc<ThreadPool>>> {
    match threads.unwrap_or_else(|| DEFAULT.load(Ordering::Relaxed)) {
        1 => Ok(None),
        threads => of_size(threads).map(Some),
    }
}

/// Returns the pool of this many threads (0: one per CPU), and creates it if necessary.
///
/// The caller holds the GIL, and so does any thread that forks the process. So no other thread can
/// hold the lock of `POOLS` during a fork.
#[cold]
fn of_size(threads: usize) -> PyResult<Arc<ThreadPool>> {
    check(threads)?;
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (std::process::id(), threads);
    if let Some(pool) = pools.get(&key) {
        return Ok(Arc::clone(pool));
    }
    let number = match threads {
        // Don't pass 0 to rayon, whose default may exceed `MAX_THREADS`.
        0 => std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MAX_THREADS),
        threads => threads,
    };
    let pool = ThreadPoolBuilder::new()
        .num_threads(number)
        .thread_name(|i| format!("setwise {i}"))
        .build()
        .map_err(|error| PyRuntimeError::new_err(format!("{number} threads: {error}")))?;
    let pool = Arc::new(pool);
    pools.insert(key, Arc::clone(&pool));
    Ok(pool)
}

/// Computes boards in chunks on the threads of the current pool: at least four chunks per thread,
/// so that no thread idles long at the end.
pub(crate) fn in_chunks(
    boards: Range<usize>,
    operation: &OperationInfo,
    compute: impl Fn(Range<usize>) + Sync,
) {
    let arguments = operation.inputs().iter().chain(operation.outputs());
    let bytes: usize = arguments.map(|argument| argument.element().size()).sum();
    let chunk = boards.len() / (4 * rayon::current_num_threads());
    let chunk = chunk.clamp(MIN_CHUNK, MIN_CHUNK.max(MAX_BYTES / bytes));
    let starts = boards.clone().into_par_iter().step_by(chunk);
    starts.for_each(|start| compute(start..boards.end.min(start + chunk)));
}

fn check(threads: usize) -> PyResult<()> {
    if threads > MAX_THREADS {
        return Err(PyValueError::new_err(format!(
            "threads={threads}: at most {MAX_THREADS}; 0 is one per CPU"
        )));
    }
    Ok(())
}

/// Sets the number of threads for calls without `threads=`. 1 (the default) is the calling thread
/// alone, and 0 is one thread per CPU.
///
/// Batches of up to 4,096 boards are always computed by the calling thread alone.
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

/// The number of threads for calls without `threads=`: see `set_threads`.
#[pyfunction]
fn threads() -> usize {
    DEFAULT.load(Ordering::Relaxed)
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(set_threads, module)?)?;
    module.add_function(wrap_pyfunction!(threads, module)?)
}
