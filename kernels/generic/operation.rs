//! Operations as the drivers see them: code for a vector of boards and, if that is faster, for rank
//! slices.

use super::board_rays::BoardRays;
use super::board_vector::BoardVector;
use super::rank_bytes::RankBytes;

/// An operation on `N` sets of each board, with `M` results.
pub(crate) trait Operation<const N: usize, const M: usize>: Copy {
    /// Computes the results for a vector of whole boards.
    fn boards<B: BoardVector, T: BoardRays<B>>(self, sets: [B; N]) -> [B; M];
}

/// An operation that is faster on rank slices.
pub(crate) trait SlicedOperation<const N: usize, const M: usize>: Operation<N, M> {
    /// Computes the results for a block of rank slices.
    fn slices<R: RankBytes>(self, sets: [[R; 8]; N]) -> [[R; 8]; M];

    /// Batches of at most this many vectors are computed as whole boards, which is faster than
    /// slicing them.
    const MAX_UNSLICED_VECTORS: usize;

    /// The operation's sliders, if its results are plain slider attacks.
    const ATTACKS: Option<Sliders> = None;
}

/// The indices of the slider sets among an operation's inputs. The last input is the occupancy. If
/// there are two results, the first is the attacks of the orthogonal sliders, the second those of
/// the diagonal sliders.
#[derive(Clone, Copy)]
pub(crate) struct Sliders {
    pub(crate) orthogonal: Option<usize>,
    pub(crate) diagonal: Option<usize>,
}
