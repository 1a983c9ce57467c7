//! Operations on one ray or one line. They run on whole boards, because slicing takes longer than
//! one fill.

use super::board_rays::BoardRays;
use super::board_vector::BoardVector;
use super::operation::Operation;
use crate::kernels::geometry::{Line, RayDirection};

/// An operation that takes a direction.
pub(crate) trait RayOperation {
    type Along<D: RayDirection>: Operation<2, 1>;
    fn along<D: RayDirection>(direction: D) -> Self::Along<D>;
}

/// The attacks in a direction.
pub(crate) struct Ray;
#[derive(Clone, Copy)]
pub(crate) struct RayAlong<D>(D);

impl RayOperation for Ray {
    type Along<D: RayDirection> = RayAlong<D>;
    #[inline(always)]
    fn along<D: RayDirection>(direction: D) -> RayAlong<D> {
        RayAlong(direction)
    }
}

impl<D: RayDirection> Operation<2, 1> for RayAlong<D> {
    #[inline(always)]
    fn boards<B: BoardVector, T: BoardRays<B>>(self, [sliders, occupied]: [B; 2]) -> [B; 1] {
        [T::ray(self.0, sliders, occupied)]
    }
}

/// The occluded fill in a direction.
pub(crate) struct Fill;
#[derive(Clone, Copy)]
pub(crate) struct FillAlong<D>(D);

impl RayOperation for Fill {
    type Along<D: RayDirection> = FillAlong<D>;
    #[inline(always)]
    fn along<D: RayDirection>(direction: D) -> FillAlong<D> {
        FillAlong(direction)
    }
}

impl<D: RayDirection> Operation<2, 1> for FillAlong<D> {
    #[inline(always)]
    fn boards<B: BoardVector, T: BoardRays<B>>(self, [generators, propagators]: [B; 2]) -> [B; 1] {
        [T::fill(self.0, generators, propagators)]
    }
}

/// The attacks along a line.
#[derive(Clone, Copy)]
pub(crate) struct LineAttacks(pub(crate) Line);

impl Operation<2, 1> for LineAttacks {
    #[inline(always)]
    fn boards<B: BoardVector, T: BoardRays<B>>(self, [sliders, occupied]: [B; 2]) -> [B; 1] {
        [T::line(self.0, sliders, occupied)]
    }
}

/// Evaluates a body for a direction known at run time. Each direction along a rank or file has its
/// own copy of the body. The four diagonal directions share two copies, which shift by a count in a
/// register.
macro_rules! for_direction {
    ($direction:expr, |$ray:ident| $body:expr) => {{
        use $crate::kernels::geometry::direction::{
            ConstDirection, DIAGONAL, EAST, NORTH, SOUTH, WEST,
        };
        macro_rules! with {
            ($value:expr) => {{
                let $ray = $value;
                $body
            }};
        }
        match $direction {
            Direction::North => with!(NORTH),
            Direction::East => with!(EAST),
            Direction::South => with!(SOUTH),
            Direction::West => with!(WEST),
            Direction::NorthEast | Direction::NorthWest => {
                with!(ConstDirection::<true, DIAGONAL>::of($direction))
            }
            Direction::SouthEast | Direction::SouthWest => {
                with!(ConstDirection::<false, DIAGONAL>::of($direction))
            }
        }
    }};
}
pub(crate) use for_direction;

/// The attacks along the line with index `LINE`, which is known at compile time.
#[derive(Clone, Copy)]
pub(crate) struct Along<const LINE: usize>;

impl<const LINE: usize> Along<LINE> {
    const LINE: Line = Line::ALL[LINE];

    #[inline(always)]
    #[allow(clippy::unused_self, reason = "callers have a value, and its type determines the line")]
    pub(crate) fn line(self) -> Line {
        Self::LINE
    }
}

impl<const LINE: usize> Operation<2, 1> for Along<LINE> {
    #[inline(always)]
    fn boards<B: BoardVector, T: BoardRays<B>>(self, [sliders, occupied]: [B; 2]) -> [B; 1] {
        [T::line(self.line(), sliders, occupied)]
    }
}

/// Evaluates a body for a line known at run time. Each line has its own copy of the body. With a
/// single copy, the compiler does not always move the test of the line out of the body's loop.
macro_rules! for_line {
    ($line:expr, |$along:ident| $body:expr) => {{
        use $crate::kernels::generic::rays::Along;
        use $crate::kernels::geometry::Line;
        macro_rules! with {
            ($value:ident) => {{
                let $along = Along::<{ Line::$value as usize }>;
                $body
            }};
        }
        match $line.0 {
            Line::Rank => with!(Rank),
            Line::File => with!(File),
            Line::Diagonal => with!(Diagonal),
            Line::Antidiagonal => with!(Antidiagonal),
        }
    }};
}
pub(crate) use for_line;
