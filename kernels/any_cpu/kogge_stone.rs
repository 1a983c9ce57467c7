//! Kogge-Stone parallel prefix fills, one board at a time.
//!
//! In three doubling steps, a carry-lookahead adder finds how far each carry runs. The same network
//! finds how far each slider runs. The generators `g` may enter the propagator squares `p`, and `k`
//! is the shift of one step:
//!
//! ```text
//! g |= p & (g << k)     p &= p << k        g reaches 1 square; p: ends of runs of 2 propagators
//! g |= p & (g << 2k)    p &= p << 2k       g reaches 3 squares; p: ends of runs of 4
//! g |= p & (g << 4k)                       g reaches 7 squares, the whole board
//! ```
//!
//! A ray takes fourteen operations, including the final step. The compiler vectorises the loop over
//! the batch for the crate's target. For a batch of rays in one direction, the code chooses between
//! left and right shifts once, and keeps the shift count in a register.
//!
//! `setwise::techniques::kogge_stone` has the other form, for directions known only at run time.
//!
//! Source: Steffan Westcott's suggestion, reported by Gerd Isenberg, Computer Chess Club, 22 May
//! 2005.

use crate::kernels::entry_points::kernel;
use crate::kernels::geometry::Direction;
use crate::kernels::geometry::direction::shift;

kernel! {
    name: "kogge-stone",
    technique: "fills in three doubling steps, in loops over boards that the compiler vectorises",
    on: all(),
    features: [],
    imports: { generic::{each_board::EachBoard, technique::KoggeStone} },
    driver: EachBoard<KoggeStone>,
}

/// The occluded fill: the generators, and every square that they reach in steps that all land on
/// propagators.
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

/// The attacks: one step beyond the fill through the empty squares.
///
/// Sliders need not be in `occupied`, because each slider's own fill covers the squares beyond it.
#[inline(always)]
pub(crate) const fn ray_attacks(direction: Direction, sliders: u64, occupied: u64) -> u64 {
    direction.step(occluded_fill(direction, sliders, !occupied))
}
