//! What an operation is to the drivers: a body over one vector of boards, and if there is a faster one, over rank slices.

use super::boards::Boards;
use super::lanes::Lanes;
use super::technique::Technique;

/// An operation on `N` sets of each board, with `M` results.
///
/// [`boards`](Operation::boards) alone is right everywhere; rank slices are an override.
pub(crate) trait Operation<const N: usize, const M: usize>: Copy {
    fn boards<B: Boards, T: Technique<B>>(self, sets: [B; N]) -> [B; M];

    /// Whether there is a body over rank slices.
    const SLICED: bool = false;

    /// Of a block in rank slices.
    #[inline(always)]
    fn slices<L: Lanes>(self, _sets: [[L; 8]; N]) -> [[L; 8]; M] {
        unreachable!()
    }

    /// Up to so many vectors the boards as loaded take less time than a block of slices; none if the code for few boards is to be
    /// shared by all kernels.
    const FEW: usize = 8;

    /// Which sliders' attacks it gives, if it gives them as they are. The last set is the occupancy.
    const ATTACKS: Option<Sliders> = None;
}

/// The number of the set of orthogonal sliders among an operation's sets, and that of the diagonal ones. If there are two results, they
/// are the attacks of the first and of the second.
#[derive(Clone, Copy)]
pub(crate) struct Sliders {
    pub(crate) orthogonal: Option<usize>,
    pub(crate) diagonal: Option<usize>,
}
