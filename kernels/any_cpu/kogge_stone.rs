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

kernel! {
    name: "kogge-stone",
    technique: "fills in three doubling steps, in loops over boards that the compiler vectorises",
    targets: feature = "techniques",
    features: [],
    imports: { generic::{each_board::EachBoard, board_rays::KoggeStone} },
    driver: EachBoard<KoggeStone>,
}
