//! Dumb7Fill: seven one-step fill cycles, one board at a time.
//!
//! The obvious flood fill: shift the flood one square, keep what lands on an empty square, add it;
//! seven times. It has no branches and its propagator is constant, so several directions run well
//! in parallel. For attacks six cycles are enough, because whether the outermost square is empty
//! does not matter.
//!
//! `setwise::techniques::dumb7fill` has the other forms: in one variable, looping, generalised.
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
