//! Batches by several threads: every batch operation of the crate's root, in chunks, by rayon (feature `rayon`).
//!
//! A chunk's inputs and outputs stay in a second-level cache, and there are at least four chunks a thread where there are boards enough, so that none waits for
//! long. A batch so large that each thread's part is [written past the caches](crate::set_streaming_threshold) goes in such parts. A batch of one chunk
//! (4,096 boards and less) is computed by the calling thread. The threads are those of rayon's current pool; `ThreadPool::install` chooses another.
//!
//! ```
//! use setwise::par;
//! let (rooks, occupied) = (vec![1; 100_000], vec![0; 100_000]);
//! let mut attacks = vec![0; 100_000];
//! par::rook_attacks(&rooks, &occupied, &mut attacks);
//! assert!(attacks.iter().all(|&set| set == 0x0101_0101_0101_01fe));
//! ```

use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use crate::operations::check_lengths;
use crate::{Direction, Kernels, Line, Side, operations, streaming_threshold};

/// Less is not worth another thread: a few microseconds of work.
const LEAST: usize = 4096;
/// What the inputs and outputs of a chunk take at most: a part of a second-level cache.
const BYTES: usize = 384 << 10;

/// The boards of a chunk, if one takes so many bytes, and so many of them results.
fn chunk(boards: usize, bytes: usize, results: usize) -> usize {
    let threads = rayon::current_num_threads();
    // Parts that are written past the caches, as many for each thread.
    let parts = boards / (streaming_threshold() / results + 1) / threads * threads;
    if parts > 0 {
        return boards.div_ceil(parts);
    }
    (boards / (4 * threads)).clamp(LEAST, LEAST.max(BYTES / bytes))
}

macro_rules! functions {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$parameter:ident: $Parameter:ident])? ($($input:ident: $In:ident),*)
            -> ($($output:ident: $Out:ident),*) = $body:ident $(($argument:ident))?;
    )* })*) => {
        $($(function! { $group $name [$($parameter: $Parameter)?] ($($input: $In),*) ($($output: $Out),*) })*)*
    };
}

macro_rules! function {
    (one $($rest:tt)*) => {};
    ($group:ident $name:ident [$($parameter:ident: $Parameter:ident)?] ($($input:ident: $In:ident),*) ($first:ident: $First:ident $(, $second:ident: $Second:ident)?)) => {
        #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "), by several threads.")]
        ///
        /// By the active kernel.
        ///
        /// # Panics
        /// As that: if the slices differ in length, before anything is written; or if the active kernel cannot be chosen.
        #[track_caller]
        #[allow(clippy::too_many_arguments, reason = "each is a column of the batch")]
        pub fn $name($($parameter: $Parameter,)? $($input: &[$crate::element!($In)],)* $first: &mut [$crate::element!($First)] $(, $second: &mut [$crate::element!($Second)])?) {
            let kernels = Kernels::active();
            let boards = check_lengths!([$first $($second)?] $($input)*);
            let results = size_of::<$crate::element!($First)>() $(+ size_of::<$crate::element!($Second)>())?;
            let chunk = chunk(boards, results $(+ size_of::<$crate::element!($In)>())*, results);
            if boards <= chunk {
                return kernels.$name($($parameter,)? $($input,)* $first $(, $second)?);
            }
            let chunks = $first.par_chunks_mut(chunk);
            $(let chunks = chunks.zip($second.par_chunks_mut(chunk));)?
            chunks.enumerate().for_each(|(i, pair!($first $($second)?))| {
                let part = i * chunk..i * chunk + $first.len();
                kernels.$name($($parameter,)? $(&$input[part.clone()],)* $first $(, $second)?);
            });
        }
    };
}

macro_rules! pair {
    ($first:ident) => {
        $first
    };
    ($first:ident $second:ident) => {
        ($first, $second)
    };
}

operations!(functions);
