//! Batch operations on several threads, with rayon (feature `rayon`).
//!
//! A batch is divided into chunks whose inputs and outputs fit in the L2 cache. Large batches have
//! at least four chunks per thread, so that no thread idles long at the end. If the results per
//! thread exceed the [streaming threshold](crate::set_streaming_threshold), the chunks are large
//! enough to use non-temporal stores. A batch of 4,096 boards or fewer runs on the calling thread.
//! The threads are those of rayon's current pool; `ThreadPool::install` selects another pool.
//!
//! ```
//! use setwise::par;
//! let (rooks, occupied) = (vec![1; 100_000], vec![0; 100_000]);
//! let mut attacks = vec![0; 100_000];
//! par::rook_attacks(&rooks, &occupied, &mut attacks);
//! assert!(attacks.iter().all(|&set| set == 0x0101_0101_0101_01fe));
//! ```

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::operations::{check_lengths, functions};
use crate::{
    Column, ColumnMut, Direction, Kernel, Line, OperationInfo, Side, operations,
    streaming_threshold,
};

/// The minimum number of boards per chunk: a few microseconds of work.
const MIN_CHUNK: usize = 4096;
/// The maximum size of the inputs and outputs of a chunk without non-temporal stores, in bytes:
/// part of an L2 cache. A chunk has at least [`MIN_CHUNK`] boards, even if they take more.
const MAX_BYTES: usize = 384 << 10;

/// The number of boards per chunk. Per board, `bytes` is the size of the inputs and outputs, and
/// `results` the size of the outputs alone.
fn chunk(boards: usize, bytes: usize, results: usize) -> usize {
    let threads = rayon::current_num_threads();
    // The largest number of chunks that are still long enough for non-temporal stores, rounded down
    // to a multiple of the number of threads.
    let parts = boards / (streaming_threshold() / results + 1) / threads * threads;
    if parts > 0 {
        return boards.div_ceil(parts);
    }
    (boards / (4 * threads)).clamp(MIN_CHUNK, MIN_CHUNK.max(MAX_BYTES / bytes))
}

/// Calls an operation like [`OperationInfo::call_active`], on several threads.
///
/// # Panics
/// Like [`OperationInfo::call_active`].
pub fn call(
    operation: &OperationInfo,
    parameter: u8,
    inputs: &[Column<'_>],
    outputs: &mut [ColumnMut<'_>],
) {
    let kernels = Kernel::active();
    let boards = outputs.first().map_or(0, ColumnMut::len);
    let size = |element: crate::Element| element.size();
    let results: usize = outputs.iter().map(|column| size(column.element())).sum();
    let bytes = results + inputs.iter().map(|column| size(column.element())).sum::<usize>();
    let chunk = chunk(boards, bytes.max(1), results.max(1));
    let lengths = inputs.iter().map(Column::len).chain(outputs.iter().map(ColumnMut::len));
    if boards <= chunk || lengths.into_iter().any(|length| length != boards) {
        return operation.call(kernels, parameter, inputs, outputs);
    }
    let mut inputs = inputs.to_vec();
    let mut outputs: Vec<ColumnMut<'_>> = outputs.iter_mut().map(ColumnMut::reborrow).collect();
    let mut chunks = vec![];
    for start in (0..boards).step_by(chunk) {
        let length = chunk.min(boards - start);
        let split = inputs.iter().map(|column| column.split_at(length));
        let (first, rest): (Vec<_>, Vec<_>) = split.unzip();
        inputs = rest;
        let split = outputs.into_iter().map(|column| column.split_at(length));
        let (results, rest): (Vec<_>, Vec<_>) = split.unzip();
        outputs = rest;
        chunks.push((first, results));
    }
    chunks.into_par_iter().for_each(|(inputs, mut outputs)| {
        operation.call(kernels, parameter, &inputs, &mut outputs);
    });
}

macro_rules! function {
    (one $($rest:tt)*) => {};
    (side $($rest:tt)*) => {};
    ($group:ident $name:ident [$($parameter:ident: $Parameter:ident)?] ($($input:ident: $In:ident),*) ($($output:ident: $Out:ident),*)) => {
        #[doc = concat!("Calls [`", stringify!($name), "`](crate::", stringify!($name), ") on several threads.")]
        ///
        /// Uses the active kernel.
        ///
        /// # Panics
        /// If the slices differ in length (before anything is written), or if no kernel can be
        /// chosen (see [`Kernel::active`]).
        #[track_caller]
        #[allow(clippy::too_many_arguments, reason = "each is a column of the batch")]
        pub fn $name(
            $($parameter: $Parameter,)?
            $($input: &[$crate::element!($In)],)*
            $($output: &mut [$crate::element!($Out)]),*
        ) {
            if check_lengths!([$($output)*] $($input)*) <= MIN_CHUNK {
                return crate::$name($($parameter,)? $($input,)* $($output),*);
            }
            let operation = OperationInfo::by_name(stringify!($name));
            #[allow(unused_mut, unused_assignments, reason = "most operations have no parameter")]
            let mut number = 0;
            $(number = $parameter as u8;)?
            call(operation.expect("each function is an operation"), number, &[$($input.into()),*], &mut [$($output.into()),*]);
        }
    };
}

operations!(functions);
