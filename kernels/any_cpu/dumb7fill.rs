//! Dumb7Fill: seven one-step fill cycles, one board at a time.
//!
//! This is the plain flood fill. Each cycle shifts the flood one square, keeps the part that lands
//! on empty squares, and adds that part to the result. There are no branches. The propagator is
//! constant, so filling several directions side by side takes few registers. Attacks need only six
//! cycles: whether the last square of a ray is empty makes no difference.
//!
//! `setwise::techniques::dumb7fill` has the other forms, for example with one variable, as a loop,
//! and generalised.
//!
//! Source: "Dumb7Fill", Chess Programming Wiki.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "dumb7fill",
    technique: "fills of one step, six and a last one per ray, in loops over boards that the compiler vectorises",
    targets: feature = "techniques",
    features: [],
    imports: { generic::{each_board::EachBoard, board_rays::Dumb7Fill} },
    driver: EachBoard<Dumb7Fill>,
}
