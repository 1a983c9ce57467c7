//! One ray or one line, on whole boards: a cut into slices takes longer than one fill.

use super::boards::Boards;
use super::operation::Operation;
use super::technique::Technique;
use crate::kernels::geometry::{Line, Towards};

/// An operation along one ray, for any course.
pub(crate) trait AlongRay {
    /// Whether it is attacks, not a fill.
    const ATTACKS: bool;
    type Towards<D: Towards>: Operation<2, 1>;
    fn towards<D: Towards>(course: D) -> Self::Towards<D>;
}

/// The attacks in a direction.
pub(crate) struct Ray;
#[derive(Clone, Copy)]
pub(crate) struct RayTowards<D>(D);

impl AlongRay for Ray {
    const ATTACKS: bool = true;
    type Towards<D: Towards> = RayTowards<D>;
    #[inline(always)]
    fn towards<D: Towards>(course: D) -> RayTowards<D> {
        RayTowards(course)
    }
}

impl<D: Towards> Operation<2, 1> for RayTowards<D> {
    #[inline(always)]
    fn boards<B: Boards, T: Technique<B>>(self, [sliders, occupied]: [B; 2]) -> [B; 1] {
        [T::ray(self.0, sliders, occupied)]
    }
}

/// The occluded fill in a direction.
pub(crate) struct Fill;
#[derive(Clone, Copy)]
pub(crate) struct FillTowards<D>(D);

impl AlongRay for Fill {
    const ATTACKS: bool = false;
    type Towards<D: Towards> = FillTowards<D>;
    #[inline(always)]
    fn towards<D: Towards>(course: D) -> FillTowards<D> {
        FillTowards(course)
    }
}

impl<D: Towards> Operation<2, 1> for FillTowards<D> {
    #[inline(always)]
    fn boards<B: Boards, T: Technique<B>>(self, [generators, propagators]: [B; 2]) -> [B; 1] {
        [T::fill(self.0, generators, propagators)]
    }
}

/// The attacks along a line.
#[derive(Clone, Copy)]
pub(crate) struct Along(pub(crate) Line);

impl Operation<2, 1> for Along {
    #[inline(always)]
    fn boards<B: Boards, T: Technique<B>>(self, [sliders, occupied]: [B; 2]) -> [B; 1] {
        [T::line(self.0, sliders, occupied)]
    }
}
