//! Kogge-Stone parallel prefix fills, one board at a time.
//!
//! A carry-lookahead adder finds in three doubling steps how far each carry runs; the same
//! network finds how far each slider runs. A generator `g` may enter a propagator square `p`:
//!
//! ```text
//! g |= p & (g << k)     p &= p << k        reach 1, then propagators that come in twos
//! g |= p & (g << 2k)    p &= p << 2k       reach 3, then in fours
//! g |= p & (g << 4k)                       reach 7: the whole board
//! ```
//!
//! `setwise::techniques::kogge_stone` has the other form, for a direction known at run time only. For a batch along a
//! single ray the kernel decides once on the side to shift to, and shifts by a number in a register.
//!
//! Source: Steffan Westcott's suggestion as told by Gerd Isenberg in the Computer Chess Club,
//! 22 May 2005. Fourteen operations a ray with the last step; the compiler vectorises
//! the batch loop for whatever instruction set the crate is built for.

use crate::kernels::entry_points::kernel;
use crate::kernels::geometry::Direction;
use crate::kernels::geometry::direction::shift;

kernel! {
    name: "kogge-stone",
    technique: "fills in three doubling steps, in loops over boards that the compiler vectorises",
    on: all(),
    features: [],
    driver: EachBoard<KoggeStone>,
}

/// The smallest set that contains the generators and is closed under one step into a propagator.
#[inline(always)]
pub(crate) const fn occluded_fill(direction: Direction, generators: u64, propagators: u64) -> u64 {
    let k = direction.offset();
    let mut g = generators;
    let mut p = propagators & direction.wrap_mask();
    g |= p & shift(g, k);
    p &= shift(p, k);
    g |= p & shift(g, 2 * k);
    p &= shift(p, 2 * k);
    g | (p & shift(g, 4 * k))
}

/// One step beyond the fill through the empty squares.
///
/// A slider outside `occupied` need not be added: the fill regenerates on its square.
#[inline(always)]
pub(crate) const fn ray_attacks(direction: Direction, sliders: u64, occupied: u64) -> u64 {
    direction.step(occluded_fill(direction, sliders, !occupied))
}
