//! Dumb7Fill: seven one-step fill cycles, one board at a time.
//!
//! The obvious flood fill, in seven cycles. Each cycle shifts the flood one square, keeps the part
//! that lands on empty squares, and adds it to the result. There are no branches and the propagator
//! is constant, so several directions run well in parallel. For attacks, six cycles are enough:
//! whether the outermost square is empty makes no difference.
//!
//! `setwise::techniques::dumb7fill` has the other forms: with one variable, as a loop, and
//! generalised.
//!
//! Source: "Dumb7Fill", Chess Programming Wiki.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "dumb7fill",
    technique: "fills of one step, six and a last one per ray, in loops over boards that the compiler vectorises",
    on: all(),
    features: [],
    driver: EachBoard<Dumb7Fill>,
}
